//! Nodes that are tasks of the channel, with the scripted agent.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use segue_channel::api::List;
use segue_flow::executors::{Call, Start, Surroundings, execute};
use segue_model::{
    flow::{
        Json, NodeKind,
        capability::{Capability, Kind},
        json::object,
    },
    run::Outcome,
};

use super::harness::{World, capability, failed, json, output, until_file};

/// The scripted agent of this build, or of the variable that every test of it knows.
fn scripted_agent() -> PathBuf {
    let named = std::env::var_os("SEGUE_SCRIPTED_AGENT_BIN").map(PathBuf::from);
    let built = PathBuf::from(env!("CARGO_BIN_EXE_segue-flow-testhost")).with_file_name("segue-scripted-agent");
    let agent = named.unwrap_or(built);
    assert!(agent.is_file(), "there is no {}: cargo build -p segue-testkit --bins", agent.display());
    agent
}

fn world() -> World {
    let mut world = World::new();
    let file = format!("[agents.scripted]\ncommand = [{:?}]\n", scripted_agent());
    world.agents.add_file("agents.toml".as_ref(), &file).unwrap();
    // Where sessions survive their process.
    let sessions = world.path("home").display().to_string();
    world.set("SCRIPTED_HOME", &sessions);
    world
}

fn agent<const N: usize>(more: [(&str, Json); N]) -> Capability {
    let mut config = object([("agent", "scripted".into())]);
    config.extend(object(more));
    capability(Kind::AcpAgent, config)
}

/// Another attempt each time, as the channel tells attempts apart.
fn call(world: &World, agent: &Capability, instruction: &str) -> Call {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let mut call = world.call(NodeKind::Agent, "draft-article", agent, object([("topic", "T".into())]));
    let mut node = (*call.node).clone();
    node.instruction = Some(instruction.to_owned());
    call.node = Arc::new(node);
    call.attempt.attempt = NEXT.fetch_add(1, Ordering::Relaxed);
    call.host = None;
    call
}

async fn ends(world: &World) {
    let shut_down = world.channel().shut_down().await;
    assert!(shut_down.confirmed && shut_down.complete);
    world.is_clean().await;
}

