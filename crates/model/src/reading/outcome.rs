//! The outcome of a Run (contract §12.2): how far it is, what it made, why it failed.

use std::collections::HashMap;

use serde::Serialize;

use super::{
    facts::{NodeStatus, RunFacts, RunStatus},
    instant,
};
use crate::{
    Timestamp,
    flow::{ArtifactId, Flow, Hash, NodeId, NodeKind, RunId, words::words},
};

pub const CONTRACT: &str = "symphlo.run-outcome.v1";

/// Evidence that contradicts itself. There is no truthful reading of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistent {
    #[error("node {0} is not in the flow")]
    UnknownNode(NodeId),
    #[error("node {0} is stored twice")]
    DuplicateNode(NodeId),
    #[error("node {0} was reached before what it depends on was settled")]
    OutOfOrder(NodeId),
    #[error("node {0} is unfinished in a run that has ended")]
    Unfinished(NodeId),
    #[error("the run is {0} and its end time says otherwise")]
    EndTime(RunStatus),
    #[error("artifact {0} belongs to another run or to no node of the flow")]
    ForeignArtifact(ArtifactId),
    #[error("the rejection by {0} does not match the failed node")]
    Rejection(NodeId),
    #[error("only half of the fork's origin is stored")]
    Lineage,
}

words! {
    /// Of a node in a reply.
    ProjectedStatus {
        Pending = "pending",
        Running = "running",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
        Reused = "reused",
        Skipped = "skipped",
    }
}

impl ProjectedStatus {
    /// Of a node that was reached, or of one that was not, in a Run of this status.
    #[must_use]
    pub const fn of(node: Option<NodeStatus>, run: RunStatus) -> Self {
        match node {
            None if run.is_active() => Self::Pending,
            None | Some(NodeStatus::Skipped) => Self::Skipped,
            Some(NodeStatus::Running) => Self::Running,
            Some(NodeStatus::Succeeded) => Self::Succeeded,
            Some(NodeStatus::Failed) => Self::Failed,
            Some(NodeStatus::Cancelled) => Self::Cancelled,
            Some(NodeStatus::Reused) => Self::Reused,
        }
    }

