//! opencode behind a server of its own.

use std::time::Duration;

use segue_flow::executors::{Call, Start, execute, opencode_server};
use segue_model::{
    flow::{Json, NodeKind, Object, capability::Capability, json::object},
    run::{Outcome, attempt::Loss},
};

use super::harness::{World, failed, fixture, json, output, until};

/// A world in which `opencode` behaves so.
fn world(mode: &str) -> (World, Capability) {
    let mut world = World::new();
    let log = world.path("log").display().to_string();
    world.set("OPENCODE_TEST", mode);
    world.set("OPENCODE_LOG", &log);
    let script = format!("#!/bin/sh\nexec python3 '{}' \"$@\"\n", fixture("opencode.py"));
    let program = world.install("opencode", &script);
    let capability = opencode_server::capability(program.to_str().unwrap(), "1.2.3").unwrap();
    (world, capability)
}

fn log(world: &World) -> Vec<Object> {
    std::fs::read_to_string(world.path("log")).unwrap_or_default().lines().map(json).collect()
}

fn asked(world: &World, path: &str) -> bool {
    log(world).iter().any(|entry| entry.get("path").and_then(Json::as_str) == Some(path))
}

async fn is_clean(world: &World) {
    world.is_clean().await;
    let folders = || std::fs::read_dir(world.path("tmp")).unwrap().count();
    until("the working folder is gone", || folders() == 0).await;
}

