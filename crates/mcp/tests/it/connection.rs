//! What the connection stands: broken lines, odd orders, cancelled and slow calls, its end.

use std::time::Duration;

use segue_channel::Caller;
use segue_mcp::ServeEnd;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::{client::Client, fake::Fake};

/// Long enough for calls that end by themselves.
const GRACE: Duration = Duration::from_secs(4);

fn code(answer: &Value) -> (&Value, &Value) {
    (&answer["id"], &answer["error"]["code"])
}

async fn alive(client: &mut Client) {
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn broken_lines_before_and_after_the_opening_are_answered_or_skipped() {
    let mut client = Client::connect(Fake::new());
    for opened in [false, true] {
        for (line, expected) in [
            (&b"\xEF\xBB\xBFnot json\r"[..], Some((Value::Null, -32700))),
            (b"5", Some((Value::Null, -32600))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"tools/call\"}", Some((json!("q"), -32602))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"tools/call\",\"params\":{\"name\":\"get_task\",\"arguments\":[]}}", Some((json!("q"), -32602))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"no/such\"}", Some((json!("q"), -32601))),
            (b"{\"id\":\"q\",\"method\":\"ping\"}", Some((json!("q"), -32600))),
            (b"", None),
            (b"\r", None),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\",\"params\":{\"a\":1}}", None),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", None),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}", None),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":5}", None),
            (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}", None),
            (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":1,\"message\":\"m\"}}", None),
        ] {
            client.line(line).await;
            if let Some((id, number)) = expected {
                let answer = client.receive().await;
                assert_eq!(code(&answer), (&id, &json!(number)), "{}", String::from_utf8_lossy(line));
            }
            alive(&mut client).await;
        }
        if !opened {
            client.line(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\r").await;
            assert_eq!(client.receive().await["result"]["protocolVersion"], "2025-06-18");
        }
    }
}

#[tokio::test]
async fn a_prompt_with_half_a_character_arrives() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    client
        .line(br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_task","arguments":{"task_id":"a\ud83d"}}}"#)
        .await;
    assert_eq!(client.receive().await["result"]["isError"], false);
    assert_eq!(fake.calls(), ["get_task \"a\u{fffd}\""]);
}

#[tokio::test]
async fn calls_before_initialized_and_a_second_initialize_are_served() {
    let mut client = Client::connect(Fake::new());
    assert_eq!(client.request("tools/list", json!({})).await["result"]["tools"].as_array().unwrap().len(), 13);
    client.initialize("2025-03-26").await;
    assert_eq!(client.initialize("2099-01-01").await["protocolVersion"], "2025-11-25");
    alive(&mut client).await;
    client.initialize("2024-11-05").await;
    client.good("get_task", json!({"task_id": "x"})).await;
}

#[tokio::test]
async fn prompts_and_resources_are_empty_lists() {
    let mut client = Client::open(Fake::new()).await;
    for (method, key) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        assert_eq!(client.request(method, json!({})).await["result"], json!({key: []}), "{method}");
    }
    for method in ["prompts/get", "resources/read", "logging/setLevel", "completion/complete", "tasks/list"] {
        let answer = client.request(method, json!({"name": "x", "uri": "x:y", "level": "info"})).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

#[tokio::test]
async fn a_wait_delays_nobody() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let wait = client.ask("tools/call", json!({"name": "wait_tasks", "arguments": {"task_ids": ["a"]}})).await;
    fake.wait_began.notified().await;
    alive(&mut client).await;
    client.good("get_task", json!({"task_id": "x"})).await;
    fake.wait_over.notify_one();
    let answer = client.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["reason"]), (&json!(wait), &json!("timeout")));
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let wait = client.ask("tools/call", json!({"name": "wait_tasks", "arguments": {"task_ids": ["a"]}})).await;
    fake.wait_began.notified().await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": wait, "reason": "enough"}});
    client.send(cancel.clone()).await;
    fake.wait_dropped.notified().await;
    // A cancel for a call that is over changes nothing, and no answer comes between.
    client.send(cancel).await;
    alive(&mut client).await;
}

/// The handler is done and the library has let go of the call: nobody but the connection knows that its answer lies
/// unread behind others.
#[tokio::test]
async fn a_start_that_is_cancelled_before_its_answer_is_written_has_no_caller() {
    /// More than the pipe between server and client holds.
    const UNREAD: usize = 100;
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let wait = json!({"name": "wait_tasks", "arguments": {"task_ids": ["a"]}});
    let mut unread = Vec::new();
    for _ in 0..UNREAD {
        unread.push(json!(client.ask("tools/list", json!({})).await));
    }
    let spawn =
        client.ask("tools/call", json!({"name": "spawn_task", "arguments": {"agent": "codex", "prompt": ""}})).await;
    fake.spawned.notified().await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": spawn}});
    client.send(cancel).await;
    // What is read after the cancel shows that the cancel was read.
    let after = client.ask("tools/call", wait).await;
    fake.wait_began.notified().await;
    let callers: Vec<bool> = fake.callers.lock().unwrap().iter().map(Caller::is_gone).collect();
    assert_eq!(callers, [true]);
    // The connection goes on.
    fake.wait_over.notify_one();
    while unread.last() != Some(&json!(after)) {
        let answer = client.receive().await;
        assert!(
            answer["id"] == json!(after) || answer["id"] == json!(spawn) || unread.contains(&answer["id"]),
            "{answer}"
        );
        if answer["id"] == json!(after) {
            unread.push(json!(after));
        }
    }
}

