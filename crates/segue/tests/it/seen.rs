//! What real agents were seen to do, done by the scripted agent under their names: the fast twins of what
//! `real_agents` shows with the programs themselves.

use std::time::{Duration, Instant};

use segue_testkit::mcp_client::{DEADLINE, McpClient};
use segue_testkit::program::Program;
use serde_json::{Value, json};

/// Between two looks at a turn; a client has nothing to be woken by.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

struct World {
    segue: McpClient,
    program: Program,
}

impl World {
    fn new() -> World {
        let program = Program::with_binary(env!("CARGO_BIN_EXE_segue"));
        World { segue: program.mcp(), program }
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        self.segue.call(tool, arguments).unwrap_or_else(|refusal| panic!("{tool}: {refusal}"))
    }

    fn spawn(&self, agent: &str, prompt: &str, options: Value) -> String {
        let spawned = self.call("spawn_task", json!({"agent": agent, "prompt": prompt, "options": options}));
        spawned["task_id"].as_str().expect("an id").to_owned()
    }

    fn task(&self, task: &str) -> Value {
        self.call("get_task", json!({"task_id": task}))
    }

    fn run(&self, agent: &str, prompt: &str, options: Value) -> Value {
        let task = self.spawn(agent, prompt, options);
        let waited = self.call("wait_tasks", json!({"task_ids": [task]}));
        assert_eq!(waited["reason"], "terminal", "{waited}");
        self.task(&task)
    }

    fn end(self) {
        self.segue.shut_down();
        self.program.assert_nothing_left();
    }
}

fn ended(task: &Value) -> [&Value; 3] {
    [&task["status"], &task["stop_reason"], &task["ended_because"]]
}

/// The processes that a task's end names: whether in the agent's group, the name, and how each ended.
fn processes(task: &Value) -> Vec<(bool, &str, &str)> {
    let receipt = &task["stop_receipt"];
    assert_eq!([&receipt["tree_empty"], &receipt["escaped"]], [&json!(true), &json!([])]);
    receipt["processes"]
        .as_array()
        .expect("processes")
        .iter()
        .map(|process| {
            let word = |field: &str| process[field].as_str().unwrap_or_default();
            (process["in_group"] == true, word("name"), word("how"))
        })
        .collect()
}

/// Claude starts in `auto`, Codex in `agent`, and opencode asks for nothing in any mode.
#[test]
fn agents_that_start_in_a_mode_that_asks_for_nothing_are_made_to_ask() {
    let world = World::new();
    for (agent, asked) in [
        ("claude_code", 2),
        ("cline", 2),
        ("codex", 2),
        ("copilot", 2),
        // Without leave to edit it only plans, and does not ask to write.
        ("cursor", 1),
        ("opencode", 2),
    ] {
        let task = world.run(agent, "[[write:written:x]] [[run:touch run]] [[say:Done.]]", json!({}));
        let receipt = &task["receipt"];
        assert_eq!([&receipt["permissions_asked"], &receipt["permissions_refused"]], [asked, asked], "{agent}");
        let files: Vec<_> = std::fs::read_dir(world.program.workspace()).expect("the workspace").collect();
        assert!(files.is_empty(), "{agent}: {files:?}");
    }
    world.end();
}

/// Codex answers `cancelled` though nobody cancelled, Copilot and opencode `end_turn` without telling their model.
#[test]
fn a_turn_that_stops_at_a_refusal_is_told_as_that() {
    let world = World::new();
    for (on_refusal, agent, expected) in [
        ("end_cancelled", "codex", ["failed", "cancelled", "permission_refused"]),
        ("end", "opencode", ["succeeded", "end_turn", "permission_refused"]),
        ("go_on", "claude_code", ["succeeded", "end_turn", "completed"]),
    ] {
        world.program.scripted("ON_REFUSAL", on_refusal);
        let task = world.run(agent, "[[write:written:x]] [[say:Noted.]]", json!({}));
        assert_eq!(ended(&task), expected, "{agent}");
        assert_eq!(task["error"], Value::Null);
    }
    // Copilot's own words, where the model's would be.
    let task = world.run("copilot", "[[write:written:x]] [[say:Info: Operation cancelled by user]]", json!({}));
    assert_eq!(ended(&task), ["succeeded", "end_turn", "permission_refused"]);
    world.end();
}

/// Codex and Copilot answer almost every failure of their model service with `end_turn` and its text.
#[test]
fn errors_told_as_text_are_told_apart_from_what_the_model_said() {
    let world = World::new();
    for (text, because) in [
        (r#"{"error": {"message": "bad thing"}}"#, "upstream_error"),
        ("Error: 400 bad thing", "upstream_error"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "usage_limit"),
        ("Error: Authentication failed with provider (HTTP 401)", "sign_in"),
        (r#"{"error":"User rejected the tool call"}"#, "completed"),
        ("All is well.", "completed"),
    ] {
        let task = world.run("codex", &format!("[[say:{text}]] [[usage_null]]"), json!({}));
        assert_eq!(task["final_message"], text);
        assert_eq!(ended(&task), ["succeeded", "end_turn", because], "{text}");
        let task = world.run("codex", &format!("[[say:{text}]] [[usage:1:2]]"), json!({}));
        assert_eq!(ended(&task), ["succeeded", "end_turn", "completed"], "{text} with usage");
    }
    world.end();
}

/// Commands run in sessions of their own, and Codex leaves them at a cancel.
#[test]
fn a_command_that_its_agent_leaves_running_ends_with_the_tree() {
    let world = World::new();
    world.program.scripted("COMMANDS", "leave");
    let prompt = "[[run_bg:exec tail -f /dev/null]] [[say:Started.]] [[hang]]";
    let task = world.spawn("codex", prompt, json!({"allow": ["execute"]}));
    let until = Instant::now() + DEADLINE;
    while world.task(&task)["final_message"] != "Started." {
        assert!(Instant::now() < until, "the command does not start");
        std::thread::sleep(LOOK_AGAIN);
    }
    assert_eq!(world.call("cancel_task", json!({"task_id": task}))["status"], "cancelled");
    let left: Vec<_> =
        world.program.mark().processes().into_iter().filter(|process| process.command.contains("tail")).collect();
    assert!(left.is_empty(), "{left:?}");
    let task = world.task(&task);
    let tail = processes(&task).into_iter().find(|(_, name, _)| *name == "tail");
    assert!(tail.is_some_and(|(in_group, ..)| !in_group), "{task:#}");
    world.end();
}

/// Cline ignores SIGTERM and exits a while after the end of its input, and without its local back end it starts a
/// daemon.
#[test]
fn an_agent_that_ignores_sigterm_and_its_daemon_are_ended_in_order() {
    let world = World::new();
    world.program.scripted("ON_SIGTERM", "ignore");
    world.program.scripted("ON_EOF", "after:300");
    let task = world.run("cline", "[[spawn_daemon]] [[echo_env:CLINE_SESSION_BACKEND_MODE]]", json!({}));
    assert_eq!(
        [&task["status"], &task["final_message"], &task["exit_code"]],
        [&json!("succeeded"), &json!("CLINE_SESSION_BACKEND_MODE=local"), &json!(0)]
    );
    let ends: Vec<_> = processes(&task).into_iter().map(|(in_group, _, how)| (in_group, how)).collect();
    assert_eq!(ends, [(true, "stdin_closed"), (false, "sigterm")]);
    world.end();
}
