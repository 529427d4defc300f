//! `spawn_task` and `get_task`: what a task is from its first moment to its end.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, id_of, with_agent, world};

#[test]
fn a_turn_is_told_and_recorded_whole() {
    let served = Served::new();
    let started = served.call("spawn_task", json!({"agent": "claude_code", "prompt": "[[say:Hello]]"}));
    let id = id_of(&started);
    let notify = started["notify_path"].as_str().expect("a path").to_owned();
    let summary = json!({
        "task_id": "TASK",
        "agent": "claude_code",
        "status": "running",
        "exit_code": null,
        "error": null,
        "session_id": null,
        "created_at": "TIME",
        "finished_at": null,
        "resolution": "unresolved",
        "notify_path": "PATH",
    });
    let mut shown = served.plain(&started);
    shown["notify_path"] = json!("PATH");
    // The session is known a moment after the process runs.
    shown["session_id"] = json!(null);
    assert_eq!(shown, summary);
    assert!(notify.starts_with(served.world.runtime_dir().to_str().unwrap()) && notify.ends_with(&id), "{notify}");

    let ended = served.ended(&id);
    assert_eq!(
        served.plain_task(&ended),
        json!({
            "task_id": "TASK",
            "agent": "claude_code",
            "status": "succeeded",
            "exit_code": 0,
            "error": null,
            "session_id": "SESSION",
            "created_at": "TIME",
            "finished_at": "TIME",
            "resolution": "unresolved",
            "started_at": "TIME",
            "final_message": "Hello",
            "final_message_truncated": false,
            "permissions_refused": 0,
            "usage": {"context": null, "turn": null},
            "resolution_note": null,
            "resolved_by": null,
            "resolved_at": null,
        })
    );
    let times = ["created_at", "started_at", "finished_at"].map(|name| ended[name].as_f64().unwrap());
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(
        served.record(&id),
        json!([
            ["task_created", {"agent": "claude_code", "workspace": "WORK", "initiator_id": null, "executor_id": null,
                              "session_id": null, "options": {}}],
            ["status_changed", {"from": "created", "to": "starting"}],
            ["process_started", {"pid": "PID"}],
            ["status_changed", {"from": "starting", "to": "running"}],
            ["session_started", {"session_id": "SESSION"}],
            ["agent_message", {"text": "Hello"}],
            ["process_exited", {"exit_code": 0, "stop_reason": "end_turn"}],
            ["status_changed", {"from": "running", "to": "succeeded"}],
        ])
    );
    for (at, event) in served.events(&id).iter().enumerate() {
        assert_eq!(event["seq"], at + 1, "numbers begin at one and have no gaps");
        let names: Vec<&String> = event.as_object().unwrap().keys().collect();
        assert_eq!(names, ["seq", "timestamp", "event_type", "payload"]);
        assert_eq!(served.plain(&event["timestamp"].clone()), event["timestamp"], "a number of seconds");
    }
    served.end();
}

#[test]
fn a_request_is_recorded_as_given_and_its_prompt_only_shown_on_request() {
    let served = Served::new();
    let options = json!({"model": "opus", "allow": ["edit", "read", "edit"], "effort": null});
    let prompt = "Say it. [[say:done]] \u{1f600} \"quoted\"\n";
    let id = served.spawn_with(json!({
        "prompt": prompt, "options": options, "initiator_id": "{\"by\": 1}", "executor_id": "null", "workspace": ".",
    }));
    let ended = served.ended(&id);
    let created = &served.record(&id)[0];
    assert_eq!(
        *created,
        json!(["task_created", {"agent": "claude_code", "workspace": "WORK", "initiator_id": "{\"by\": 1}",
               "executor_id": "null", "session_id": null, "options": options}])
    );
    assert_eq!(ended.get("prompt"), None);
    let with_prompt = served.call("get_task", json!({"task_id": id, "include_prompt": true}));
    assert_eq!(with_prompt["prompt"], prompt);
    assert_eq!(with_prompt["final_message"], "done");
    assert!(!Value::from(served.events(&id)).to_string().contains("Say it"), "the prompt is in no event");
    served.end();
}

#[test]
fn an_empty_prompt_is_a_prompt() {
    let served = Served::new();
    assert_eq!(served.run("")["final_message"], "OK.");
    let prompt = &served.world.received_params("session/prompt")[0]["prompt"];
    assert_eq!(*prompt, json!([{"type": "text", "text": ""}]));
    served.end();
}

