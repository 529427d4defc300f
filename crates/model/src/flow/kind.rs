//! The kinds of nodes, and what each may be bound to.

use super::capability::Kind;

words! {
    /// The first six are schema version 1; the last two need version 2.
    NodeKind {
        Agent = "agent.task",
        Model = "model.task",
        Evaluation = "evaluation.task",
        Tool = "tool.task",
        /// Another name for `tool.task`, kept for old documents.
        Capability = "capability.task",
        Artifact = "artifact.task",
        Human = "human.task",
        Flow = "flow.task",
    }
}

impl NodeKind {
    #[must_use]
    pub const fn needs_version_2(self) -> bool {
        matches!(self, Self::Human | Self::Flow)
    }

    /// The kinds of capability a node of this kind can be bound to (contract §3, design §7).
    #[must_use]
    pub const fn accepts(self) -> &'static [Kind] {
        match self {
            Self::Agent => &[Kind::AgentCli, Kind::AcpAgent],
            Self::Model => &[Kind::ModelCli],
            Self::Evaluation => &[Kind::EvaluatorCli],
            Self::Tool | Self::Capability => &[Kind::Cli, Kind::McpStdio, Kind::Http, Kind::McpHttp],
            Self::Artifact | Self::Human | Self::Flow => &[],
        }
    }

    /// It cannot be run without a capability.
    #[must_use]
    pub const fn needs_capability(self) -> bool {
        matches!(self, Self::Model | Self::Evaluation | Self::Tool | Self::Capability)
    }

    /// It can run once for each item of a list, and be tried again after a failure.
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::Agent | Self::Model | Self::Tool | Self::Capability | Self::Flow)
    }
}
