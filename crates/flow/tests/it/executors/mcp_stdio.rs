//! A tool of an MCP server that is started for it.

use std::time::Duration;

use segue_flow::executors::{Call, Start, execute};
use segue_model::{
    flow::{Json, NodeKind, Object, capability::Capability, capability::Kind, json::object},
    run::{Outcome, attempt::Loss},
};

use super::harness::{World, failed, fixture, json, kill, output, program, until_file};

fn server(args: &[&str]) -> Capability {
    let fixture = fixture("mcp_server.py");
    let words: Vec<&str> = ["python3", &fixture].into_iter().chain(args.iter().copied()).collect();
    program(
        Kind::McpStdio,
        "/usr/bin/env",
        &words,
        [("tool", "add".into()), ("arguments", json(r#"{"a":1}"#).into()), ("context_key", "input".into())],
    )
}

fn call(world: &World, args: &[&str]) -> Call {
    world.call(NodeKind::Tool, "tool", &server(args), object([("b", 2_i64.into())]))
}

fn calls(world: &World) -> usize {
    std::fs::read_to_string(world.workspace().join("calls")).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn a_tool_is_called_once_and_its_server_is_gone_afterwards() {
    for mode in ["good", "chatty", "stubborn"] {
        let world = World::new();
        let call = call(&world, &[mode]);
        let outcome = output(world.run(&call).await);
        let capability = call.capability.as_deref().unwrap();
        let result = json(
            r#"{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"structuredContent":{"sum":3,"tool_call":"mine"}}"#,
        );
        let mut expected = object([("mcp_result", result.into()), ("sum", 3_i64.into())]);
        expected.insert("text".into(), "one\ntwo".into());
        expected.extend(segue_flow::executors::request::called(capability));
        assert_eq!(outcome, expected, "{mode}");
        assert_eq!(calls(&world), 1);
        world.is_clean().await;
    }
}

/// Contract §14.6: the whole exchange.
#[tokio::test]
async fn a_server_is_told_who_calls_and_which_tool_and_nothing_else() {
    let world = World::new();
    output(world.run(&call(&world, &["tells"])).await);
    let told = std::fs::read_to_string(world.workspace().join("told")).unwrap();
    let mut told: Vec<Object> = told.lines().map(json).collect();
    let client = told[0].get_mut("params").and_then(|params| match params {
        Json::Object(params) => params.shift_remove("clientInfo"),
        _ => None,
    });
    let client = client.expect("who calls");
    assert!(["name", "version"].iter().all(|member| client.get(member).and_then(Json::non_blank).is_some()));
    let expected = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"input":{"b":2}}}}"#,
    ];
    assert_eq!(told, expected.map(json));
    world.is_clean().await;
}

#[tokio::test]
async fn what_goes_wrong_is_named_and_nothing_of_the_server_is_in_it() {
    for (args, class, error_type, message) in [
        (&["exits"][..], Some("exit"), "ProcessExit", "initialize: the server exited with status 5 before it answered"),
        (&["dies"], Some("exit"), "ProcessExit", "tools/call: the server exited with status 7 before it answered"),
        (&["closes"], Some("exit"), "McpClosed", "initialize: the server closed before it answered"),
        (
            &["version", "1999-01-01"],
            Some("malformed"),
            "MalformedResult",
            "initialize: the server speaks no known revision of the protocol",
        ),
        (&["no-tools"], Some("malformed"), "MalformedResult", "initialize: the server offers no tools"),
        (
            &["garbage"],
            Some("malformed"),
            "MalformedResult",
            "tools/call: the server sent something that is no message of the protocol",
        ),
        (&["asks"], Some("malformed"), "MalformedResult", "tools/call: the server sent a request of its own"),
        (&["error"], None, "McpError", "tools/call: the server answered with error -32602"),
        (&["tool-fails"], None, "McpError", "tools/call: the tool reports that it failed"),
        (&["floods"], Some("malformed"), "OutputTooLarge", "env wrote more than 1000000 bytes to stdout"),
    ] {
        let world = World::new();
        let outcome = world.run(&call(&world, args)).await;
        assert_eq!(failed(outcome), (class, error_type.to_owned(), message.to_owned()), "{args:?}");
        world.is_clean().await;
    }
}

#[tokio::test]
async fn older_revisions_are_spoken() {
    for version in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        let world = World::new();
        assert_eq!(output(world.run(&call(&world, &["version", version])).await)["sum"].as_i64(), Some(3));
    }
}

#[tokio::test]
async fn the_time_is_over_for_a_server_that_says_nothing() {
    let world = World::new();
    let mut call = call(&world, &["silent"]);
    call.timeout = Duration::from_secs(1);
    assert_eq!(failed(world.run(&call).await).1, "Timeout");
    world.is_clean().await;
}

#[tokio::test]
async fn a_stop_ends_the_server() {
    let world = World::new();
    let call = call(&world, &["waits"]);
    let stop = async {
        until_file(&world.workspace().join("calls")).await;
        call.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&call), stop);
    assert_eq!(outcome, Outcome::Aborted);
    world.is_clean().await;
}

async fn dies_in_the_call(world: &World, call: &Call) {
    let calls = world.workspace().join("calls");
    tokio::select! {
        outcome = execute(call, world) => panic!("it was not to come to an outcome: {outcome:?}"),
        () = until_file(&calls) => {}
    }
}

#[tokio::test]
async fn a_call_under_way_is_gone_on_with_and_not_made_twice() {
    let world = World::new();
    let call = call(&world, &["waits"]);
    dies_in_the_call(&world, &call).await;
    let again = Call { start: Start::Again, ..call };
    let go = async { std::fs::write(world.workspace().join("go"), "").unwrap() };
    let (outcome, ()) = tokio::join!(world.run(&again), go);
    assert_eq!(output(outcome)["sum"].as_i64(), Some(3));
    assert_eq!(calls(&world), 1);
    world.is_clean().await;
}

#[tokio::test]
async fn a_result_that_was_not_recorded_is_found_again() {
    let world = World::new();
    let call = call(&world, &["good"]);
    assert_eq!(output(execute(&call, &world).await)["sum"].as_i64(), Some(3));
    world.partings.lock().unwrap().clear();
    let again = Call { start: Start::Again, ..call };
    assert_eq!(output(world.run(&again).await)["sum"].as_i64(), Some(3));
    assert_eq!(calls(&world), 1);
    world.is_clean().await;
}

#[tokio::test]
async fn a_call_whose_host_was_killed_is_lost() {
    let world = World::new();
    let call = call(&world, &["waits"]);
    dies_in_the_call(&world, &call).await;
    kill(world.host_pid(call.host.as_ref().unwrap()));
    let again = Call { start: Start::Again, ..call };
    assert_eq!(world.run(&again).await, Outcome::Lost(Loss::Crash));
    assert_eq!(calls(&world), 1);
    world.is_clean().await;
}
