//! `get_events`: which events a page shows, what it may cost, where the next one begins.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal};

impl Served {
    fn page(&self, id: &str, mut arguments: Value) -> Value {
        arguments["task_id"] = json!(id);
        self.call("get_events", arguments)
    }
}

/// Numbers and types of a page's events, its cursor and whether more follow.
fn shape(page: &Value) -> (Vec<String>, u64, bool) {
    let events = page["events"].as_array().unwrap().iter();
    let events = events.map(|event| format!("{} {}", event["seq"], event["event_type"].as_str().unwrap()));
    (events.collect(), page["cursor"].as_u64().unwrap(), page["has_more"].as_bool().unwrap())
}

fn expected(events: &[&str], cursor: u64, has_more: bool) -> (Vec<String>, u64, bool) {
    (events.iter().map(ToString::to_string).collect(), cursor, has_more)
}

#[test]
fn a_page_is_what_follows_its_beginning() {
    let served = Served::new();
    let id = served.spawn("[[think:t]][[say:a]][[tool:read:x]][[say:b]]");
    served.ended(&id);
    let all = [
        "1 task_created",
        "2 status_changed",
        "3 process_started",
        "4 status_changed",
        "5 session_started",
        "7 agent_message",
        "8 tool_call",
        "9 tool_call_update",
        "10 tool_call_update",
        "11 agent_message",
        "12 process_exited",
        "13 status_changed",
    ];
    let page = served.page(&id, json!({}));
    assert_eq!((&page["task_id"], &page["status"]), (&json!(id), &json!("succeeded")));
    let members: Vec<&String> = page.as_object().unwrap().keys().collect();
    assert_eq!(members, ["task_id", "status", "cursor", "has_more", "events"]);
    assert_eq!(shape(&page), expected(&all, 13, false));
    for (arguments, (events, cursor, has_more)) in [
        (json!({"after_seq": 12}), expected(&all[11..], 13, false)),
        (json!({"after_seq": 13}), expected(&[], 13, false)),
        (json!({"after_seq": 999}), expected(&[], 999, false)),
        (json!({"after_seq": "12"}), expected(&all[11..], 13, false)),
        (json!({"limit": 5}), {
            // The thought that follows is skipped, and so is consumed.
            expected(&all[..5], 6, true)
        }),
        (json!({"limit": 1, "after_seq": 5}), expected(&all[5..6], 7, true)),
        (
            json!({"include_thoughts": true, "after_seq": 4, "limit": 2}),
            expected(&["5 session_started", "6 agent_thought"], 6, true),
        ),
        // A filter that names thoughts shows them; one that does not, does not, whatever else is asked.
        (json!({"event_types": ["agent_thought"]}), expected(&["6 agent_thought"], 13, false)),
        (
            json!({"event_types": ["agent_message"], "include_thoughts": true}),
            expected(&["7 agent_message", "11 agent_message"], 13, false),
        ),
        (json!({"event_types": ["agent_message"], "limit": 1}), expected(&["7 agent_message"], 10, true)),
        (
            json!({"event_types": "[\"agent_message\"]", "limit": 1, "after_seq": 10}),
            expected(&["11 agent_message"], 13, false),
        ),
        (json!({"event_types": ["task_resolved"]}), expected(&[], 13, false)),
    ] {
        assert_eq!(shape(&served.page(&id, arguments.clone())), (events, cursor, has_more), "{arguments}");
    }
    served.end();
}

#[test]
fn every_known_type_can_be_asked_for() {
    let served = Served::new();
    let id = super::served::id_of(&served.run(""));
    let known = [
        "task_created",
        "process_started",
        "stderr",
        "status_changed",
        "process_exited",
        "agent_kept",
        "task_resolved",
        "task_cancelled",
        "error",
        "session_started",
        "agent_message",
        "agent_thought",
        "tool_call",
        "tool_call_update",
        "plan",
        "permission",
        "agent_request",
        "agent_update",
    ];
    assert_eq!(served.page(&id, json!({"event_types": known}))["has_more"], false);
    let refusal = served.refused("get_events", json!({"task_id": id, "event_types": ["tool_call", "telepathy"]}));
    assert_refusal(&refusal, "invalid_request", &["telepathy"]);
    assert_refusal(&refusal, "invalid_request", &known);
    served.end();
}

