//! How a flow behaved over its Runs (contract §18): only Runs of exactly that task and flow, forks left out.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    comparison::API_VERSION,
    facts::{NodeFacts, NodeStatus, RunFacts},
    outcome::{Inconsistent, check},
};
use crate::flow::{ExecutorRef, Flow, Hash, NodeId, RunId, effect::EvidenceLevel, words::words};

pub const KIND: &str = "RunStabilityReport";

words! {
    Classification {
        NotObserved = "not_observed",
        InsufficientEvidence = "insufficient_evidence",
        StableSuccess = "stable_success",
        RepeatedFailure = "repeated_failure",
        Unstable = "unstable",
    }
}

impl Classification {
    const fn of(observed: usize, succeeded: usize, failed: usize) -> Self {
        match observed {
            0 => Self::NotObserved,
            1 => Self::InsufficientEvidence,
            _ if succeeded == observed => Self::StableSuccess,
            _ if failed == observed => Self::RepeatedFailure,
            _ => Self::Unstable,
        }
    }
}

/// Serialises to the reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub api_version: &'static str,
    pub kind: &'static str,
    pub task_id: String,
    pub flow_hash: Hash,
    pub comparable_run_count: usize,
    /// Oldest first.
    pub run_ids: Vec<RunId>,
    /// All of the flow's, in its order.
    pub nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    pub node_id: NodeId,
    pub classification: Classification,
    pub observed_run_count: usize,
    pub succeeded_count: usize,
    /// Failed or cancelled.
    pub failure_count: usize,
    pub latest_status: Option<NodeStatus>,
    /// Sorted, each once.
    pub executors: Vec<ExecutorRef>,
    /// Sorted, each once.
    pub evidence_levels: Vec<EvidenceLevel>,
}

/// `flow` is the one whose hash was asked for: that of the Runs, or the task's built-in one if none was made yet.
///
/// # Errors
/// The evidence of a Run that counts contradicts itself.
pub fn stability<'a>(
    task_id: &str,
    flow: &Flow,
    runs: impl IntoIterator<Item = &'a RunFacts>,
) -> Result<Report, Inconsistent> {
    let counts = |run: &&RunFacts| {
        run.task_id == task_id && run.flow.hash() == flow.hash() && !run.status.is_active() && !run.is_fork()
    };
    let mut runs: Vec<&RunFacts> = runs.into_iter().filter(counts).collect();
    runs.sort_unstable_by(|a, b| (a.started_at, &a.run_id).cmp(&(b.started_at, &b.run_id)));
    runs.iter().try_for_each(|run| check(run))?;
    Ok(Report {
        api_version: API_VERSION,
        kind: KIND,
        task_id: task_id.to_owned(),
        flow_hash: flow.hash().clone(),
        comparable_run_count: runs.len(),
        run_ids: runs.iter().map(|run| run.run_id.clone()).collect(),
        nodes: flow.nodes().iter().map(|node| observe(&node.id, &runs)).collect(),
    })
}

fn observe(id: &NodeId, runs: &[&RunFacts]) -> Node {
    // A node that its condition skipped was not executed, so nothing was learned about it.
    let executed = |node: &&NodeFacts| node.status != NodeStatus::Skipped;
    let seen: Vec<&NodeFacts> = runs.iter().filter_map(|run| run.node(id)).filter(executed).collect();
    let count = |wanted: &[NodeStatus]| seen.iter().filter(|node| wanted.contains(&node.status)).count();
    let succeeded = count(&[NodeStatus::Succeeded, NodeStatus::Reused]);
    let failed = count(&[NodeStatus::Failed, NodeStatus::Cancelled]);
    let executors: BTreeSet<_> = seen.iter().map(|node| &node.executor).collect();
    let levels: BTreeSet<_> = seen.iter().map(|node| node.evidence_level).collect();
    Node {
        node_id: id.clone(),
        classification: Classification::of(seen.len(), succeeded, failed),
        observed_run_count: seen.len(),
        succeeded_count: succeeded,
        failure_count: failed,
        latest_status: seen.last().map(|node| node.status),
        executors: executors.into_iter().cloned().collect(),
        evidence_levels: levels.into_iter().collect(),
    }
}
