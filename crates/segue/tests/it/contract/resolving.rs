//! `resolve_task` and `forget_task`: judging what was done, and dropping its record.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal, handle_of, id_of};

#[test]
fn a_judgment_never_touches_the_execution_and_may_be_repeated() {
    let served = Served::new();
    let good = id_of(&served.run(""));
    let bad = id_of(&served.run("[[stop:refusal]]"));
    for (id, status) in [(&good, "succeeded"), (&bad, "failed")] {
        let finished = served.task(id)["finished_at"].clone();
        for (resolution, note, actor) in [
            ("rejected", json!("{\"why\": [1]}"), json!("me")),
            ("needs_followup", json!(null), json!("null")),
            ("superseded", json!(""), json!(null)),
            ("accepted", json!("fine"), json!("someone else")),
        ] {
            let arguments = json!({"task_id": id, "resolution": resolution, "note": note, "actor": actor});
            let resolved = served.call("resolve_task", arguments);
            assert_eq!(
                served.plain(&resolved),
                json!({
                    "task_id": "TASK", "agent": "claude_code", "status": status, "exit_code": 0, "error": null,
                    "session_id": "SESSION", "created_at": "TIME", "finished_at": "TIME", "resolution": resolution,
                    "resolution_note": note, "resolved_by": actor, "resolved_at": "TIME",
                })
            );
            let task = served.task(id);
            for name in ["resolution", "resolution_note", "resolved_by", "resolved_at", "status"] {
                assert_eq!(task[name], resolved[name]);
            }
            assert_eq!(task["finished_at"], finished);
        }
        assert_eq!(
            served.payloads(id, "task_resolved"),
            [
                json!({"resolution": "rejected", "note": "{\"why\": [1]}", "actor": "me"}),
                json!({"resolution": "needs_followup", "note": null, "actor": "null"}),
                json!({"resolution": "superseded", "note": "", "actor": null}),
                json!({"resolution": "accepted", "note": "fine", "actor": "someone else"}),
            ]
        );
    }
    served.end();
}

#[test]
fn only_a_finished_task_is_judged_and_only_by_a_judgment() {
    let served = Served::new();
    let id = served.spawn("[[wait_file:go]]");
    let refusal = served.refused("resolve_task", json!({"task_id": id, "resolution": "accepted"}));
    assert_refusal(&refusal, "invalid_transition", &[&id, "running"]);
    served.mark("go");
    served.ended(&id);
    for resolution in [json!("unresolved"), json!("Accepted"), json!(""), json!(null), json!(1)] {
        let refusal = served.refused("resolve_task", json!({"task_id": id, "resolution": resolution}));
        assert!(refusal.contains("resolution") && !refusal.starts_with("invalid_"), "{refusal}");
    }
    assert_eq!(served.task(&id)["resolution"], "unresolved");
    served.end();
}

#[test]
fn a_finished_and_resolved_task_can_be_forgotten_and_is_gone_everywhere() {
    let served = Served::new();
    let id = served.spawn("[[say:x]][[wait_file:go]]");
    let marker = served.world.runtime_dir().join("segue");
    let marker = std::fs::read_dir(marker).unwrap().next().unwrap().unwrap().path().join(&id);
    assert_refusal(&served.refused("forget_task", json!({"task_id": id})), "invalid_transition", &[&id, "running"]);
    served.mark("go");
    served.ended(&id);
    super::served::wait_for("the marker", || marker.exists());
    assert_refusal(&served.refused("forget_task", json!({"task_id": id})), "invalid_transition", &[&id, "succeeded"]);
    served.call("resolve_task", json!({"task_id": id, "resolution": "accepted"}));
    assert_eq!(served.call("forget_task", json!({"task_id": id})), json!({"task_id": id, "forgotten": true}));
    assert!(!marker.exists(), "its marker is gone with it");
    for (tool, arguments) in [
        ("get_task", json!({"task_id": id})),
        ("get_events", json!({"task_id": id})),
        ("wait_tasks", json!({"task_ids": [id]})),
        ("resolve_task", json!({"task_id": id, "resolution": "rejected"})),
        ("cancel_task", json!({"task_id": id})),
        ("forget_task", json!({"task_id": id})),
    ] {
        assert_refusal(&served.refused(tool, arguments), "task_not_found", &[&id]);
    }
    assert_eq!(served.call("list_tasks", json!({"after": id})), json!({"tasks": [], "next": null}));
    served.end();
}

#[test]
fn a_task_whose_agent_is_alive_cannot_be_forgotten() {
    let served = Served::new();
    let first = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 3}));
    let handle = handle_of(&first);
    let first = id_of(&first);
    served.ended(&first);
    let second = served.run_with(json!({"agent": "codex", "prompt": "", "on_agent": handle}));
    let second = id_of(&second);
    for id in [&first, &second] {
        served.call("resolve_task", json!({"task_id": id, "resolution": "accepted"}));
        let refusal = served.refused("forget_task", json!({"task_id": id}));
        assert_refusal(&refusal, "invalid_transition", &[id, &handle]);
    }
    served.call("release_agent", json!({"handle": handle}));
    served.call("forget_task", json!({"task_id": first}));
    // The lease outlives the task that asked for it.
    let kept: Value = served.task(&second)["kept_agent"].clone();
    assert_eq!(
        kept,
        json!({"handle": handle, "state": "ended", "expires_at": null, "turns_left": null, "reason": "released"})
    );
    assert_refusal(&served.refused("extend_agent", json!({"handle": handle})), "agent_gone", &[&handle, "released"]);
    served.call("forget_task", json!({"task_id": second}));
    served.end();
}
