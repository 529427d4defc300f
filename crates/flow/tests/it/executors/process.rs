//! The rules for child processes (contract §14.1): bounds, endings, failures, and what messages say.

use std::{sync::Arc, time::Duration};

use segue_flow::executors::Start;
use segue_model::{
    flow::{NodeKind, Object, capability::Kind, json::object},
    run::Outcome,
};

use super::harness::{World, failed, is_failure, output, program, shell, until_file};

async fn tool(world: &World, script: &str) -> Outcome {
    let call = world.call(NodeKind::Tool, "tool", &shell(script), Object::new());
    let outcome = world.run(&call).await;
    world.is_clean().await;
    outcome
}

#[tokio::test]
async fn a_program_that_fails_is_named_with_its_status_and_the_size_of_its_stderr() {
    let world = World::new();
    let outcome = tool(&world, "echo 'not a secret' >&2; echo out; exit 3").await;
    is_failure(outcome, Some("exit"), "ProcessExit", "sh exited with status 3 and wrote 13 bytes to stderr");
    let outcome = tool(&world, "kill -KILL $$").await;
    is_failure(outcome, Some("exit"), "ProcessExit", "sh was ended by signal 9 and wrote 0 bytes to stderr");
    let outcome = tool(&world, "printf ' \\n\\t'; printf abc >&2").await;
    is_failure(outcome, Some("malformed"), "OutputEmpty", "sh wrote nothing to stdout and 3 bytes to stderr");
}

#[tokio::test]
async fn neither_arguments_nor_environment_nor_stderr_are_in_any_outcome() {
    let mut world = World::new();
    world.set("TOKEN", "SENTINEL-1");
    for script in [
        "echo $TOKEN SENTINEL-2 >&2; exit 1",
        "echo $TOKEN >&2",
        "echo $TOKEN >&2; sleep 100",
        "echo $TOKEN >&2; echo '{}'",
        "echo $TOKEN >&2; kill -9 $$",
    ] {
        let mut call = world.call(NodeKind::Tool, "tool", &shell(&format!("{script} # SENTINEL-3")), Object::new());
        call.timeout = Duration::from_secs(1);
        let outcome = world.run(&call).await;
        assert!(!format!("{outcome:?}").contains("SENTINEL"), "{outcome:?}");
    }
    world.is_clean().await;
}

/// The server is stopped and goes on: what was done meanwhile is a result, although its time is over by then.
#[tokio::test]
async fn what_came_while_the_server_stood_still_counts() {
    let world = World::new();
    let script = "touch begun; until [ -e go ]; do sleep 0.05; done; echo '{\"done\":true}'";
    let mut call = world.call(NodeKind::Tool, "tool", &shell(script), Object::new());
    call.timeout = Duration::from_secs(5);
    let pause = async {
        until_file(&world.workspace().join("begun")).await;
        std::fs::write(world.workspace().join("go"), "").unwrap();
        // The only thread of this runtime: nothing of the server runs.
        std::thread::sleep(call.timeout + Duration::from_secs(2));
    };
    let (outcome, ()) = tokio::join!(world.run(&call), pause);
    assert_eq!(output(outcome).get("done"), Some(&true.into()));
    world.is_clean().await;
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_with_all_that_it_started() {
    let world = World::new();
    let script = "trap '' TERM; (trap '' TERM; exec sleep 1000) & setsid sleep 1000 & sleep 1000";
    let mut call = world.call(NodeKind::Tool, "tool", &shell(script), Object::new());
    call.timeout = Duration::from_millis(500);
    is_failure(world.run(&call).await, Some("timeout"), "Timeout", "sh took longer than 0.5 s");
    world.is_clean().await;
}

#[tokio::test]
async fn a_stop_ends_a_program_and_its_stubborn_grandchildren() {
    let world = World::new();
    let script = "(trap '' TERM; touch ready; while :; do sleep 1; done) & wait";
    let call = world.call(NodeKind::Tool, "tool", &shell(script), Object::new());
    let stop = async {
        until_file(&world.workspace().join("ready")).await;
        call.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&call), stop);
    assert_eq!(outcome, Outcome::Aborted);
    world.is_clean().await;
}

