//! The scripted model server over its wire.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use segue_testkit::model_server::{ModelServer, Outcome, Request};
use serde_json::{Value, json};

use crate::http_client::{Reply, get, post};

const LIMIT: Duration = Duration::from_secs(30);

/// Every kind of thing a reply can hold.
const RICH: &str = r#"[[think:hm]] [[say:a b]] [[usage:7:8]] [[call+:note:{"x":"é"}]] [[call:note:{}]]"#;

fn chat(script: &str, stream: bool) -> Value {
    let tool = json!({"type": "function", "function": {"name": "note", "parameters": {}}});
    json!({
        "model": "m", "stream": stream, "tools": [tool], "messages": [{"role": "user", "content": script}],
    })
}

fn responses(script: &str, stream: bool) -> Value {
    let tool = json!({"type": "function", "name": "note", "parameters": {}});
    json!({"model": "m", "stream": stream, "tools": [tool], "input": script})
}

fn messages(script: &str, stream: bool) -> Value {
    let tool = json!({"name": "note", "input_schema": {}});
    json!({
        "model": "m", "stream": stream, "tools": [tool], "thinking": {"type": "enabled"},
        "messages": [{"role": "user", "content": script}],
    })
}

fn server() -> ModelServer {
    ModelServer::start().expect("a server")
}

/// The body of a reply that came whole.
fn body(server: &ModelServer, path: &str, request: &Value) -> String {
    let reply = post(server.port(), path, request).read();
    assert_eq!((reply.status, reply.complete), (200, true), "{}", reply.body);
    reply.body
}

fn outcomes(requests: &[Request]) -> Vec<Option<Outcome>> {
    requests.iter().map(|request| request.outcome).collect()
}

#[test]
fn chat_completions_are_streamed_and_whole() {
    let server = server();
    insta::assert_snapshot!("chat_streamed", body(&server, "/v1/chat/completions", &chat(RICH, true)));
    insta::assert_snapshot!("chat_whole", body(&server, "/chat/completions", &chat(RICH, false)));
}

#[test]
fn responses_are_streamed_and_whole() {
    let server = server();
    insta::assert_snapshot!("responses_streamed", body(&server, "/v1/responses", &responses(RICH, true)));
    insta::assert_snapshot!("responses_whole", body(&server, "/responses", &responses(RICH, false)));
}

#[test]
fn messages_are_streamed_and_whole() {
    let server = server();
    insta::assert_snapshot!("messages_streamed", body(&server, "/v1/messages", &messages(RICH, true)));
    insta::assert_snapshot!("messages_whole", body(&server, "/messages?beta=true", &messages(RICH, false)));
}

#[test]
fn replies_end_as_the_script_says_in_every_dialect() {
    let server = server();
    let ending = |path: &str, request: &Value, pointer: &str| {
        let reply: Value = serde_json::from_str(&body(&server, path, request)).expect("JSON");
        reply.pointer(pointer).expect("an ending").clone()
    };
    let ends = ["[[stop:length]]", "[[stop:refusal]]", "[[say:x]]"].map(|script| {
        [
            ending("/v1/chat/completions", &chat(script, false), "/choices/0/finish_reason"),
            ending("/v1/responses", &responses(script, false), "/status"),
            ending("/v1/messages", &messages(script, false), "/stop_reason"),
        ]
    });
    assert_eq!(
        json!(ends),
        json!([
            ["length", "incomplete", "max_tokens"],
            ["content_filter", "completed", "refusal"],
            ["stop", "completed", "end_turn"],
        ])
    );
}

#[test]
fn failures_have_the_form_of_the_dialect() {
    let server = server();
    let fail = "[[error:429:slow down]]";
    let openai =
        r#"{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_error","param":null}}"#;
    let anthropic = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    for (path, request, expected) in [
        ("/v1/chat/completions", chat(fail, true), openai),
        ("/v1/responses", responses(fail, true), openai),
        ("/v1/messages", messages(fail, false), anthropic),
    ] {
        let expected = Reply { status: 429, body: expected.to_owned(), complete: true };
        assert_eq!(post(server.port(), path, &request).read(), expected);
    }
    assert_eq!(outcomes(&server.requests()), vec![Some(Outcome::Error); 3]);
}

#[test]
fn a_failure_once_is_gone_the_second_time() {
    let server = server();
    let status = |script: &str| post(server.port(), "/v1/chat/completions", &chat(script, false)).read().status;
    let flaky = "[[error_once:500]] [[say:x]]";
    assert_eq!([status(flaky), status(flaky), status("[[error_once:503]]")], [500, 200, 503]);
}

