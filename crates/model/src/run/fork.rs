//! Which results of a Run another one takes over, and the events that say so (contract §16, design §7).

use std::collections::HashSet;

use super::{
    attempt::EvidenceLevel,
    event::{Event, NodeOffered, NodeReused, NodeSkipped, Offer, Reused, RunForked, SkipReason},
    record::Run,
    replay::sees_flow_input,
    state::NodePhase,
};
use crate::flow::{Flow, Hash, Json, NodeId, Object, RunId, Scope};

/// Why a Run cannot be forked from a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("there is no node \"{0}\"")]
    UnknownNode(String),
    #[error("the Run ended before any node accepted an input")]
    NothingAccepted,
    #[error("node \"{node}\" comes before it and is {phase}")]
    Unfinished { node: NodeId, phase: &'static str },
    #[error("session group \"{0}\" is used both before and after it")]
    SharedSession(String),
}

/// What a new Run takes over and what it does itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The first node, in document order, that it runs itself.
    pub from: usize,
    /// Whose results are taken over, in the order in which the parent accepted them.
    pub reused: Vec<usize>,
    /// Not run in the parent either, in document order.
    pub skipped: Vec<usize>,
    /// Whose results will do if they accept the same input again, in document order.
    pub offered: Vec<usize>,
    /// Everything that may execute, in document order.
    pub scope: Vec<usize>,
}

/// Plans a fork of `parent`, which executed this very flow.
///
/// # Errors
/// The first rule that is broken.
pub fn plan(flow: &Flow, parent: &Run, from: &str) -> Result<Plan, ForkError> {
    let start = flow.position(from).ok_or_else(|| ForkError::UnknownNode(from.to_owned()))?;
    let nodes = &parent.state.nodes;
    if nodes.iter().all(|node| node.input.is_none()) {
        return Err(ForkError::NothingAccepted);
    }
    let graph = flow.graph();
    let mut before: Vec<usize> = graph.ancestors(start).into_iter().collect();
    before.sort_unstable();
    if let Some(at) = before.into_iter().find(|at| !is_over(&nodes[*at].phase)) {
        return Err(ForkError::Unfinished { node: flow.nodes()[at].id.clone(), phase: nodes[at].phase.name() });
    }
    let after = graph.descendants(start);
    let eligible = |at: &usize| *at != start && !after.contains(at) && is_over(&nodes[*at].phase);
    let carried: HashSet<usize> =
        (0..nodes.len()).filter(|at| eligible(at) && graph.ancestors(*at).iter().all(eligible)).collect();
    if let Some(group) = shared_session(flow, &carried) {
        return Err(ForkError::SharedSession(group));
    }
    Ok(Plan { from: start, ..Plan::of(flow, parent, &carried) })
}

/// It has a result, or was decided not to have one.
pub(super) fn is_over(phase: &NodePhase) -> bool {
    phase.has_output() || *phase == NodePhase::Skipped
}

/// A session group with a node on both sides: its conversation would have to go on in another Run.
pub(super) fn shared_session(flow: &Flow, carried: &HashSet<usize>) -> Option<String> {
    let groups = |taken: bool| {
        let nodes = flow.nodes().iter().enumerate().filter(move |(at, _)| carried.contains(at) == taken);
        nodes.filter_map(|(_, node)| node.session_group.as_ref())
    };
    groups(true).find(|group| groups(false).any(|other| other == *group)).cloned()
}

impl Plan {
    /// From the positions whose outcome is taken over.
    pub(super) fn of(flow: &Flow, parent: &Run, carried: &HashSet<usize>) -> Self {
        let graph = flow.graph();
        let runs: Vec<usize> = (0..flow.nodes().len()).filter(|at| !carried.contains(at)).collect();
        // A round of repair runs nodes again that were taken over at first.
        let repaired = runs.iter().flat_map(|at| graph.repair_region(flow.nodes(), *at));
        let mut scope: Vec<usize> = repaired.chain(runs.iter().copied()).collect();
        scope.sort_unstable();
        scope.dedup();
        let mut reused: Vec<usize> =
            carried.iter().copied().filter(|at| parent.state.nodes[*at].phase.has_output()).collect();
        reused.sort_unstable_by_key(|at| parent.state.context.iter().position(|known| known == at));
        let mut skipped: Vec<usize> = carried.iter().copied().filter(|at| !reused.contains(at)).collect();
        skipped.sort_unstable();
        Self { from: runs.first().copied().unwrap_or_default(), reused, skipped, offered: Vec::new(), scope }
    }

    /// What an authorization must cover.
    #[must_use]
    pub fn scope(&self, flow: &Flow, parent: &RunId) -> Scope {
        let id = |at: &usize| flow.nodes()[*at].id.clone();
        Scope {
            node_ids: self.scope.iter().map(id).collect(),
            fork: Some((parent.as_str().to_owned(), id(&self.from))),
        }
    }

    /// The nodes whose results are taken over although they rest on the Flow input, at whatever distance: with another
    /// input they stay as the old one made them. In document order.
    #[must_use]
    pub fn resting_on_input(&self, flow: &Flow) -> Vec<NodeId> {
        let graph = flow.graph();
        let sees = |at: &usize| sees_flow_input(&flow.nodes()[*at]);
        let mut resting: Vec<usize> = self.reused.clone();
        resting.retain(|at| sees(at) || graph.ancestors(*at).iter().any(sees));
        resting.sort_unstable();
        resting.into_iter().map(|at| flow.nodes()[at].id.clone()).collect()
    }

    /// The events that follow the new Run's creation. The parent's nodes stand at the flow's positions.
    #[must_use]
    pub fn events(&self, flow: &Flow, parent: &Run) -> Vec<Event> {
        let id = |at: usize| flow.nodes()[at].id.clone();
        let forked = RunForked {
            parent_run_id: parent.id.clone(),
            from_node_id: id(self.from),
            reused_node_ids: self.reused.iter().map(|at| id(*at)).collect(),
        };
        let object = |value: &Option<std::sync::Arc<Object>>| {
            value.as_ref().map(|value| value.as_ref().clone()).unwrap_or_default()
        };
        let reused = self.reused.iter().enumerate().map(|(index, at)| {
            let (node, state) = (&flow.nodes()[*at], &parent.state.nodes[*at]);
            Event::from(NodeReused {
                node_id: node.id.clone(),
                parent_run_id: parent.id.clone(),
                context_sequence: index as u64 + 1,
                because: None,
                own: Reused {
                    executor: node.executor.clone(),
                    effects: node.effects.clone(),
                    evidence_level: state.level.unwrap_or(EvidenceLevel::RealExecutor),
                    input: object(&state.input),
                    output: object(&state.output),
                },
            })
        });
        let skipped =
            self.skipped.iter().map(|at| NodeSkipped { node_id: id(*at), reason: SkipReason::Upstream }.into());
        let offered = self.offered.iter().map(|at| {
            let (node, state) = (&flow.nodes()[*at], &parent.state.nodes[*at]);
            Event::from(NodeOffered {
                node_id: node.id.clone(),
                parent_run_id: parent.id.clone(),
                own: Offer {
                    executor: node.executor.clone(),
                    effects: node.effects.clone(),
                    evidence_level: state.level.unwrap_or(EvidenceLevel::RealExecutor),
                    input_hash: Hash::of(&Json::Object(object(&state.input))),
                    output: object(&state.output),
                },
            })
        });
        std::iter::once(forked.into()).chain(reused).chain(skipped).chain(offered).collect()
    }
}
