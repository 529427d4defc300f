//! Tasks, in the order of their creation.

use crate::stream::InstanceId;

/// One task as queries see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    pub id: String,
    /// The server whose task it is: the one that created it, or that took it over.
    pub server: InstanceId,
    pub status: String,
    /// The status is final.
    pub ended: bool,
    pub resolved: bool,
    pub agent: String,
    pub workspace: String,
    pub session: Option<String>,
    /// The lease the task asked for or ran on.
    pub handle: Option<String>,
    pub client_key: Option<String>,
    /// The prompt; stored once, read by [`crate::Journal::prompt`] only. `None` leaves it as it is.
    pub prompt: Option<String>,
    /// Microseconds since the Unix epoch.
    pub created_at: i64,
    pub finished_at: Option<i64>,
    /// The last event's number when this row was derived.
    pub last_seq: u64,
    /// The derived state as JSON.
    pub body: String,
}

/// Which tasks a list wants. Empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    pub server: Option<InstanceId>,
    pub status: Vec<String>,
    pub agent: Option<String>,
    pub ended: Option<bool>,
    /// Only tasks created before this one (a forgotten id keeps its place).
    pub after: Option<String>,
}

/// A page of tasks, newest first by creation order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPage {
    /// `prompt` is `None` in each row.
    pub rows: Vec<TaskRow>,
    /// Older ones remain.
    pub more: bool,
}
