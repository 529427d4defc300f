//! What another process needs to go on with an agent: kept in the host's row, in the same
//! transaction as the events and the position in the agent's output.

use segue_host::{HostIdentity, acp::Conversation, work_tree::Snapshot};
use segue_model::{
    AgentHandle,
    lease::Bounds,
    task::{Because, SettingInForce, Usage},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body of a host's row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// `None` before the host said that it started.
    pub identity: Option<HostIdentity>,
    pub conversation: Option<Conversation>,
    pub turn: Option<TurnState>,
    /// The lease the agent is under.
    pub handle: Option<AgentHandle>,
    pub agent: String,
    /// The executable's base name.
    pub exe: String,
    /// Flags that carried choices of the caller, for messages.
    pub launch_flags: Vec<String>,
    pub about: AgentFacts,
}

impl Checkpoint {
    /// The pid of the program's first process.
    #[must_use]
    pub fn leader(&self) -> Option<u32> {
        u32::try_from(self.identity.as_ref()?.program.pid).ok()
    }
}

/// What the agent said of itself, and what was set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgentFacts {
    pub name: Option<String>,
    pub version: Option<String>,
    pub settings: Vec<SettingInForce>,
}

/// What is known of a turn and is not an event before its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TurnState {
    pub prompted: bool,
    pub answer: Option<Answer>,
    pub failure: Option<Failed>,
    pub stop: Option<StopAsked>,
    pub noise_lines: u64,
    pub work_tree: Option<Snapshot>,
    /// Bounds that came with a further turn.
    pub renewal: Option<Renewal>,
}

impl TurnState {
    /// The agent's part is over: it answered, or it failed.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.answer.is_some() || self.failure.is_some()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub stop_reason: String,
    pub usage: Option<Usage>,
    pub meta: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub message: String,
    pub because: Because,
    pub stop_reason: Option<String>,
}

/// Who wanted the turn to end before it ended by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StopAsked {
    /// A caller, or the server's own shutdown.
    Cancel {
        reason: String,
        actor: Option<String>,
    },
    Deadline,
}

/// The bounds given with a further turn; what was left out stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Renewal {
    pub keep_idle: Option<u32>,
    pub keep_turns: Option<u32>,
}

impl Renewal {
    /// The bounds from now on, and the further turns that remain after this one.
    #[must_use]
    pub fn apply(self, bounds: Bounds, turns_left: u32) -> (Bounds, u32) {
        let renewed = Bounds {
            keep_idle: self.keep_idle.unwrap_or(bounds.keep_idle),
            keep_turns: self.keep_turns.unwrap_or(bounds.keep_turns),
        };
        (renewed, self.keep_turns.unwrap_or(turns_left))
    }
}
