//! Exit statuses: one table for every command.

use std::process::ExitCode;

use segue_channel::Code;
use segue_model::task::Status;

/// Why a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Succeeded,
    /// A fault of Segue or of the machine, or processes that could not be confirmed ended.
    Internal,
    /// The command line or the request is wrong.
    Refused,
    /// The work failed.
    Failed,
    /// An evaluation said no.
    Rejected,
    /// A person is waited for.
    Waiting,
    /// Effects were not authorized.
    Unauthorized,
    /// The work was cancelled.
    Cancelled,
    Interrupted,
}

impl Exit {
    /// The published status.
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Succeeded => 0,
            Self::Internal => 1,
            Self::Refused => 2,
            Self::Failed => 3,
            Self::Rejected => 4,
            Self::Waiting => 5,
            Self::Unauthorized => 6,
            Self::Cancelled => 7,
            Self::Interrupted => 130,
        }
    }

    /// How a task's end shows.
    #[must_use]
    pub const fn of_status(status: Status) -> Self {
        match status {
            Status::Succeeded => Self::Succeeded,
            Status::Cancelled => Self::Cancelled,
            Status::Failed => Self::Failed,
            // Still under way: nothing has failed.
            Status::Created | Status::Starting | Status::Running => Self::Succeeded,
        }
    }

    /// How a refused request shows.
    #[must_use]
    pub const fn of_refusal(code: Code) -> Self {
        match code {
            Code::Internal => Self::Internal,
            Code::UnknownAgent
            | Code::Unsupported
            | Code::InvalidRequest
            | Code::TaskNotFound
            | Code::InvalidTransition
            | Code::SessionInUse
            | Code::AgentLimit
            | Code::AgentGone
            | Code::AgentBusy => Self::Refused,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// The status of a host, which is 0 to 255.
#[must_use]
pub fn code(status: i32) -> ExitCode {
    u8::try_from(status).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Prints what clap has to say: help on standard output, errors on standard error.
#[must_use]
pub fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { Exit::Refused.into() } else { Exit::Succeeded.into() }
}
