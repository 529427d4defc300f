//! The shape of every tool's result, and of every failure.

use segue_channel::{Code, Refusal};
use serde_json::{Value, json};

use crate::{
    client::Client,
    fake::{Fake, HANDLE, TASK},
};

fn running_summary() -> Value {
    json!({
        "task_id": TASK,
        "agent": "codex",
        "status": "running",
        "exit_code": null,
        "error": null,
        "session_id": null,
        "created_at": 1.0,
        "finished_at": null,
        "resolution": "unresolved",
    })
}

fn finished_summary() -> Value {
    json!({
        "task_id": TASK,
        "agent": "codex",
        "status": "succeeded",
        "exit_code": -15,
        "error": null,
        "session_id": "s1",
        "created_at": 1.0,
        "finished_at": 3.5,
        "resolution": "accepted",
    })
}

fn plus(mut object: Value, more: Value) -> Value {
    let more = more.as_object().expect("an object").clone();
    object.as_object_mut().expect("an object").extend(more);
    object
}

#[tokio::test]
async fn a_started_task_says_where_its_marker_and_its_agent_are() {
    let mut client = Client::open(Fake::new()).await;
    let kept = json!({"handle": HANDLE, "state": "pending", "expires_at": null, "turns_left": 1, "reason": null});
    assert_eq!(
        client.good("spawn_task", json!({"agent": "codex", "prompt": ""})).await,
        plus(running_summary(), json!({"notify_path": "/run/segue/task_000000000001", "kept_agent": kept}))
    );
}

#[tokio::test]
async fn a_finished_task_shows_outcome_judgment_and_receipt() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    let expected = plus(
        finished_summary(),
        json!({
            "started_at": 1.5,
            "final_message": "Grüße",
            "final_message_truncated": false,
            "permissions_refused": 1,
            "usage": {
                "context": {"used": 10, "size": 100, "cost": null},
                "turn": {"total_tokens": 3, "input_tokens": 2, "output_tokens": 1, "thought_tokens": 0},
            },
            "resolution_note": "good",
            "resolved_by": null,
            "resolved_at": 3.75,
            "stop_reason": "end_turn",
            "ended_because": "completed",
            "agent_name": "Codex",
            "agent_version": "1.2",
            "settings_in_force": [{"name": "mode", "asked": "read-only", "in_force": "read-only"}],
            "receipt": {
                "tool_calls": {"edit": 1, "execute": 1},
                "tool_calls_total": 2,
                "commands": [
                    {"command": null, "title": "make", "exit_status": 2, "status": "completed", "permission": null},
                ],
                "commands_total": 1,
                "permissions_asked": 1,
                "permissions_refused": 1,
                "actions_never_asked": {"execute": 1},
                "files_changed": ["a.txt"],
                "duration_seconds": 2.0,
            },
            "stop_receipt": {
                "processes": [{"pid": 7, "name": "codex-acp", "how": "sigterm", "in_group": true}],
                "escaped": [],
                "tree_empty": true,
                "unconfirmed": null,
            },
            "live": null,
            "server": "server_1",
        }),
    );
    assert_eq!(client.good("get_task", json!({"task_id": TASK})).await, expected);
    assert_eq!(
        client.good("get_task", json!({"task_id": TASK, "include_prompt": true})).await,
        plus(expected, json!({"prompt": "do it"}))
    );
    assert_eq!(fake.calls(), [format!("get_task {TASK:?}"), format!("get_task {TASK:?}"), format!("prompt {TASK:?}")]);
}

#[tokio::test]
async fn a_running_task_says_what_it_waits_for() {
    let mut client = Client::open(Fake::new()).await;
    let task = client.good("get_task", json!({"task_id": "other"})).await;
    assert_eq!(
        (&task["usage"], &task["started_at"], &task["live"]),
        (
            &Value::Null,
            &json!(1.5),
            &json!({
                "last_activity": 1.5,
                "quiet_seconds": 0.5,
                "open_tool_call": {"id": "c1", "kind": "execute", "title": "make"},
                "waiting_for": "tool",
            })
        )
    );
}

