//! What the faces ask the channel for, and what they get.

use std::path::PathBuf;

use segue_model::{
    AgentHandle, Timestamp, lease,
    task::{Task, Verdict},
};
use serde_json::{Map, Value};

/// `spawn_task`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spawn {
    pub agent: String,
    pub prompt: String,
    pub workspace: Option<String>,
    pub initiator_id: Option<String>,
    pub executor_id: Option<String>,
    pub session_id: Option<String>,
    /// As given; the range is checked here, not by the caller.
    pub keep_idle: Option<i64>,
    pub keep_turns: Option<i64>,
    pub on_agent: Option<String>,
    pub options: Option<Map<String, Value>>,
    /// The same key returns the same task, whoever asks and whenever. 1–200 characters.
    pub client_key: Option<String>,
    /// Seconds after which the task is ended as failed. Above 0, at most a week.
    pub deadline_seconds: Option<f64>,
}

/// A task as the channel shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskView {
    pub task: Task,
    /// The last event's number when this was read.
    pub last_seq: u64,
    /// The task's handle, live.
    pub kept_agent: Option<LeaseView>,
    /// Where the completion marker appears; only for tasks of this server.
    pub notify_path: Option<PathBuf>,
    /// The server instance whose task it is.
    pub server: String,
    /// What is under way; only for a task that is not finished.
    pub live: Option<Live>,
}

/// Facts about a running task.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// When the newest event was recorded, or, for a task of this process, when the agent was last
    /// heard of.
    pub last_activity: Timestamp,
    /// Seconds since then, on this machine's clock.
    pub quiet_seconds: f64,
    /// The newest open tool call: id, kind, title.
    pub open_tool_call: Option<(String, String, String)>,
    /// What the task waits for, in a word: `process`, `initialize`, `new_session`, `load_session`,
    /// `set_config_option <name>`, `model` (the prompt's answer, no tool call open), `tool`, `end` (the
    /// turn is over and the process is being ended), `owner` (another server's task).
    pub waiting_for: String,
}

/// A lease as the channel shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaseView {
    pub handle: AgentHandle,
    pub state: lease::State,
}

/// An agent that is kept, or will be after its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAgent {
    pub lease: lease::Lease,
    /// The server instance that has it.
    pub server: String,
    /// That is this one, so that it can be extended and released here.
    pub is_here: bool,
}

/// `get_events`.
#[derive(Debug, Clone, PartialEq)]
pub struct EventsQuery {
    pub task_id: String,
    pub after_seq: i64,
    pub event_types: Option<Vec<String>>,
    pub limit: i64,
    pub max_chars: i64,
    pub include_thoughts: bool,
    pub include_raw: bool,
}

/// A page of events.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    pub task_id: String,
    pub status: segue_model::task::Status,
    pub cursor: u64,
    pub has_more: bool,
    pub events: Vec<EventView>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EventView {
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    /// After projection.
    pub payload: Value,
}

/// `wait_tasks`.
#[derive(Debug, Clone, PartialEq)]
pub struct Waited {
    pub reason: WaitReason,
    /// The given tasks that are finished, in the order given.
    pub completed: Vec<TaskView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    Terminal,
    Timeout,
    Shutdown,
}

/// `list_tasks`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// 1–100.
    pub limit: i64,
    pub after: Option<String>,
    /// Tasks of every server; otherwise of this one.
    pub all: bool,
    pub status: Option<String>,
    pub agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub tasks: Vec<TaskView>,
    pub next: Option<String>,
}

/// `resolve_task`.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolve {
    pub task_id: String,
    pub verdict: Verdict,
    pub note: Option<String>,
    pub actor: Option<String>,
}

/// An agent that tasks can be given to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    /// Its program, or why it cannot be started here.
    pub found: Result<PathBuf, String>,
}

/// `describe_agent`.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    pub agent: String,
    pub model: Option<Choice>,
    pub effort: Option<Choice>,
    /// Choice → `session_setting` or `launch_flag`.
    pub delivery: Map<String, Value>,
    pub pins: Map<String, Value>,
    pub pins_with_edit: Map<String, Value>,
    /// As the agent's initialize answer says.
    pub agent_name: Option<String>,
    pub agent_version: Option<String>,
}

/// How an agent that was tried is.
#[derive(Debug, Clone, PartialEq)]
pub enum Checked {
    /// It opened a session.
    Ready(Box<Description>),
    /// It opens none before somebody has signed in.
    SignIn { agent_name: Option<String>, agent_version: Option<String>, message: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub current: Option<String>,
    pub values: Vec<String>,
}

/// `list_sessions`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sessions {
    pub agent: String,
    pub workspace: String,
    pub sessions: Vec<Session>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub session_id: String,
    pub cwd: String,
    pub title: Option<String>,
    pub updated_at: Option<String>,
    pub additional_directories: Option<Vec<String>>,
}

/// `delete_session`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    pub agent: String,
    pub workspace: String,
    pub session_id: String,
}

/// `extend_agent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    pub handle: String,
    pub expires_at: Timestamp,
    pub turns_left: u32,
}

/// `release_agent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    pub handle: String,
    pub agent: String,
    pub session_id: Option<String>,
}
