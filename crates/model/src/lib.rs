//! The words and the rules of Segue.
//!
//! Pure: no I/O, no async, no clock, no randomness. What happened is an event, [`task::Task::apply`]
//! and [`lease::Lease::apply`] say what follows from it, and [`task::next`] says what to do about
//! it. The same functions run live and in recovery.

pub mod flow;
pub mod id;
pub mod lease;
pub mod reading;
pub mod run;
pub mod schedule;
pub mod task;
pub mod time;

pub use id::{AgentHandle, HostId, ScheduleId, TaskId};
pub use time::Timestamp;

/// An event that cannot follow the state it was applied to. It is never stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{event} cannot follow {state}")]
pub struct IllegalEvent {
    pub state: &'static str,
    pub event: &'static str,
}
