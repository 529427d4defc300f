//! What an event says, in a few words.

use segue_channel::api::EventView;
use serde_json::Value;

/// The words of an event. Text from elsewhere in it is not made fit for a terminal yet.
#[must_use]
pub fn words(event: &EventView) -> String {
    let payload = &event.payload;
    let text = |key: &str| payload[key].as_str().unwrap_or_default();
    match event.kind.as_str() {
        "task_created" => format!("{} in {}", text("agent"), text("workspace")),
        "status_changed" => format!("{} → {}", text("from"), text("to")),
        "process_started" => format!("process {}", payload["pid"]),
        "session_started" => text("session_id").to_owned(),
        "stderr" | "agent_message" | "agent_thought" => text("text").to_owned(),
        "tool_call" | "tool_call_update" => tool(payload),
        "plan" => plan(payload),
        "permission" => {
            let title = payload["title"].as_str().unwrap_or_else(|| text("tool_call_id"));
            format!("{}: {title}", text("decision"))
        }
        "agent_request" => format!("{}: {}", text("method"), text("decision")),
        "error" => text("message").to_owned(),
        "task_cancelled" => with(text("reason"), "by", payload["actor"].as_str()),
        "process_exited" => {
            let code =
                payload["exit_code"].as_i64().map_or_else(|| "exit not seen".to_owned(), |n| format!("exit {n}"));
            with(&code, "after", payload["stop_reason"].as_str())
        }
        "agent_kept" => format!("{}, {} turns left", text("handle"), payload["turns_left"]),
        "task_resolved" => {
            let judged = with(text("resolution"), "by", payload["actor"].as_str());
            payload["note"].as_str().map_or_else(|| judged.clone(), |note| format!("{judged}: {note}"))
        }
        _ => payload.to_string(),
    }
}

fn with(text: &str, word: &str, more: Option<&str>) -> String {
    more.map_or_else(|| text.to_owned(), |more| format!("{text} {word} {more}"))
}

/// `execute: make test (in_progress)`, as far as the update says.
fn tool(update: &Value) -> String {
    let part = |key: &str| update[key].as_str();
    let mut words = part("kind").map(|kind| format!("{kind}: ")).unwrap_or_default();
    words.push_str(part("title").or_else(|| part("toolCallId")).unwrap_or_default());
    if let Some(status) = part("status") {
        words.push_str(&format!(" ({status})"));
    }
    words
}

fn plan(update: &Value) -> String {
    let entry = |entry: &Value| {
        let done = if entry["status"] == "completed" { "x" } else { " " };
        format!("[{done}] {}", entry["content"].as_str().unwrap_or_default())
    };
    let entries = update["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().map(entry).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use segue_model::Timestamp;
    use serde_json::json;

    #[test]
    fn every_kind_has_its_words() {
        for (kind, payload, expected) in [
            ("status_changed", json!({"from": "starting", "to": "running"}), "starting → running"),
            ("tool_call", json!({"kind": "edit", "title": "a", "status": "pending"}), "edit: a (pending)"),
            ("tool_call_update", json!({"toolCallId": "7", "status": "failed"}), "7 (failed)"),
            ("plan", json!({"entries": [{"content": "a", "status": "completed"}, {"content": "b"}]}), "[x] a\n[ ] b"),
            ("permission", json!({"tool_call_id": "7", "title": null, "decision": "rejected"}), "rejected: 7"),
            ("task_cancelled", json!({"reason": "cancel_task", "actor": "ada"}), "cancel_task by ada"),
            ("process_exited", json!({"exit_code": -15, "stop_reason": "end_turn"}), "exit -15 after end_turn"),
            ("process_exited", json!({"exit_code": null, "stop_reason": null}), "exit not seen"),
            ("task_resolved", json!({"resolution": "accepted", "actor": null, "note": "n"}), "accepted: n"),
            ("something_new", json!({"a": 1}), "{\"a\":1}"),
        ] {
            let event = EventView { seq: 1, at: Timestamp(0), kind: kind.to_owned(), payload };
            assert_eq!(words(&event), expected, "{kind}");
        }
    }
}