#[tokio::test]
async fn every_step_is_taken_and_nothing_is_left() {
    let (world, capability) = world("good");
    let call = world.call(NodeKind::Agent, "a", &capability, object([("topic", "T".into())]));
    let output = output(world.run(&call).await);
    let wanted = object([
        ("agent_output", "one\ntwo".into()),
        ("executor_label", "agent.opencode".into()),
        ("executable_name", "opencode".into()),
        ("executable_version", "1.2.3".into()),
        ("adapter_protocol", "opencode.server.v1".into()),
        ("workspace_profile", "ephemeral_text_only".into()),
    ]);
    wanted.iter().for_each(|(key, value)| assert_eq!(output.get(key), Some(value), "{key}"));
    let log = log(&world);
    let text = |entry: &Object, key: &str| entry.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let started = &log[0];
    let host = call.host.as_ref().unwrap();
    assert_eq!(text(started, "cwd"), world.path("tmp").join(format!("segue-{host}")).display().to_string());
    assert_eq!(text(started, "permission"), r#"{"*":"deny"}"#);
    assert_eq!(text(started, "user"), "symphlo");
    assert_eq!(text(started, "password").len(), 64);
    let args = started["args"].as_array().unwrap();
    assert_eq!(args[..5], ["serve", "--pure", "--hostname", "127.0.0.1", "--port"].map(Json::from));
    let port = args[5].as_str().and_then(|port| port.parse::<u16>().ok());
    assert!(args.len() == 6 && port.is_some(), "nothing of the prompt is an argument: {args:?}");
    let mut steps: Vec<String> =
        log[1..].iter().map(|entry| format!("{} {}", text(entry, "method"), text(entry, "path"))).collect();
    steps.dedup();
    assert_eq!(
        steps,
        [
            "GET /global/health",
            "GET /config",
            "GET /experimental/tool/ids",
            "POST /session",
            "POST /session/ses%2F1/message",
            "DELETE /session/ses%2F1"
        ]
    );
    let created = log.iter().find(|entry| text(entry, "path") == "/session").unwrap();
    let created = json(&text(created, "body"));
    assert!(created.len() == 1 && created["title"].as_str().is_some_and(|title| !title.is_empty()), "{created:?}");
    let message = log.iter().find(|entry| text(entry, "path").ends_with("/message")).unwrap();
    let message = json(&text(message, "body"));
    assert_eq!(message["tools"], json(r#"{"bash":false,"edit":false}"#).into());
    let prompt = message["parts"].as_array().unwrap()[0].get("text").and_then(Json::as_str).unwrap().to_owned();
    assert!(prompt.contains("Task: Do it"));
    is_clean(&world).await;
}

/// Seen with the real one: a connection that comes the moment it begins to listen is taken and never answered.
#[tokio::test]
async fn a_question_that_is_never_answered_is_asked_again() {
    let (world, capability) = world("deaf_at_first");
    let call = world.call(NodeKind::Agent, "a", &capability, Object::new());
    assert_eq!(output(world.run(&call).await).get("agent_output"), Some(&"one\ntwo".into()));
    let health = |entry: &Object| entry.get("path").and_then(Json::as_str) == Some("/global/health");
    assert!(log(&world).into_iter().filter(health).count() > 1);
    is_clean(&world).await;
}

#[tokio::test]
async fn what_goes_wrong_is_named_and_nothing_of_the_server_is_in_it() {
    for (mode, class, error_type, message) in [
        ("exits", Some("exit"), "ProcessExit", "the server exited with status 6 before it answered"),
        ("unhealthy", Some("unavailable"), "HttpStatus", "the server answered with status 500"),
        ("version", None, "VersionChanged", "the server is not of version 1.2.3"),
        ("allows", None, "NotDenied", "the server does not deny every permission"),
        ("ailing", Some("unavailable"), "NotHealthy", "the server says that it is not healthy"),
        ("leaves", None, "NotDenied", "the server does not deny every permission"),
        ("tools", Some("malformed"), "MalformedResult", "GET /experimental/tool/ids: the server gave no list of tools"),
        (
            "nameless",
            Some("malformed"),
            "MalformedResult",
            "GET /experimental/tool/ids: the server gave no list of tools",
        ),
        ("moves", None, "HttpStatus", "the server answered with status 307"),
        ("long", Some("malformed"), "MalformedResult", "POST /session: the server gave no session id"),
        ("unnamed", Some("malformed"), "MalformedResult", "the server's message has no id"),
        ("error", None, "AgentError", "the agent reports an error"),
        ("empty", Some("malformed"), "MalformedResult", "the server's message holds no text"),
        ("floods", Some("malformed"), "OutputTooLarge", "the answer is longer than 1000000 bytes"),
    ] {
        let (world, capability) = world(mode);
        let call = world.call(NodeKind::Agent, "a", &capability, Object::new());
        assert_eq!(failed(world.run(&call).await), (class, error_type.to_owned(), message.to_owned()), "{mode}");
        assert!(!asked(&world, "/session-elsewhere"));
        if mode == "unhealthy" {
            let health = |entry: &Object| entry.get("path").and_then(Json::as_str) == Some("/global/health");
            assert_eq!(log(&world).into_iter().filter(health).count(), 1, "a status is final");
        }
        is_clean(&world).await;
    }
}

/// Contract §14.8: one word that denies everything will do, and a group of sessions will not.
#[tokio::test]
async fn a_plain_denial_is_one_and_a_session_group_is_refused() {
    let (world, capability) = world("plain");
    let mut call = world.call(NodeKind::Agent, "a", &capability, Object::new());
    assert_eq!(output(world.run(&call).await).get("agent_output"), Some(&"one\ntwo".into()));
    let started = log(&world).len();
    let mut node = (*call.node).clone();
    node.session_group = Some("g".into());
    call.node = node.into();
    call.host = Some(world.draw_host());
    assert_eq!(failed(world.run(&call).await).1, "NoSessions");
    assert_eq!(log(&world).len(), started, "nothing is started for it");
    is_clean(&world).await;
}

#[tokio::test]
async fn a_stop_is_passed_on_before_the_end_and_a_timeout_ends_it() {
    let (world, capability) = world("hangs");
    let call = world.call(NodeKind::Agent, "a", &capability, Object::new());
    let stop = async {
        until("it was asked", || asked(&world, "/session/ses%2F1/message")).await;
        call.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&call), stop);
    assert_eq!(outcome, Outcome::Aborted);
    assert!(asked(&world, "/session/ses%2F1/abort"));
    is_clean(&world).await;
    let mut slow = world.call(NodeKind::Agent, "a", &capability, Object::new());
    slow.timeout = Duration::from_secs(2);
    assert_eq!(failed(world.run(&slow).await).1, "Timeout");
    is_clean(&world).await;
}

#[tokio::test]
async fn a_server_whose_starter_died_is_ended_and_lost() {
    let (world, capability) = world("hangs");
    let call = world.call(NodeKind::Agent, "a", &capability, Object::new());
    tokio::select! {
        outcome = execute(&call, &world) => panic!("it was not to come to an outcome: {outcome:?}"),
        () = until("it was asked", || asked(&world, "/session/ses%2F1/message")) => {}
    }
    let again = Call { start: Start::Again, ..call };
    assert_eq!(world.run(&again).await, Outcome::Lost(Loss::Crash));
    is_clean(&world).await;
    assert_eq!(world.run(&again).await, Outcome::Lost(Loss::Crash));
}
