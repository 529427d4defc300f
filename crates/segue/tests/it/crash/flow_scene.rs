//! The reference flow of the crash tests, with real programs: each notes in the workspace that it began, that it did
//! what it does outside, and that it ended, and each waits before both of the latter until the test lets it go on.
//!
//! ```text
//!          ┌─▶ draft (agent) ─▶ gate (evaluator) ─▶ ask (person) ─┐
//! read ────┤                                                      ├─▶ join ─▶ publish
//!          └─▶ write (tool, writes outside) ──────────────────────┘
//! ```

use std::{collections::BTreeMap, fs};

use segue_testkit::app_server::AppServer;
use serde_json::{Value, json};

use super::scene::{Scene, wait_for};

/// Nodes with a process, in the order in which they stand.
pub const NODES: [&str; 5] = ["read", "draft", "write", "gate", "join"];

/// Where a process of a node can be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// It has begun and done nothing yet.
    Effect,
    /// It has done what it does outside and not said so yet.
    End,
}

impl Before {
    /// The file that lets it go on.
    fn gate(self) -> &'static str {
        match self {
            Self::Effect => "go",
            Self::End => "end",
        }
    }

    /// The file that says that it waits there.
    fn mark(self) -> &'static str {
        match self {
            Self::Effect => "begun",
            Self::End => "wrote",
        }
    }
}

const STEP: &str = r#"node=$1; cat > /dev/null
echo >> "$node.begun"; until [ -e "$node.go" ]; do sleep 0.02; done
echo >> "$node.wrote"; until [ -e "$node.end" ]; do sleep 0.02; done
echo >> "$node.ended"; printf '%s' "$2""#;

/// An evaluator must return its own contract; what it judged does not matter here.
const VERDICT: &str =
    r#"{"contract_version":"symphlo.evaluation-result.v1","verdict":"pass","summary":"Fine","findings":[]}"#;

/// The same in the words of the scripted agent, which asks before it runs a command.
const TURN: &str = "[[run:echo >> draft.begun]][[wait_file:draft.go]][[run:echo >> draft.wrote]]\
    [[wait_file:draft.end]][[mark:draft.ended]][[say:a draft]]";

/// A world with the reference flow saved.
pub struct FlowScene {
    pub scene: Scene,
    /// What admits the flow: the request with its authorization.
    request: Value,
}

impl FlowScene {
    pub fn new() -> FlowScene {
        FlowScene::of(Scene::new())
    }

    /// In a world that somebody prepared.
    pub fn of(scene: Scene) -> FlowScene {
        scene.world.install_script("step", STEP);
        let app = AppServer::start(&scene.world);
        let tool = |id: &str, effects: &[&str], output: &str| {
            json!({"id": format!("step.{id}"), "kind": "cli", "name": id, "effects": effects, "timeout_seconds": 600,
                "config": {"executable": "step", "args": [id, output]}})
        };
        let reads = ["execute_process", "read_local"];
        let mut gate = tool("gate", &reads, VERDICT);
        gate["kind"] = "evaluator_cli".into();
        gate["config"]["protocol"] = "symphlo.evaluation.v1".into();
        let agent = json!({"id": "agent.drafts", "kind": "acp_agent", "name": "drafts", "timeout_seconds": 600,
            "config": {"agent": "claude_code", "allow": ["execute"]}});
        for definition in [
            tool("read", &reads, "{\"seen\":1}"),
            tool("write", &["execute_process", "write_external"], "{\"sent\":2}"),
            tool("join", &reads, "{\"article_markdown\":\"# Done\"}"),
            gate,
            agent,
        ] {
            let (status, saved) = app.ask("POST", "/api/v1/capabilities", Some(&json!({"capability": definition})));
            assert_eq!(status, 201, "{saved}");
        }
        let step = |id: &str, kind: &str, from: Value, capability: &str| json!({"id": id, "type": kind, "from": from, "prompt": id, "params": {"title": id, "capability_id": capability}});
        let mut draft = step("draft", "agent.task", "read".into(), "agent.drafts");
        draft["prompt"] = TURN.into();
        let flow = json!({"schema_version": 2, "id": "reference-flow", "name": "Reference", "steps": [
            step("read", "tool.task", Value::Null, "step.read"),
            draft,
            step("write", "tool.task", "read".into(), "step.write"),
            step("gate", "evaluation.task", "draft".into(), "step.gate"),
            {"id": "ask", "type": "human.task", "from": "gate", "prompt": "Good?", "params": {"title": "Ask"}},
            step("join", "tool.task", json!(["write", "ask"]), "step.join"),
            {"id": "publish", "type": "artifact.task", "from": "join", "params": {"title": "Publish"}},
        ]});
        let (status, saved) = app.ask("POST", "/api/flows", Some(&json!({"flow": flow})));
        assert_eq!(status, 201, "{saved}");
        let plain = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
        let (status, challenge) = app.ask("POST", "/api/v1/flows/reference-flow/runs", Some(&plain));
        assert_eq!(status, 428, "{challenge}");
        let mut request = plain;
        request["contract_version"] = "symphlo.authorized-run-request.v1".into();
        request["effect_authorization"] = challenge["authorization"].clone();
        assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
        for node in NODES {
            for gate in [Before::Effect, Before::End] {
                scene.mark(&format!("{node}.{}", gate.gate()));
            }
        }
        FlowScene { scene, request }
    }