#[tokio::test]
async fn a_start_that_is_cancelled_after_its_answer_has_its_task() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let spawn =
        client.ask("tools/call", json!({"name": "spawn_task", "arguments": {"agent": "codex", "prompt": ""}})).await;
    assert_eq!(client.receive().await["id"], spawn);
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": spawn}})).await;
    alive(&mut client).await;
    let callers: Vec<bool> = fake.callers.lock().unwrap().iter().map(Caller::is_gone).collect();
    assert_eq!(callers, [false]);
}

#[tokio::test]
async fn a_long_line_is_read() {
    const PROMPT_BYTES: usize = 20 * 1024 * 1024;
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    client.good("spawn_task", json!({"agent": "codex", "prompt": "ä".repeat(PROMPT_BYTES / 2)})).await;
    assert!(fake.calls()[0].len() > PROMPT_BYTES);
}

#[tokio::test]
async fn answers_nobody_reads_do_not_stop_the_reading_of_more() {
    const REQUESTS: i64 = 500;
    let mut client = Client::open(Fake::new()).await;
    for _ in 0..REQUESTS {
        client.ask("tools/list", json!({})).await;
    }
    for _ in 0..REQUESTS {
        assert_eq!(client.receive().await["result"]["tools"].as_array().unwrap().len(), 13);
    }
}

#[tokio::test]
async fn the_end_of_the_input_is_told_at_once_and_calls_under_way_can_finish() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let wait = client.ask("tools/call", json!({"name": "wait_tasks", "arguments": {"task_ids": ["a"]}})).await;
    fake.wait_began.notified().await;
    client.close_input();
    assert_eq!(client.serving.ended().await, ServeEnd::InputEnded);
    fake.wait_over.notify_one();
    assert_eq!(client.receive().await["id"], wait);
}

#[tokio::test]
async fn a_request_sent_just_before_the_end_is_answered() {
    let mut client = Client::open(Fake::new()).await;
    let id = client.ask("tools/call", json!({"name": "get_task", "arguments": {"task_id": "x"}})).await;
    client.close_input();
    assert_eq!(client.receive().await["id"], id);
    client.serving.finish(GRACE).await;
}

#[tokio::test]
async fn finish_drops_calls_that_do_not_end() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let wait = client.ask("tools/call", json!({"name": "wait_tasks", "arguments": {"task_ids": ["a"]}})).await;
    fake.wait_began.notified().await;
    let (answer, ()) = {
        let Client { serving, .. } = &mut client;
        let finishing =
            std::mem::replace(serving, segue_mcp::serve(fake.clone(), tokio::io::empty(), tokio::io::sink()));
        tokio::join!(client.receive(), finishing.finish(Duration::ZERO))
    };
    assert_eq!(code(&answer), (&json!(wait), &json!(-32000)));
    fake.wait_dropped.notified().await;
    client.expect_end().await;
}

#[tokio::test]
async fn an_output_that_nobody_reads_any_more_ends_the_connection() {
    let (mut output, their_input) = tokio::io::duplex(1024);
    let (their_output, input) = tokio::io::duplex(1024);
    let serving = segue_mcp::serve(Fake::new(), their_input, their_output);
    drop(input);
    output.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    assert_eq!(serving.ended().await, ServeEnd::OutputClosed);
    serving.finish(GRACE).await;
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_keep_the_server() {
    /// More answers than may lie unread: reading pauses.
    const REQUESTS: usize = 10_000;
    /// More than the pipes hold: some of their answers lie unread.
    const ENOUGH: usize = 1_000;
    let (mut output, their_input) = tokio::io::duplex(1024);
    let (their_output, _unread) = tokio::io::duplex(1024);
    let serving = segue_mcp::serve(Fake::new(), their_input, their_output);
    let (report, mut sent) = tokio::sync::watch::channel(0);
    let sending = tokio::spawn(async move {
        for number in 1..=REQUESTS {
            let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
            if output.write_all(request).await.is_err() {
                return number;
            }
            report.send_replace(number);
        }
        REQUESTS
    });
    sent.wait_for(|sent| *sent >= ENOUGH).await.unwrap();
    serving.finish(Duration::ZERO).await;
    assert!(sending.await.unwrap() < REQUESTS, "reading should have paused");
}
