//! Tasks of the channel. Points in time are written as everywhere in this interface, unlike in the tools of MCP.

use segue_channel::{
    Refusal,
    api::{EventView, Events, LeaseView, Listed, Live, Resolve, Spawn, TaskView},
};
use segue_model::{
    Timestamp,
    reading::instant,
    task::{Status, Task, Verdict},
};
use serde_json::{Map, Value, json};

use crate::shape::{Named, Shape, has, may};

type Object = Map<String, Value>;

const STATUS_WORDS: &[&str] = &[
    Status::ALL[0].as_str(),
    Status::ALL[1].as_str(),
    Status::ALL[2].as_str(),
    Status::ALL[3].as_str(),
    Status::ALL[4].as_str(),
    Status::ALL[5].as_str(),
];
pub const STATUS: Shape = Shape::Words(STATUS_WORDS);

pub const DISPATCH: Named = Named {
    name: "TaskRequest",
    about: "One turn of an agent. With a `client_key` the same key returns the same task.",
    shape: Shape::Exact(&[
        has("agent", Shape::Text),
        has("prompt", Shape::Text),
        may("workspace", Shape::OrNull(&Shape::Text)),
        may("initiator_id", Shape::OrNull(&Shape::Text)),
        may("executor_id", Shape::OrNull(&Shape::Text)),
        may("session_id", Shape::OrNull(&Shape::Text)),
        may("keep_idle", Shape::OrNull(&Shape::Integer)),
        may("keep_turns", Shape::OrNull(&Shape::Integer)),
        may("on_agent", Shape::OrNull(&Shape::Text)),
        may("options", Shape::OrNull(&Shape::Map)),
        may("client_key", Shape::OrNull(&Shape::Text)),
        may("deadline_seconds", Shape::OrNull(&Shape::Number)),
    ]),
};

pub const RESOLUTION: Named = Named {
    name: "TaskResolution",
    about: "A judgement of a finished task. It never changes the task's status.",
    shape: Shape::Exact(&[
        has("resolution", Shape::Text),
        may("note", Shape::OrNull(&Shape::Text)),
        may("actor", Shape::OrNull(&Shape::Text)),
    ]),
};

pub const CANCELLATION: Named =
    Named { name: "TaskCancellation", about: "", shape: Shape::Exact(&[may("actor", Shape::OrNull(&Shape::Text))]) };

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);
const OR_TIME: Shape = Shape::OrNull(&Shape::Time);
const OR_ANY: Shape = Shape::Any;

pub const TASK: Named = Named {
    name: "Task",
    about: "`title` is how its prompt begins, unless that is empty. `ended_because` is null until it ends, and where \
            no reason was recorded. `final_message` and what follows only for a single \
            task; `prompt` only when it is asked for.",
    shape: Shape::Open(&[
        has("task_id", Shape::Text),
        has("agent", Shape::Text),
        may("title", Shape::Text),
        has("status", STATUS),
        has("exit_code", Shape::OrNull(&Shape::Integer)),
        has("error", OR_TEXT),
        has("ended_because", OR_TEXT),
        has("session_id", OR_TEXT),
        has("workspace", Shape::Text),
        has("created_at", Shape::Time),
        has("started_at", OR_TIME),
        has("finished_at", OR_TIME),
        has("resolution", Shape::Text),
        has("resolution_note", OR_TEXT),
        has("resolved_by", OR_TEXT),
        has("resolved_at", OR_TIME),
        has("last_seq", Shape::Integer),
        has("server", Shape::Text),
        has("kept_agent", Shape::OrNull(&Shape::Named(&KEPT))),
        has("live", Shape::OrNull(&Shape::Named(&LIVE))),
        may("final_message", OR_TEXT),
        may("final_message_truncated", Shape::Flag),
        may("stop_reason", OR_TEXT),
        may("agent_name", OR_TEXT),
        may("agent_version", OR_TEXT),
        may("settings_in_force", Shape::OrNull(&Shape::List(&Shape::Named(&SETTING)))),
        may("stop_receipt", Shape::OrNull(&Shape::Named(&STOP))),
        may("usage", Shape::OrNull(&Shape::Named(&USAGE))),
        may("receipt", Shape::Named(&RECEIPT)),
        may("prompt", Shape::Text),
    ]),
};

