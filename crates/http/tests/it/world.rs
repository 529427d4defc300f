//! An interface over flows and a channel in memory, whose bound nodes do nothing but return, or wait for a gate.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode},
};
use segue_channel::{Channel, World as Machine};
use segue_flow::{
    Config, Executors, Flows, Standard,
    bindings::{DrawHost, Seen},
    executors::{Answer, Call, Surroundings, Terms, returned},
};
use segue_host::adapters::Registry;
use segue_http::{App, Caller, Setup, Token};
use segue_journal::Memory;
use segue_model::{
    Timestamp,
    flow::{Json, Node, Object, Problem, capability::Capability, json::object},
    run::{
        Outcome,
        attempt::{EvidenceLevel, Session},
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tower::ServiceExt;

pub const PORT: u16 = 8765;
/// Far longer than anything here takes.
pub const LONG: std::time::Duration = std::time::Duration::from_secs(60);

#[derive(Debug)]
struct Clock;

impl Machine for Clock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp(i64::try_from(since.as_micros()).unwrap())
    }

    fn elapsed(&self) -> std::time::Duration {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }

    fn random(&self, bytes: &mut [u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for part in bytes.chunks_mut(8) {
            // Each test is a process of its own, and what belongs to a host is found by its id: no two may share one.
            let number = (u64::from(std::process::id()) << 32) | NEXT.fetch_add(1, Ordering::Relaxed);
            let number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            part.copy_from_slice(&number.to_be_bytes()[..part.len()]);
        }
    }
}

/// What is built in is real; what is bound to a capability returns its node's id, one named `hold…` once the gate is
/// open, one named `fail…` not at all. One named `reject…` judges that its candidate will not do.
#[derive(Debug)]
struct Hands(watch::Sender<bool>);

impl Executors for Hands {
    fn needs_host(&self, node: &Node, capability: Option<&Capability>) -> bool {
        capability.is_none() && Standard.needs_host(node, None)
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let id = call.node.id.as_str();
            if call.capability.is_none() {
                return Standard.execute(call, around).await;
            }
            if id.starts_with("fail") {
                let (error_type, message) = ("Scripted".to_owned(), "it was told to".to_owned());
                return Outcome::Failed { class: None, error_type, message };
            }
            if id.starts_with("reject") {
                let judged = json!({"candidate": Value::Null, "evaluation": {
                    "contract_version": "symphlo.evaluation-result.v1", "verdict": "fail", "summary": "It will not do",
                    "findings": [{"code": "too.short", "message": "It is short"}, {"code": "dull", "message": "It is dull"}],
                }});
                let Json::Object(mut judged) = Json::from(judged) else { unreachable!("an object") };
                judged.insert("candidate".into(), Json::Object(call.input.as_ref().clone()));
                return returned(judged, EvidenceLevel::RealExecutor);
            }
            if id.starts_with("hold") {
                let mut gate = self.0.subscribe();
                tokio::select! {
                    () = async { drop(gate.wait_for(|open| *open).await) } => {}
                    () = call.stop.cancelled() => return Outcome::Aborted,
                }
            }
            let mut outcome = returned(object([("model_output", id.into())]), EvidenceLevel::RealExecutor);
            if let (Outcome::Returned { session, .. }, Some(group)) = (&mut outcome, &call.node.session_group) {
                *session = Some(Session { conversation_ref: group.clone(), turn_ref: format!("turn {id}") });
            }
            outcome
        })
    }

    fn probe<'a>(&'a self, _: &'a Capability, _: &'a Terms, _: &'a dyn Surroundings) -> Answer<'a, Seen> {
        Box::pin(async { Seen { ok: true, summary: "it answers".into(), details: Object::new() } })
    }

    fn discover<'a>(
        &'a self,
        _: Option<&'a Json>,
        _: DrawHost<'a>,
        _: &'a Terms,
        _: &'a dyn Surroundings,
    ) -> Answer<'a, Result<Vec<Capability>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct World {
    root: TempDir,
    pub app: App,
    router: Router,
    hands: Arc<Hands>,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {:?}", self.body))
    }

    /// The status and the JSON.
    pub fn pair(&self) -> (u16, Value) {
        (self.status, self.json())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

impl World {
    pub async fn new() -> Self {
        Self::with_room(8).await
    }

    pub async fn with_room(max_active_runs: usize) -> Self {
        let root = tempfile::Builder::new().prefix("segue-").tempdir().unwrap();
        let work = root.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let journal = Memory::new().open_instance();
        let hands = Arc::new(Hands(watch::Sender::new(false)));
        let channel = Channel::new(segue_channel::Config {
            journal: Arc::clone(&journal) as _,
            world: Arc::new(Clock),
            agents: Registry::builtin(),
            hosts: root.path().join("hosts"),
            exe: "/nowhere".into(),
            cwd: work.clone(),
            environment: Vec::new(),
            nested: false,
            client: segue_host::acp::Client { name: "segue".into(), version: "1".into() },
            markers: None,
            orphan_grace: LONG,
            ephemeral: true,
        });
        let flows = Flows::new(Config {
            journal,
            world: Arc::new(Clock),
            channel: channel.clone(),
            executors: Arc::clone(&hands) as _,
            workspace: work,
            hosts: root.path().join("hosts"),
            exe: "/nowhere".into(),
            environment: Vec::new(),
            orphan_grace: LONG,
            descriptors: None,
            max_active_runs,
        });
        flows.open().await.unwrap();
        let token = Some(Token::from_bytes([7; Token::BYTES]));
        let app = App::new(Setup { channel, flows, state_root: "/state".into(), state_is_usual: false, token });
        let router = app.router(PORT);
        Self { root, app, router, hands }
    }

    pub fn open_gate(&self) {
        self.hands.0.send_replace(true);
    }

    /// Any request, from the user's own process.
    pub async fn send(&self, request: Request<Body>) -> Reply {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.respond(request).await;
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        let reply = Reply { status: parts.status.as_u16(), headers: parts.headers, body };
        conforms(method.as_str(), &path, &reply);
        reply
    }

    /// The response as it begins.
    pub async fn respond(&self, mut request: Request<Body>) -> axum::response::Response {
        request.extensions_mut().insert(Caller::SameUser);
        request.headers_mut().entry("host").or_insert("127.0.0.1:8765".parse().unwrap());
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Request::delete(path).body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(with_body(Request::post(path), &body.to_string())).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Reply {
        self.send(with_body(Request::put(path), &body.to_string())).await
    }

    /// A tool that is there, with these effects.
    pub async fn add_tool(&self, id: &str, effects: &[&str]) {
        let definition = json!({"kind": "cli", "id": id, "name": id, "effects": effects,
            "config": {"executable": self.program(id)}});
        assert_eq!(self.post("/api/v1/capabilities", &definition).await.status, 201);
    }

    /// An evaluator that is there.
    pub async fn add_evaluator(&self, id: &str) {
        let definition = json!({"kind": "evaluator_cli", "id": id, "name": id,
            "config": {"executable": self.program(id), "protocol": "symphlo.evaluation.v1"}});
        assert_eq!(self.post("/api/v1/capabilities", &definition).await.status, 201);
    }

    /// An executable file that does nothing.
    fn program(&self, name: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let program = self.root.path().join(name);
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        program.to_string_lossy().into_owned()
    }

    /// Removes what [`World::add_tool`] made.
    pub fn remove_program(&self, name: &str) {
        std::fs::remove_file(self.root.path().join(name)).unwrap();
    }

    /// Runs the golden flow to its end; the Run's id.
    pub async fn golden(&self) -> String {
        let fixture = json!({"id": "agent.session-fixture", "kind": "agent_cli", "name": "Session fixture", "source": "sample",
            "effects": ["execute_process"], "config": {"executable": self.program("fixture"), "input_mode": "session_json",
            "output_format": "session_json", "session_protocol": "symphlo.agent-session.v1"}});
        self.app.flows().install_sample(&fixture.into()).await.unwrap();
        let run = self.admit("observable-golden-loop").await;
        assert_eq!(self.ended(&run).await["status"], "succeeded");
        run
    }

    /// Saves a document; its local id.
    pub async fn save(&self, document: &Value) -> String {
        let reply = self.post("/api/flows", &json!({"flow": document})).await;
        assert_eq!(reply.status, 201, "{}", reply.json());
        reply.json()["flow_id"].as_str().unwrap().to_owned()
    }

    /// Admits a Run by the portable id; the Run's id.
    pub async fn admit(&self, flow: &str) -> String {
        let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
        let reply = self.post(&format!("/api/v1/flows/{flow}/runs"), &request).await;
        assert_eq!(reply.status, 202, "{}", reply.json());
        reply.json()["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a Run; its outcome.
    pub async fn ended(&self, run: &str) -> Value {
        let id = segue_model::flow::RunId::parse(run).unwrap();
        tokio::time::timeout(LONG, self.app.flows().ended(&id)).await.expect("it ends").unwrap();
        self.get(&format!("/api/v1/runs/{run}/outcome")).await.json()
    }
}

pub fn with_body(builder: axum::http::request::Builder, body: &str) -> Request<Body> {
    builder
        .header("content-type", "application/json")
        .header("content-length", body.len())
        .body(Body::from(body.to_owned()))
        .unwrap()
}

/// A chain of tools with these ids, all bound to `capability`.
pub fn chain(id: &str, capability: &str, nodes: &[&str]) -> Value {
    let mut before = Value::Null;
    let steps: Vec<Value> = nodes
        .iter()
        .map(|node| {
            let from = std::mem::replace(&mut before, (*node).into());
            json!({"id": node, "type": "tool.task", "from": from, "params": {"title": node, "capability_id": capability}})
        })
        .collect();
    json!({"schema_version": 1, "id": id, "name": id, "steps": steps})
}

/// What is said of a reply in the published document is true of it.
fn conforms(method: &str, path: &str, reply: &Reply) {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    let document = DOCUMENT.get_or_init(segue_http::openapi::document);
    assert_eq!(reply.header("cache-control"), "no-store", "{method} {path}");
    let operations = document["paths"].as_object().unwrap().iter().filter_map(|(template, path_item)| {
        Some((matches(template, path)?, path_item.get(method.to_ascii_lowercase())?))
    });
    let operation = operations.max_by_key(|(fixed, _)| fixed.clone()).map(|(_, operation)| operation);
    let success = StatusCode::from_u16(reply.status).is_ok_and(|status| status.is_success());
    let content = match operation {
        Some(operation) => {
            let responses = &operation["responses"];
            let status = reply.status.to_string();
            let response = responses.get(&status).unwrap_or(&responses["default"]);
            assert!(!success || responses.get(&status).is_some(), "{method} {path}: {status} is not in the document");
            response.get("content")
        }
        None => document["paths"]["/api/v1/runs"]["get"]["responses"]["default"].get("content"),
    };
    let Some(schema) = content.and_then(|content| content.get("application/json")?.get("schema")) else { return };
    assert_eq!(reply.header("content-type"), "application/json; charset=utf-8", "{method} {path}");
    assert!(reply.body.ends_with(b"\n"));
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let value = reply.json();
    let problems: Vec<String> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{method} {path}: {problems:#?} in {value:#}");
}

/// How exactly a path is of a template, if it is: fixed parts count, the first ones most.
fn matches(template: &str, path: &str) -> Option<Vec<bool>> {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    let same = |(part, found): (&&str, &&str)| match part.starts_with('{') {
        true => Some(false),
        false => (part == found).then_some(true),
    };
    (template.len() == path.len()).then(|| template.iter().zip(&path).map(same).collect()).flatten()
}
