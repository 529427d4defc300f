//! The channel's values as the JSON that clients are promised.
//!
//! Every key of the contract is always there, as null where nothing is known; the exceptions are named at
//! the functions. Points in time are seconds since the Unix epoch. Nothing here decides anything.

use segue_channel::api::{
    Choice, Deleted, Description, EventView, Events, Extended, LeaseView, Listed, Live, Released, Session, Sessions,
    TaskView, WaitReason, Waited,
};
use segue_model::task::Task;
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// What `list_tasks` shows of a task, and every other tool at least.
fn summary(view: &TaskView) -> Object {
    let task = &view.task;
    object(json!({
        "task_id": task.id.as_str(),
        "agent": task.request.agent,
        "status": task.status().as_str(),
        "exit_code": task.exit().and_then(|exit| exit.exit_code),
        "error": task.error,
        "session_id": task.session_id,
        "created_at": task.created_at.seconds(),
        "finished_at": task.finished_at().map(|at| at.seconds()),
        "resolution": task.resolution.as_ref().map_or("unresolved", |resolution| resolution.verdict.as_str()),
    }))
}

fn outcome(task: &Task) -> Object {
    object(json!({
        "final_message": task.final_message.text(),
        "final_message_truncated": task.final_message.truncated(),
        "permissions_refused": task.permissions_refused(),
    }))
}

fn judgment(task: &Task) -> Object {
    let resolution = task.resolution.as_ref();
    object(json!({
        "resolution_note": resolution.and_then(|r| r.note.as_deref()),
        "resolved_by": resolution.and_then(|r| r.actor.as_deref()),
        "resolved_at": resolution.map(|r| r.at.seconds()),
    }))
}

fn kept_agent(lease: &LeaseView) -> Value {
    json!({
        "handle": lease.handle.as_str(),
        "state": lease.state.label(),
        "expires_at": lease.state.expires_at().map(|at| at.seconds()),
        "turns_left": lease.state.turns_left(),
        "reason": lease.state.reason().map(ToString::to_string),
    })
}

/// `kept_agent` only for a task with a handle.
fn add_kept_agent(object: &mut Object, view: &TaskView) {
    if let Some(lease) = &view.kept_agent {
        object.insert("kept_agent".to_owned(), kept_agent(lease));
    }
}

/// Null until the task has ended after a prompt was sent.
fn usage(task: &Task) -> Value {
    match task.exit() {
        Some(exit) if task.status().is_final() && exit.facts.prompted => {
            json!({"context": task.context, "turn": exit.facts.usage})
        }
        _ => Value::Null,
    }
}

/// `spawn_task`. `kept_agent` only for a task with a handle.
#[must_use]
pub fn spawned(view: &TaskView) -> Value {
    let mut result = summary(view);
    result.insert("notify_path".to_owned(), json!(view.notify_path.as_deref().map(|path| path.to_string_lossy())));
    add_kept_agent(&mut result, view);
    result.into()
}

/// `get_task`. `prompt` only when asked for, `kept_agent` only for a task with a handle.
#[must_use]
pub fn task(view: &TaskView, prompt: Option<String>) -> Value {
    let task = &view.task;
    let mut result = summary(view);
    result.insert("started_at".to_owned(), json!(task.started_at().map(|at| at.seconds())));
    result.extend(outcome(task));
    result.insert("usage".to_owned(), usage(task));
    result.extend(judgment(task));
    if let Some(prompt) = prompt {
        result.insert("prompt".to_owned(), prompt.into());
    }
    add_kept_agent(&mut result, view);
    result.extend(additions(view));
    result.into()
}

/// What `get_task` says beyond the contract.
fn additions(view: &TaskView) -> Object {
    let task = &view.task;
    let exit = task.exit();
    let facts = exit.map(|exit| &exit.facts);
    object(json!({
        "stop_reason": exit.and_then(|exit| exit.stop_reason.as_deref()),
        "ended_because": task.because(),
        "agent_name": facts.and_then(|facts| facts.agent_name.as_deref()),
        "agent_version": facts.and_then(|facts| facts.agent_version.as_deref()),
        "settings_in_force": facts.map(|facts| &facts.settings),
        "receipt": receipt(task),
        "stop_receipt": facts.and_then(|facts| facts.stop.as_ref()),
        "live": view.live.as_ref().map(live),
        "server": view.server,
    }))
}

