//! What is recorded of a turn: each type of event with its payload, and the order they come in.

use serde_json::{Value, json};

use super::served::{Served, updates};

#[test]
fn every_kind_of_update_has_its_event() {
    let served = Served::new();
    let prompt = [
        "[[think:Hmm]][[say:First]][[tool:read:Look]]",
        // Null members go, `content` goes, anything else stays, also what no protocol knows.
        &updates(&json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": null, "kind": "telepathy",
                         "content": [{"type": "content"}], "rawInput": {"a": null, "long": "x".repeat(5000)},
                         "_meta": {"m": 1}, "new": [1]})),
        "[[plan]][[usage_update:7:100]][[echo_prompt]]",
        &updates(&json!({"sessionUpdate": "current_mode_update", "currentModeId": "ask"})),
        "[[unknown_update]][[set_option:model:opus]][[stderr:careful]][[say:Last]]",
    ]
    .concat();
    let id = served.spawn(&prompt);
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["error"]), (&json!("succeeded"), &json!(null)));
    let mut turn = served.turn(&id);
    let options =
        turn.as_array_mut().unwrap().iter_mut().find(|event| event[1]["sessionUpdate"] == "config_option_update");
    let options = options.unwrap()[1].as_object_mut().unwrap().remove("configOptions").unwrap();
    assert_eq!(options[1]["currentValue"], "opus");
    // Standard error is a stream of its own: where its lines stand between the others is not said.
    let stderr = json!(["stderr", {"text": "careful"}]);
    let at = turn.as_array().unwrap().iter().position(|event| *event == stderr).unwrap();
    turn.as_array_mut().unwrap().remove(at);
    assert_eq!(
        turn,
        json!([
            ["agent_thought", {"text": "Hmm"}],
            ["agent_message", {"text": "First"}],
            ["tool_call", {"sessionUpdate": "tool_call", "toolCallId": "call-1-1", "title": "Look", "kind": "read",
                           "status": "pending", "rawInput": {"title": "Look"}}],
            ["tool_call_update", {"sessionUpdate": "tool_call_update", "toolCallId": "call-1-1", "status": "in_progress"}],
            ["tool_call_update", {"sessionUpdate": "tool_call_update", "toolCallId": "call-1-1", "status": "completed",
                                  "rawOutput": {"done": "Look"}}],
            ["tool_call", {"sessionUpdate": "tool_call", "toolCallId": "t", "kind": "telepathy",
                           "rawInput": {"a": null, "long": "x".repeat(5000)}, "_meta": {"m": 1}, "new": [1]}],
            ["plan", {"sessionUpdate": "plan", "entries": [
                {"content": "Read", "priority": "high", "status": "completed"},
                {"content": "Change", "priority": "medium", "status": "in_progress"}]}],
            ["agent_update", {"sessionUpdate": "usage_update", "used": 7, "size": 100,
                              "cost": {"amount": 0.25, "currency": "USD"}}],
            ["agent_update", {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": prompt}}],
            ["agent_update", {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}],
            ["agent_update", {"sessionUpdate": "quantum_update", "state": {"alive": null}}],
            ["agent_update", {"sessionUpdate": "session_info_update", "title": "A title", "colour": "blue"}],
            ["agent_update", {"sessionUpdate": "config_option_update"}],
            ["agent_message", {"text": "Last"}],
        ])
    );
    served.end();
}

#[test]
fn a_permission_and_a_question_to_the_user_have_their_events() {
    let served = Served::new();
    let id = served.spawn_with(json!({
        "prompt": "[[ask:read:Look]][[ask:edit:Change]][[offer:allow_always]][[ask:edit:Again]][[elicit]]",
        "options": {"allow": ["read"]},
    }));
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["permissions_refused"]), (&json!("succeeded"), &json!(2)));
    assert_eq!(ended["final_message"], "elicitation: result {\"action\":\"decline\"}");
    let asked: Vec<Value> = served
        .turn(&id)
        .as_array()
        .unwrap()
        .iter()
        .map(|event| match &event[0] {
            kind if kind == "permission" || kind == "agent_request" => event.clone(),
            kind => kind.clone(),
        })
        .collect();
    assert_eq!(
        asked,
        [
            json!("tool_call"),
            json!(["permission", {"tool_call_id": "call-1-1", "title": "Look", "kind": "read", "decision": "allowed"}]),
            json!("tool_call_update"),
            json!("tool_call"),
            json!(["permission", {"tool_call_id": "call-1-2", "title": "Change", "kind": "edit", "decision": "rejected"}]),
            json!("tool_call_update"),
            json!("tool_call"),
            json!(["permission", {"tool_call_id": "call-1-3", "title": "Again", "kind": "edit", "decision": "cancelled"}]),
            json!("tool_call_update"),
            json!(["agent_request", {"method": "create_elicitation", "decision": "refused"}]),
            json!("agent_message"),
        ]
    );
    served.end();
}