#[tokio::test]
async fn the_other_tools_return_what_is_promised() {
    let mut client = Client::open(Fake::new()).await;
    let judged = json!({"resolution_note": "good", "resolved_by": null, "resolved_at": 3.75});
    let outcome = json!({"final_message": "Grüße", "final_message_truncated": false, "permissions_refused": 1});
    let rows = [
        (
            "describe_agent",
            json!({"agent": "codex"}),
            json!({
                "agent": "codex",
                "model": {"current": "large", "values": ["large", "small"]},
                "delivery": {"model": "session_setting"},
                "pins": {"mode": "default"},
                "pins_with_edit": {"mode": "edit"},
            }),
        ),
        (
            "list_sessions",
            json!({"agent": "codex"}),
            json!({
                "agent": "codex",
                "workspace": "/w",
                "sessions": [
                    {"session_id": "s1", "cwd": "/w", "title": "Größe", "updated_at": null, "additional_directories": ["/x"]},
                    {"session_id": "s1", "cwd": "/w", "title": null, "updated_at": null, "additional_directories": null},
                ],
                "next_cursor": null,
            }),
        ),
        (
            "delete_session",
            json!({"agent": "codex", "session_id": "s1"}),
            json!({"agent": "codex", "workspace": "/w", "session_id": "s1", "deleted": true}),
        ),
        (
            "get_events",
            json!({"task_id": TASK}),
            json!({
                "task_id": TASK,
                "status": "running",
                "cursor": 2,
                "has_more": true,
                "events": [{"seq": 2, "timestamp": 1.5, "event_type": "agent_message", "payload": {"text": "hi"}}],
            }),
        ),
        (
            "wait_tasks",
            json!({"task_ids": [TASK], "wait_seconds": 0}),
            json!({"completed": [plus(finished_summary(), outcome)], "reason": "terminal"}),
        ),
        ("list_tasks", json!({}), json!({"tasks": [running_summary()], "next": TASK})),
        ("resolve_task", json!({"task_id": TASK, "resolution": "accepted"}), plus(finished_summary(), judged)),
        ("cancel_task", json!({"task_id": TASK}), finished_summary()),
        ("forget_task", json!({"task_id": TASK}), json!({"task_id": TASK, "forgotten": true})),
        ("extend_agent", json!({"handle": HANDLE}), json!({"handle": HANDLE, "expires_at": 9.25, "turns_left": 3})),
        (
            "release_agent",
            json!({"handle": HANDLE}),
            json!({"handle": HANDLE, "agent": "codex", "session_id": "s1", "released": true}),
        ),
    ];
    for (tool, arguments, expected) in rows {
        assert_eq!(client.good(tool, arguments).await, expected, "{tool}");
    }
}

#[tokio::test]
async fn a_refusal_is_its_code_and_its_message() {
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    for code in [
        Code::UnknownAgent,
        Code::Unsupported,
        Code::InvalidRequest,
        Code::TaskNotFound,
        Code::InvalidTransition,
        Code::SessionInUse,
        Code::AgentLimit,
        Code::AgentGone,
        Code::AgentBusy,
        Code::Internal,
    ] {
        *fake.refusal.lock().unwrap() = Some(Refusal::new(code, "no: \"x\""));
        assert_eq!(client.bad("get_task", json!({"task_id": "x"})).await, format!("{}: no: \"x\"", code.as_str()));
    }
}

#[tokio::test]
async fn what_the_client_gave_is_not_given_back_at_any_length() {
    const CHARS_MAX: usize = 5_000;
    let fake = Fake::new();
    let mut client = Client::open(fake.clone()).await;
    *fake.refusal.lock().unwrap() = Some(Refusal::no_task(&"ä".repeat(1_000_000)));
    assert!(client.bad("get_task", json!({"task_id": "x"})).await.chars().count() < CHARS_MAX);
    assert!(client.bad(&"ä".repeat(1_000_000), json!({})).await.chars().count() < CHARS_MAX);
}

#[tokio::test]
async fn an_unknown_tool_is_named() {
    let mut client = Client::open(Fake::new()).await;
    assert_eq!(client.bad("fly", json!({})).await, "there is no tool named `fly`");
}

#[tokio::test]
async fn inside_an_agent_nothing_is_offered_or_dispatched() {
    let fake = std::sync::Arc::new(Fake { nested: true, ..Fake::default() });
    let mut client = Client::connect(fake.clone());
    let opened = client.initialize("2025-11-25").await;
    assert!(opened["instructions"].as_str().unwrap().contains("Dispatch is disabled"));
    assert_eq!(client.request("tools/list", json!({})).await["result"], json!({"tools": []}));
    assert_eq!(
        client.bad("spawn_task", json!({"agent": "codex", "prompt": ""})).await,
        "there is no tool named `spawn_task`"
    );
    assert_eq!(fake.calls(), Vec::<String>::new());
}