/// The polite signal comes first, to all of the group, and leaves time to put things in order.
#[tokio::test]
async fn a_program_that_is_stopped_or_takes_too_long_is_asked_politely_first() {
    for (name, timeout) in [("stopped", super::harness::LONG), ("slow", Duration::from_millis(500))] {
        let world = World::new();
        let script = "(trap 'echo child >> polite; exit' TERM; touch ready; while :; do sleep 0.05; done) & \
                      trap 'wait; echo parent >> polite; exit' TERM; wait";
        let mut call = world.call(NodeKind::Tool, "tool", &shell(script), Object::new());
        call.timeout = timeout;
        let stop = async {
            until_file(&world.workspace().join("ready")).await;
            if name == "stopped" {
                call.stop.cancel();
            }
        };
        let (outcome, ()) = tokio::join!(world.run(&call), stop);
        match name {
            "stopped" => assert_eq!(outcome, Outcome::Aborted),
            _ => assert_eq!(failed(outcome).1, "Timeout"),
        }
        let polite = std::fs::read_to_string(world.workspace().join("polite")).unwrap();
        assert_eq!(polite, "child\nparent\n", "{name}");
        world.is_clean().await;
    }
}

#[tokio::test]
async fn what_nobody_wants_is_not_started() {
    let world = World::new();
    let call = world.call(NodeKind::Tool, "tool", &shell("touch started"), Object::new());
    call.stop.cancel();
    assert_eq!(world.run(&call).await, Outcome::Aborted);
    assert!(!world.workspace().join("started").exists());
    world.is_clean().await;
}

/// Contract §27.7: the bound holds while the program writes, not after.
#[tokio::test]
async fn a_program_that_writes_without_end_is_stopped_at_the_bound() {
    let world = World::new();
    let script = r#"
import sys
written = 0
with open("count", "w") as count:
    while written < 2_000_000_000:
        written += sys.stdout.write("x" * 65536)
        count.seek(0)
        count.write(str(written))
        count.flush()
"#;
    let writer = program(Kind::Cli, "/usr/bin/env", &["python3", "-c", script], []);
    let call = world.call(NodeKind::Tool, "tool", &writer, Object::new());
    let message = "env wrote more than 1000000 bytes to stdout";
    is_failure(world.run(&call).await, Some("malformed"), "OutputTooLarge", message);
    world.is_clean().await;
    let written: u64 = std::fs::read_to_string(world.workspace().join("count")).unwrap().parse().unwrap();
    assert!(written < 32_000_000, "{written} bytes were written");
}

#[tokio::test]
async fn output_up_to_the_bound_is_taken() {
    let world = World::new();
    let text = output(tool(&world, "head -c 1000000 /dev/zero | tr '\\0' x").await);
    assert_eq!(text["text"].as_str().map(str::len), Some(1_000_000));
    let outcome = tool(&world, "head -c 1000001 /dev/zero | tr '\\0' x").await;
    assert_eq!(failed(outcome).1, "OutputTooLarge");
}

#[tokio::test]
async fn much_stderr_blocks_nothing() {
    let world = World::new();
    let outcome =
        tool(&world, "head -c 20000000 /dev/zero >&2; echo '{\"a\":1}'; head -c 20000000 /dev/zero >&2").await;
    assert_eq!(output(outcome)["a"].as_i64(), Some(1));
}