#[test]
fn a_script_that_cannot_be_understood_is_a_bad_request() {
    let server = server();
    let reply = post(server.port(), "/v1/messages", &messages("[[big:x]]", true)).read();
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("directive [[big:x]]: the size is no number"), "{}", reply.body);
}

#[test]
fn a_dropped_reply_has_its_beginning_and_no_end() {
    let server = server();
    let path = "/v1/chat/completions";
    let reply = post(server.port(), path, &chat("[[say:begun]] [[drop]]", true)).read();
    assert_eq!((reply.status, reply.complete), (200, false));
    assert!(reply.body.contains(r#"{"content":"begun"}"#), "{}", reply.body);
    let whole = post(server.port(), path, &chat("[[drop]]", false));
    assert_eq!(whole.read_raw(), "");
    assert_eq!(outcomes(&server.requests()), vec![Some(Outcome::Dropped); 2]);
}

#[test]
fn a_client_that_leaves_is_seen_in_mid_stream_and_before_a_whole_reply() {
    let server = server();
    let hang = "[[say:begun]] [[hang]]";
    post(server.port(), "/v1/messages", &messages(hang, true)).leave_after("begun");
    let whole = post(server.port(), "/v1/messages", &messages(hang, false));
    server.requests_when(LIMIT, |requests| requests.len() == 2);
    whole.leave();
    let ended = |requests: &[Request]| requests.iter().all(|request| request.outcome.is_some());
    let requests = server.requests_when(LIMIT, ended);
    assert_eq!(outcomes(&requests), vec![Some(Outcome::ClientClosed); 2]);
    assert_eq!(requests[0].said, "begun");
}

#[test]
fn requests_are_recorded_as_they_were_read() {
    let server = server();
    let mut request = chat(r#"[[call:note:{"x":1}]] [[result]]"#, false);
    request["reasoning_effort"] = json!("high");
    request["messages"]
        .as_array_mut()
        .expect("messages")
        .extend([json!({"role": "assistant", "tool_calls": []}), json!({"role": "tool", "content": "noted"})]);
    body(&server, "/v1/chat/completions", &request);
    insta::assert_json_snapshot!("recorded", server.requests());
}

#[test]
fn models_are_listed_and_tokens_counted() {
    let server = server();
    let models: Value = serde_json::from_str(&get(server.port(), "/v1/models").read().body).expect("JSON");
    let names: Vec<_> = models["data"].as_array().expect("a list").iter().map(|model| &model["id"]).collect();
    assert_eq!(names, segue_testkit::model_server::MODELS);
    assert_eq!(body(&server, "/v1/messages/count_tokens", &json!({})), r#"{"input_tokens":10}"#);
    assert_eq!(get(server.port(), "/v1/elsewhere").read().status, 404);
    assert_eq!(server.requests(), vec![]);
}

#[tokio::test]
async fn a_server_can_be_held_inside_a_runtime_and_stops_with_replies_under_way() {
    let server = server();
    let open = post(server.port(), "/v1/responses", &responses("[[hang]]", true));
    server.requests_when(LIMIT, |requests| requests.len() == 1);
    drop(server);
    assert!(!open.read().complete);
}

#[test]
fn the_program_tells_its_port_writes_its_log_and_ends_with_its_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let (port_file, log) = (folder.path().join("port"), folder.path().join("log"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_segue-model-server"))
        .arg("--port-file")
        .arg(&port_file)
        .arg("--log")
        .arg(&log)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let until = Instant::now() + LIMIT;
    let port = loop {
        match std::fs::read_to_string(&port_file) {
            Ok(port) => break port.trim().parse().expect("a port"),
            Err(error) => assert!(Instant::now() < until, "no port: {error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let reply = post(port, "/v1/chat/completions", &chat("[[say:x]]", true)).read();
    assert_eq!((reply.status, reply.complete), (200, true));
    let mut stdin = program.stdin.take().expect("a pipe");
    stdin.write_all(b"what is written here does not matter").expect("a reader");
    drop(stdin);
    assert!(program.wait().expect("an ended program").success());
    let lines = std::fs::read_to_string(&log).expect("a log");
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let seen: Vec<_> = events.iter().map(|line| (&line["event"], &line["outcome"])).collect();
    assert_eq!(seen, vec![(&json!("request"), &Value::Null), (&json!("end"), &json!("ok"))]);
}
