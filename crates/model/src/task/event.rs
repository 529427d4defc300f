//! What can be recorded of a task. Names and payload keys are the channel's published contract;
//! keys beyond it (`facts`, `client_key`, `deadline_seconds`) are additions that readers may ignore.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{because::Because, permission::Decision, state::Status};
use crate::{AgentHandle, Timestamp};

/// One recorded fact. Serialises as `{"event_type": …, "payload": …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event_type", content = "payload", rename_all = "snake_case")]
pub enum Event {
    TaskCreated(Box<Created>),
    StatusChanged {
        from: Status,
        to: Status,
    },
    /// Absent for a further turn of a kept agent. `pid` is also the process group.
    ProcessStarted {
        pid: u32,
    },
    SessionStarted {
        session_id: String,
    },
    Stderr {
        text: String,
    },
    AgentMessage {
        text: String,
    },
    AgentThought {
        text: String,
    },
    /// The update as sent, without `content`, `rawOutput` truncated.
    ToolCall(Value),
    ToolCallUpdate(Value),
    Plan(Value),
    /// Any other update, whole.
    AgentUpdate(Value),
    /// An update that came after the turn was over, whole.
    LateUpdate(Value),
    Permission {
        tool_call_id: String,
        title: Option<String>,
        kind: Option<String>,
        decision: Decision,
    },
    AgentRequest {
        method: String,
        decision: String,
    },
    Error {
        message: String,
    },
    TaskCancelled {
        reason: String,
        actor: Option<String>,
    },
    ProcessExited {
        exit_code: Option<i32>,
        stop_reason: Option<String>,
        #[serde(default)]
        facts: Box<Facts>,
    },
    AgentKept {
        handle: AgentHandle,
        expires_at: f64,
        turns_left: u32,
        #[serde(default)]
        facts: Box<Facts>,
    },
    TaskResolved {
        resolution: Verdict,
        note: Option<String>,
        actor: Option<String>,
    },
}

/// The request, as recorded. The prompt is kept apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Created {
    pub agent: String,
    /// Absolute.
    pub workspace: String,
    pub initiator_id: Option<String>,
    pub executor_id: Option<String>,
    pub session_id: Option<String>,
    /// As given, `{}` if none.
    pub options: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_idle: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_handle: Option<AgentHandle>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_agent: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<f64>,
}

/// What a judge may say of a finished task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Accepted,
    Rejected,
    NeedsFollowup,
    Superseded,
}

impl Verdict {
    pub const ALL: [Self; 4] = [Self::Accepted, Self::Rejected, Self::NeedsFollowup, Self::Superseded];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::NeedsFollowup => "needs_followup",
            Self::Superseded => "superseded",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.as_str() == text)
    }
}

/// What is known at the end of a turn, seen by Segue and not claimed by the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Why the turn ended.
    pub because: Option<Because>,
    /// A prompt was sent.
    pub prompted: bool,
    pub agent_name: Option<String>,
    pub agent_version: Option<String>,
    /// The settings in force when the prompt was sent.
    pub settings: Vec<SettingInForce>,
    /// The usage of the prompt's answer.
    pub usage: Option<Usage>,
    /// What else the prompt's answer said (`_meta`), bounded.
    pub answer_meta: Option<Value>,
    /// Paths in the workspace that git says changed during the turn; `None` outside a work tree.
    pub files_changed: Option<Vec<String>>,
    /// How the processes were ended; `None` while the agent is kept.
    pub stop: Option<StopReceipt>,
    /// Lines of standard output that were not messages.
    pub noise_lines: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingInForce {
    pub name: String,
    pub asked: Value,
    /// What the agent's answer said afterwards; `None` when it did not say.
    pub in_force: Option<Value>,
}

/// Token counts of one turn, as the agent reported them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub total_tokens: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_read_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_write_tokens: Option<u64>,
}

/// Which processes were ended and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StopReceipt {
    pub processes: Vec<StoppedProcess>,
    /// Processes that could not be ended or not be proven ours.
    pub escaped: Vec<StoppedProcess>,
    /// Group and descendants were seen empty.
    pub tree_empty: bool,
    /// What could not be confirmed, in words.
    pub unconfirmed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedProcess {
    pub pid: u32,
    pub name: String,
    /// `exited`, `stdin_closed`, `sigterm`, `sigkill`, `escaped`.
    pub how: String,
    pub in_group: bool,
}

impl Event {
    /// Every type, as published and with the additions, in the order of the contract.
    pub const KINDS: [&'static str; 19] = [
        "task_created",
        "process_started",
        "stderr",
        "status_changed",
        "process_exited",
        "agent_kept",
        "task_resolved",
        "task_cancelled",
        "error",
        "session_started",
        "agent_message",
        "agent_thought",
        "tool_call",
        "tool_call_update",
        "plan",
        "permission",
        "agent_request",
        "agent_update",
        "late_update",
    ];

    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::TaskCreated(_) => "task_created",
            Self::StatusChanged { .. } => "status_changed",
            Self::ProcessStarted { .. } => "process_started",
            Self::SessionStarted { .. } => "session_started",
            Self::Stderr { .. } => "stderr",
            Self::AgentMessage { .. } => "agent_message",
            Self::AgentThought { .. } => "agent_thought",
            Self::ToolCall(_) => "tool_call",
            Self::ToolCallUpdate(_) => "tool_call_update",
            Self::Plan(_) => "plan",
            Self::AgentUpdate(_) => "agent_update",
            Self::LateUpdate(_) => "late_update",
            Self::Permission { .. } => "permission",
            Self::AgentRequest { .. } => "agent_request",
            Self::Error { .. } => "error",
            Self::TaskCancelled { .. } => "task_cancelled",
            Self::ProcessExited { .. } => "process_exited",
            Self::AgentKept { .. } => "agent_kept",
            Self::TaskResolved { .. } => "task_resolved",
        }
    }

    /// The payload as one JSON object, encoded.
    #[must_use]
    pub fn payload(&self) -> String {
        match self {
            // The large ones, without a copy of their value.
            Self::ToolCall(v)
            | Self::ToolCallUpdate(v)
            | Self::Plan(v)
            | Self::AgentUpdate(v)
            | Self::LateUpdate(v) => v.to_string(),
            other => match serde_json::to_value(other) {
                Ok(Value::Object(mut whole)) => whole.remove("payload").unwrap_or_default().to_string(),
                _ => "{}".to_owned(),
            },
        }
    }

    /// Reads what [`Event::payload`] wrote.
    ///
    /// # Errors
    /// When the kind is unknown or the payload does not fit it.
    pub fn parse(kind: &str, payload: &str) -> Result<Self, serde_json::Error> {
        let payload: Value = serde_json::from_str(payload)?;
        serde_json::from_value(serde_json::json!({"event_type": kind, "payload": payload}))
    }
}

/// An event and when it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub at: Timestamp,
    pub event: Event,
}