#[tokio::test]
async fn large_inputs_travel_by_stdin() {
    let world = World::new();
    for size in [1_000_000, 20_000_000] {
        let input = object([("text", "x".repeat(size).into())]);
        let call = world.call(NodeKind::Tool, "tool", &shell("cat | wc -c"), input);
        let read = output(world.run(&call).await)["value"].as_i64().unwrap();
        let ids =
            format!(r#"{{"context":{{"text":""}},"instruction":"Do it","node_id":"tool","run_id":"{}"}}"#, call.run_id);
        assert_eq!(usize::try_from(read).unwrap(), size + ids.len());
    }
    world.is_clean().await;
}

/// Its own status is the reason, not the pipe that broke.
#[tokio::test]
async fn a_program_that_does_not_read_its_input_fails_or_succeeds_by_itself() {
    let world = World::new();
    let input = object([("text", "x".repeat(64 << 20).into())]);
    let call = world.call(NodeKind::Tool, "tool", &shell("exit 3"), input.clone());
    let message = "sh exited with status 3 and wrote 0 bytes to stderr";
    is_failure(world.run(&call).await, Some("exit"), "ProcessExit", message);
    let call = world.call(NodeKind::Tool, "tool", &shell("exec 0<&-; echo '{\"done\":true}'"), input);
    assert_eq!(output(world.run(&call).await)["done"], true.into());
    world.is_clean().await;
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_unavailable() {
    let world = World::new();
    let missing = program(Kind::Cli, "/nonexistent/tool", &["SENTINEL"], []);
    let call = world.call(NodeKind::Tool, "tool", &missing, Object::new());
    let (class, error_type, message) = failed(world.run(&call).await);
    assert_eq!((class, error_type.as_str()), (Some("unavailable"), "ProcessUnavailable"));
    assert!(message.starts_with("tool could not be started: execute tool: No such file"), "{message}");
    let plain = world.workspace().join("plain");
    std::fs::write(&plain, "x").unwrap();
    let call = world.call(NodeKind::Tool, "tool", &program(Kind::Cli, plain.to_str().unwrap(), &[], []), Object::new());
    assert_eq!(failed(world.run(&call).await).1, "ProcessUnavailable");
    world.is_clean().await;
}

/// A workspace that goes away is named.
#[tokio::test]
async fn a_workspace_that_is_gone_is_the_reason() {
    let world = World::new();
    let mut call = world.call(NodeKind::Tool, "tool", &shell("echo {}"), Object::new());
    call.workspace = world.path("gone");
    let (class, error_type, message) = failed(world.run(&call).await);
    assert_eq!((class, error_type.as_str()), (Some("unavailable"), "WorkspaceUnavailable"));
    assert!(message.starts_with("sh was not started: the workspace cannot be entered: "), "{message}");
    let call = world.call(NodeKind::Tool, "tool", &shell("rmdir ../work; echo '{\"a\":1}'"), Object::new());
    assert_eq!(output(world.run(&call).await)["a"].as_i64(), Some(1));
    world.is_clean().await;
}

#[tokio::test]
async fn a_program_works_in_the_workspace_with_the_environment() {
    let mut world = World::new();
    world.set("GREETING", "hello");
    let outcome = tool(&world, "printf '%s %s' \"$GREETING\" \"$(pwd)\"").await;
    let expected = format!("hello {}", world.workspace().display());
    assert_eq!(output(outcome)["text"].as_str(), Some(expected.as_str()));
}

#[tokio::test]
async fn what_a_finished_program_left_running_is_ended() {
    let world = World::new();
    let outcome = tool(&world, "sleep 1000 > /dev/null 2>&1 & echo '{\"a\":1}'").await;
    assert_eq!(output(outcome)["a"].as_i64(), Some(1));
}

#[tokio::test]
async fn output_that_is_no_utf8_is_decoded_with_replacement() {
    let world = World::new();
    assert_eq!(output(tool(&world, "printf ' a\\377b\\n'").await)["text"].as_str(), Some("a\u{fffd}b"));
}

#[tokio::test]
async fn a_host_that_is_killed_takes_the_attempt_with_it_and_leaves_nothing() {
    let world = World::new();
    let call = world.call(NodeKind::Tool, "tool", &shell("touch ready; sleep 1000"), Object::new());
    let kill = async {
        until_file(&world.workspace().join("ready")).await;
        super::harness::kill(world.host_pid(call.host.as_ref().unwrap()));
    };
    let (outcome, ()) = tokio::join!(world.run(&call), kill);
    assert_eq!(outcome, Outcome::Lost(segue_model::run::attempt::Loss::Crash));
    world.is_clean().await;
}

#[tokio::test]
async fn an_executor_that_was_changed_since_is_not_called() {
    let world = World::new();
    let mut call = world.call(NodeKind::Tool, "tool", &shell("touch started"), Object::new());
    call.capability = Some(Arc::new(shell("touch started; true")));
    assert_eq!(failed(world.run(&call).await).1, "ExecutorChanged");
    let mut node = (*call.node).clone();
    node.effects.pop();
    call.node = Arc::new(node);
    call.start = Start::First;
    assert_eq!(failed(world.run(&call).await).1, "ExecutorChanged");
    assert!(!world.workspace().join("started").exists());
}
