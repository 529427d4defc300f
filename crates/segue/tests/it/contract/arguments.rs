//! Arguments as clients really send them: what is forgiven, what is exact, what is refused in which words.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal, with_agent};

/// A refusal by the schema: it names the argument and carries no code.
#[track_caller]
fn assert_unfit(refusal: &str, name: &str) {
    assert!(refusal.contains(name), "{name} is not named in: {refusal}");
    let codes = [
        "unknown_agent",
        "unsupported",
        "invalid_request",
        "task_not_found",
        "invalid_transition",
        "session_in_use",
        "agent_limit",
        "agent_gone",
        "agent_busy",
        "internal_error",
    ];
    assert!(!codes.iter().any(|code| refusal.contains(code)), "{refusal}");
}

#[test]
fn what_is_forgiven() {
    let served = Served::new();
    let task = served.run_with(
        json!({"prompt": "[[say:x]]", "no_such_argument": {"a": 1}, "workspace": null, "options": null,
                                      "session_id": null, "keep_idle": null, "keep_turns": null, "on_agent": null,
                                      "initiator_id": null, "executor_id": null}),
    );
    assert_eq!(task["status"], "succeeded");
    let id = &task["task_id"];
    let events = |arguments: Value| {
        let mut arguments = arguments;
        arguments["task_id"] = id.clone();
        served.call("get_events", arguments)["events"].as_array().unwrap().len()
    };
    for limit in [json!(2), json!("2"), json!(2.0), json!("2.0")] {
        assert_eq!(events(json!({"limit": limit})), 2);
    }
    assert_eq!(events(json!({"after_seq": "1", "limit": 500.0, "max_chars": "100000", "event_types": null})), 7);
    assert_eq!(events(json!({"event_types": "[\"agent_message\"]"})), 1);
    let as_text = json!({"task_ids": json!([id]).to_string(), "wait_seconds": "0"});
    assert_eq!(served.call("wait_tasks", as_text)["reason"], "terminal");
    assert_eq!(served.call("wait_tasks", json!({"task_ids": [id], "wait_seconds": 0.25}))["reason"], "terminal");
    assert_eq!(served.call("list_tasks", json!({"limit": "1", "after": null}))["next"], json!(null));
    let options = "{\"allow\": [\"read\"], \"model\": \"opus\"}";
    let with_text = served.run_with(json!({"prompt": "[[ask:read:x]]", "options": options}));
    assert_eq!(with_text["permissions_refused"], 0);
    served.end();
}

/// Text is taken as the text that it is, also when it looks like something else.
#[test]
fn optional_text_is_never_interpreted() {
    let served = Served::new();
    std::fs::create_dir(served.world.workspace().join("[1]")).unwrap();
    for text in ["{\"a\": 1}", "[1]", "null", "true", "5"] {
        let task = served.run_with(json!({
            "prompt": text, "initiator_id": text, "executor_id": text, "workspace": "[1]",
        }));
        let id = task["task_id"].as_str().unwrap();
        let created = &served.payloads(id, "task_created")[0];
        assert_eq!((&created["initiator_id"], &created["executor_id"]), (&json!(text), &json!(text)));
        let resolved =
            served.call("resolve_task", json!({"task_id": id, "resolution": "accepted", "note": text, "actor": text}));
        assert_eq!((&resolved["resolution_note"], &resolved["resolved_by"]), (&json!(text), &json!(text)));
    }
    let id = served.spawn("[[mark:going]][[hang]]");
    served.wait_mark("going");
    served.call("cancel_task", json!({"task_id": id, "actor": "null"}));
    assert_eq!(served.payloads(&id, "task_cancelled")[0]["actor"], "null");
    // A handle, a session id and a cursor too.
    let on = served.refused("spawn_task", with_agent(json!({"prompt": "", "on_agent": "null"})));
    assert_refusal(&on, "agent_gone", &["null"]);
    let session = served.run_with(json!({"prompt": "", "session_id": "null"}));
    assert_eq!(session["session_id"], "null");
    let cursor = served.refused("list_sessions", json!({"agent": "codex", "cursor": "[]"}));
    assert_refusal(&cursor, "invalid_request", &["unknown cursor"]);
    served.end();
}

