//! Flows on a record that was damaged, asked for at the same moment by many, or fed with what is none: one thing is
//! refused by name, and the rest is served.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use segue_testkit::{app_server::AppServer, program::Program};
use serde_json::{Value, json};

use super::scene::{Scene, wait_for};

pub fn tool(app: &AppServer, world: &Program, id: &str, script: &str) {
    world.install_script(id, script);
    let tool = json!({"id": id, "kind": "cli", "name": id, "effects": ["execute_process", "read_local"],
        "timeout_seconds": 600, "config": {"executable": id}});
    let (status, saved) = app.ask("POST", "/api/v1/capabilities", Some(&tool));
    assert_eq!(status, 201, "{saved}");
}

pub fn save(app: &AppServer, id: &str, steps: &Value) {
    let flow = json!({"schema_version": 2, "id": id, "name": id, "steps": steps});
    let (status, saved) = app.ask("POST", "/api/flows", Some(&json!({"flow": flow})));
    assert_eq!(status, 201, "{saved}");
}

#[track_caller]
pub fn admit(app: &AppServer, flow: &str) -> String {
    let mut request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
    let path = format!("/api/v1/flows/{flow}/runs");
    let (mut status, mut admitted) = app.ask("POST", &path, Some(&request));
    if status == 428 {
        request["contract_version"] = "symphlo.authorized-run-request.v1".into();
        request["effect_authorization"] = admitted["authorization"].clone();
        (status, admitted) = app.ask("POST", &path, Some(&request));
    }
    assert_eq!(status, 202, "{admitted}");
    admitted["run_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
pub fn ended(app: &AppServer, run: &str) -> Value {
    let mut outcome = Value::Null;
    wait_for("the run to end", || {
        outcome = app.ask("GET", &format!("/api/v1/runs/{run}/outcome"), None).1;
        !outcome["finished_at"].is_null()
    });
    outcome
}

/// The file of a blob.
fn blob(world: &Program, sha256: &str) -> PathBuf {
    world.state_dir().join("blobs").join(&sha256[..2]).join(&sha256[2..])
}

#[test]
fn an_artifact_whose_bytes_were_changed_is_refused_and_the_rest_is_served() {
    let scene = Scene::new();
    let app = AppServer::start(&scene.world);
    tool(&app, &scene.world, "tool.says", "cat > /dev/null; echo '{\"article_markdown\":\"# Written\"}'");
    let steps = json!([{"id": "say", "type": "tool.task", "params": {"capability_id": "tool.says"}},
        {"id": "publish", "type": "artifact.task", "from": "say"}]);
    save(&app, "says-flow", &steps);
    let run = admit(&app, "says-flow");
    let artifact = ended(&app, &run)["artifacts"][0].clone();
    let url = artifact["content_url"].as_str().expect("a path");
    assert_eq!(app.send("GET", url, None).body, b"# Written");
    let file = blob(&scene.world, artifact["sha256"].as_str().expect("a digest"));
    for damage in ["# Wrotten", ""] {
        fs::write(&file, damage).expect("the file of the blob");
        let (status, refusal) = app.ask("GET", url, None);
        assert_eq!(status, 500, "{refusal}");
        assert!(refusal["error"].as_str().is_some_and(|text| !text.is_empty()), "{refusal}");
    }
    fs::remove_file(&file).expect("the file of the blob");
    assert_eq!(app.ask("GET", url, None).0, 500, "its bytes are gone");
    for path in ["outcome", "evidence", "why"] {
        assert_eq!(app.ask("GET", &format!("/api/v1/runs/{run}/{path}"), None).0, 200, "{path}");
    }
    // The same bytes again mend it.
    let again = admit(&app, "says-flow");
    assert_eq!(ended(&app, &again)["status"], "succeeded");
    assert_eq!(app.send("GET", url, None).body, b"# Written");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    scene.assert_nothing_left();
}

/// Cancellations, answers and forks of one Run at the same moment: each is answered with what is true, and what ends the
/// Run ends it once.
#[test]
fn what_many_ask_of_one_run_at_once_is_decided_once() {
    for round in 0..10 {
        let scene = Scene::new();
        let app = AppServer::start(&scene.world);
        tool(&app, &scene.world, "tool.any", "cat");
        let steps = json!([{"id": "one", "type": "tool.task", "params": {"capability_id": "tool.any"}},
            {"id": "ask", "type": "human.task", "from": "one", "prompt": "Good?"},
            {"id": "two", "type": "tool.task", "from": "ask", "params": {"capability_id": "tool.any"}}]);
        save(&app, "asked-flow", &steps);
        let run = admit(&app, "asked-flow");
        wait_for("the question", || app.ask("GET", &format!("/api/v1/runs/{run}"), None).1["waiting"] == true);
        let cancel = json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": "asked-flow"});
        let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "ask"});
        let answer = json!({"option": "approve"});
        let requests = [
            (format!("/api/v1/runs/{run}/nodes/ask/answers"), answer),
            (format!("/api/v1/runs/{run}/cancellations"), cancel),
            (format!("/api/v1/runs/{run}/forks"), fork),
        ];
        let mut connections: Vec<_> = (0..12).map(|_| app.connect()).collect();
        let count = connections.len();
        for at in 0..count {
            let (path, body) = &requests[(at + round) % requests.len()];
            connections[at].begin("POST", path, &[], Some(&body.to_string()));
        }
        let replies: Vec<(usize, u16, Value)> = connections
            .iter_mut()
            .enumerate()
            .map(|(at, connection)| {
                let reply = connection.reply();
                ((at + round) % requests.len(), reply.status, reply.json())
            })
            .collect();
        let of = |kind: usize, status: u16| replies.iter().filter(|(k, s, _)| (*k, *s) == (kind, status)).count();
        let outcome = ended(&app, &run);
        let status = outcome["status"].as_str().expect("a status");
        assert!(["succeeded", "cancelled"].contains(&status), "{outcome}");
        assert!(of(0, 200) <= 1, "answered once: {replies:?}");
        assert_eq!(of(0, 200) + of(0, 409), 4, "{replies:?}");
        assert_eq!(of(1, 202), usize::from(status == "cancelled"), "{status}: {replies:?}");
        assert_eq!(of(1, 202) + of(1, 200), 4, "{replies:?}");
        assert_eq!(of(2, 202) + of(2, 400), 4, "a fork while it is active is refused: {replies:?}");
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        let kinds: Vec<&str> = evidence["events"]
            .as_array()
            .expect("events")
            .iter()
            .filter_map(|event| event["event_type"].as_str())
            .collect();
        let ends = kinds.iter().filter(|kind| ["run.succeeded", "run.cancelled", "run.failed"].contains(kind)).count();
        assert_eq!((ends, kinds.last()), (1, Some(&format!("run.{status}").as_str())), "{kinds:?}");
        assert_eq!(app.stop(Signal::TERM), "exit 0");
        scene.assert_nothing_left();
    }
}

