//! Two Runs of the same flow side by side (contract §17). Inputs and outputs are compared and never shown, nor
//! are their hashes.

use serde::Serialize;

use super::{
    facts::{NodeFacts, NodeStatus, RunFacts, RunStatus},
    instant,
    outcome::{Inconsistent, check},
};
use crate::{
    Timestamp,
    flow::{Effect, ExecutorRef, Hash, NodeId, RunId, effect::EvidenceLevel, words::words},
};

pub const API_VERSION: &str = "symphlo.io/v1alpha1";
pub const KIND: &str = "RunComparisonReport";

/// Why two Runs are not compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    #[error("a run cannot be compared with itself")]
    Same,
    #[error("run {0} has not ended")]
    Active(RunId),
    #[error("the runs are of two saved flows, and only runs of one can be compared")]
    Task,
    #[error("the runs executed different versions of the flow, and only runs of the same can be compared")]
    Flow,
    #[error("the evidence of run {0} contradicts itself")]
    Inconsistent(RunId, #[source] Inconsistent),
}

words! {
    Overall {
        Equivalent = "equivalent",
        Diverged = "diverged",
    }
}

words! {
    Lineage {
        LeftParent = "left_parent_of_right",
        RightParent = "right_parent_of_left",
        Unrelated = "unrelated",
    }
}

words! {
    Comparison {
        Same = "same",
        Changed = "changed",
        ExecutionModeChanged = "execution_mode_changed",
        NotObserved = "not_observed",
        OnlyLeft = "only_left_observed",
        OnlyRight = "only_right_observed",
    }
}

words! {
    /// In the order in which they are listed.
    Difference {
        Input = "input",
        Outcome = "outcome",
        Executor = "executor",
        Effects = "effects",
        Output = "output",
        EvidenceLevel = "evidence_level",
        ExecutionMode = "execution_mode",
        /// Only one side reached the node.
        Observation = "observation",
    }
}

words! {
    ExecutionMode {
        Executed = "executed",
        Reused = "reused",
    }
}

/// Serialises to the reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub api_version: &'static str,
    pub kind: &'static str,
    pub task_id: String,
    pub flow_hash: Hash,
    pub overall: Overall,
    pub first_divergent_node_id: Option<NodeId>,
    pub lineage_relation: Lineage,
    pub left_run: Run,
    pub right_run: Run,
    /// All of the flow's, in its order.
    pub nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    pub run_id: RunId,
    pub status: RunStatus,
    #[serde(serialize_with = "instant::serialize")]
    pub started_at: Timestamp,
    #[serde(serialize_with = "instant::option::serialize")]
    pub finished_at: Option<Timestamp>,
    pub parent_run_id: Option<RunId>,
    pub forked_from_node_id: Option<NodeId>,
}

/// The `same_…` members are `None` unless both sides reached the node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    pub node_id: NodeId,
    pub comparison: Comparison,
    pub differences: Vec<Difference>,
    pub same_input: Option<bool>,
    pub same_outcome: Option<bool>,
    pub same_executor: Option<bool>,
    pub same_effects: Option<bool>,
    pub same_output: Option<bool>,
    pub same_evidence_level: Option<bool>,
    pub left: Option<Side>,
    pub right: Option<Side>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    pub status: NodeStatus,
    /// The status, except that what was reused had succeeded.
    pub outcome: NodeStatus,
    pub execution_mode: ExecutionMode,
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
    pub evidence_level: EvidenceLevel,
}

/// # Errors
/// The two cannot be compared, or the evidence of one has no reading.
pub fn compare(left: &RunFacts, right: &RunFacts) -> Result<Report, ComparisonError> {
    if left.run_id == right.run_id {
        return Err(ComparisonError::Same);
    }
    for run in [left, right] {
        if run.status.is_active() {
            return Err(ComparisonError::Active(run.run_id.clone()));
        }
    }
    if left.task_id != right.task_id {
        return Err(ComparisonError::Task);
    }
    // The hash covers the order of the nodes, too.
    if left.flow.hash() != right.flow.hash() {
        return Err(ComparisonError::Flow);
    }
    for run in [left, right] {
        check(run).map_err(|why| ComparisonError::Inconsistent(run.run_id.clone(), why))?;
    }
    let nodes = left.flow.nodes().iter().map(|node| compare_node(&node.id, left.node(&node.id), right.node(&node.id)));
    let nodes: Vec<Node> = nodes.collect();
    let divergent = nodes.iter().find(|node| node.differences.iter().any(|difference| is_substantive(*difference)));
    Ok(Report {
        api_version: API_VERSION,
        kind: KIND,
        task_id: left.task_id.clone(),
        flow_hash: left.flow.hash().clone(),
        overall: if divergent.is_some() { Overall::Diverged } else { Overall::Equivalent },
        first_divergent_node_id: divergent.map(|node| node.node_id.clone()),
        lineage_relation: lineage(left, right),
        left_run: project(left),
        right_run: project(right),
        nodes,
    })
}

