//! How sloppy arguments are read, seen at the channel.

use serde_json::{Value, json};

use crate::{
    client::Client,
    fake::{Fake, TASK},
};

/// A `spawn_task` as the channel gets it when only the required arguments and `more` are given.
fn spawned(more: &[(&str, &str)]) -> String {
    let mut fields = vec![
        ("agent", "\"codex\""),
        ("prompt", "\"do\""),
        ("workspace", "None"),
        ("initiator_id", "None"),
        ("executor_id", "None"),
        ("session_id", "None"),
        ("keep_idle", "None"),
        ("keep_turns", "None"),
        ("on_agent", "None"),
        ("options", "None"),
        ("client_key", "None"),
        ("deadline_seconds", "None"),
    ];
    for (name, value) in more {
        fields.iter_mut().find(|field| field.0 == *name).expect("a field").1 = value;
    }
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("Spawn {{ {} }}", fields.join(", "))
}

fn with(mut base: Value, more: &Value) -> Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

#[tokio::test]
async fn spawn_task_takes_what_clients_send() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let allow = "Some({\"allow\": Array [String(\"edit\")]})";
    for (given, taken) in [
        (json!({}), vec![]),
        (json!({"nonsense": 1, "include_prompt": "x"}), vec![]),
        (
            json!({"workspace": null, "options": null, "keep_idle": null, "keep_turns": null, "deadline_seconds": null}),
            vec![],
        ),
        (json!({"workspace": "null"}), vec![("workspace", "Some(\"null\")")]),
        (
            json!({"initiator_id": "[1]", "executor_id": "{}"}),
            vec![("initiator_id", "Some(\"[1]\")"), ("executor_id", "Some(\"{}\")")],
        ),
        (json!({"options": {"allow": ["edit"]}}), vec![("options", allow)]),
        (json!({"options": "{\"allow\": [\"edit\"]}"}), vec![("options", allow)]),
        (json!({"keep_idle": 0, "keep_turns": 99}), vec![("keep_idle", "Some(0)"), ("keep_turns", "Some(99)")]),
        (
            json!({"deadline_seconds": "90", "client_key": "5"}),
            vec![("client_key", "Some(\"5\")"), ("deadline_seconds", "Some(90.0)")],
        ),
    ] {
        client.good("spawn_task", with(json!({"agent": "codex", "prompt": "do"}), &given)).await;
        assert_eq!(fake.calls(), [spawned(&taken)], "{given}");
    }
}

#[tokio::test]
async fn get_events_takes_what_clients_send() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let query = |after: i64, types: &str, limit: i64, max: i64, thoughts: bool| {
        format!(
            "EventsQuery {{ task_id: {TASK:?}, after_seq: {after}, event_types: {types}, limit: {limit}, max_chars: {max}, \
             include_thoughts: {thoughts}, include_raw: false }}"
        )
    };
    for (given, taken) in [
        (json!({}), query(0, "None", 50, 8000, false)),
        (json!({"after_seq": "5", "limit": 7.0, "max_chars": " 1000 "}), query(5, "None", 7, 1000, false)),
        (json!({"after_seq": -1, "limit": 0}), query(-1, "None", 0, 8000, false)),
        (json!({"event_types": ["error", "null"]}), query(0, "Some([\"error\", \"null\"])", 50, 8000, false)),
        (
            json!({"event_types": "[\"error\"]", "include_thoughts": true}),
            query(0, "Some([\"error\"])", 50, 8000, true),
        ),
        (json!({"event_types": [], "limit": null}), query(0, "Some([])", 50, 8000, false)),
    ] {
        client.good("get_events", with(json!({"task_id": TASK}), &given)).await;
        assert_eq!(fake.calls(), [taken], "{given}");
    }
}

#[tokio::test]
async fn lists_and_waits_take_what_clients_send() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    client.good("wait_tasks", json!({"task_ids": "[\"a\", \"b\"]", "wait_seconds": "0"})).await;
    client
        .good("list_tasks", json!({"limit": "5", "after": TASK, "all": true, "status": "failed", "agent": "codex"}))
        .await;
    client.good("list_tasks", json!({})).await;
    client.good("extend_agent", json!({"handle": "x", "keep_turns": 2})).await;
    client
        .good("resolve_task", json!({"task_id": TASK, "resolution": "rejected", "note": "null", "actor": "{\"a\": 1}"}))
        .await;
    assert_eq!(
        fake.calls(),
        [
            "wait_tasks [\"a\", \"b\"] 0.0".to_owned(),
            format!(
                "List {{ limit: 5, after: Some({TASK:?}), all: true, status: Some(\"failed\"), agent: Some(\"codex\") }}"
            ),
            "List { limit: 20, after: None, all: false, status: None, agent: None }".to_owned(),
            "extend_agent \"x\" None Some(2)".to_owned(),
            format!(
                "Resolve {{ task_id: {TASK:?}, verdict: Rejected, note: Some(\"null\"), actor: Some(\"{{\\\"a\\\": 1}}\") }}"
            ),
        ]
    );
}

#[tokio::test]
async fn what_does_not_fit_is_told_by_name_and_reaches_nobody() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    for (tool, arguments, text) in [
        ("spawn_task", json!({"agent": "codex"}), "argument `prompt` is required"),
        ("spawn_task", json!({"agent": 5, "prompt": ""}), "argument `agent` must be a string, not 5"),
        (
            "spawn_task",
            json!({"agent": "codex", "prompt": "", "options": "[]"}),
            "argument `options` must be an object, not an array of 0",
        ),
        (
            "spawn_task",
            json!({"agent": "codex", "prompt": "", "keep_idle": true}),
            "invalid_request: keep_idle must be an integer, not true",
        ),
        (
            "spawn_task",
            json!({"agent": "codex", "prompt": "", "keep_idle": "5"}),
            "invalid_request: keep_idle must be an integer, not \"5\"",
        ),
        (
            "extend_agent",
            json!({"handle": "x", "keep_turns": 1.0}),
            "invalid_request: keep_turns must be an integer, not 1.0",
        ),
        (
            "get_task",
            json!({"task_id": "x", "include_prompt": 1}),
            "invalid_request: include_prompt must be true or false, not 1",
        ),
        (
            "get_events",
            json!({"task_id": "x", "include_raw": "true"}),
            "invalid_request: include_raw must be true or false, not \"true\"",
        ),
        (
            "get_events",
            json!({"task_id": "x", "include_thoughts": 0}),
            "invalid_request: include_thoughts must be true or false, not 0",
        ),
        (
            "get_events",
            json!({"task_id": "x", "limit": 2.5, "include_raw": 1}),
            "argument `limit` must be an integer, not 2.5",
        ),
        ("wait_tasks", json!({"task_ids": "x"}), "argument `task_ids` must be an array of strings, not \"x\""),
        (
            "wait_tasks",
            json!({"task_ids": ["x"], "wait_seconds": []}),
            "argument `wait_seconds` must be a number, not an array of 0",
        ),
        (
            "resolve_task",
            json!({"task_id": "x", "resolution": "unresolved"}),
            "argument `resolution` must be one of accepted, rejected, needs_followup, superseded, not \"unresolved\"",
        ),
        ("resolve_task", json!({"task_id": "x"}), "argument `resolution` is required"),
        ("forget_task", json!({}), "argument `task_id` is required"),
    ] {
        assert_eq!(client.bad(tool, arguments).await, text);
    }
    assert_eq!(fake.calls(), Vec::<String>::new());
}