/// What is no flow is refused with a text, whatever it is, and the server goes on.
#[test]
fn documents_that_are_none_are_refused_and_do_no_harm() {
    let scene = Scene::new();
    let app = AppServer::start(&scene.world);
    tool(&app, &scene.world, "tool.any", "cat");
    let step = |more: Value| {
        let mut step = json!({"id": "one", "type": "tool.task", "params": {"capability_id": "tool.any"}});
        step.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({"schema_version": 2, "id": "bad-flow", "name": "Bad", "steps": [step]})
    };
    let deep = |open: &str, close: &str, depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let many: Vec<Value> = (0..1001).map(|at| json!({"id": format!("n{at}"), "type": "artifact.task"})).collect();
    for (what, flow) in [
        (
            "a loop",
            json!({"schema_version": 2, "id": "bad-flow", "name": "B", "steps": [
            {"id": "a", "type": "tool.task", "from": "b", "params": {"capability_id": "tool.any"}},
            {"id": "b", "type": "tool.task", "from": "a", "params": {"capability_id": "tool.any"}}]}),
        ),
        ("itself before itself", step(json!({"from": "one"}))),
        ("a deep condition", step(json!({"when": deep("(", ")", 500)}))),
        ("a long condition", step(json!({"when": "true || ".repeat(1000)}))),
        ("a condition that is none", step(json!({"when": "input."}))),
        ("a condition of nodes that are not there", step(json!({"when": "nodes.other.x == 1"}))),
        ("endless repetitions", step(json!({"retry": {"max_attempts": 1_000_000}}))),
        ("a time below nothing", step(json!({"timeout_seconds": -1}))),
        ("a time that is no number", step(json!({"timeout_seconds": "1e99"}))),
        ("too many steps", json!({"schema_version": 2, "id": "bad-flow", "name": "B", "steps": many})),
        ("a version of tomorrow", json!({"schema_version": 3, "id": "bad-flow", "name": "B", "steps": []})),
        ("an id with a slash", step(json!({"id": "../../x"}))),
        ("an id with a NUL", step(json!({"id": "a\u{0}b"}))),
    ] {
        let (status, result) = app.ask("POST", "/api/flows/validate", Some(&flow));
        if status == 200 {
            // What is valid has to run; what is not says why.
            if result["valid"] == true {
                assert!(["an id with a slash", "an id with a NUL"].contains(&what), "{what}: {result}");
                continue;
            }
            assert!(result["errors"][0]["message"].as_str().is_some_and(|text| !text.is_empty()), "{what}: {result}");
        } else {
            assert_eq!(status, 400, "{what}: {result}");
        }
        let (status, refusal) = app.ask("POST", "/api/flows", Some(&json!({"flow": flow})));
        assert_eq!(status, 400, "{what} is not saved: {refusal}");
    }
    // JSON that is deeper than any value that somebody means.
    let text = format!("{{\"flow\":{}}}", deep("[", "]", 20_000));
    let reply = app.connect().send("POST", "/api/flows", &[], Some(&text));
    assert_eq!(reply.status, 400, "{}", reply.json());
    assert_eq!(app.ask("GET", "/api/v1/system/status", None).0, 200);
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    scene.assert_nothing_left();
}
