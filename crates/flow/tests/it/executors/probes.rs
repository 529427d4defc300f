//! "Test connection", for every kind.

use std::time::Duration;

use segue_flow::executors::{
    Terms,
    probe::{Seen, probe},
};
use segue_model::flow::{
    Json, Object,
    capability::{Capability, Kind, config::protocol},
    json::object,
};

use super::{
    harness::{LONG, World, capability, fixture, program, shell},
    server::{self, Server},
};

async fn seen(world: &World, capability: &Capability) -> Seen {
    let terms: Terms = world.terms(Duration::from_secs(1));
    let seen = tokio::time::timeout(LONG, probe(capability, &terms, world)).await.unwrap();
    world.let_go(terms.host.as_ref().unwrap()).await;
    world.is_clean().await;
    seen
}

fn good(summary: &str, details: Object) -> Seen {
    Seen { ok: true, summary: summary.to_owned(), details }
}

fn bad(error_type: &str, summary: &str) -> Seen {
    Seen { ok: false, summary: summary.to_owned(), details: object([("error_type", error_type.into())]) }
}

#[tokio::test]
async fn a_model_is_there_and_answers_without_any_input() {
    let world = World::new();
    let model = |executable: &str, probe_args: Json| {
        program(
            Kind::ModelCli,
            executable,
            &["-c", "exit 1"],
            [("protocol", protocol::MODEL.into()), ("probe_args", probe_args)],
        )
    };
    assert_eq!(seen(&world, &model("/bin/sh", Json::Null)).await, good("the executable is there", Object::new()));
    let missing = bad("ExecutableMissing", "model is not an executable file");
    assert_eq!(seen(&world, &model("/nonexistent/model", Json::Null)).await, missing);
    let quiet = model("/bin/sh", vec!["-c", "[ -z \"$(cat)\" ]"].into());
    assert_eq!(seen(&world, &quiet).await, good("the executable is there and answers", Object::new()));
    let failing = model("/bin/sh", vec!["-c", "echo SENTINEL >&2; exit 2"].into());
    let failed = bad("ProcessExit", "sh exited with status 2 and wrote 9 bytes to stderr");
    assert_eq!(seen(&world, &failing).await, failed);
    let mut silent = model("/bin/sh", vec!["-c", "exec tail -f /dev/null"].into());
    silent.timeout_seconds = 1;
    assert_eq!(seen(&world, &silent).await, bad("Timeout", "sh took longer than 1 s"));
}

#[tokio::test]
async fn a_tool_is_really_called() {
    let world = World::new();
    let keys = |keys: &[&str]| object([("output_keys", keys.to_vec().into())]);
    let all = ["capability_fingerprint", "capability_id", "context", "instruction", "node_id", "run_id", "tool_call"];
    assert_eq!(seen(&world, &shell("tee asked")).await, good("the call succeeded", keys(&all)));
    let asked = std::fs::read_to_string(world.workspace().join("asked")).unwrap();
    let expected =
        r#"{"context":{"probe":true},"instruction":null,"node_id":"capability-probe","run_id":"capability-probe"}"#;
    assert_eq!(asked, expected);

    let server = Server::start(|_| server::json(200, "{}")).await;
    let http = capability(Kind::Http, object([("url", server.url("/").into())]));
    let all = ["capability_fingerprint", "capability_id", "http_status", "tool_call"];
    assert_eq!(seen(&world, &http).await, good("the call succeeded", keys(&all)));
    assert_eq!(server.asked()[0].body, r#"{"context":{"probe":true}}"#);
}

#[tokio::test]
async fn a_tool_server_lists_its_tools() {
    let world = World::new();
    let fixture = fixture("mcp_server.py");
    let server =
        |tool: &str| program(Kind::McpStdio, "/usr/bin/env", &["python3", &fixture, "good"], [("tool", tool.into())]);
    let tools = object([("tools", vec!["add", "sub"].into())]);
    assert_eq!(seen(&world, &server("sub")).await, good("the server offers sub", tools.clone()));
    let mut missing = bad("ToolMissing", "the server does not offer mul");
    missing.details.extend(tools);
    assert_eq!(seen(&world, &server("mul")).await, missing);
    assert!(!world.workspace().join("calls").exists());
}

#[tokio::test]
async fn a_remote_tool_server_lists_its_tools() {
    let world = World::new();
    let server = Server::start(|asked| match asked.body.as_str() {
        body if body.contains("tools/list") => {
            server::json(200, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add"}]}}"#)
        }
        _ => server::json(
            200,
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}"#,
        ),
    })
    .await;
    let tool = capability(Kind::McpHttp, object([("url", server.url("/").into()), ("tool", "add".into())]));
    let tools = object([("tools", vec!["add"].into())]);
    assert_eq!(seen(&world, &tool).await, good("the server offers add", tools));
}

#[tokio::test]
async fn an_agent_that_is_not_installed_is_unavailable() {
    let mut world = World::new();
    world.agents.add_file("agents.toml".as_ref(), "[agents.ghost]\ncommand = [\"/nonexistent/ghost\"]\n").unwrap();
    let ghost = capability(Kind::AcpAgent, object([("agent", "ghost".into())]));
    let seen = seen(&world, &ghost).await;
    assert_eq!((seen.ok, seen.details), (false, object([("error_type", "invalid_request".into())])));
}
