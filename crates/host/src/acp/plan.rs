//! What a conversation is for, as its driver asks for it.

use std::fmt;

use segue_model::task::permission::AllowSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that a new agent process is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The workspace, an absolute path.
    pub cwd: String,
    pub purpose: Purpose,
    /// The executable's base name, for messages.
    pub exe: String,
    /// Command-line flags that carry the caller's choices, for messages.
    pub launch_flags: Vec<String>,
    pub client: Client,
}

/// How we introduce ourselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// One prompt in a new session or, with `resume`, in a stored one.
    Turn {
        resume: Option<String>,
        turn: TurnPlan,
    },
    /// Open a session only to read what it offers.
    Describe,
    /// One page of the agent's stored sessions.
    ListSessions {
        cursor: Option<String>,
    },
    DeleteSession {
        id: String,
    },
}

/// What holds for one turn, also one on a kept agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnPlan {
    /// Sent in this order: pins, then model, then effort.
    pub settings: Vec<Setting>,
    pub allow: AllowSet,
}

/// One session setting that has to be in force before the prompt is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    pub name: String,
    pub value: SettingValue,
    pub role: SettingRole,
}

/// Why a setting is sent; only messages depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingRole {
    /// Fixed by the adapter.
    Pin,
    /// The caller's choice of a model.
    Model,
    /// The caller's choice of an effort.
    Effort,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    Bool(bool),
    Str(String),
}

impl SettingValue {
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Str(value) => Value::String(value.clone()),
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Str(value) => f.write_str(value),
        }
    }
}