/// That a result was taken over instead of made again is worth showing and changes nothing.
fn is_substantive(difference: Difference) -> bool {
    difference != Difference::ExecutionMode
}

fn lineage(left: &RunFacts, right: &RunFacts) -> Lineage {
    if right.parent_run_id.as_ref() == Some(&left.run_id) {
        Lineage::LeftParent
    } else if left.parent_run_id.as_ref() == Some(&right.run_id) {
        Lineage::RightParent
    } else {
        Lineage::Unrelated
    }
}

fn project(run: &RunFacts) -> Run {
    Run {
        run_id: run.run_id.clone(),
        status: run.status,
        started_at: run.started_at,
        finished_at: run.finished_at,
        parent_run_id: run.parent_run_id.clone(),
        forked_from_node_id: run.forked_from_node_id.clone(),
    }
}

impl Side {
    fn of(node: &NodeFacts) -> Self {
        let is_reused = node.status == NodeStatus::Reused;
        Self {
            status: node.status,
            outcome: if is_reused { NodeStatus::Succeeded } else { node.status },
            execution_mode: if is_reused { ExecutionMode::Reused } else { ExecutionMode::Executed },
            executor: node.executor.clone(),
            effects: node.effects.clone(),
            evidence_level: node.evidence_level,
        }
    }
}

fn compare_node(id: &NodeId, left: Option<&NodeFacts>, right: Option<&NodeFacts>) -> Node {
    let (Some(left), Some(right)) = (left, right) else { return one_sided(id, left, right) };
    let (left_side, right_side) = (Side::of(left), Side::of(right));
    let agreements = [
        (Difference::Input, left.input_hash == right.input_hash),
        (Difference::Outcome, left_side.outcome == right_side.outcome),
        (Difference::Executor, left.executor == right.executor),
        (Difference::Effects, left.effects == right.effects),
        (Difference::Output, left.output_hash == right.output_hash),
        (Difference::EvidenceLevel, left.evidence_level == right.evidence_level),
        (Difference::ExecutionMode, left_side.execution_mode == right_side.execution_mode),
    ];
    let [input, outcome, executor, effects, output, evidence_level, _] = agreements.map(|(_, same)| Some(same));
    let differences = agreements.into_iter().filter(|(_, same)| !same).map(|(difference, _)| difference);
    let differences: Vec<Difference> = differences.collect();
    let comparison = if differences.iter().any(|difference| is_substantive(*difference)) {
        Comparison::Changed
    } else if differences.is_empty() {
        Comparison::Same
    } else {
        Comparison::ExecutionModeChanged
    };
    Node {
        node_id: id.clone(),
        comparison,
        differences,
        same_input: input,
        same_outcome: outcome,
        same_executor: executor,
        same_effects: effects,
        same_output: output,
        same_evidence_level: evidence_level,
        left: Some(left_side),
        right: Some(right_side),
    }
}

fn one_sided(id: &NodeId, left: Option<&NodeFacts>, right: Option<&NodeFacts>) -> Node {
    let (comparison, differences) = match (left, right) {
        (Some(_), _) => (Comparison::OnlyLeft, vec![Difference::Observation]),
        (None, Some(_)) => (Comparison::OnlyRight, vec![Difference::Observation]),
        (None, None) => (Comparison::NotObserved, Vec::new()),
    };
    Node {
        node_id: id.clone(),
        comparison,
        differences,
        same_input: None,
        same_outcome: None,
        same_executor: None,
        same_effects: None,
        same_output: None,
        same_evidence_level: None,
        left: left.map(Side::of),
        right: right.map(Side::of),
    }
}