#[test]
fn a_workspace_is_made_absolute_by_the_letter() {
    let served = Served::new();
    let work = served.world.workspace();
    for folder in ["sub", "~", "real"] {
        std::fs::create_dir(work.join(folder)).unwrap();
    }
    symlink(work.join("real"), work.join("link")).unwrap();
    for (given, resolved) in [
        (json!(null), "WORK"),
        (json!(""), "WORK"),
        (json!("."), "WORK"),
        (json!("sub"), "WORK/sub"),
        (json!("./sub/../sub/"), "WORK/sub"),
        (json!("link"), "WORK/link"),
        (json!("link/../sub"), "WORK/sub"),
        (json!("~"), "WORK/~"),
        (json!(work.join("sub")), "WORK/sub"),
        (json!(format!("{}//sub/./..//", work.display())), "WORK"),
    ] {
        let id = served.spawn_with(json!({"prompt": "[[echo_cwd]]", "workspace": given}));
        assert_eq!(served.ended(&id)["status"], "succeeded", "{given}");
        assert_eq!(served.record(&id)[0][1]["workspace"], resolved, "{given}");
        let sent = served.world.received_params("session/new").pop().unwrap();
        assert_eq!(served.plain(&sent), json!({"cwd": resolved, "mcpServers": []}), "{given}");
    }
    let refusal = served.refused("spawn_task", with_agent(json!({"prompt": "", "workspace": "a\u{0}b"})));
    assert_refusal(&refusal, "invalid_request", &["workspace", "NUL"]);
    served.end();
}

