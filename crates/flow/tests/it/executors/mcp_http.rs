//! A tool of a remote MCP server.

use std::time::Duration;

use segue_flow::executors::{Call, Start};
use segue_model::{
    flow::{
        Json, NodeKind,
        capability::{Capability, Kind},
        json::object,
    },
    run::{Outcome, attempt::Loss},
};

use super::{
    harness::{World, capability, failed, is_failure, json, output, until},
    server::{self, Asked, Part, Server, answer, head},
};

fn tool<const N: usize>(server: &Server, more: [(&str, Json); N]) -> Capability {
    let mut config =
        object([("url", server.url("/mcp").into()), ("tool", "add".into()), ("arguments", json(r#"{"a":1}"#).into())]);
    config.extend(object(more));
    capability(Kind::McpHttp, config)
}

fn call(world: &World, tool: &Capability) -> Call {
    world.call(NodeKind::Tool, "tool", tool, object([("n", 1_i64.into())]))
}

const WELCOME: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#;
const RESULT: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"sum":3},"content":[]}}"#;

fn method(asked: &Asked) -> String {
    let body = Json::parse(&asked.body).unwrap_or_default();
    body.get("method").and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// A server with sessions that answers the call so.
async fn with_sessions(called: impl Fn() -> Vec<Part> + Send + Sync + 'static) -> Server {
    let welcome = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s-1")];
    Server::start(move |asked| match method(asked).as_str() {
        "initialize" => answer(200, &welcome, WELCOME),
        "notifications/initialized" => answer(202, &[], ""),
        "tools/call" => called(),
        _ => answer(204, &[], ""),
    })
    .await
}

#[tokio::test]
async fn a_server_with_sessions_is_initialized_called_and_left() {
    let (mut world, server) = (World::new(), with_sessions(|| server::json(200, RESULT)).await);
    world.set("MCP_TOKEN", "SENTINEL");
    let tool = tool(&server, [("token_env", "MCP_TOKEN".into())]);
    let outcome = world.run(&call(&world, &tool)).await;
    assert!(!format!("{outcome:?}").contains("SENTINEL"));
    let mut expected =
        object([("mcp_result", json(r#"{"structuredContent":{"sum":3},"content":[]}"#).into()), ("sum", 3_i64.into())]);
    expected.extend(segue_flow::executors::request::called(&tool));
    assert_eq!(output(outcome), expected);
    until("the session was left", || server.asked().len() == 4).await;
    let asked = server.asked();
    let seen: Vec<_> = asked
        .iter()
        .map(|asked| {
            let header = |name| asked.header(name).unwrap_or("-").to_owned();
            (asked.method.as_str(), method(asked), header("mcp-session-id"), header("mcp-protocol-version"))
        })
        .collect();
    let row = |a, b: &str, c: &str, d: &str| (a, b.to_owned(), c.to_owned(), d.to_owned());
    assert_eq!(
        seen,
        [
            row("POST", "initialize", "-", "-"),
            row("POST", "notifications/initialized", "s-1", "2025-06-18"),
            row("POST", "tools/call", "s-1", "2025-06-18"),
            row("DELETE", "", "s-1", "2025-06-18"),
        ]
    );
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some("Bearer SENTINEL")));
    assert_eq!(asked[2].header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(
        asked[2].body,
        r#"{"id":2,"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"a":1,"context":{"n":1}},"name":"add"}}"#
    );
}

#[tokio::test]
async fn an_answer_may_be_a_stream_of_events() {
    let note = r#"data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
    let events = format!(": hello\n\nid: 1\ndata:\n\n{note}\n\nevent: message\ndata: {RESULT}\n\n");
    let (first, second) = events.split_at(events.len() / 2);
    let (first, second) = (Part::Bytes(first.into()), Part::Bytes(second.into()));
    let server = with_sessions(move || {
        let rest = Part::Rest(Duration::from_millis(10));
        vec![
            head(&[("Content-Type", "text/event-stream; charset=utf-8")]),
            first.clone(),
            rest,
            second.clone(),
            Part::Hang,
        ]
    })
    .await;
    let world = World::new();
    assert_eq!(output(world.run(&call(&world, &tool(&server, []))).await)["sum"].as_i64(), Some(3));
}

#[tokio::test]
async fn a_server_without_sessions_is_asked_in_the_newer_form() {
    let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let result = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","structuredContent":{"sum":3}}}"#;
    for refusal in [server::json(200, unknown), server::json(404, unknown), answer(405, &[], "")] {
        let server = Server::start(move |asked| match method(asked).as_str() {
            "initialize" => refusal.clone(),
            _ => server::json(200, result),
        })
        .await;
        let world = World::new();
        assert_eq!(output(world.run(&call(&world, &tool(&server, []))).await)["sum"].as_i64(), Some(3));
        let [_, asked] = server.asked().try_into().unwrap();
        let header = |name| asked.header(name);
        assert_eq!(
            [header("mcp-protocol-version"), header("mcp-method"), header("mcp-name"), header("mcp-session-id")],
            [Some("2026-07-28"), Some("tools/call"), Some("add"), None]
        );
        let version = Json::parse(&asked.body).unwrap();
        let meta = version.get("params").and_then(|params| params.get("_meta")).unwrap();
        assert_eq!(meta.get("io.modelcontextprotocol/protocolVersion").and_then(Json::as_str), Some("2026-07-28"));
    }
}

#[tokio::test]
async fn what_goes_wrong_is_named_and_nothing_of_the_server_is_in_it() {
    let stream = || head(&[("Content-Type", "text/event-stream")]);
    let cases: Vec<(Vec<Part>, Option<&'static str>, &str, &str)> = vec![
        (
            server::json(200, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"SENTINEL"}}"#),
            None,
            "McpError",
            "tools/call: the server answered with error -32000",
        ),
        (
            server::json(200, r#"{"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[{"text":"SENTINEL"}]}}"#),
            None,
            "McpError",
            "tools/call: the tool reports that it failed",
        ),
        (
            server::json(200, "SENTINEL"),
            Some("malformed"),
            "MalformedResult",
            "tools/call: the server sent something that is no message of the protocol",
        ),
        (server::json(200, ""), Some("exit"), "McpClosed", "tools/call: the server closed before it answered"),
        (vec![stream()], Some("exit"), "McpClosed", "tools/call: the server closed before it answered"),
        (
            vec![stream(), Part::Bytes(b"data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n".to_vec())],
            Some("malformed"),
            "MalformedResult",
            "tools/call: the server sent a request of its own",
        ),
        (
            vec![stream(), Part::Endless(b": nothing\n\n".to_vec())],
            Some("malformed"),
            "OutputTooLarge",
            "the answer is longer than 1000000 bytes",
        ),
        (answer(401, &[], "SENTINEL"), None, "HttpStatus", "the server answered with status 401"),
        (answer(503, &[], ""), Some("unavailable"), "HttpStatus", "the server answered with status 503"),
        (answer(307, &[("Location", "/x")], ""), None, "HttpStatus", "the server answered with status 307"),
    ];
    for (parts, class, error_type, message) in cases {
        let (world, server) = (World::new(), with_sessions(move || parts.clone()).await);
        is_failure(world.run(&call(&world, &tool(&server, []))).await, class, error_type, message);
    }
}

#[tokio::test]
async fn a_token_that_is_missing_or_none_is_said_without_it() {
    let (mut world, server) = (World::new(), with_sessions(|| server::json(200, RESULT)).await);
    world.set("BAD_TOKEN", "SENTINEL\r\nX: y");
    for (name, message) in [
        ("NO_TOKEN", "the environment variable NO_TOKEN is not set"),
        ("BAD_TOKEN", "the environment variable BAD_TOKEN holds no token"),
    ] {
        let tool = tool(&server, [("token_env", name.into())]);
        is_failure(world.run(&call(&world, &tool)).await, None, "TokenUnusable", message);
    }
    assert_eq!(server.asked(), []);
}

#[tokio::test]
async fn a_timeout_a_stop_and_a_crash() {
    let (world, server) = (World::new(), with_sessions(|| vec![Part::Hang]).await);
    let tool = tool(&server, []);
    let mut slow = call(&world, &tool);
    slow.timeout = Duration::from_millis(300);
    assert_eq!(failed(world.run(&slow).await).1, "Timeout");
    let stopped = call(&world, &tool);
    let calls = || server.asked().iter().filter(|asked| method(asked) == "tools/call").count();
    let stop = async {
        until("it was called", || calls() == 2).await;
        stopped.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&stopped), stop);
    assert_eq!(outcome, Outcome::Aborted);
    let again = Call { start: Start::Again, ..call(&world, &tool) };
    assert_eq!(world.run(&again).await, Outcome::Lost(Loss::Crash));
    assert_eq!(calls(), 2);
}
