//! Every state and event pair, kept as a table in `docs/design/task-states.md`; and the walk of a
//! whole turn.

use std::{fmt::Write as _, path::Path};

use serde_json::json;

use super::{
    because::Because,
    event::{Created, Event, Facts, Verdict},
    permission::Decision,
    state::{Exit, Phase, Status, Task},
};
use crate::{AgentHandle, TaskId, Timestamp};

fn created() -> Created {
    Created {
        agent: "codex".into(),
        workspace: "/w".into(),
        initiator_id: None,
        executor_id: None,
        session_id: None,
        options: json!({}),
        keep_idle: None,
        keep_turns: None,
        agent_handle: None,
        on_agent: false,
        client_key: None,
        deadline_seconds: None,
    }
}

fn task() -> Task {
    Task::create(TaskId::from_bytes([1; 6]), created(), Timestamp(1_000_000))
}

/// One event of every type, status changes for each pair.
fn events() -> Vec<(String, Event)> {
    let mut all: Vec<Event> = vec![
        Event::TaskCreated(Box::new(created())),
        Event::ProcessStarted { pid: 7 },
        Event::SessionStarted { session_id: "s".into() },
        Event::Stderr { text: "x".into() },
        Event::AgentMessage { text: "hello".into() },
        Event::AgentThought { text: "hm".into() },
        Event::ToolCall(json!({"toolCallId": "1"})),
        Event::ToolCallUpdate(json!({"toolCallId": "1"})),
        Event::Plan(json!({})),
        Event::AgentUpdate(json!({})),
        Event::LateUpdate(json!({})),
        Event::Permission { tool_call_id: "1".into(), title: None, kind: None, decision: Decision::Rejected },
        Event::AgentRequest { method: "create_elicitation".into(), decision: "refused".into() },
        Event::Error { message: "no".into() },
        Event::TaskCancelled { reason: "cancel_task".into(), actor: None },
        Event::ProcessExited { exit_code: Some(0), stop_reason: None, facts: Box::default() },
        Event::AgentKept {
            handle: AgentHandle::from_bytes([2; 6]),
            expires_at: 1.0,
            turns_left: 1,
            facts: Box::default(),
        },
        Event::TaskResolved { resolution: Verdict::Accepted, note: None, actor: None },
    ];
    for from in Status::ALL {
        for to in Status::ALL {
            all.push(Event::StatusChanged { from, to });
        }
    }
    all.into_iter()
        .map(|event| {
            let name = match &event {
                Event::StatusChanged { from, to } => format!("status_changed {} → {}", from.as_str(), to.as_str()),
                other => other.kind().to_owned(),
            };
            (name, event)
        })
        .collect()
}

fn phases() -> Vec<Phase> {
    let since = Timestamp(2_000_000);
    let exit = Exit { exit_code: Some(0), stop_reason: Some("end_turn".into()), kept: false, facts: Facts::default() };
    vec![
        Phase::Created,
        Phase::Starting { pid: None },
        Phase::Starting { pid: Some(7) },
        Phase::Running { since, pid: Some(7) },
        Phase::Closing { since, exit: exit.clone() },
        Phase::Ended { status: Status::Succeeded, since: Some(since), at: Timestamp(3_000_000), exit: Some(exit) },
    ]
}

fn name(phase: &Phase) -> String {
    match phase {
        Phase::Starting { pid: Some(_) } => "starting, process known".to_owned(),
        other => other.name().to_owned(),
    }
}

#[test]
fn the_table_of_states_and_events_is_the_documented_one() {
    let mut table = String::from(
        "# Task states\n\nGenerated from `Task::apply` by the test `the_table_of_states_and_events_is_the_documented_one`.\n\
         An empty cell is an event that is refused and never stored.\n\n| event |",
    );
    for phase in phases() {
        let _ = write!(table, " {} |", name(&phase));
    }
    table.push_str("\n| --- |");
    table.push_str(&" --- |".repeat(phases().len()));
    table.push('\n');
    for (label, event) in events() {
        let cells: Vec<String> = phases()
            .into_iter()
            .map(|phase| {
                let mut task = Task { phase, ..task() };
                let before = task.clone();
                match task.apply(&event, Timestamp(9_000_000)) {
                    Ok(()) => name(&task.phase),
                    Err(_) => {
                        assert_eq!(task, before, "a refused event changes nothing");
                        String::new()
                    }
                }
            })
            .collect();
        // Status changes that nothing allows are left out of the document.
        if label.starts_with("status_changed") && cells.iter().all(String::is_empty) {
            continue;
        }
        let _ = writeln!(table, "| {label} | {} |", cells.join(" | "));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/task-states.md");
    if std::env::var_os("SEGUE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, table, "docs/design/task-states.md is stale: run with SEGUE_UPDATE_DOCS=1 and review the change");
}

#[test]
fn a_start_that_failed_says_that_it_did() {
    let at = Timestamp(1);
    let mut task = task();
    let changed = |from, to| Event::StatusChanged { from, to };
    task.apply(&changed(Status::Created, Status::Starting), at).unwrap();
    assert_eq!(task.because(), None);
    task.apply(&changed(Status::Starting, Status::Failed), at).unwrap();
    assert_eq!(task.because(), Some(Because::NotStarted));
}

#[test]
fn what_is_written_is_read_back() {
    for (label, event) in events() {
        assert_eq!(Event::parse(event.kind(), &event.payload()).unwrap(), event, "{label}");
        assert!(Event::KINDS.contains(&event.kind()));
    }
}

#[test]
fn the_final_message_is_the_trailing_agent_text() {
    let mut task = task();
    let steps = [
        Event::StatusChanged { from: Status::Created, to: Status::Starting },
        Event::ProcessStarted { pid: 1 },
        Event::StatusChanged { from: Status::Starting, to: Status::Running },
        Event::AgentUpdate(json!({"sessionUpdate": "user_message_chunk"})),
        Event::AgentMessage { text: "first".into() },
        Event::AgentThought { text: "hm".into() },
        Event::AgentMessage { text: "second".into() },
        Event::ToolCall(json!({"toolCallId": "1"})),
        Event::AgentMessage { text: "third ".into() },
        Event::AgentUpdate(json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})),
        Event::Stderr { text: "noise".into() },
        Event::AgentMessage { text: "and last".into() },
    ];
    for event in &steps {
        task.apply(event, Timestamp(2_000_000)).unwrap();
    }
    assert_eq!(task.final_message.text(), Some("third and last"));
    task.apply(&Event::AgentMessage { text: "é".repeat(5_000) }, Timestamp(3_000_000)).unwrap();
    assert_eq!(task.final_message.text().map(|t| t.chars().count()), Some(4_000));
    assert!(task.final_message.truncated());
}

#[test]
fn an_error_after_the_end_is_kept_only_when_there_was_none() {
    let mut task = task();
    let end = [
        Event::StatusChanged { from: Status::Created, to: Status::Starting },
        Event::StatusChanged { from: Status::Starting, to: Status::Failed },
    ];
    for event in &end {
        task.apply(event, Timestamp(2_000_000)).unwrap();
    }
    for (message, kept) in [("first", "first"), ("second", "first")] {
        task.apply(&Event::Error { message: message.into() }, Timestamp(3_000_000)).unwrap();
        assert_eq!(task.error.as_deref(), Some(kept));
    }
}
