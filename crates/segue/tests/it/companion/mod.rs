//! A companion program: it knows the published contract of flows and nothing else of Segue, speaks HTTP to a
//! `segue app` that was started as a user starts it, and compares whole values.
//!
//! What it shares with the other tests is how a program is started and how HTTP is framed. Shapes, hashes and orders are
//! written down here once more, from the contract.

mod authority;
mod bundles;
mod catalogue;
mod lineage;
mod refusals;
mod runs;
mod saving;
mod secrets;
mod stopping;

use std::time::Instant;

use segue_testkit::{
    app_server::{AppServer, Connection, Reply},
    mcp_client::DEADLINE,
    program::Program,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Between two looks at an outcome, as a companion polls.
const POLL: std::time::Duration = std::time::Duration::from_millis(10);

/// The server and what lies around it.
struct Companion {
    // Before the world: its process goes first.
    server: AppServer,
    world: Program,
}

impl Companion {
    fn new() -> Companion {
        Companion::with(&[])
    }

    fn with(arguments: &[&str]) -> Companion {
        Companion::start(Program::with_binary(env!("CARGO_BIN_EXE_segue")), arguments)
    }

    /// With further variables in the environment of the server.
    fn with_env(variables: &[(&str, &str)]) -> Companion {
        let mut world = Program::with_binary(env!("CARGO_BIN_EXE_segue"));
        for (name, value) in variables {
            world.env(name, value);
        }
        Companion::start(world, &[])
    }

    fn start(world: Program, arguments: &[&str]) -> Companion {
        // The other agents of the test world are not what a companion meets.
        for agent in ["codex", "opencode"] {
            world.uninstall(agent);
        }
        Companion { server: AppServer::start_with(&world, arguments), world }
    }

    /// A request whose reply follows the conventions of §10.
    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let reply = self.server.send(method, path, body);
        assert_conventional(&reply);
        (reply.status, reply.json())
    }

    /// The value of a GET that succeeds.
    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let (status, value) = self.ask("GET", path, None);
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    /// The value of a POST that gives this status.
    #[track_caller]
    fn post(&self, path: &str, body: &Value, status: u16) -> Value {
        let (given, value) = self.ask("POST", path, Some(body));
        assert_eq!(given, status, "{path}: {value}");
        value
    }

    /// The status of a refusal, whose body is what every refusal's is.
    #[track_caller]
    fn refused(&self, method: &str, path: &str, body: Option<&Value>) -> u16 {
        let (status, value) = self.ask(method, path, body);
        assert_error(&value);
        status
    }

    /// A capability of a small program on PATH.
    #[track_caller]
    fn add(&self, id: &str, kind: &str, effects: &[&str], script: &str) -> Value {
        self.world.install_script(id, script);
        let mut config = json!({"executable": id});
        match kind {
            "model_cli" => config["protocol"] = json!("symphlo.model-inference.v1"),
            "evaluator_cli" => config["protocol"] = json!("symphlo.evaluation.v1"),
            _ => {}
        }
        let definition = json!({"id": id, "kind": kind, "name": id, "effects": effects, "config": config});
        self.post("/api/v1/capabilities", &json!({"capability": definition}), 201)
    }

    /// Saves a flow; its local id.
    #[track_caller]
    fn save(&self, flow: &Value) -> String {
        text(&self.post("/api/flows", &json!({"flow": flow}), 201)["flow_id"])
    }

    /// Admits a Run of a saved flow by its portable id, confirming what it may write; the Run's id.
    #[track_caller]
    fn admit(&self, flow: &str, inputs: &Value) -> String {
        let path = format!("/api/v1/flows/{flow}/runs");
        let (status, mut value) = self.ask("POST", &path, Some(&run_request(inputs)));
        if status == 428 {
            value = self.post(&path, &authorized(run_request(inputs), &value), 202);
        }
        text(&value["run_id"])
    }

    /// Polls the outcome of a Run until it has ended.
    #[track_caller]
    fn ended(&self, run: &str) -> Value {
        self.until(run, |outcome| !outcome["finished_at"].is_null())
    }

    /// Polls the outcome of a Run until something holds of it.
    #[track_caller]
    fn until(&self, run: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + DEADLINE;
        let mut connection: Connection = self.server.connect();
        loop {
            let (status, outcome) = connection.ask("GET", &format!("/api/v1/runs/{run}/outcome"), None);
            assert_eq!(status, 200, "{outcome}");
            if holds(&outcome) {
                return outcome;
            }
            assert!(Instant::now() < deadline, "waited in vain: {outcome}");
            std::thread::sleep(POLL);
        }
    }

    #[track_caller]
    fn evidence(&self, run: &str) -> Value {
        self.get(&format!("/api/v1/runs/{run}/evidence"))
    }

    /// Ends the server in order; nothing of it is left.
    fn end(self) {
        assert_eq!(self.server.stop(rustix::process::Signal::TERM), "exit 0");
        self.world.assert_nothing_left();
    }
}

