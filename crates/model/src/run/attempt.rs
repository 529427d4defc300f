//! One call of one executor, and how it can come out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::flow::{ArtifactId, Hash, Json, NodeId, RunId, rules::FailureClass};

/// Names one call of an executor in a Run. It is recorded before the call is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attempt {
    pub node_id: NodeId,
    /// 1 for the first pass; raised by each round of repair.
    pub round: u32,
    /// The item of a `for_each` node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// 1 for the first try.
    pub attempt: u32,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.node_id)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        if self.round > 1 {
            write!(f, " round {}", self.round)?;
        }
        if self.attempt > 1 {
            write!(f, " attempt {}", self.attempt)?;
        }
        Ok(())
    }
}

/// How much an output proves (contract §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EvidenceLevel {
    /// Built-in deterministic code.
    #[serde(rename = "E1_DETERMINISTIC")]
    Deterministic,
    /// A real process, service, person or other Run answered; says nothing about quality.
    #[serde(rename = "E2_REAL_EXECUTOR")]
    RealExecutor,
}

impl EvidenceLevel {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deterministic => "E1_DETERMINISTIC",
            Self::RealExecutor => "E2_REAL_EXECUTOR",
        }
    }
}

/// The session of an agent that an attempt ran in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub conversation_ref: String,
    pub turn_ref: String,
}

/// A file that an attempt made. It is stored before it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    pub artifact_id: ArtifactId,
    pub name: String,
    pub media_type: String,
    pub sha256: Hash,
    pub bytes: u64,
}

/// The error type of an attempt whose processes were not seen to be gone.
pub const UNCONFIRMED_END: &str = "UnconfirmedEnd";

/// How an attempt came out.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// An output of the form that the executor's contract demands. For an evaluation it holds the verdict.
    Returned { output: Json, level: EvidenceLevel, session: Option<Session>, artifact: Option<Artifact> },
    /// It failed by itself.
    Failed { class: Option<FailureClass>, error_type: String, message: String },
    /// It was ended because the Run or the node wanted that.
    Aborted,
    /// Nobody knows how it came out: its host is gone without an end.
    Lost(Loss),
}

impl Outcome {
    /// Why something of it may still run, if it may.
    #[must_use]
    pub fn unconfirmed(&self) -> Option<&str> {
        match self {
            Self::Failed { error_type, message, .. } if error_type == UNCONFIRMED_END => Some(message),
            _ => None,
        }
    }
}

/// Why an attempt was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The runtime was stopped in order.
    Shutdown,
    /// The runtime or the host was killed.
    Crash,
    /// The machine was restarted.
    Restart,
}

/// The other Run that a `flow.task` started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subrun {
    pub run_id: RunId,
}
