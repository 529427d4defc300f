//! A Run with what its readings need beside its state: where it came from, in which order its nodes were reached,
//! and the verdict that ended it. Live, in recovery and in readings it is built by the same events.

use super::{
    about::About,
    event::Event,
    state::{NodePhase, NodeState, RunState, Status},
};
use crate::{
    IllegalEvent, Timestamp,
    flow::{
        Flow, Hash, Json, Node, NodeId, RunId,
        effect::EvidenceLevel,
        executor::{PERSON_ID, is_builtin},
    },
    reading::{ArtifactFacts, NodeFacts, NodeStatus, Rejection, RunFacts, RunStatus},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: RunId,
    pub about: About,
    pub state: RunState,
    /// The Run it was forked from, and the first node that it runs itself.
    pub parent: Option<(RunId, NodeId)>,
    /// Positions of nodes in the order in which they were reached.
    reached: Vec<usize>,
    rejection: Option<Rejection>,
}

impl Run {
    /// The Run that its first event makes.
    ///
    /// # Errors
    /// When that is no creation.
    pub fn create(id: RunId, flow: &Flow, event: &Event, at: Timestamp) -> Result<Self, IllegalEvent> {
        let Event::RunCreated(created) = event else {
            return Err(IllegalEvent { state: "nothing", event: event.kind() });
        };
        Ok(Self {
            id,
            about: created.own.about.clone(),
            state: RunState::create(flow, created, at),
            parent: None,
            reached: Vec::new(),
            rejection: None,
        })
    }

    /// The Run after all of these.
    ///
    /// # Errors
    /// When the first is no creation, or one cannot follow those before it.
    pub fn replay<'a>(
        id: RunId,
        flow: &Flow,
        events: impl IntoIterator<Item = (&'a Event, Timestamp)>,
    ) -> Result<Self, IllegalEvent> {
        let mut events = events.into_iter();
        let Some((first, at)) = events.next() else {
            return Err(IllegalEvent { state: "nothing", event: "nothing" });
        };
        let mut run = Self::create(id, flow, first, at)?;
        for (event, at) in events {
            run.apply(flow, event, at)?;
        }
        Ok(run)
    }

    /// The only way it changes.
    ///
    /// # Errors
    /// When the event cannot follow; the Run is left as it was.
    pub fn apply(&mut self, flow: &Flow, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        self.state.apply(flow, event, at)?;
        match event {
            Event::RunForked(forked) => self.parent = Some((forked.parent_run_id.clone(), forked.from_node_id.clone())),
            Event::EvaluationRejected(rejected) => {
                self.rejection = Some(Rejection {
                    node_id: rejected.node_id.clone(),
                    repair_from_node_id: rejected.repair_from_node_id.clone(),
                });
            }
            Event::NodeRepeated(repeated) => {
                self.rejection = None;
                let again = |at: &usize| repeated.node_ids.contains(&flow.nodes()[*at].id);
                self.reached.retain(|at| !again(at));
            }
            _ => {}
        }
        if let Some(position) = event.node_id().and_then(|id| flow.position(id.as_str()))
            && self.state.nodes[position].phase != NodePhase::Pending
            && !self.reached.contains(&position)
        {
            self.reached.push(position);
        }
        Ok(())
    }

    /// What readings are made from.
    #[must_use]
    pub fn facts(&self, flow: &Flow) -> RunFacts {
        let nodes = self.reached.iter().map(|at| node_facts(&flow.nodes()[*at], &self.state.nodes[*at]));
        RunFacts {
            run_id: self.id.clone(),
            task_id: self.about.task_id.clone(),
            flow: flow.clone(),
            status: run_status(self.state.status),
            started_at: self.state.started_at,
            finished_at: self.state.finished_at,
            nodes: nodes.collect(),
            artifacts: self.artifacts(flow),
            rejection: self.rejection.clone().filter(|_| self.state.status == Status::Failed),
            parent_run_id: self.parent.as_ref().map(|(parent, _)| parent.clone()),
            forked_from_node_id: self.parent.as_ref().map(|(_, node)| node.clone()),
        }
    }

    /// What it has published so far, in the order of its nodes.
    #[must_use]
    pub fn artifacts(&self, flow: &Flow) -> Vec<ArtifactFacts> {
        let of = |(node, state): (&Node, &NodeState)| {
            let artifact = state.artifact.as_ref()?;
            Some(ArtifactFacts {
                artifact_id: artifact.artifact_id.clone(),
                run_id: self.id.clone(),
                node_id: node.id.clone(),
                name: artifact.name.clone(),
                media_type: artifact.media_type.clone(),
                sha256: artifact.sha256.clone(),
            })
        };
        flow.nodes().iter().zip(&self.state.nodes).filter_map(of).collect()
    }

    /// Nodes that nothing more happens to, as outcomes count them.
    #[must_use]
    pub fn settled_nodes(&self) -> usize {
        if self.state.status.is_terminal() {
            return self.state.nodes.len();
        }
        self.state.nodes.iter().filter(|node| node.phase.is_settled()).count()
    }

    /// The reached nodes in the order in which they were.
    #[must_use]
    pub fn reached(&self) -> &[usize] {
        &self.reached
    }
}

/// The published word.
#[must_use]
pub const fn run_status(status: Status) -> RunStatus {
    match status {
        Status::Running => RunStatus::Running,
        Status::CancelRequested => RunStatus::CancelRequested,
        Status::Succeeded => RunStatus::Succeeded,
        Status::Failed => RunStatus::Failed,
        Status::Cancelled => RunStatus::Cancelled,
    }
}

/// The published word of a node that was reached; `None` for one that was not.
#[must_use]
pub const fn node_status(phase: &NodePhase) -> Option<NodeStatus> {
    Some(match phase {
        NodePhase::Pending => return None,
        NodePhase::Ready | NodePhase::Running(_) | NodePhase::Asked { .. } => NodeStatus::Running,
        NodePhase::Succeeded => NodeStatus::Succeeded,
        NodePhase::Reused => NodeStatus::Reused,
        NodePhase::Failed => NodeStatus::Failed,
        NodePhase::Cancelled => NodeStatus::Cancelled,
        NodePhase::Skipped => NodeStatus::Skipped,
    })
}

/// How much an output of the node proves: what was recorded, or before that what its executor gives.
#[must_use]
pub fn evidence_level(node: &Node, state: &NodeState) -> EvidenceLevel {
    use super::attempt::EvidenceLevel as Recorded;
    match state.level {
        Some(Recorded::Deterministic) => EvidenceLevel::Deterministic,
        Some(Recorded::RealExecutor) => EvidenceLevel::RealExecutor,
        None if is_builtin(&node.executor) && node.executor.executor_id != PERSON_ID => EvidenceLevel::Deterministic,
        None => EvidenceLevel::RealExecutor,
    }
}

fn node_facts(node: &Node, state: &NodeState) -> NodeFacts {
    let hash = |object: &std::sync::Arc<crate::flow::Object>| Hash::of_object(object);
    NodeFacts {
        node_id: node.id.clone(),
        status: node_status(&state.phase).unwrap_or(NodeStatus::Running),
        executor: node.executor.clone(),
        effects: node.effects.clone(),
        evidence_level: evidence_level(node, state),
        // A node that failed or was skipped before it accepted anything has an empty input.
        input_hash: state.input.as_ref().map_or_else(|| Hash::of(&Json::Object(crate::flow::Object::new())), hash),
        output_hash: state.output.as_ref().map(hash),
    }
}