    pub fn start(&self) -> AppServer {
        AppServer::start(&self.scene.world)
    }

    /// Holds a node; to be called before the Run is admitted.
    pub fn hold(&self, node: &str, before: Before) {
        fs::remove_file(self.file(node, before.gate())).expect("the gate was open");
    }

    /// Lets a node go on that is held.
    pub fn let_go(&self, node: &str, before: Before) {
        self.scene.mark(&format!("{node}.{}", before.gate()));
    }

    /// Waits until a node is held.
    #[track_caller]
    pub fn wait_held(&self, node: &str, before: Before) {
        self.scene.wait_mark(&format!("{node}.{}", before.mark()));
    }

    /// Waits until the process of a node has done all that it does.
    #[track_caller]
    pub fn wait_ended(&self, node: &str) {
        self.scene.wait_mark(&format!("{node}.ended"));
    }

    #[track_caller]
    pub fn admit(&self, app: &AppServer) -> String {
        let (status, admitted) = app.ask("POST", "/api/v1/flows/reference-flow/runs", Some(&self.request));
        assert_eq!(status, 202, "{admitted}");
        admitted["run_id"].as_str().expect("an id").to_owned()
    }

    /// Brings a Run to its end, as a person who answers when asked; its outcome.
    #[track_caller]
    pub fn finish(&self, app: &AppServer, run: &str) -> Value {
        self.until(app, run, |outcome| {
            answer(app, run);
            !outcome["finished_at"].is_null()
        })
    }

