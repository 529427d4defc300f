//! Questions for permission: what is allowed, what never is, and that the record comes before the answer.

use serde_json::{Value, json};

use super::served::{Served, says};

/// The decisions recorded, each with its kind.
fn decisions(served: &Served, id: &str) -> Vec<(Value, Value)> {
    let asked = served.payloads(id, "permission").into_iter();
    asked.map(|payload| (payload["kind"].clone(), payload["decision"].clone())).collect()
}

/// What the agent was answered: the outcome of each of its questions.
fn outcomes(served: &Served) -> Vec<Value> {
    let received = served.world.received().into_iter().map(|entry| entry["received"].clone());
    let answers = received.filter(|message| message.get("method").is_none());
    answers.map(|answer| answer.get("error").unwrap_or(&answer["result"]["outcome"]).clone()).collect()
}

fn selected(option: &str) -> Value {
    json!({"outcome": "selected", "optionId": option})
}

fn cancelled() -> Value {
    json!({"outcome": "cancelled"})
}

#[test]
fn what_is_listed_is_allowed_once_and_nothing_else_is() {
    let served = Served::new();
    let kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other", "switch_mode"];
    let prompt: String = kinds.iter().map(|kind| format!("[[ask:{kind}:Do it]]")).collect();
    let id = served.spawn_with(json!({"prompt": prompt, "options": {"allow": ["edit", "fetch", "other"]}}));
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["permissions_refused"]), (&json!("succeeded"), &json!(7)));
    let expected: Vec<(Value, Value)> = kinds
        .iter()
        .map(|kind| {
            let allowed = ["edit", "fetch", "other"].contains(kind);
            (json!(kind), json!(if allowed { "allowed" } else { "rejected" }))
        })
        .collect();
    assert_eq!(decisions(&served, &id), expected);
    for (outcome, (kind, decision)) in outcomes(&served).iter().zip(&expected) {
        let option = if decision == "allowed" { "allow-once" } else { "reject" };
        assert_eq!(*outcome, selected(option), "{kind}");
    }
    // By default nothing is.
    let id = served.spawn(&prompt);
    assert_eq!(served.ended(&id)["permissions_refused"], 10);
    served.end();
}

#[test]
fn an_option_for_good_is_never_chosen() {
    let served = Served::new();
    for (offer, kind, decision, outcome) in [
        ("allow_always,reject_once", "edit", "rejected", selected("reject")),
        ("allow_always,reject_always", "edit", "cancelled", cancelled()),
        ("allow_always", "edit", "cancelled", cancelled()),
        ("allow_once,allow_always", "edit", "allowed", selected("allow-once")),
        ("allow_once,allow_always", "read", "cancelled", cancelled()),
        ("reject_always", "read", "cancelled", cancelled()),
        ("", "edit", "cancelled", cancelled()),
    ] {
        let id = served.spawn_with(json!({
            "prompt": format!("[[offer:{offer}]][[ask:{kind}:x]]"), "options": {"allow": ["edit"]},
        }));
        served.ended(&id);
        assert_eq!(decisions(&served, &id), [(json!(kind), json!(decision))], "{offer}");
        assert_eq!(outcomes(&served).pop().unwrap(), outcome, "{offer}");
    }
    served.end();
}

/// A kind that is missing or unknown is never allowed, whatever else the question says.
#[test]
fn a_question_is_decided_by_its_own_kind_alone() {
    let served = Served::new();
    let options = json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"},
                         {"optionId": "n", "name": "No", "kind": "reject_once"}]);
    let ask = |tool_call: Value| {
        let params = json!({"toolCall": tool_call, "options": options}).to_string();
        format!("[[ask_raw:{}]]", params.replace('\\', "\\\\").replace(']', "\\]").replace('[', "\\["))
    };
    let prompt = [
        "[[tool:edit:Known]]".to_owned(),
        // The tool call that was announced as an edit; the question itself does not say so.
        ask(json!({"toolCallId": "call-1-1"})),
        ask(json!({"toolCallId": "never heard of", "kind": "edit", "title": "New"})),
        ask(json!({"toolCallId": "t", "kind": "telepathy"})),
        ask(json!({"toolCallId": "t", "kind": "EDIT"})),
        ask(json!({"toolCallId": "t", "kind": null, "title": null})),
        // Wrong types anywhere: nothing half understood is allowed.
        ask(json!({"toolCallId": "t", "kind": "edit", "title": 5})),
        ask(json!({"toolCallId": "t", "kind": "edit", "locations": "everywhere"})),
        ask(json!({"toolCallId": "t", "kind": 7})),
        ask(json!({"toolCallId": "t", "kind": "edit", "rawInput": {"huge": "x".repeat(200_000)}})),
    ]
    .concat();
    let kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"];
    let id = served.spawn_with(json!({"prompt": prompt, "options": {"allow": kinds}}));
    assert_eq!(served.ended(&id)["status"], "succeeded");
    let permission = |id: &str, title: Value, kind: Value, decision: &str| json!({"tool_call_id": id, "title": title, "kind": kind, "decision": decision});
    assert_eq!(
        served.payloads(&id, "permission"),
        [
            permission("call-1-1", json!(null), json!(null), "rejected"),
            permission("never heard of", json!("New"), json!("edit"), "allowed"),
            permission("t", json!(null), json!(null), "rejected"),
            permission("t", json!(null), json!(null), "rejected"),
            permission("t", json!(null), json!(null), "rejected"),
            permission("t", json!(null), json!("edit"), "rejected"),
            permission("t", json!(null), json!("edit"), "rejected"),
            permission("t", json!(null), json!(null), "rejected"),
            permission("t", json!(null), json!("edit"), "allowed"),
        ]
    );
    served.end();
}