#[test]
fn arguments_are_judged_before_the_task() {
    let served = Served::new();
    for (arguments, name) in [
        (json!({"after_seq": -1}), "after_seq"),
        (json!({"limit": 0}), "limit"),
        (json!({"limit": 501}), "limit"),
        (json!({"max_chars": 999}), "max_chars"),
        (json!({"event_types": []}), "event_types"),
        (json!({"include_thoughts": 1}), "include_thoughts"),
        (json!({"include_raw": "true"}), "include_raw"),
    ] {
        let mut arguments = arguments;
        arguments["task_id"] = json!("task_000000000000");
        assert_refusal(&served.refused("get_events", arguments), "invalid_request", &[name]);
    }
    let arguments = json!({"task_id": "task_000000000000", "limit": 500, "max_chars": 1000});
    assert_refusal(&served.refused("get_events", arguments), "task_not_found", &["task_000000000000"]);
    served.end();
}

#[test]
fn raw_parts_are_shown_on_request() {
    let served = Served::new();
    let id = served.spawn("[[tool:read:Look]]");
    served.ended(&id);
    let tools = |arguments: Value| -> Vec<(bool, bool)> {
        let page = served.page(&id, arguments);
        let tools = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| matches!(event["event_type"].as_str(), Some("tool_call" | "tool_call_update")));
        let has = |event: &Value, name| event["payload"].get(name).is_some();
        tools.map(|event| (has(event, "rawInput"), has(event, "rawOutput"))).collect()
    };
    assert_eq!(tools(json!({})), [(false, false); 3]);
    assert_eq!(tools(json!({"include_raw": true})), [(true, false), (false, false), (false, true)]);
    served.end();
}

/// The length of an event in the encoding of the contract: ASCII, `", "` and `": "` between parts.
fn cost(event: &Value) -> usize {
    let compact: usize = event.to_string().chars().map(|c| if c.is_ascii() { 1 } else { 6 * c.len_utf16() }).sum();
    let separators = |value: &Value| -> usize {
        fn count(value: &Value) -> usize {
            match value {
                Value::Array(items) => items.len().saturating_sub(1) + items.iter().map(count).sum::<usize>(),
                Value::Object(members) => {
                    members.len() + members.len().saturating_sub(1) + members.values().map(count).sum::<usize>()
                }
                _ => 0,
            }
        }
        count(value)
    };
    compact + separators(event)
}

#[test]
fn pages_keep_their_budget_and_join_without_gap_or_overlap() {
    let served = Served::new();
    let said: String = (0..40).map(|n| format!("[[say:{}]][[plan]][[think:hm]]", "\u{e4}".repeat(n * 20))).collect();
    let id = served.spawn(&format!("{said}[[say:{}]]", "x".repeat(20_000)));
    served.ended(&id);
    let all = served.events(&id);
    let shown: Vec<&Value> = all.iter().filter(|event| event["event_type"] != "agent_thought").collect();
    for (max_chars, limit) in [(1000, 50), (8000, 50), (100_000, 50), (10_000_000, 500), (8000, 3)] {
        let (mut after, mut seen) = (0, 0);
        loop {
            let page = served.page(&id, json!({"after_seq": after, "max_chars": max_chars, "limit": limit}));
            let events = page["events"].as_array().unwrap();
            let total: usize = events.iter().map(cost).sum();
            assert!(events.len() <= limit && (events.len() == 1 || total <= max_chars), "{total} of {max_chars}");
            let next = &shown[seen..seen + events.len()];
            // Raw parts are not shown; no tool was called, so the events are equal.
            assert!(events.iter().zip(next).all(|(event, next)| event == *next), "a gap or an overlap at {after}");
            seen += events.len();
            if let Some(following) = shown.get(seen) {
                let full = events.len() == limit || total + cost(following) > max_chars;
                assert!(full, "the next event would have fitted at {after}");
                assert_eq!(page["has_more"], true);
                assert_eq!(page["cursor"].as_u64(), following["seq"].as_u64().map(|seq| seq - 1));
            } else {
                assert_eq!((&page["has_more"], &page["cursor"]), (&json!(false), &json!(all.len())));
                break;
            }
            after = page["cursor"].as_u64().unwrap();
        }
    }
    served.end();
}

#[test]
fn status_and_events_are_of_one_moment() {
    let served = Served::new();
    let id = served.spawn("[[stream:60:5]]");
    loop {
        let page = served.page(&id, json!({"limit": 500, "max_chars": 1_000_000}));
        let last = page["events"].as_array().unwrap().last().unwrap();
        let ended = last["event_type"] == "status_changed" && last["payload"]["to"] != "running";
        let over = page["status"] != "running";
        assert_eq!(over, ended, "{page}");
        if over {
            break;
        }
    }
    served.end();
}