    #[must_use]
    pub const fn is_settled(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

words! {
    FailureCode {
        EvaluationRejected = "evaluation_rejected",
        NodeFailed = "node_failed",
        RunFailed = "run_failed",
    }
}

/// Serialises to the reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    pub contract_version: &'static str,
    pub run_id: RunId,
    pub flow_id: String,
    pub status: RunStatus,
    #[serde(serialize_with = "instant::serialize")]
    pub started_at: Timestamp,
    #[serde(serialize_with = "instant::option::serialize")]
    pub finished_at: Option<Timestamp>,
    pub progress: Progress,
    /// All of the flow's, in its order.
    pub nodes: Vec<Node>,
    pub artifacts: Vec<Artifact>,
    pub failure: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub settled_nodes: usize,
    pub total_nodes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    pub node_id: NodeId,
    pub node_type: NodeKind,
    pub status: ProjectedStatus,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    pub artifact_id: ArtifactId,
    pub name: String,
    pub media_type: String,
    pub sha256: Hash,
    pub content_url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub code: FailureCode,
    pub node_id: Option<NodeId>,
    pub repair_from_node_id: Option<NodeId>,
}

/// # Errors
/// The first contradiction in the evidence.
pub fn outcome(run: &RunFacts) -> Result<Outcome, Inconsistent> {
    check(run)?;
    let nodes = run.flow.nodes().iter().map(|node| Node {
        node_id: node.id.clone(),
        node_type: node.kind,
        status: ProjectedStatus::of(run.node(&node.id).map(|node| node.status), run.status),
    });
    let nodes: Vec<Node> = nodes.collect();
    let artifacts = run.artifacts.iter().map(|artifact| Artifact {
        artifact_id: artifact.artifact_id.clone(),
        name: artifact.name.clone(),
        media_type: artifact.media_type.clone(),
        sha256: artifact.sha256.clone(),
        content_url: format!("/api/v1/artifacts/{}/content", artifact.artifact_id),
    });
    let settled_nodes = nodes.iter().filter(|node| node.status.is_settled()).count();
    Ok(Outcome {
        contract_version: CONTRACT,
        run_id: run.run_id.clone(),
        flow_id: run.flow.flow_id().to_owned(),
        status: run.status,
        started_at: run.started_at,
        finished_at: run.finished_at,
        progress: Progress { settled_nodes, total_nodes: nodes.len() },
        artifacts: artifacts.collect(),
        failure: (run.status == RunStatus::Failed).then(|| failure(run, &nodes)),
        nodes,
    })
}

fn failure(run: &RunFacts, nodes: &[Node]) -> Failure {
    if let Some(rejection) = &run.rejection {
        return Failure {
            code: FailureCode::EvaluationRejected,
            node_id: Some(rejection.node_id.clone()),
            repair_from_node_id: Some(rejection.repair_from_node_id.clone()),
        };
    }
    let failed = nodes.iter().find(|node| node.status == ProjectedStatus::Failed);
    let code = if failed.is_some() { FailureCode::NodeFailed } else { FailureCode::RunFailed };
    Failure { code, node_id: failed.map(|node| node.node_id.clone()), repair_from_node_id: None }
}

/// Whether the evidence of a Run agrees with itself. The other readings ask this first, too.
///
/// # Errors
/// The first contradiction.
pub fn check(run: &RunFacts) -> Result<(), Inconsistent> {
    check_nodes(run)?;
    if run.status.is_active() != run.finished_at.is_none() {
        return Err(Inconsistent::EndTime(run.status));
    }
    check_end(run)?;
    let is_foreign = |node: &NodeId, owner: &RunId| *owner != run.run_id || run.flow.node(node.as_str()).is_none();
    if let Some(artifact) = run.artifacts.iter().find(|artifact| is_foreign(&artifact.node_id, &artifact.run_id)) {
        return Err(Inconsistent::ForeignArtifact(artifact.artifact_id.clone()));
    }
    check_rejection(run)?;
    match (&run.parent_run_id, &run.forked_from_node_id) {
        (None, None) => Ok(()),
        (Some(_), Some(node)) if run.flow.node(node.as_str()).is_some() => Ok(()),
        (Some(_), Some(node)) => Err(Inconsistent::UnknownNode(node.clone())),
        _ => Err(Inconsistent::Lineage),
    }
}

/// The nodes that were reached are the flow's, each once, and with each all that it depends on. In a chain they
/// are also stored in its order.
fn check_nodes(run: &RunFacts) -> Result<(), Inconsistent> {
    let flow = &run.flow;
    let mut reached: HashMap<usize, NodeStatus> = HashMap::with_capacity(run.nodes.len());
    for node in &run.nodes {
        let position = flow.position(node.node_id.as_str());
        let position = position.ok_or_else(|| Inconsistent::UnknownNode(node.node_id.clone()))?;
        if reached.insert(position, node.status).is_some() {
            return Err(Inconsistent::DuplicateNode(node.node_id.clone()));
        }
    }
    let (graph, is_chain) = (flow.graph(), flow.is_chain());
    for (index, node) in run.nodes.iter().enumerate() {
        let position = flow.position(node.node_id.as_str()).unwrap_or_default();
        let lets_go_on = |before: &usize| reached.get(before).is_some_and(|status| status.lets_go_on());
        let in_order = !is_chain || (index == position && node.status != NodeStatus::Skipped);
        if !in_order || !graph.upstream(position).iter().all(lets_go_on) {
            return Err(Inconsistent::OutOfOrder(node.node_id.clone()));
        }
    }
    Ok(())
}

/// Nothing runs on in a Run that has ended, and one that succeeded has finished every node.
fn check_end(run: &RunFacts) -> Result<(), Inconsistent> {
    let unfinished = match run.status {
        RunStatus::Running | RunStatus::CancelRequested => None,
        RunStatus::Failed | RunStatus::Cancelled => {
            run.nodes.iter().find(|node| node.status == NodeStatus::Running).map(|node| &node.node_id)
        }
        RunStatus::Succeeded => {
            let lets_go_on = |id| run.node(id).is_some_and(|node| node.status.lets_go_on());
            run.flow.nodes().iter().map(|node| &node.id).find(|id| !lets_go_on(id))
        }
    };
    unfinished.map_or(Ok(()), |id| Err(Inconsistent::Unfinished(id.clone())))
}

/// A rejection belongs to a failed evaluation of a failed Run, and is repaired from a node before it.
fn check_rejection(run: &RunFacts) -> Result<(), Inconsistent> {
    let Some(rejection) = &run.rejection else { return Ok(()) };
    let matches = || {
        let evaluator = run.flow.position(rejection.node_id.as_str())?;
        let producer = run.flow.position(rejection.repair_from_node_id.as_str())?;
        let failed = run.node(&rejection.node_id)?.status == NodeStatus::Failed && run.status == RunStatus::Failed;
        let is_evaluation = run.flow.nodes()[evaluator].kind == NodeKind::Evaluation;
        Some(failed && is_evaluation && precedes(&run.flow, producer, evaluator))
    };
    if matches() == Some(true) { Ok(()) } else { Err(Inconsistent::Rejection(rejection.node_id.clone())) }
}

fn precedes(flow: &Flow, earlier: usize, later: usize) -> bool {
    flow.graph().ancestors(later).contains(&earlier)
}
