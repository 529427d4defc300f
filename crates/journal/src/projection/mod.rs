//! The rows that are derived from events and change in the same transaction.
//!
//! One file a table. A row's `body` is the derived state as JSON; the other fields are what
//! queries select and sort by.

mod host;
mod lease;
mod task;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{
    host::HostRow,
    lease::LeaseRow,
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
