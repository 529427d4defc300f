//! Runs of flows, newest first.

use crate::stream::InstanceId;

/// One Run as queries see it. It stands beside its stream, `run/<id>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub id: String,
    /// The scope that the Run belongs to; taken on insert and kept afterwards.
    pub workspace: String,
    /// The server that drives the Run: the one that admitted it, or that took it over.
    pub server: InstanceId,
    /// The flow's portable id, when it has one.
    pub flow_id: Option<String>,
    /// The local id of the saved flow.
    pub task: Option<String>,
    pub flow_hash: String,
    pub status: String,
    /// The status is final.
    pub ended: bool,
    /// A person or a decision is waited for.
    pub waiting: bool,
    /// Microseconds since the Unix epoch.
    pub started_at: i64,
    pub finished_at: Option<i64>,
    /// The Run that this one was forked from.
    pub parent: Option<String>,
    /// The node that it was forked at.
    pub forked_from: Option<String>,
    /// What makes an admission happen once: unique in the workspace; taken on insert and kept
    /// afterwards.
    pub admission_key: Option<String>,
    /// The last event's number when this row was derived.
    pub last_seq: u64,
    /// The derived summary and outcome as JSON.
    pub body: String,
}

/// Which Runs of a workspace a list wants. Empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    pub workspace: String,
    /// Any of these portable ids.
    pub flow_ids: Vec<String>,
    pub task: Option<String>,
    pub flow_hash: Option<String>,
    /// Any of these.
    pub status: Vec<String>,
    pub ended: Option<bool>,
    /// Only Runs that were not forked from another one.
    pub roots_only: bool,
    /// A part of the flow id, the task's id or the Run's id, whatever the case of its ASCII letters. A
    /// text that few Runs have is looked for in the ids of all: the one search that grows with them.
    pub text: Option<String>,
    /// Only Runs behind this place in the list: `started_at` and id of the last one of the page
    /// before.
    pub before: Option<(i64, String)>,
}