#[test]
fn what_does_not_fit_is_named_without_a_code() {
    let served = Served::new();
    let id = json!("task_000000000000");
    for (tool, arguments, name) in [
        ("spawn_task", json!({"agent": "codex"}), "prompt"),
        ("spawn_task", json!({"prompt": "p"}), "agent"),
        ("spawn_task", json!({"agent": null, "prompt": "p"}), "agent"),
        ("spawn_task", json!({"agent": 5, "prompt": "p"}), "agent"),
        ("spawn_task", json!({"agent": "codex", "prompt": ["p"]}), "prompt"),
        ("spawn_task", json!({"agent": "codex", "prompt": "p", "workspace": 5}), "workspace"),
        ("spawn_task", json!({"agent": "codex", "prompt": "p", "options": "nonsense"}), "options"),
        ("get_task", json!({}), "task_id"),
        ("get_task", json!({"task_id": 5}), "task_id"),
        ("get_events", json!({"task_id": id, "limit": 2.5}), "limit"),
        ("get_events", json!({"task_id": id, "limit": "many"}), "limit"),
        ("get_events", json!({"task_id": id, "after_seq": {}}), "after_seq"),
        ("get_events", json!({"task_id": id, "event_types": "error"}), "event_types"),
        ("get_events", json!({"task_id": id, "event_types": [1]}), "event_types"),
        ("wait_tasks", json!({}), "task_ids"),
        ("wait_tasks", json!({"task_ids": "task_000000000000"}), "task_ids"),
        ("wait_tasks", json!({"task_ids": [id], "wait_seconds": "soon"}), "wait_seconds"),
        ("list_tasks", json!({"limit": 1.5}), "limit"),
        ("resolve_task", json!({"task_id": id}), "resolution"),
        ("resolve_task", json!({"task_id": id, "resolution": "unresolved"}), "resolution"),
        ("release_agent", json!({}), "handle"),
        ("extend_agent", json!({"handle": ["agent_000000000000"]}), "handle"),
        ("describe_agent", json!({}), "agent"),
        ("list_sessions", json!({"agent": "codex", "cursor": 2}), "cursor"),
        ("delete_session", json!({"agent": "codex"}), "session_id"),
    ] {
        assert_unfit(&served.refused(tool, arguments), name);
    }
    served.end();
}

#[test]
fn opt_ins_and_bounds_are_exact() {
    let served = Served::new();
    let id = served.run("")["task_id"].clone();
    for value in [json!(1), json!(0), json!("true"), json!("false")] {
        for (tool, name) in
            [("get_task", "include_prompt"), ("get_events", "include_thoughts"), ("get_events", "include_raw")]
        {
            let refusal = served.refused(tool, json!({"task_id": id, name: value}));
            assert_refusal(&refusal, "invalid_request", &[name]);
        }
    }
    for value in [json!(true), json!(1.0), json!("5"), json!([1])] {
        for name in ["keep_idle", "keep_turns"] {
            let refusal = served.refused("spawn_task", with_agent(json!({"prompt": "", name: value})));
            assert_refusal(&refusal, "invalid_request", &[name]);
            let refusal = served.refused("extend_agent", json!({"handle": "agent_000000000000", name: value}));
            assert_refusal(&refusal, "invalid_request", &[name]);
        }
    }
    // Bounds come before the handle.
    let refusal = served.refused("extend_agent", json!({"handle": "nonsense", "keep_idle": 601}));
    assert_refusal(&refusal, "invalid_request", &["keep_idle", "600"]);
    for (tool, arguments) in [
        ("extend_agent", json!({"handle": "nonsense"})),
        ("extend_agent", json!({"handle": "agent_000000000000", "keep_idle": 600, "keep_turns": 20})),
        ("release_agent", json!({"handle": "AGENT_000000000000"})),
    ] {
        assert_refusal(&served.refused(tool, arguments), "agent_gone", &[]);
    }
    served.end();
}

#[test]
fn an_unknown_agent_is_named_with_those_there_are() {
    let served = Served::new();
    for (tool, arguments) in [
        ("spawn_task", json!({"agent": "nobody", "prompt": ""})),
        ("describe_agent", json!({"agent": "nobody"})),
        ("list_sessions", json!({"agent": "nobody"})),
        ("delete_session", json!({"agent": "nobody", "session_id": "s"})),
    ] {
        assert_refusal(&served.refused(tool, arguments), "unknown_agent", &["nobody", "claude_code, cline, codex"]);
    }
    served.end();
}
