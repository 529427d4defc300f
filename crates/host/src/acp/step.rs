//! The requests that a conversation waits for, and how long.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long each request before the prompt may take. Fixed by the channel contract; real agents
/// were seen to need up to 30 s for a new session on a busy machine.
pub const STEP_LIMIT: Duration = Duration::from_secs(120);

/// How long the answer to `session/close` is awaited. Fixed by the channel contract.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// A request whose answer is awaited. `Display` gives the name used in messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Initialize,
    NewSession,
    LoadSession,
    /// With the setting's name.
    SetConfigOption(String),
    Prompt,
    ListSessions,
    DeleteSession,
    CloseSession,
}

impl Step {
    /// How long its answer may take; `None` is for ever.
    #[must_use]
    pub const fn limit(&self) -> Option<Duration> {
        match self {
            Self::Prompt => None,
            Self::CloseSession => Some(CLOSE_LIMIT),
            _ => Some(STEP_LIMIT),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initialize => f.write_str("initialize"),
            Self::NewSession => f.write_str("new_session"),
            Self::LoadSession => f.write_str("load_session"),
            Self::SetConfigOption(name) => write!(f, "set_config_option {name}"),
            Self::Prompt => f.write_str("prompt"),
            Self::ListSessions => f.write_str("list_sessions"),
            Self::DeleteSession => f.write_str("delete_session"),
            Self::CloseSession => f.write_str("close_session"),
        }
    }
}