    /// Looks at the outcome of a Run until something holds of it.
    #[track_caller]
    pub fn until(&self, app: &AppServer, run: &str, mut holds: impl FnMut(&Value) -> bool) -> Value {
        let mut connection = app.connect();
        let mut ask = |path: &str| connection.ask("GET", &format!("/api/v1/runs/{run}/{path}"), None).1;
        let deadline = std::time::Instant::now() + segue_testkit::mcp_client::DEADLINE;
        loop {
            let outcome = ask("outcome");
            if holds(&outcome) {
                return outcome;
            }
            assert!(
                std::time::Instant::now() < deadline,
                "waited in vain: {outcome}\n{}\n{}",
                ask("why"),
                ask("evidence")["events"]
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Answers the question of a Run as soon as it is asked.
    #[track_caller]
    pub fn answer(&self, app: &AppServer, run: &str) {
        wait_for("the person to be asked", || answer(app, run));
    }

    fn file(&self, node: &str, what: &str) -> std::path::PathBuf {
        self.scene.world.workspace().join(format!("{node}.{what}"))
    }

    /// How often processes of a node began, acted and ended.
    pub fn counts(&self, node: &str) -> [usize; 3] {
        ["begun", "wrote", "ended"].map(|what| match fs::read_to_string(self.file(node, what)) {
            // The agent only marks its end.
            Ok(lines) => lines.lines().count().max(1),
            Err(_) => 0,
        })
    }

    /// The Run is as one that nothing happened to: every process ran once, and the evidence is what it always is.
    #[track_caller]
    pub fn assert_undisturbed(&self, app: &AppServer, run: &str, why: &str) {
        let outcome = self.finish(app, run);
        assert_eq!(
            outcome["status"],
            "succeeded",
            "{why}: {outcome}\n{}",
            app.ask("GET", &format!("/api/v1/runs/{run}/why"), None).1
        );
        for node in NODES {
            assert_eq!(self.counts(node), [1, 1, 1], "{why}: {node}");
        }
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        assert_eq!(by_node(&evidence), expected(), "{why}");
        let attempts: Vec<&Value> =
            evidence["nodes"].as_array().expect("nodes").iter().map(|node| &node["attempts"]).collect();
        // A person is asked without a call.
        assert_eq!(attempts, [1, 1, 1, 1, 0, 1, 1], "{why}");
        let artifact = outcome["artifacts"][0]["content_url"].as_str().expect("an artifact");
        assert_eq!(app.send("GET", artifact, None).body, b"# Done", "{why}");
    }

    /// The Run ended well, or says that it is not known what a node did whose host was lost while it started. Either
    /// way no result was accepted twice, and what may have written has begun once.
    #[track_caller]
    pub fn assert_accounted(&self, app: &AppServer, run: &str, why: &str) {
        let outcome = self.finish(app, run);
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        let kinds = by_node(&evidence);
        let count = |node: &str, kind: &str| {
            kinds.get(node).map_or(0, |kinds| kinds.iter().filter(|other| *other == kind).count())
        };
        for node in NODES {
            let [begun, wrote, _] = self.counts(node);
            let most = 1 + count(node, "attempt.lost");
            assert!(begun <= most && wrote <= most, "{why}: {node} began {begun} times: {evidence}");
            assert!(count(node, "result.accepted") <= 1, "{why}: {node}: {evidence}");
        }
        for writer in ["draft", "write"] {
            assert_eq!(count(writer, "attempt.lost"), 0, "{why}: {writer} is not repeated: {evidence}");
        }
        if outcome["status"] == "succeeded" {
            assert_eq!((self.counts("draft")[1], self.counts("write")[1]), (1, 1), "{why}");
            return;
        }
        assert_eq!(outcome["status"], "failed", "{why}: {outcome}");
        assert_eq!((count("run", "run.interrupted"), count("run", "run.failed")), (1, 1), "{why}: {evidence}");
        assert_eq!(count("draft", "node.uncertain") + count("write", "node.uncertain"), 1, "{why}: {evidence}");
    }
}

/// Whether there was a question, which is answered now.
fn answer(app: &AppServer, run: &str) -> bool {
    let path = format!("/api/v1/runs/{run}/nodes/ask/answers");
    match app.ask("POST", &path, Some(&json!({"option": "approve", "actor": "Kim"}))) {
        (200, _) => true,
        // Not asked yet, answered before, or the Run is over.
        (409, _) => false,
        other => panic!("{other:?}"),
    }
}

/// Types of the events of each node; parallel nodes have no order among each other.
fn by_node(evidence: &Value) -> BTreeMap<String, Vec<String>> {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in evidence["events"].as_array().expect("events") {
        let node = event["node_id"].as_str().unwrap_or("run").to_owned();
        kinds.entry(node).or_default().push(event["event_type"].as_str().expect("a type").to_owned());
    }
    kinds
}

fn expected() -> BTreeMap<String, Vec<String>> {
    let tool: &[&str] = &["node.ready", "executor.started", "result.accepted", "node.succeeded"];
    [
        ("run", &["run.created", "run.effects_authorized", "run.succeeded"][..]),
        ("read", tool),
        ("draft", tool),
        ("write", tool),
        ("gate", &["node.ready", "executor.started", "evaluation.passed", "result.accepted", "node.succeeded"]),
        ("ask", &["node.ready", "person.asked", "person.answered", "result.accepted", "node.succeeded"]),
        ("join", tool),
        ("publish", &["node.ready", "executor.started", "result.accepted", "artifact.created", "node.succeeded"]),
    ]
    .into_iter()
    .map(|(node, kinds)| (node.to_owned(), kinds.iter().map(|kind| (*kind).to_owned()).collect()))
    .collect()
}
