//! The rows that are derived from events and change in the same transaction.
//!
//! One file a table. A row's `body` is the derived state as JSON; the other fields are what
//! queries select and sort by.

mod artifact;
mod host;
mod lease;
mod run;
mod task;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{
    artifact::ArtifactRow,
    host::HostRow,
    lease::LeaseRow,
    run::{RunFilter, RunRow},
    task::{TaskFilter, TaskPage, TaskRow},
};

/// A row to be written or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Insert or replace. `prompt` and `client_key` are taken on insert and kept afterwards.
    Task(Box<TaskRow>),
    /// Removes the task's row, prompt, events and stream; its id keeps its place in the creation
    /// order and is never given out again.
    ForgetTask(String),
    Lease(LeaseRow),
    Host(Box<HostRow>),
    RemoveHost(String),
    /// Insert or replace. `workspace` and `admission_key` are taken on insert and kept afterwards.
    Run(Box<RunRow>),
    /// Its blob has to be there already.
    Artifact(ArtifactRow),
    /// The Run's events name this blob, which has to be there already.
    RunBlob {
        run: String,
        sha256: String,
    },
    /// Removes the Run's row, events, stream and artifact rows, and the blobs that neither an artifact
    /// nor the events of another Run name any more.
    ForgetRun(String),
}

/// What can be held: a session of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HoldKey {
    pub agent: String,
    pub session: String,
}

impl fmt::Display for HoldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {} of {}", self.session, self.agent)
    }
}
