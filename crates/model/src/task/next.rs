//! What to do about a task whose process may have come and gone.

use super::{
    because::Because,
    state::{Phase, Task},
};
use crate::Timestamp;

/// What can be seen of the host of a task's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSeen {
    /// No host was ever recorded for the task, or it left no trace of having started.
    Never,
    /// Its lock is held.
    Alive,
    /// It left an end record.
    Finished,
    /// Its lock is free and there is no end record.
    Lost,
    /// It belongs to an earlier boot of the machine, or to another machine's namespace.
    OtherBoot,
}

/// What the owner of a task does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Nothing is left to do.
    Nothing,
    /// Attach to the host and go on from the committed position.
    Attach,
    /// Take in what the host left behind; its end record ends the task.
    Import,
    /// End what is left of the process tree, then record the end.
    SweepAndFail(Because),
    /// Record the end; nothing may be signalled.
    Fail(Because),
}

/// What to do about a task, given what is seen of its host. Used by the server that runs a task and
/// by the one that finds it after a crash. The same facts give the same answer.
#[must_use]
pub const fn next(task: &Task, host: HostSeen) -> Command {
    match (&task.phase, host) {
        (Phase::Ended { .. }, _) => Command::Nothing,
        (_, HostSeen::Alive) => Command::Attach,
        (_, HostSeen::Finished) => Command::Import,
        (_, HostSeen::Lost) => Command::SweepAndFail(Because::HostLost),
        (_, HostSeen::OtherBoot) => Command::Fail(Because::MachineRestarted),
        (_, HostSeen::Never) => Command::Fail(Because::NotStarted),
    }
}

/// Whether the task's own deadline has passed.
#[must_use]
pub fn overdue(task: &Task, now: Timestamp) -> bool {
    !task.status().is_final() && task.deadline().is_some_and(|deadline| now >= deadline)
}