const SETTING: Named = Named {
    name: "SettingInForce",
    about: "A setting that was asked for, and what the agent says is in force.",
    shape: Shape::Open(&[has("name", Shape::Text), has("asked", OR_ANY), has("in_force", OR_ANY)]),
};

const STOP: Named = Named {
    name: "StopReceipt",
    about: "How the agent's processes were ended, what escaped, and whether their tree was seen empty.",
    shape: Shape::Open(&[
        has("processes", Shape::List(&STOPPED)),
        has("escaped", Shape::List(&STOPPED)),
        has("tree_empty", Shape::Flag),
        has("unconfirmed", OR_TEXT),
    ]),
};

const STOPPED: Shape = Shape::Open(&[
    has("pid", Shape::Integer),
    has("name", Shape::Text),
    has("how", Shape::Text),
    has("in_group", Shape::Flag),
]);

const USAGE: Named = Named {
    name: "TaskUsage",
    about: "As the agent reported it; null where it said nothing.",
    shape: Shape::Exact(&[
        has(
            "context",
            Shape::OrNull(&Shape::Open(&[
                has("used", Shape::Integer),
                has("size", Shape::Integer),
                has("cost", Shape::OrNull(&Shape::Open(&[has("amount", Shape::Number), has("currency", Shape::Text)]))),
            ])),
        ),
        has(
            "turn",
            Shape::OrNull(&Shape::Open(&[
                has("total_tokens", Shape::Integer),
                has("input_tokens", Shape::Integer),
                has("output_tokens", Shape::Integer),
                may("thought_tokens", Shape::Integer),
                may("cached_read_tokens", Shape::Integer),
                may("cached_write_tokens", Shape::Integer),
            ])),
        ),
    ]),
};

const RECEIPT: Named = Named {
    name: "TaskReceipt",
    about: "Made by Segue from the record, not by the agent. `files_changed` is null outside of a work tree of git.",
    shape: Shape::Exact(&[
        has("tool_calls", Shape::MapOf(&Shape::Integer)),
        has("tool_calls_total", Shape::Integer),
        has(
            "commands",
            Shape::List(&Shape::Open(&[
                has("command", OR_TEXT),
                has("title", Shape::Text),
                has("exit_status", Shape::OrNull(&Shape::Integer)),
                has("status", OR_TEXT),
                has("permission", OR_TEXT),
            ])),
        ),
        has("commands_total", Shape::Integer),
        has("permissions_asked", Shape::Integer),
        has("permissions_refused", Shape::Integer),
        has("actions_never_asked", Shape::MapOf(&Shape::Integer)),
        has("files_changed", Shape::OrNull(&Shape::List(&Shape::Text))),
        has("duration_seconds", Shape::OrNull(&Shape::Number)),
    ]),
};

const KEPT: Named = Named {
    name: "KeptAgent",
    about: "",
    shape: Shape::Exact(&[
        has("handle", Shape::Text),
        has("state", Shape::Text),
        has("expires_at", OR_TIME),
        has("turns_left", Shape::OrNull(&Shape::Integer)),
        has("reason", OR_TEXT),
    ]),
};

const LIVE: Named = Named {
    name: "LiveFacts",
    about: "What is under way. Nothing is ended for silence.",
    shape: Shape::Exact(&[
        has("last_activity", Shape::Time),
        has("quiet_seconds", Shape::Number),
        has(
            "open_tool_call",
            Shape::OrNull(&Shape::Exact(&[
                has("id", Shape::Text),
                has("kind", Shape::Text),
                has("title", Shape::Text),
            ])),
        ),
        has("waiting_for", Shape::Text),
    ]),
};

pub const LIST: Named = Named {
    name: "TaskList",
    about: "Newest first. `next` is the `after` of the next page; null on the last one.",
    shape: Shape::Exact(&[has("items", Shape::List(&Shape::Named(&TASK))), has("next", OR_TEXT)]),
};

pub const COUNTS: Named = Named {
    name: "TaskCounts",
    about: "Statuses that no task has are left out.",
    shape: Shape::Exact(&[has("total", Shape::Integer), has("by_status", Shape::MapOf(&Shape::Integer))]),
};

#[must_use]
pub fn counts(counts: Vec<(String, u64)>) -> Value {
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let by_status: Object = counts.into_iter().map(|(status, count)| (status, count.into())).collect();
    json!({"total": total, "by_status": by_status})
}

