//! What the readings are made from: the recorded facts of one Run, already parsed. Text in the store that is no
//! status, no hash or no id cannot become a fact, and whoever reads it fails closed there.

use crate::{
    Timestamp,
    flow::{ArtifactId, Effect, ExecutorRef, Flow, Hash, NodeId, RunId, effect::EvidenceLevel, words::words},
};

words! {
    RunStatus {
        Running = "running",
        CancelRequested = "cancel_requested",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::CancelRequested)
    }
}

words! {
    /// Of a node that was reached. One that was not has no facts.
    NodeStatus {
        /// Under way, or waiting for a person, a decision or a further attempt.
        Running = "running",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
        /// Taken over from another Run.
        Reused = "reused",
        /// Its condition was not met, or all that it depends on was skipped. In graphs only.
        Skipped = "skipped",
    }
}

impl NodeStatus {
    /// Nothing stands in the way of what depends on the node.
    #[must_use]
    pub const fn lets_go_on(self) -> bool {
        matches!(self, Self::Succeeded | Self::Reused | Self::Skipped)
    }
}

/// One node of a Run, as it stands now: of a node that a repair runs again, the latest round.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeFacts {
    pub node_id: NodeId,
    pub status: NodeStatus,
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
    pub evidence_level: EvidenceLevel,
    /// Of the accepted input's canonical text.
    pub input_hash: Hash,
    /// Of the output's canonical text; `None` if there is none.
    pub output_hash: Option<Hash>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactFacts {
    pub artifact_id: ArtifactId,
    pub run_id: RunId,
    pub node_id: NodeId,
    pub name: String,
    pub media_type: String,
    pub sha256: Hash,
}

/// The valid fail of an evaluation that ended the Run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub node_id: NodeId,
    /// The producer, from which a fork would repair it.
    pub repair_from_node_id: NodeId,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunFacts {
    pub run_id: RunId,
    pub task_id: String,
    pub flow: Flow,
    pub status: RunStatus,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// In the order in which they were reached.
    pub nodes: Vec<NodeFacts>,
    pub artifacts: Vec<ArtifactFacts>,
    pub rejection: Option<Rejection>,
    /// Both or neither of these two.
    pub parent_run_id: Option<RunId>,
    pub forked_from_node_id: Option<NodeId>,
}

impl RunFacts {
    #[must_use]
    pub fn node(&self, id: &NodeId) -> Option<&NodeFacts> {
        self.nodes.iter().find(|node| node.node_id == *id)
    }

    #[must_use]
    pub const fn is_fork(&self) -> bool {
        self.parent_run_id.is_some()
    }
}
