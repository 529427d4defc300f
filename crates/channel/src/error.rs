//! Why the channel refuses a call. A refused call has changed nothing.

use segue_journal::{AppendError, ReadError};

/// A refusal. The message names the data of the case and reads well after the code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub code: Code,
    pub message: String,
}

/// The kinds of refusal, as published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    UnknownAgent,
    Unsupported,
    InvalidRequest,
    TaskNotFound,
    InvalidTransition,
    SessionInUse,
    AgentLimit,
    AgentGone,
    AgentBusy,
    /// The journal could not be read or written. Not one of the published codes: shown as
    /// `internal_error`, since no argument of the caller's would mend it.
    Internal,
}

impl Code {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownAgent => "unknown_agent",
            Self::Unsupported => "unsupported",
            Self::InvalidRequest => "invalid_request",
            Self::TaskNotFound => "task_not_found",
            Self::InvalidTransition => "invalid_transition",
            Self::SessionInUse => "session_in_use",
            Self::AgentLimit => "agent_limit",
            Self::AgentGone => "agent_gone",
            Self::AgentBusy => "agent_busy",
            Self::Internal => "internal_error",
        }
    }
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidRequest, message)
    }

    #[must_use]
    pub fn no_task(id: &str) -> Self {
        Self::new(Code::TaskNotFound, format!("no task {id:?}"))
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        Self::new(Code::Internal, error.to_string())
    }
}

impl From<AppendError> for Refusal {
    fn from(error: AppendError) -> Self {
        Self::new(Code::Internal, error.to_string())
    }
}
