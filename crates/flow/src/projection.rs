//! A Run as the origin's own pages see it (contract §20): every step with what it returned, in one answer.

use std::sync::Arc;

use segue_model::{
    Timestamp,
    flow::{Node, NodeId, Object},
    reading::outcome::ProjectedStatus,
    run::{
        Event, NodeState,
        attempt::Artifact,
        event::{EvaluationRejected, SessionTurn},
        record::{node_status, run_status},
        state::BoundSession,
    },
};

use crate::{
    error::{RunError, StorageError},
    payload::Recorded,
    reads::{self, LIST_MAX, List, Loaded, Summary},
    shared::{Shared, blocking},
};

/// Why a node failed whose evaluation was negative (contract §7.4).
const REJECTED: &str = "evaluation_rejected";

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    pub run: Summary,
    pub flow_input: Arc<Object>,
    /// All of the flow's nodes, in its order.
    pub steps: Vec<Step>,
    pub sessions: Vec<BoundSession>,
    /// When the newest event was recorded.
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub node: Node,
    pub status: ProjectedStatus,
    /// 0 for a node that was not reached or whose result was taken over.
    pub attempts: u32,
    pub output: Option<Arc<Object>>,
    pub artifact: Option<Artifact>,
    pub error: Option<StepError>,
    pub session: Option<SessionTurn>,
    /// When the newest event of the node was recorded; for one that was not reached, when the Run began.
    pub updated_at: Timestamp,
}

/// Why a step failed.
#[derive(Debug, Clone, PartialEq)]
pub enum StepError {
    Rejected(EvaluationRejected),
    Failed,
}

/// # Errors
/// There is no such Run, or its record cannot be read.
pub async fn projection(shared: &Arc<Shared>, id: &str) -> Result<Projection, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(projection_now(&reading, &id))).await?
}

/// Newest first, at most `limit`. A Run that cannot be loaded is left out; other lists show it with its reason.
///
/// # Errors
/// `before` is no Run, or the journal cannot be read.
pub async fn projections(
    shared: &Arc<Shared>,
    before: Option<&str>,
    limit: usize,
) -> Result<Vec<Projection>, RunError> {
    let before = match before {
        Some(id) => {
            let row = reads::row_of(shared, id).await?;
            Some((row.started_at, row.id))
        }
        None => None,
    };
    let mut found = Vec::new();
    let mut list = List { before, limit: limit.clamp(1, LIST_MAX), ..List::default() };
    while found.len() < limit {
        let page = reads::list(shared, list.clone()).await?;
        let Some(last) = page.last() else { break };
        list.before = Some((last.started_at.0, last.run_id.as_str().to_owned()));
        let full = page.len() == list.limit;
        for summary in page {
            match projection(shared, summary.run_id.as_str()).await {
                Ok(projection) => found.push(projection),
                Err(RunError::Quarantined { .. } | RunError::Inconsistent { .. } | RunError::NotFound(_)) => {}
                Err(RunError::Storage(error)) if error.is_permanent() => {}
                Err(error) => return Err(error),
            }
        }
        list.limit = limit - found.len().min(limit);
        if !full {
            break;
        }
    }
    Ok(found)
}

fn projection_now(shared: &Shared, id: &str) -> Result<Projection, RunError> {
    let loaded = reads::load_now(shared, id)?;
    let run = reads::summary_now(shared, &loaded.row)?;
    let updated_at = loaded.events.last().map_or(run.started_at, |recorded| recorded.at);
    Ok(Projection {
        steps: steps(&loaded)?,
        flow_input: Arc::clone(&loaded.run.state.flow_input),
        sessions: loaded.run.state.sessions.clone(),
        run,
        updated_at,
    })
}

fn steps(loaded: &Loaded) -> Result<Vec<Step>, StorageError> {
    let nodes = loaded.bound.flow.nodes();
    let mut steps: Vec<Step> = nodes.iter().zip(&loaded.run.state.nodes).map(|found| step(loaded, found)).collect();
    let mut rejected: Option<&EvaluationRejected> = None;
    for Recorded { at, event, .. } in &loaded.events {
        let Some(id) = event.node_id() else { continue };
        let position = loaded.bound.flow.position(id.as_str());
        let position =
            position.ok_or_else(|| StorageError::corrupt("a run", "an event of a node that is not in its flow"))?;
        let step = &mut steps[position];
        step.updated_at = *at;
        match event {
            Event::SessionBound(turn) => step.session = Some(turn.clone()),
            Event::SessionReused(turn) => step.session = Some(turn.0.clone()),
            Event::EvaluationRejected(verdict) => rejected = Some(verdict),
            Event::NodeFailed(failed) => {
                let verdict = rejected.filter(|verdict| verdict.node_id == *id && failed.reason == REJECTED);
                step.error = Some(verdict.map_or(StepError::Failed, |verdict| StepError::Rejected(verdict.clone())));
            }
            _ => {}
        }
    }
    Ok(steps)
}

fn step(loaded: &Loaded, (node, state): (&Node, &NodeState)) -> Step {
    let status = ProjectedStatus::of(node_status(&state.phase), run_status(loaded.run.state.status));
    let attempts = match status {
        ProjectedStatus::Pending | ProjectedStatus::Skipped | ProjectedStatus::Reused => 0,
        ProjectedStatus::Running
        | ProjectedStatus::Succeeded
        | ProjectedStatus::Failed
        | ProjectedStatus::Cancelled => state.attempts.max(1),
    };
    Step {
        node: node.clone(),
        status,
        attempts,
        output: state.output.clone(),
        artifact: state.artifact.clone(),
        error: None,
        session: None,
        updated_at: loaded.run.state.started_at,
    }
}

impl Projection {
    /// The nodes whose results were taken over.
    pub fn reused(&self) -> impl Iterator<Item = &NodeId> {
        self.steps.iter().filter(|step| step.status == ProjectedStatus::Reused).map(|step| &step.node.id)
    }
}