#[test]
fn a_question_that_is_none_is_answered_as_invalid_and_not_recorded() {
    let served = Served::new();
    let ask = |params: &str| format!("[[ask_raw:{params}]][[result]][[say:\\n]]");
    let unknown_option = r#"{"toolCall": {"toolCallId": "t", "kind": "read"}, "options": \[{"optionId": "a", "name": "A", "kind": "allow_thrice"}\]}"#;
    let prompt =
        [ask(unknown_option), ask(r#"{"options": \[\]}"#), ask(r#"{"toolCall": {"toolCallId": "t"}}"#)].concat();
    let id = served.spawn_with(json!({"prompt": prompt, "options": {"allow": ["read"]}}));
    assert_eq!(served.ended(&id)["final_message"], "error -32602\n".repeat(3));
    assert_eq!(served.payloads(&id, "permission"), [] as [Value; 0]);
    served.end();
}

/// After the turn, and between the turns of a kept agent, everything is cancelled and nothing is recorded.
#[test]
fn a_question_outside_the_turn_is_cancelled() {
    let served = Served::new();
    let question = json!({"jsonrpc": "2.0", "id": "late", "method": "session/request_permission", "params": {
        "sessionId": "S", "toolCall": {"toolCallId": "t", "kind": "read"},
        "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]}});
    served.world.scripted("SESSION_ID", "S");
    served.world.scripted("AFTER_ANSWER", &question.to_string());
    let form = json!({"jsonrpc": "2.0", "id": "form", "method": "elicitation/create", "params": {"sessionId": "S"}});
    served.world.scripted("SESSION_ID__CODEX", "C");
    served.world.scripted("AFTER_ANSWER__CODEX", &form.to_string());
    for (agent, answer) in [
        ("claude_code", json!({"jsonrpc": "2.0", "id": "late", "result": {"outcome": {"outcome": "cancelled"}}})),
        ("codex", json!({"jsonrpc": "2.0", "id": "form", "result": {"action": "cancel"}})),
    ] {
        let task = served.call(
            "spawn_task",
            json!({
                "agent": agent, "prompt": "", "options": {"allow": ["read"]}, "keep_turns": 1,
            }),
        );
        let id = super::served::id_of(&task);
        assert_eq!(served.ended(&id)["status"], "succeeded");
        super::served::wait_for("the answer", || {
            served.world.received().iter().any(|entry| entry["received"] == answer)
        });
        served.call("release_agent", json!({"handle": super::served::handle_of(&task)}));
        for kind in ["permission", "agent_request"] {
            assert_eq!(served.payloads(&id, kind), [] as [Value; 0]);
        }
    }
    served.end();
}

#[test]
fn a_refusal_never_decides_the_status() {
    let served = Served::new();
    for (on_refusal, status, reason) in
        [("go_on", "succeeded", "end_turn"), ("end", "succeeded", "end_turn"), ("end_cancelled", "failed", "cancelled")]
    {
        served.world.scripted("ON_REFUSAL", on_refusal);
        let ended = served.run("[[write:f.txt:x]][[say:tried]]");
        assert_eq!((&ended["status"], &ended["stop_reason"]), (&json!(status), &json!(reason)), "{on_refusal}");
        assert_eq!((&ended["permissions_refused"], &ended["error"]), (&json!(1), &json!(null)));
        assert!(!served.world.workspace().join("f.txt").exists());
    }
    served.end();
}

#[test]
fn what_is_allowed_is_done() {
    let served = Served::new();
    let ended = served.run_with(json!({
        "prompt": "[[write:f.txt:x]][[run:exit 3]][[result]]", "options": {"allow": ["edit", "execute"]},
    }));
    assert_eq!((&ended["final_message"], &ended["permissions_refused"]), (&json!("exit status 3"), &json!(0)));
    assert_eq!(std::fs::read_to_string(served.world.workspace().join("f.txt")).unwrap(), "x");
    served.end();
}

/// Actions that the agent never asks about are observed: nothing is refused, and the count stays true.
#[test]
fn unasked_actions_are_recorded_and_counted_apart() {
    let served = Served::new();
    let ended = served.run("[[tool:edit:Change]][[tool:execute:make]][[ask:execute:make test]]");
    assert_eq!((&ended["status"], &ended["permissions_refused"]), (&json!("succeeded"), &json!(1)));
    assert_eq!(ended["receipt"]["actions_never_asked"], json!({"edit": 1, "execute": 1}));
    served.end();
}

/// Two of one kind: either may be chosen.
#[test]
fn of_several_options_of_a_kind_one_is_chosen() {
    let served = Served::new();
    served.world.scripted("SESSION_ID", "S");
    let question = says(&json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": {
        "sessionId": "$SESSION", "toolCall": {"toolCallId": "t", "kind": "read"},
        "options": [{"optionId": "a", "name": "A", "kind": "allow_once"},
                    {"optionId": "b", "name": "B", "kind": "allow_once"}]}}));
    let id = served.spawn_with(json!({"prompt": question, "options": {"allow": ["read"]}}));
    served.ended(&id);
    assert_eq!(decisions(&served, &id), [(json!("read"), json!("allowed"))]);
    let chosen = outcomes(&served).pop().unwrap()["optionId"].clone();
    assert!(chosen == "a" || chosen == "b", "{chosen}");
    served.end();
}

#[test]
fn a_decision_is_recorded_before_the_agent_learns_it() {
    let served = Served::new();
    let id = served.spawn("[[say:May I?]][[ask:edit:Change]][[mark:answered]][[wait_file:go]]");
    served.wait_mark("answered");
    assert_eq!(decisions(&served, &id), [(json!("edit"), json!("rejected"))]);
    assert_eq!(served.task(&id)["permissions_refused"], 1);
    served.mark("go");
    served.end();
}