pub const EVENT: Named = Named {
    name: "TaskEvent",
    about: "",
    shape: Shape::Exact(&[
        has("task_id", Shape::Text),
        has("sequence", Shape::Integer),
        has("event_type", Shape::Text),
        has("payload", Shape::Any),
        has("recorded_at", Shape::Time),
    ]),
};

pub const PAGE: Named = Named {
    name: "TaskEventPage",
    about: "`cursor` is the `after` of the next page.",
    shape: Shape::Exact(&[
        has("task_id", Shape::Text),
        has("status", STATUS),
        has("events", Shape::List(&Shape::Named(&EVENT))),
        has("cursor", Shape::Integer),
        has("has_more", Shape::Flag),
    ]),
};

pub const FORGOTTEN: Named = Named {
    name: "ForgottenTask",
    about: "",
    shape: Shape::Exact(&[has("task_id", Shape::Text), has("forgotten", Shape::Flag)]),
};

fn moment(at: Timestamp) -> Value {
    instant::written(at).into()
}

/// The members of a body that came in; null counts as absent.
#[derive(Debug)]
pub struct Members(Map<String, Value>);

impl Members {
    /// # Errors
    /// A member is not known.
    pub fn of(body: Map<String, Value>, known: &[&str]) -> Result<Self, Refusal> {
        match body.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let key: String = key.chars().take(80).collect();
                Err(Refusal::invalid(format!("{key:?} is not known here; known are {}", known.join(", "))))
            }
            None => Ok(Self(body)),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// # Errors
    /// Not text.
    pub fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| unfit(name, "a string"));
        self.get(name).map(text).transpose()
    }

    /// # Errors
    /// Absent, or not text.
    pub fn required(&self, name: &str) -> Result<String, Refusal> {
        self.text(name)?.ok_or_else(|| Refusal::invalid(format!("{name} is required")))
    }

    /// # Errors
    /// Not an integer.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Refusal> {
        self.get(name).map(|value| value.as_i64().ok_or_else(|| unfit(name, "an integer"))).transpose()
    }

    /// # Errors
    /// Not a number.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Refusal> {
        self.get(name).map(|value| value.as_f64().ok_or_else(|| unfit(name, "a number"))).transpose()
    }

    /// # Errors
    /// Not an object.
    pub fn object(&self, name: &str) -> Result<Option<Map<String, Value>>, Refusal> {
        self.get(name).map(|value| value.as_object().cloned().ok_or_else(|| unfit(name, "an object"))).transpose()
    }
}

fn unfit(name: &str, wanted: &str) -> Refusal {
    Refusal::invalid(format!("{name} must be {wanted}"))
}

/// # Errors
/// A member is missing, unknown or of another kind.
pub fn read_dispatch(body: Map<String, Value>) -> Result<Spawn, Refusal> {
    let body = Members::of(
        body,
        &[
            "agent",
            "prompt",
            "workspace",
            "initiator_id",
            "executor_id",
            "session_id",
            "keep_idle",
            "keep_turns",
            "on_agent",
            "options",
            "client_key",
            "deadline_seconds",
        ],
    )?;
    Ok(Spawn {
        agent: body.required("agent")?,
        prompt: body.required("prompt")?,
        workspace: body.text("workspace")?,
        initiator_id: body.text("initiator_id")?,
        executor_id: body.text("executor_id")?,
        session_id: body.text("session_id")?,
        keep_idle: body.integer("keep_idle")?,
        keep_turns: body.integer("keep_turns")?,
        on_agent: body.text("on_agent")?,
        options: body.object("options")?,
        client_key: body.text("client_key")?,
        deadline_seconds: body.number("deadline_seconds")?,
    })
}

/// # Errors
/// A member is missing, unknown or of another kind.
pub fn read_resolution(task: &str, body: Map<String, Value>) -> Result<Resolve, Refusal> {
    let body = Members::of(body, &["resolution", "note", "actor"])?;
    let said = body.required("resolution")?;
    let known = || Verdict::ALL.map(Verdict::as_str).join(", ");
    let verdict = Verdict::parse(&said).ok_or_else(|| unfit("resolution", &format!("one of {}", known())))?;
    Ok(Resolve { task_id: task.to_owned(), verdict, note: body.text("note")?, actor: body.text("actor")? })
}

