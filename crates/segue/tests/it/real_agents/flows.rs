//! Two different real agents in one flow: Claude Code implements, Codex reviews (`examples/implement-and-review`).

use std::process::{Command, Stdio};

use segue_testkit::{
    mcp_client::ended,
    model_server::ModelServer,
    program::Program,
    real_agents::{Agent, environment, launcher_or_skip},
};
use serde_json::{Value, json};

use crate::examples::{self, file, implement_and_review::script, newest, node, payloads};

struct World {
    program: Program,
    // Answers the agents until they have ended.
    _model: ModelServer,
}

/// `None` when one of the agents is not installed and need not be.
fn world() -> Option<World> {
    let mut program = examples::world();
    let model = ModelServer::start().expect("a model server");
    for agent in [Agent::Claude, Agent::Codex] {
        let launcher = launcher_or_skip(agent)?;
        program.install(agent.program(), &launcher);
        for (name, value) in environment(agent, &model.url(), &program.home()).expect("files for the agent") {
            program.env(&name, &value);
        }
    }
    // So that changed files are seen.
    let git = Command::new("git").args(["init", "--quiet"]).arg(program.workspace()).status().expect("git");
    assert!(git.success());
    examples::save(&program, "implement-and-review", &["capabilities", "claude-and-codex"]);
    Some(World { program, _model: model })
}

impl World {
    /// Runs the flow; agents take the time that they take.
    fn run(&self, exit: &str) -> Value {
        let mut command = self.program.command(["-c", examples::implement_and_review::START]);
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(ended(output.status), exit, "{stderr}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
    }

    fn write(&self, name: &str, text: &str) -> String {
        format!("[[tool:write:{}:{text}]]", self.program.workspace().join(name).display())
    }
}

/// What is told of an agent's step: who did it, what it said, which questions it asked and what they came to.
fn told(evidence: &Value, id: &str) -> Value {
    let output = &node(evidence, id)["output"];
    let receipt = &output["receipt"];
    json!([
        output["executable_name"],
        output["agent_output"],
        receipt["tool_calls"],
        receipt["permissions_asked"],
        receipt["permissions_refused"],
        receipt["unasked"],
        receipt["because"],
    ])
}

#[test]
fn claude_implements_and_codex_approves() {
    let Some(world) = world() else { return };
    let implement = format!("{} [[say:Written.]]", world.write("note.txt", "some text"));
    script(&world.program, &implement, "[[say:I read it.\\nVERDICT\\: approve]]", 1);
    let outcome = world.run("exit 0");
    assert_eq!((&outcome["status"], &outcome["failure"]), (&json!("succeeded"), &Value::Null));
    assert_eq!(file(&world.program, "note.txt").trim_end(), "some text");
    let evidence = newest(&world.program);
    assert_eq!(told(&evidence, "implement"), json!(["claude_code", "Written.", {"edit": 1}, 1, 0, {}, "completed"]));
    assert_eq!(told(&evidence, "review"), json!(["codex", "I read it.\nVERDICT: approve", {}, 0, 0, {}, "completed"]));
    let versions = ["implement", "review"].map(|id| node(&evidence, id)["output"]["receipt"]["agent_name"].clone());
    assert!(versions.iter().all(Value::is_string) && versions[0] != versions[1], "{versions:?}");
    world.program.assert_nothing_left();
}

#[test]
fn what_codex_wants_changed_goes_back_to_claude() {
    let Some(world) = world() else { return };
    let implement = format!("{} [[say:Written.]]", world.write("note.txt", "some text"));
    script(&world.program, &implement, "[[say:- Say more.\\nVERDICT\\: changes]]", 1);
    let outcome = world.run("exit 4");
    assert_eq!(
        outcome["failure"],
        json!({"code": "evaluation_rejected", "node_id": "gate", "repair_from_node_id": "implement"})
    );
    let evidence = newest(&world.program);
    assert_eq!(payloads(&evidence, "evaluation.rejected").len(), 2);
    let findings = &node(&evidence, "implement")["input"]["repair"]["evaluation"]["findings"];
    assert_eq!(*findings, json!([{"code": "change.1", "message": "Say more."}]));
    world.program.assert_nothing_left();
}
