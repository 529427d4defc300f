//! What a conversation tells its driver.

use segue_model::task::{Usage, permission::Decision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, Offer, Outgoing, Piece, SettingValue};

/// One thing for the driver to do, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Record it. When a send follows in the same list, make it durable first.
    Fact(Fact),
    /// Write it to the agent's standard input.
    Send(Outgoing),
}

/// What was learnt from the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    Initialized(Initialized),
    /// A session is open. Also told at the begin of every further turn of a kept agent.
    SessionStarted {
        session_id: String,
        offer: Offer,
    },
    SettingConfirmed(SettingConfirmed),
    /// The prompt is about to be sent: the next act is that send.
    PromptSent,
    /// Belongs to the turn.
    Update(Update),
    /// Came after [`super::Conversation::end_settle`].
    LateUpdate(Update),
    /// A question of the turn and how it is answered; the answer is the next act.
    Permission(Permission),
    /// A form or link that the agent wanted a person to see; it was declined. The contract's name
    /// for the request is `create_elicitation`.
    ElicitationRefused,
    /// The prompt was answered.
    TurnEnded(TurnEnd),
    /// The conversation cannot reach its purpose.
    Failed(Failure),
    /// A line that is no message.
    Noise(Noise),
    /// The answer to [`super::Purpose::Describe`].
    Described {
        session_id: String,
        offer: Offer,
    },
    /// The answer to [`super::Purpose::ListSessions`].
    Sessions {
        sessions: Vec<ListedSession>,
        next_cursor: Option<String>,
    },
    /// The answer to [`super::Purpose::DeleteSession`].
    Deleted {
        session_id: String,
    },
    /// `session/close` was answered, with a result or with an error.
    SessionClosed,
}

/// What the agent said of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Initialized {
    pub agent: Agent,
    /// `None` when it was not said.
    pub protocol_version: Option<u64>,
    pub capabilities: Capabilities,
    pub auth_methods: Vec<AuthMethod>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Agent {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// What was advertised, of what we use. Missing and null mean "not offered".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Capabilities {
    pub load_session: bool,
    pub list: bool,
    pub delete: bool,
    pub close: bool,
}

/// A way to sign in that the agent named. Only ever shown, never used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthMethod {
    pub id: String,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingConfirmed {
    pub name: String,
    pub asked: SettingValue,
    /// As the answer said; `None` when it did not say.
    pub in_force: Option<SettingValue>,
}

/// A session update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Update {
    /// Empty for content that is no text.
    MessageChunk(Piece),
    ThoughtChunk(Piece),
    /// As sent, without null fields and `content`, `rawOutput` truncated.
    ToolCall(Value),
    /// As [`Update::ToolCall`].
    ToolCallUpdate(Value),
    /// As sent.
    Plan(Value),
    /// Not recorded, but it ends a run of text.
    AvailableCommands,
    /// Anything else, also kinds outside the protocol, as sent.
    Other(Value),
}

/// One question for permission and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// As given; an id that is no string is shown as JSON.
    pub tool_call_id: String,
    pub title: Option<String>,
    /// `None` when missing or outside the protocol.
    pub kind: Option<String>,
    pub decision: Decision,
    /// A field of the tool call had the wrong type or could not be read, so it was not allowed
    /// whatever the policy holds.
    pub undecodable: bool,
}

/// How the agent answered the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// One of the five of the protocol; another one is a failure.
    pub stop_reason: String,
    /// `None` when it was not reported or malformed.
    pub usage: Option<Usage>,
    /// `_meta` of the answer, bounded.
    pub meta: Option<Value>,
}

/// A line of standard output that is no message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noise {
    pub bytes: u64,
    /// The line's beginning, lossy.
    pub preview: String,
}

/// An entry of `session/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSession {
    pub session_id: String,
    pub cwd: String,
    pub title: Option<String>,
    pub updated_at: Option<String>,
    pub additional_directories: Option<Vec<String>>,
}
