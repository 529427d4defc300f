//! Contract §1: the words that stand in JSON. Those beyond the contract come after its own.

use super::*;
use crate::{
    flow::{
        capability::{Kind, Source},
        effect::EvidenceLevel,
    },
    reading::{NodeStatus, RunStatus, outcome::ProjectedStatus},
    run,
};

macro_rules! words_are {
    ($($words:ty: $expected:expr),+ $(,)?) => {
        $({
            let words: Vec<&str> = <$words>::ALL.iter().map(|word| word.as_str()).collect();
            assert_eq!(words, $expected);
        })+
    };
}

#[test]
fn the_words_on_the_wire_are_the_contracts() {
    let statuses = ["running", "cancel_requested", "succeeded", "failed", "cancelled"];
    words_are! {
        Effect: ["pure_compute", "read_local", "read_external", "write_local", "write_external", "execute_process"],
        EvidenceLevel: ["E1_DETERMINISTIC", "E2_REAL_EXECUTOR"],
        NodeKind: ["agent.task", "model.task", "evaluation.task", "tool.task", "capability.task", "artifact.task",
            "human.task", "flow.task"],
        run::Status: statuses,
        RunStatus: statuses,
        NodeStatus: ["running", "succeeded", "failed", "cancelled", "reused", "skipped"],
        ProjectedStatus: ["pending", "running", "succeeded", "failed", "cancelled", "reused", "skipped"],
        Granularity: ["compact", "balanced", "fine"],
        Profile: ["deterministic", "codex", "opencode"],
        Kind: ["agent_cli", "model_cli", "evaluator_cli", "cli", "mcp_stdio", "http", "acp_agent", "mcp_http"],
        Source: ["manual", "discovered", "sample"],
    }
}
