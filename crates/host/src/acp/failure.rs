//! Why a conversation cannot go on, and in which words a caller reads it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AuthMethod, Step};

/// A conversation's end without its purpose reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The request that it happened at.
    pub step: Step,
    pub kind: FailureKind,
    /// The whole message for the task's `error`.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FailureKind {
    /// JSON-RPC code −32000.
    AuthRequired { methods: Vec<AuthMethod> },
    /// `session/load` was refused.
    LoadFailed { session_id: String },
    Timeout,
    /// Standard output ended.
    Closed,
    /// The process ended while something else kept its standard output open.
    Exited,
    UnknownStopReason { stop_reason: String },
    SettingNotOffered { name: String },
    ValueNotOffered { name: String },
    /// The agent accepted a setting and then reported another value.
    SettingNotInForce { name: String },
    /// `capability` as in messages, `method` as on the wire.
    MissingCapability { capability: String, method: String },
    /// The agent wants to speak another version of the protocol.
    ProtocolVersion { answered: String },
    /// An answer without what it must hold.
    Malformed,
    AgentError { code: Option<i64>, text: String, data: Option<Value> },
}
