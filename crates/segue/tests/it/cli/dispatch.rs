//! `segue task dispatch`: a task from its prompt to its end, in one command.

use std::io::Write;
use std::process::Stdio;

use rustix::process::Signal;
use segue_testkit::mcp_client::ended;
use serde_json::{Value, json};

use super::{Running, assert_refused, assert_tame, document, newest};
use crate::contract::served::{id_of, wait_for, world};

#[test]
fn the_final_message_is_all_that_is_on_standard_output() {
    let world = world();
    let run = world.run(["task", "dispatch", "codex", "--prompt", "[[say:first]][[tool:read:a]][[say:the end]]"]);
    assert_eq!((run.ended.as_str(), run.stdout.as_str()), ("exit 0", "the end\n"));
    let task = newest(&world, "succeeded");
    for told in ["on codex", "running", "agent_message first", "tool_call read: a", "succeeded after", &id_of(&task)] {
        assert!(run.stderr.contains(told), "{told:?} is not in {}", run.stderr);
    }
    world.assert_nothing_left();
}

#[test]
fn a_prompt_comes_from_standard_input_or_a_file() {
    let world = world();
    std::fs::write(world.workspace().join("prompt.md"), "[[say:from the file]]").expect("a file");
    let file = world.run(["task", "dispatch", "codex", "--prompt-file", "prompt.md"]);
    assert_eq!((file.ended.as_str(), file.stdout.as_str()), ("exit 0", "from the file\n"));

    let mut command = world.command(["task", "dispatch", "codex"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"[[say:from the pipe]]").expect("it reads");
    let output = child.wait_with_output().expect("its end");
    assert_eq!((ended(output.status).as_str(), output.stdout.as_slice()), ("exit 0", &b"from the pipe\n"[..]));

    assert_refused(&world.run(["task", "dispatch", "codex"]), 2, &["there is no prompt"]);
    std::fs::write(world.workspace().join("blank.md"), "\n").expect("a file");
    for blank in [["--prompt", ""], ["--prompt", " \n"], ["--prompt-file", "blank.md"]] {
        assert_refused(&world.run(["task", "dispatch", "codex"].iter().chain(&blank)), 2, &["there is no prompt"]);
    }
    assert_refused(&world.run(["task", "dispatch", "codex", "--prompt-file", "none"]), 2, &["none"]);
    world.assert_nothing_left();
}

#[test]
fn the_exit_status_is_the_task_s_end_and_json_is_the_task() {
    let world = world();
    for (prompt, status, exit) in [("[[say:a]]", "succeeded", "exit 0"), ("[[say:a]][[exit:4]]", "failed", "exit 3")] {
        let run = world.run(["task", "dispatch", "codex", "--prompt", prompt, "--json"]);
        assert_eq!((run.ended.as_str(), run.stderr.as_str()), (exit, ""));
        let task: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((&task["status"], &task["agent"]), (&json!(status), &json!("codex")));
        assert_eq!(document(&world.run(["task", "show", &id_of(&task), "--json"])), task);
    }
    // A start that fails is a failed task.
    world.uninstall("codex-acp");
    let run = world.run(["task", "dispatch", "codex", "--prompt", "x"]);
    assert_refused(&run, 3, &["could not be started", "codex-acp"]);
    world.assert_nothing_left();
}

#[test]
fn an_interruption_ends_the_task_first_and_a_second_changes_nothing() {
    let world = world();
    let run = Running::start(&world, &["task", "dispatch", "codex", "--prompt", "[[mark:here]][[linger:1]][[hang]]"]);
    let here = world.workspace().join("here");
    wait_for("the agent to work", || here.exists());
    run.signal(Signal::INT);
    run.signal(Signal::INT);
    run.signal(Signal::TERM);
    let run = run.finish();
    assert_eq!(run.ended, "exit 130", "{run:?}");
    let task = newest(&world, "cancelled");
    let events = document(&world.run(["task", "events", &id_of(&task), "--type", "task_cancelled", "--json"]));
    let recorded = json!({"reason": "cancel_task", "actor": "segue task dispatch, interrupted"});
    assert_eq!(events["events"][0]["payload"], recorded);
    assert_eq!(events["events"].as_array().map(Vec::len), Some(1));
    world.assert_nothing_left();
}

#[test]
fn a_task_that_is_cancelled_by_another_command_is_cancelled() {
    let world = world();
    let dispatch = Running::start(&world, &["task", "dispatch", "codex", "--prompt", "[[mark:here]][[hang]]"]);
    let here = world.workspace().join("here");
    wait_for("the agent to work", || here.exists());
    let id = id_of(&newest(&world, "running"));
    assert_eq!(document(&world.run(["task", "cancel", &id, "--json"]))["status"], "cancelled");
    assert_eq!(dispatch.finish().ended, "exit 7");
    world.assert_nothing_left();
}

#[test]
fn options_reach_the_agent() {
    let world = world();
    let run = world.run([
        "task",
        "dispatch",
        "codex",
        "--model",
        "gpt-6-luna",
        "--effort",
        "high",
        "--allow",
        "edit,execute",
        "--deadline",
        "600",
        "--workspace",
        ".",
        "--prompt",
        "[[write:a.txt:text]][[echo_settings]]",
    ]);
    let settings: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!((&settings["model"], &settings["reasoning_effort"]), (&json!("gpt-6-luna"), &json!("high")));
    assert_eq!(std::fs::read_to_string(world.workspace().join("a.txt")).ok().as_deref(), Some("text"));
    let task = newest(&world, "succeeded");
    let events = document(&world.run(["task", "events", &id_of(&task), "--type", "task_created", "--json"]));
    assert_eq!(
        events["events"][0]["payload"]["options"],
        json!({"allow": ["edit", "execute"], "model": "gpt-6-luna", "effort": "high"})
    );
    // A session goes on where it was.
    let session = task["session_id"].as_str().expect("a session").to_owned();
    let again = world.run(["task", "dispatch", "codex", "--session", &session, "--prompt", "[[history]]"]);
    assert!(again.ended == "exit 0" && again.stdout.contains("a.txt"), "{again:?}");
    world.assert_nothing_left();
}

#[test]
fn a_deadline_fails_the_task() {
    let world = world();
    let run = world.run(["task", "dispatch", "codex", "--deadline", "0.5", "--prompt", "[[hang]]"]);
    assert_refused(&run, 3, &["deadline"]);
    world.assert_nothing_left();
}

#[test]
fn a_key_that_was_used_watches_the_task_that_has_it() {
    let world = world();
    let dispatch = |prompt: &str| {
        document(&world.run(["task", "dispatch", "codex", "--client-key", "k", "--prompt", prompt, "--json"]))
    };
    assert_eq!(dispatch("[[say:first]]"), dispatch("[[say:second]]"));
    let listed = document(&world.run(["tasks", "--json"]));
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(1));
    world.assert_nothing_left();
}