/// What §10 says of every reply but an artifact's bytes.
#[track_caller]
fn assert_conventional(reply: &Reply) {
    assert_eq!(reply.header("content-type"), "application/json; charset=utf-8", "{reply:?}");
    assert_eq!(reply.header("cache-control"), "no-store");
    let compact = format!("{}\n", reply.json());
    assert_eq!(String::from_utf8_lossy(&reply.body), compact, "compact JSON and a line end");
}

/// Every refusal but a challenge has one member, a text.
#[track_caller]
fn assert_error(value: &Value) {
    let members: Vec<&String> = value.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["error"], "{value}");
    assert!(value["error"].as_str().is_some_and(|text| !text.trim().is_empty()), "{value}");
}

fn run_request(inputs: &Value) -> Value {
    json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": inputs})
}

/// The same request, with the authorization of a challenge.
fn authorized(mut request: Value, challenge: &Value) -> Value {
    let version = request["contract_version"].as_str().expect("a version").replace("symphlo.", "symphlo.authorized-");
    request["contract_version"] = version.into();
    request["effect_authorization"] = challenge["authorization"].clone();
    request
}

/// Steps one after the other, each bound to a capability or to none.
fn chain(id: &str, steps: &[(&str, &str, Option<&str>)]) -> Value {
    let mut before = Value::Null;
    let steps: Vec<Value> = steps
        .iter()
        .map(|(step, kind, capability)| {
            let from = std::mem::replace(&mut before, (*step).into());
            let mut params = json!({"title": step.to_uppercase()});
            if let Some(capability) = capability {
                params["capability_id"] = (*capability).into();
            }
            json!({"id": step, "type": kind, "from": from, "prompt": format!("Do {step}"), "params": params})
        })
        .collect();
    json!({"schema_version": 1, "id": id, "name": id, "description": "A chain", "steps": steps})
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The value with names for what is another one each time: what the caller knows, and then moments, digests and ids.
fn plain(value: &Value, names: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            let named = names.iter().fold(text.clone(), |text, (found, name)| text.replace(found, name));
            let word = if is_moment(&named) {
                "MOMENT"
            } else if is_digest(&named) {
                "DIGEST"
            } else if is_id(&named) {
                "ID"
            } else {
                named.as_str()
            };
            word.into()
        }
        Value::Array(items) => items.iter().map(|item| plain(item, names)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), plain(value, names))).collect())
        }
        other => other.clone(),
    }
}

/// Whether a text has the form of a pattern in which `0` is a digit, `x` a lower-case hexadecimal one.
fn has_form(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(found, form)| match form {
            b'0' => found.is_ascii_digit(),
            b'x' => matches!(found, b'0'..=b'9' | b'a'..=b'f'),
            _ => found == form,
        })
}

fn is_moment(text: &str) -> bool {
    has_form(text, "0000-00-00T00:00:00.000000+00:00")
}

fn is_digest(text: &str) -> bool {
    has_form(text, &"x".repeat(64))
}

/// UUIDv4 text.
fn is_id(text: &str) -> bool {
    has_form(text, "xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx")
}

/// Takes members away that Segue adds to a resource of the contract; each must be there.
#[track_caller]
fn without(mut value: Value, added: &[&str]) -> Value {
    let members = value.as_object_mut().expect("an object");
    for name in added {
        assert!(members.remove(*name).is_some(), "{name} in {members:?}");
    }
    value
}

/// Canonical JSON (§2), for values without floats.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let written = members.iter().map(|(name, value)| format!("{}:{}", json!(name), canonical(value)));
            format!("{{{}}}", written.collect::<Vec<_>>().join(","))
        }
        Value::Number(number) => {
            assert!(number.is_i64() || number.is_u64(), "no floats here: {number}");
            number.to_string()
        }
        other => other.to_string(),
    }
}

fn hash(value: &Value) -> String {
    digest(canonical(value).as_bytes())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the contract's vectors say (§2): the companion hashes as everybody else does.
#[test]
fn the_companion_hashes_as_the_contract_says() {
    assert_eq!(hash(&json!({})), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    let node = |id: &str, title: &str, kind: &str, executor: &str, version: &str, effects: &[&str]| {
        json!({"node_id": id, "title": title, "kind": kind, "executor": {"executor_id": executor, "version": version},
            "effects": effects, "input_from": null, "instruction": null})
    };
    let mut a = node(
        "a",
        "Alpha",
        "tool.task",
        "capability.cli.x.0123456789abcdef",
        "1.0.0",
        &["execute_process", "write_local"],
    );
    a["instruction"] = "Do a".into();
    let mut b = node("b", "Beta", "agent.task", "capability.agent.y.fedcba9876543210", "1.0.0", &["execute_process"]);
    b["input_from"] = "a".into();
    b["session_group"] = "loop".into();
    let mut p =
        node("p", "Pub", "artifact.task", "builtin.markdown-publication", "0.2.0", &["pure_compute", "write_local"]);
    p["input_from"] = "b".into();
    let flow = json!({"flow_id": "vec-flow", "version": "1.0.0", "title": "Vector Flow", "nodes": [a, b, p]});
    assert_eq!(hash(&flow), "9112ef2bd35b9628cfee1eba89307b5de4ba9d3e94d60e8a8aa0868ce10c61f5");
}