/// Who cancels.
///
/// # Errors
/// A member is unknown or of another kind.
pub fn read_cancellation(body: Map<String, Value>) -> Result<Option<String>, Refusal> {
    Members::of(body, &["actor"])?.text("actor")
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn kept(lease: &LeaseView) -> Value {
    json!({
        "handle": lease.handle.as_str(),
        "state": lease.state.label(),
        "expires_at": lease.state.expires_at().map(moment),
        "turns_left": lease.state.turns_left(),
        "reason": lease.state.reason().map(ToString::to_string),
    })
}

fn live(live: &Live) -> Value {
    let call = live.open_tool_call.as_ref();
    json!({
        "last_activity": moment(live.last_activity),
        "quiet_seconds": live.quiet_seconds,
        "open_tool_call": call.map(|(id, kind, title)| json!({"id": id, "kind": kind, "title": title})),
        "waiting_for": live.waiting_for,
    })
}

fn summary(view: &TaskView) -> Object {
    let task = &view.task;
    let resolution = task.resolution.as_ref();
    let mut summary = object(json!({
        "task_id": task.id.as_str(),
        "agent": task.request.agent,
        "status": task.status().as_str(),
        "exit_code": task.exit().and_then(|exit| exit.exit_code),
        "error": task.error,
        "ended_because": task.because(),
        "session_id": task.session_id,
        "workspace": task.request.workspace,
        "created_at": moment(task.created_at),
        "started_at": task.started_at().map(moment),
        "finished_at": task.finished_at().map(moment),
        "resolution": resolution.map_or("unresolved", |resolution| resolution.verdict.as_str()),
        "resolution_note": resolution.and_then(|resolution| resolution.note.as_deref()),
        "resolved_by": resolution.and_then(|resolution| resolution.actor.as_deref()),
        "resolved_at": resolution.map(|resolution| moment(resolution.at)),
        "last_seq": view.last_seq,
        "server": view.server,
        "kept_agent": view.kept_agent.as_ref().map(kept),
        "live": view.live.as_ref().map(live),
    }));
    if let Some(title) = &task.title {
        summary.insert("title".to_owned(), title.as_str().into());
    }
    summary
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

/// Null until the task has ended after a prompt was sent.
fn usage(task: &Task) -> Value {
    match task.exit() {
        Some(exit) if task.status().is_final() && exit.facts.prompted => {
            json!({"context": task.context, "turn": exit.facts.usage})
        }
        _ => Value::Null,
    }
}

/// One task in full.
#[must_use]
pub fn written(view: &TaskView, prompt: Option<String>) -> Value {
    let task = &view.task;
    let exit = task.exit();
    let facts = exit.map(|exit| &exit.facts);
    let mut written = summary(view);
    written.extend(object(json!({
        "final_message": task.final_message.text(),
        "final_message_truncated": task.final_message.truncated(),
        "stop_reason": exit.and_then(|exit| exit.stop_reason.as_deref()),
        "agent_name": facts.and_then(|facts| facts.agent_name.as_deref()),
        "agent_version": facts.and_then(|facts| facts.agent_version.as_deref()),
        "settings_in_force": facts.map(|facts| &facts.settings),
        "stop_receipt": facts.and_then(|facts| facts.stop.as_ref()),
        "usage": usage(task),
        "receipt": receipt(task),
    })));
    if let Some(prompt) = prompt {
        written.insert("prompt".to_owned(), prompt.into());
    }
    written.into()
}

#[must_use]
pub fn list(listed: &Listed) -> Value {
    json!({"items": listed.tasks.iter().map(summary).collect::<Vec<_>>(), "next": listed.next})
}

#[must_use]
pub fn event(task: &str, event: EventView) -> Value {
    json!({
        "task_id": task,
        "sequence": event.seq,
        "event_type": event.kind,
        "payload": event.payload,
        "recorded_at": moment(event.at),
    })
}

#[must_use]
pub fn page(page: Events) -> Value {
    let events: Vec<Value> = page.events.into_iter().map(|found| event(&page.task_id, found)).collect();
    json!({
        "task_id": page.task_id,
        "status": page.status.as_str(),
        "events": events,
        "cursor": page.cursor,
        "has_more": page.has_more,
    })
}

#[must_use]
pub fn forgotten(task: &str) -> Value {
    json!({"task_id": task, "forgotten": true})
}