#[test]
fn a_refused_dispatch_makes_no_task() {
    let world = world();
    for (arguments, names) in [
        (&["nobody", "--prompt", "x"][..], &["unknown_agent", "nobody"][..]),
        (&["codex", "--prompt", "x", "--allow", "everything"], &["invalid_request", "everything"]),
        (&["codex", "--prompt", "x", "--deadline", "0"], &["invalid_request", "deadline_seconds"]),
        (&["codex", "--prompt", "x", "--session", "-"], &["invalid_request", "session_id"]),
        (&["codex", "--prompt", "x", "--prompt-file", "y"], &["--prompt"]),
        (&["--prompt", "x"], &["AGENT"]),
    ] {
        assert_refused(&world.run(["task", "dispatch"].iter().chain(arguments)), 2, names);
    }
    assert_eq!(document(&world.run(["tasks", "--json"])), json!({"tasks": [], "next": null}));
    world.assert_nothing_left();
}

#[test]
fn words_of_an_agent_do_not_reach_the_terminal_as_they_are() {
    let world = world();
    let run = world.run([
        "task",
        "dispatch",
        "codex",
        "--prompt",
        "[[tool:read:\\u{1b}c]][[say:\\u{1b}[2Jx]][[error:-1:\\u{1b}c]]",
    ]);
    assert_eq!(run.ended, "exit 3");
    assert_tame(&run.stdout);
    assert_tame(&run.stderr);
    world.assert_nothing_left();
}