#[tokio::test]
async fn a_turn_becomes_an_output_with_the_evidence_of_the_channel() {
    let world = world();
    let call = call(&world, &agent([("allow", vec!["edit"].into())]), "[[tool:read:look]][[write:f:x]][[say:hello]]");
    let mut output = output(world.run(&call).await);
    let task = world.channel().list_tasks(List { limit: 10, ..List::default() }).await.unwrap().tasks.remove(0);
    let receipt = output.shift_remove("receipt").unwrap();
    for (key, value) in [
        ("tool_calls", r#"{"v":{"edit":1,"read":1}}"#),
        ("unasked", r#"{"v":{"read":1}}"#),
        ("permissions_asked", r#"{"v":1}"#),
        ("permissions_refused", r#"{"v":0}"#),
        ("because", r#"{"v":"completed"}"#),
    ] {
        assert_eq!(receipt.get(key), json(value).get("v"), "{key}");
    }
    for key in ["stage_hash", "command_fingerprint", "executable_version"] {
        output.shift_remove(key);
    }
    let expected = object([
        ("role", "writer".into()),
        ("topic", "T".into()),
        ("audience", Json::Null),
        ("granularity", "balanced".into()),
        ("required_principles", Json::Array(vec![])),
        ("agent_output", "hello".into()),
        ("accepted_source_hash", Json::Null),
        ("executor_label", "acp_agent-x".into()),
        ("executable_name", "scripted".into()),
        ("article_markdown", "hello".into()),
        ("task_id", task.task.id.as_str().into()),
        ("session_id", task.task.session_id.clone().into()),
    ]);
    assert_eq!(output, expected);
    assert_eq!(task.task.request.initiator_id.as_deref(), Some(call.run_id.as_str()));
    assert_eq!(std::fs::read_to_string(world.workspace().join("f")).unwrap(), "x");
    ends(&world).await;
}

/// The channel keeps 4,000 characters of it; a node gets all.
#[tokio::test]
async fn a_long_message_arrives_whole() {
    let world = world();
    let call = call(&world, &agent([]), "[[say:before]][[tool:read:x]][[chunks:3000:16]]");
    let text = output(world.run(&call).await)["agent_output"].as_str().unwrap().to_owned();
    assert_eq!((text.chars().count(), text.contains("before")), (48_000, false));
    ends(&world).await;
}

#[tokio::test]
async fn how_a_turn_ends_is_how_the_attempt_comes_out() {
    let world = world();
    for (instruction, class, words) in [
        ("[[exit:3]]", Some("exit"), "the agent's task ended early: "),
        ("[[error:-32000:Authentication required]]", None, "the agent's task wants somebody to sign in: "),
        ("[[stop:refusal]]", None, "the agent's task failed"),
        ("[[stop:max_tokens]]", None, "the agent's task failed"),
        // Ordinary answers of agents that failed.
        ("[[say:unexpected status 503]]", Some("unavailable"), "the agent's task met an error of its service"),
        ("[[say:Error: 429 rate limit]]", Some("rate_limited"), "the agent's task met a usage limit"),
    ] {
        let (found, error_type, message) = failed(world.run(&call(&world, &agent([]), instruction)).await);
        assert_eq!((found, error_type.as_str()), (class, "AgentFailed"), "{instruction}: {message}");
        assert!(message.starts_with(words), "{instruction}: {message}");
    }
    let mut slow = call(&world, &agent([]), "[[hang]]");
    slow.timeout = Duration::from_secs(1);
    assert_eq!(failed(world.run(&slow).await).0, Some("timeout"));
    ends(&world).await;
}

#[tokio::test]
async fn an_agent_that_nobody_knows_is_refused() {
    let world = world();
    let ghost = capability(Kind::AcpAgent, object([("agent", "ghost".into())]));
    let (class, error_type, message) = failed(world.run(&call(&world, &ghost, "x")).await);
    assert_eq!((class, error_type.as_str()), (None, "AgentRefused"));
    assert!(message.starts_with("unknown_agent: no agent \"ghost\""), "{message}");
}

#[tokio::test]
async fn a_stop_cancels_the_task_and_waits_for_its_processes() {
    let world = world();
    let ready = world.workspace().join("ready");
    let call = call(&world, &agent([]), &format!("[[spawn_setsid:stubborn]][[mark:{}]][[hang]]", ready.display()));
    let stop = async {
        until_file(&ready).await;
        call.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&call), stop);
    assert_eq!(outcome, Outcome::Aborted);
    world.is_clean().await;
    ends(&world).await;
}

#[tokio::test]
async fn an_attempt_that_is_called_again_finds_its_task() {
    let world = world();
    let (ready, go) = (world.workspace().join("ready"), world.workspace().join("go"));
    let script = format!("[[mark:{}]][[wait_file:{}]][[say:done]]", ready.display(), go.display());
    let call = call(&world, &agent([]), &script);
    tokio::select! {
        outcome = execute(&call, &world) => panic!("it was not to come to an outcome: {outcome:?}"),
        () = until_file(&ready) => {}
    }
    std::fs::write(&go, "").unwrap();
    let again = Call { start: Start::Again, ..call };
    let first = output(world.run(&again).await);
    assert_eq!(first["agent_output"].as_str(), Some("done"));
    // Once more, now that it is over.
    assert_eq!(output(world.run(&again).await), first);
    let tasks = world.channel().list_tasks(List { limit: 10, ..List::default() }).await.unwrap().tasks;
    assert_eq!(tasks.len(), 1);
    ends(&world).await;
}

/// A task that ended before its agent had started is that of a server which died meanwhile: nothing was asked of the
/// agent, so another start does nothing twice. In the process that saw the start fail it is a failure.
#[tokio::test]
async fn a_start_that_was_lost_with_its_server_is_made_again() {
    let mut world = World::new();
    let late = world.path("agent-that-comes-late");
    world.agents.add_file("agents.toml".as_ref(), &format!("[agents.scripted]\ncommand = [{late:?}]\n")).unwrap();
    let sessions = world.path("home").display().to_string();
    world.set("SCRIPTED_HOME", &sessions);
    let first = call(&world, &agent([]), "[[say:done]]");
    assert_eq!(failed(world.run(&first).await).1, "AgentFailed");
    std::os::unix::fs::symlink(scripted_agent(), &late).unwrap();
    assert_eq!(failed(world.run(&first).await).1, "AgentFailed");
    let again = Call { start: Start::Again, ..first };
    let done = output(world.run(&again).await);
    assert_eq!(done["agent_output"].as_str(), Some("done"));
    assert_eq!(output(world.run(&again).await), done, "and that start is found again");
    let tasks = world.channel().list_tasks(List { limit: 10, ..List::default() }).await.unwrap().tasks;
    assert_eq!(tasks.len(), 2);
    ends(&world).await;
}

#[tokio::test]
async fn turns_of_a_group_share_a_session_kept_or_resumed() {
    for keep in [Json::Null, 60_i64.into()] {
        let world = world();
        let agent = agent([("keep_idle", keep.clone())]);
        let mut first = call(&world, &agent, "[[remember:k:v]][[pid]]");
        let group = |call: &mut Call| {
            let mut node = (*call.node).clone();
            node.session_group = Some("g".into());
            call.node = Arc::new(node);
        };
        group(&mut first);
        let one = session_and_text(world.run(&first).await);
        let mut second = call(&world, &agent, "[[recall:k]] [[pid]]");
        group(&mut second);
        second.conversation_ref = Some(one.0.clone());
        let two = session_and_text(world.run(&second).await);
        assert_eq!((two.0 == one.0, two.1 == one.1), (true, false));
        let same_process = two.2.ends_with(&one.2);
        assert_eq!((two.2.starts_with('v'), same_process), (true, !keep.is_null()), "{two:?} after {one:?}");
        ends(&world).await;
    }
}

fn session_and_text(outcome: Outcome) -> (String, String, String) {
    let Outcome::Returned { output, session: Some(session), .. } = outcome else { panic!("{outcome:?}") };
    let text = output.get("agent_output").and_then(Json::as_str).unwrap().to_owned();
    (session.conversation_ref, session.turn_ref, text)
}

#[tokio::test]
async fn nothing_is_dispatched_for_an_attempt_that_nobody_wants() {
    let world = world();
    let call = call(&world, &agent([]), "x");
    call.stop.cancel();
    assert_eq!(world.run(&call).await, Outcome::Aborted);
    let tasks = world.channel().list_tasks(List { limit: 10, ..List::default() }).await.unwrap().tasks;
    assert!(tasks.is_empty());
}