#[test]
fn a_start_that_fails_is_a_failed_task_and_no_refusal() {
    let served = Served::new();
    let work = served.world.workspace();
    std::fs::write(work.join("file"), "").unwrap();
    served.world.uninstall("codex-acp");
    served.world.install_script("opencode", "");
    std::fs::write(served.world.agents_dir().join("opencode"), "#!/nonexistent/interpreter\n").unwrap();
    for (arguments, names) in [
        (json!({"workspace": "file"}), vec![format!("{}/file", work.display()), "not a directory".to_owned()]),
        (json!({"workspace": "gone"}), vec![format!("{}/gone", work.display()), "not a directory".to_owned()]),
        (
            json!({"agent": "codex"}),
            vec!["codex-acp".to_owned(), "was not found on PATH".to_owned(), "yours to install".to_owned()],
        ),
        (json!({"agent": "opencode"}), vec!["opencode".to_owned()]),
    ] {
        let mut arguments = with_agent(arguments);
        arguments["prompt"] = json!("never sent");
        let started = served.call("spawn_task", arguments.clone());
        let id = id_of(&started);
        assert_eq!(started["status"], "failed", "{arguments}");
        let error = started["error"].as_str().unwrap().to_owned();
        let cause = error.strip_prefix("agent could not be started: ").unwrap_or_else(|| panic!("{error}"));
        assert_names(cause, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut record = served.record(&id);
        record.as_array_mut().unwrap().remove(0);
        assert_eq!(
            record,
            json!([
                ["status_changed", {"from": "created", "to": "starting"}],
                ["error", {"message": served.plain(&json!(error))}],
                ["status_changed", {"from": "starting", "to": "failed"}],
            ])
        );
        let ended = served.plain_task(&served.ended(&id));
        assert_eq!(
            ended,
            json!({
                "task_id": "TASK",
                "agent": arguments["agent"],
                "status": "failed",
                "exit_code": null,
                "error": served.plain(&json!(error)),
                "session_id": null,
                "created_at": "TIME",
                "finished_at": "TIME",
                "resolution": "unresolved",
                "started_at": null,
                "final_message": null,
                "final_message_truncated": false,
                "permissions_refused": 0,
                "usage": null,
                "resolution_note": null,
                "resolved_by": null,
                "resolved_at": null,
            })
        );
    }
    assert_eq!(served.world.received(), Vec::<Value>::new());
    served.end();
}

/// Each request has two faults; the one that is checked first is told. Nothing is created by any of them.
#[test]
fn faults_are_found_in_the_published_order_and_change_nothing() {
    let mut world = world();
    world.env("OPENCODE_CONFIG_CONTENT", "[]");
    let served = Served::of(world);
    let handle = "agent_0123456789ab";
    let nul = "a\u{0}";
    for (arguments, code, names) in [
        (json!({"agent": "nobody", "prompt": 5}), "", ["prompt"]),
        (json!({"on_agent": handle, "session_id": "s", "keep_idle": 0}), "invalid_request", ["session_id"]),
        (json!({"on_agent": handle, "keep_idle": 0, "agent": "nobody"}), "invalid_request", ["keep_idle"]),
        (json!({"on_agent": handle, "agent": "nobody"}), "unknown_agent", ["nobody"]),
        (json!({"agent": "nobody", "session_id": "-"}), "unknown_agent", ["nobody"]),
        (json!({"session_id": "-", "options": {"x": 1}}), "invalid_request", ["session_id"]),
        (json!({"agent": "opencode", "options": {"effort": "x"}}), "invalid_request", ["effort"]),
        (json!({"agent": "opencode", "workspace": nul}), "invalid_request", ["OPENCODE_CONFIG_CONTENT"]),
        (json!({"workspace": nul, "keep_turns": 21}), "invalid_request", ["workspace"]),
        (json!({"workspace": nul, "on_agent": handle}), "invalid_request", ["workspace"]),
        (json!({"keep_turns": 21, "session_id": "held"}), "invalid_request", ["keep_turns"]),
        (json!({"on_agent": handle}), "agent_gone", [handle]),
    ] {
        let mut arguments = with_agent(arguments);
        arguments.as_object_mut().unwrap().entry("prompt").or_insert(json!("p"));
        let refusal = served.refused("spawn_task", arguments.clone());
        if code.is_empty() {
            assert!(!refusal.contains("_request") && refusal.contains(names[0]), "{arguments}: {refusal}");
        } else {
            assert_refusal(&refusal, code, &names);
        }
    }
    assert_eq!(served.call("list_tasks", json!({})), json!({"tasks": [], "next": null}));
    assert_eq!(served.world.received(), Vec::<Value>::new());
    served.end();
}

#[test]
fn a_session_id_has_a_form() {
    let served = Served::new();
    let long = "x".repeat(257);
    for id in ["", "-x", ".x", "a b", "a\n", "a\u{e4}", "a,b", "_a", "a*", &long] {
        let refusal = served.refused("spawn_task", with_agent(json!({"prompt": "", "session_id": id})));
        assert_refusal(&refusal, "invalid_request", &["session_id"]);
    }
    // The agent does not know them, but they are ids.
    for id in ["a", "0", "A._:@/[]-z9", &long[..256]] {
        let ended = served.run_with(json!({"prompt": "", "session_id": id}));
        assert_eq!((&ended["status"], &ended["session_id"]), (&json!("failed"), &json!(id)));
        assert_names(ended["error"].as_str().unwrap(), &[id]);
    }
    served.end();
}

#[test]
fn a_resumed_session_is_known_from_the_beginning_and_loaded() {
    let served = Served::new();
    let first = served.run("[[remember:colour:green]]");
    let session = first["session_id"].as_str().unwrap();
    let second = served.call(
        "spawn_task",
        json!({"agent": "claude_code", "prompt": "[[recall:colour]][[history]]", "session_id": session}),
    );
    assert_eq!(second["session_id"], session);
    let id = id_of(&second);
    let ended = served.ended(&id);
    assert_eq!(ended["final_message"], "green[\"[[remember:colour:green]]\"]");
    assert_eq!(served.events(&id)[0]["payload"]["session_id"], session);
    assert_eq!(served.payloads(&id, "session_started"), [json!({"session_id": session})]);
    let loads = served.world.received_params("session/load");
    assert_eq!(loads, [json!({"sessionId": session, "cwd": served.world.workspace(), "mcpServers": []})]);
    assert_eq!(served.world.received_params("session/new").len(), 1, "no session is opened beside it");
    served.end();
}

#[test]
fn a_running_task_is_told_as_it_is() {
    let served = Served::new();
    let id =
        served.spawn("[[usage_update]][[say:So far]][[plan]][[say:so good]][[commands]][[mark:said]][[wait_file:go]]");
    served.wait_mark("said");
    served.wait_event(&id, "agent_message", |payload| payload["text"] == "so good");
    assert_eq!(
        served.plain_task(&served.task(&id)),
        json!({
            "task_id": "TASK",
            "agent": "claude_code",
            "status": "running",
            "exit_code": null,
            "error": null,
            "session_id": "SESSION",
            "created_at": "TIME",
            "finished_at": null,
            "resolution": "unresolved",
            "started_at": "TIME",
            "final_message": "so good",
            "final_message_truncated": false,
            "permissions_refused": 0,
            "usage": null,
            "resolution_note": null,
            "resolved_by": null,
            "resolved_at": null,
        })
    );
    served.mark("go");
    assert_eq!(served.ended(&id)["usage"]["context"]["used"], 1000);
    served.end();
}

#[test]
fn ids_are_drawn_and_anything_else_is_an_unknown_task() {
    let served = Served::new();
    let id = id_of(&served.run(""));
    let digits = id.strip_prefix("task_").unwrap();
    assert!(digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()), "{id}");
    let upper = id.to_uppercase();
    for unknown in ["", "task_", "task_000000000000", &upper, &id[..16], &format!("{id}0"), &format!(" {id}"), "{}"] {
        for (tool, arguments) in [
            ("get_task", json!({"task_id": unknown})),
            ("get_events", json!({"task_id": unknown})),
            ("wait_tasks", json!({"task_ids": [id, unknown], "wait_seconds": 0})),
            ("resolve_task", json!({"task_id": unknown, "resolution": "accepted"})),
            ("cancel_task", json!({"task_id": unknown})),
            ("forget_task", json!({"task_id": unknown})),
            ("list_tasks", json!({"after": unknown})),
        ] {
            assert_refusal(&served.refused(tool, arguments), "task_not_found", &[unknown]);
        }
    }
    served.end();
}