/// Made by Segue from the record, not by the agent.
fn receipt(task: &Task) -> Value {
    let receipt = &task.receipt;
    let duration = task.started_at().zip(task.finished_at()).map(|(start, end)| end.seconds_since(start));
    json!({
        "tool_calls": receipt.tool_calls,
        "tool_calls_total": receipt.tool_calls_total(),
        "commands": receipt.commands,
        "commands_total": receipt.commands_total,
        "permissions_asked": receipt.permissions_asked,
        "permissions_refused": receipt.permissions_refused,
        "actions_never_asked": receipt.unasked,
        "files_changed": task.exit().and_then(|exit| exit.facts.files_changed.as_ref()),
        "duration_seconds": duration,
    })
}

fn live(live: &Live) -> Value {
    json!({
        "last_activity": live.last_activity.seconds(),
        "quiet_seconds": live.quiet_seconds,
        "open_tool_call": live.open_tool_call.as_ref().map(|(id, kind, title)| json!({"id": id, "kind": kind, "title": title})),
        "waiting_for": live.waiting_for,
    })
}

/// One event of `get_events`.
#[must_use]
pub fn event(event: EventView) -> Value {
    json!({"seq": event.seq, "timestamp": event.at.seconds(), "event_type": event.kind, "payload": event.payload})
}

/// `get_events`.
#[must_use]
pub fn events(events: Events) -> Value {
    let shown: Vec<Value> = events.events.into_iter().map(event).collect();
    json!({
        "task_id": events.task_id,
        "status": events.status.as_str(),
        "cursor": events.cursor,
        "has_more": events.has_more,
        "events": shown,
    })
}

/// `wait_tasks`.
#[must_use]
pub fn waited(waited: &Waited) -> Value {
    let completed = waited.completed.iter().map(|view| {
        let mut shown = summary(view);
        shown.extend(outcome(&view.task));
        Value::Object(shown)
    });
    let reason = match waited.reason {
        WaitReason::Terminal => "terminal",
        WaitReason::Timeout => "timeout",
        WaitReason::Shutdown => "shutdown",
    };
    json!({"completed": completed.collect::<Vec<_>>(), "reason": reason})
}

/// `list_tasks`.
#[must_use]
pub fn listed(listed: &Listed) -> Value {
    json!({"tasks": listed.tasks.iter().map(summary).collect::<Vec<_>>(), "next": listed.next})
}

/// `resolve_task`.
#[must_use]
pub fn resolved(view: &TaskView) -> Value {
    let mut result = summary(view);
    result.extend(judgment(&view.task));
    result.into()
}

/// `cancel_task`.
#[must_use]
pub fn cancelled(view: &TaskView) -> Value {
    summary(view).into()
}

/// `forget_task`.
#[must_use]
pub fn forgotten(task_id: &str) -> Value {
    json!({"task_id": task_id, "forgotten": true})
}

/// `describe_agent`. `model` and `effort` only when the agent offers them.
#[must_use]
pub fn description(description: Description) -> Value {
    let mut result = object(json!({"agent": description.agent}));
    for (name, choice) in [("model", description.model), ("effort", description.effort)] {
        if let Some(Choice { current, values }) = choice {
            result.insert(name.to_owned(), json!({"current": current, "values": values}));
        }
    }
    result.insert("delivery".to_owned(), description.delivery.into());
    result.insert("pins".to_owned(), description.pins.into());
    result.insert("pins_with_edit".to_owned(), description.pins_with_edit.into());
    result.into()
}

/// `list_sessions`.
#[must_use]
pub fn sessions(sessions: Sessions) -> Value {
    let entry = |session: Session| {
        json!({
            "session_id": session.session_id,
            "cwd": session.cwd,
            "title": session.title,
            "updated_at": session.updated_at,
            "additional_directories": session.additional_directories,
        })
    };
    json!({
        "agent": sessions.agent,
        "workspace": sessions.workspace,
        "sessions": sessions.sessions.into_iter().map(entry).collect::<Vec<_>>(),
        "next_cursor": sessions.next_cursor,
    })
}

/// `delete_session`.
#[must_use]
pub fn deleted(deleted: Deleted) -> Value {
    json!({"agent": deleted.agent, "workspace": deleted.workspace, "session_id": deleted.session_id, "deleted": true})
}

/// `extend_agent`.
#[must_use]
pub fn extended(extended: Extended) -> Value {
    json!({"handle": extended.handle, "expires_at": extended.expires_at.seconds(), "turns_left": extended.turns_left})
}

/// `release_agent`.
#[must_use]
pub fn released(released: Released) -> Value {
    json!({"handle": released.handle, "agent": released.agent, "session_id": released.session_id, "released": true})
}