#[test]
fn the_completion_is_written_last_and_in_one_piece() {
    let served = Served::new();
    let refused = served.spawn("[[stop:refusal]][[say:No]][[stderr:late word]]");
    served.ended(&refused);
    let record = served.record(&refused);
    let end = &record.as_array().unwrap()[record.as_array().unwrap().len() - 2..];
    assert_eq!(
        end,
        [
            json!(["process_exited", {"exit_code": 0, "stop_reason": "refusal"}]),
            json!(["status_changed", {"from": "running", "to": "failed"}]),
        ]
    );

    let broken = served.spawn("[[say:Oh]][[exit:3]]");
    let error = served.ended(&broken)["error"].clone();
    let record = served.record(&broken);
    let end = &record.as_array().unwrap()[record.as_array().unwrap().len() - 3..];
    assert_eq!(
        end,
        [
            json!(["error", {"message": error}]),
            json!(["process_exited", {"exit_code": 3, "stop_reason": null}]),
            json!(["status_changed", {"from": "running", "to": "failed"}]),
        ]
    );

    let cancelled = served.spawn("[[say:Going]][[mark:going]][[hang]]");
    served.wait_mark("going");
    served.call("cancel_task", json!({"task_id": cancelled, "actor": "me"}));
    let record = served.record(&cancelled);
    let end = &record.as_array().unwrap()[record.as_array().unwrap().len() - 4..];
    assert_eq!(
        end,
        [
            json!(["agent_message", {"text": "Going"}]),
            json!(["task_cancelled", {"reason": "cancel_task", "actor": "me"}]),
            json!(["process_exited", {"exit_code": 0, "stop_reason": "cancelled"}]),
            json!(["status_changed", {"from": "running", "to": "cancelled"}]),
        ]
    );
    served.end();
}

/// A loaded session replays what was said in it, and setting changes are told as they are made.
#[test]
fn what_comes_before_the_prompt_is_not_of_the_turn() {
    let served = Served::new();
    let first = served.run("[[say:Old text]][[tool:read:Old look]]");
    let id = served.spawn_with(json!({
        "prompt": "[[say:New]]", "session_id": first["session_id"], "options": {"model": "opus"},
    }));
    served.ended(&id);
    assert_eq!(served.turn(&id), json!([["agent_message", {"text": "New"}]]));
    served.end();
}

#[test]
fn only_judgments_follow_the_end() {
    let served = Served::new();
    let id = served.spawn("[[late:20:in time]][[late_stderr:1:5]][[say:Done ]]");
    let ended = served.ended(&id);
    assert_eq!(ended["final_message"], "Done in time");
    let length = served.events(&id).len();
    served.call("cancel_task", json!({"task_id": id, "actor": "late"}));
    served.call("resolve_task", json!({"task_id": id, "resolution": "accepted", "note": "n", "actor": "a"}));
    let events = served.record(&id);
    assert_eq!(
        events.as_array().unwrap()[length..],
        [json!(["task_resolved", {"resolution": "accepted", "note": "n", "actor": "a"}])]
    );
    served.end();
}
