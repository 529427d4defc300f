//! Replaying a Run with a changed flow: every node whose definition and accepted input are unchanged is taken
//! over, as a build system would, and of the others it is said why not.
//!
//! Decided before anything runs, but for one thing: a node behind one that runs again may accept what it accepted
//! before. Its result is offered to the new Run, and taken over if that turns out so.

use std::{collections::HashSet, fmt};

use super::{
    fork::{Plan, is_over, shared_session},
    record::Run,
};
use crate::flow::{Flow, Node, NodeId, NodeKind, Object, Upstream};

/// Why a node is run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// The parent's flow does not have it.
    New,
    /// Its definition, or that of its executor, is another one.
    Changed,
    /// It has no result in the parent.
    Unfinished(&'static str),
    /// It sees the Flow input, which is another one.
    Input,
    /// It receives, at some distance, from a node that is run again.
    Upstream(NodeId),
    /// As [`Because::Upstream`], unless what it receives turns out to be what it received before.
    UnlessSame(NodeId),
    /// Its session group has a node that is run again.
    Session(String),
}

impl Because {
    /// A constant word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Unfinished(_) => "unfinished",
            Self::Input => "input",
            Self::Upstream(_) => "upstream",
            Self::UnlessSame(_) => "unless_same",
            Self::Session(_) => "session",
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("it is new"),
            Self::Changed => f.write_str("its definition or its executor changed"),
            Self::Unfinished(phase) => write!(f, "it is {phase} in the parent"),
            Self::Input => f.write_str("it sees the flow input, which changed"),
            Self::Upstream(node) => write!(f, "it depends on \"{node}\", which is run again"),
            Self::UnlessSame(node) => {
                write!(f, "it depends on \"{node}\", which is run again; not if it receives the same from it")
            }
            Self::Session(group) => write!(f, "session group \"{group}\" has a node that is run again"),
        }
    }
}

/// What becomes of each node of the new flow, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// `None`: its result is taken over.
    pub nodes: Vec<(NodeId, Option<Because>)>,
}

/// Decides for each node of `new`, given what `parent` recorded of `old` and the Flow input of the new Run.
#[must_use]
pub fn replay(old: &Flow, parent: &Run, new: &Flow, flow_input: &Object) -> Replay {
    let same_input = *parent.state.flow_input == *flow_input;
    let own = |node: &Node| {
        let Some(before) = old.position(node.id.as_str()) else { return Some(Because::New) };
        let phase = &parent.state.nodes[before].phase;
        if old.nodes()[before].definition() != node.definition() {
            Some(Because::Changed)
        } else if !is_over(phase) {
            Some(Because::Unfinished(phase.name()))
        } else if !same_input && sees_flow_input(node) {
            Some(Because::Input)
        } else {
            None
        }
    };
    let mut because: Vec<Option<Because>> = new.nodes().iter().map(own).collect();
    let graph = new.graph();
    loop {
        let runs: Vec<usize> = (0..because.len()).filter(|at| because[*at].is_some()).collect();
        for (at, because) in because.iter_mut().enumerate().filter(|(_, because)| because.is_none()) {
            let ancestors = graph.ancestors(at);
            let upstream = runs.iter().find(|run| ancestors.contains(run));
            *because = upstream.map(|run| Because::Upstream(new.nodes()[*run].id.clone()));
        }
        let carried: HashSet<usize> = (0..because.len()).filter(|at| because[*at].is_none()).collect();
        let Some(group) = shared_session(new, &carried) else { break };
        for (at, node) in new.nodes().iter().enumerate() {
            if because[at].is_none() && node.session_group.as_ref() == Some(&group) {
                because[at] = Some(Because::Session(group.clone()));
            }
        }
    }
    let runs: Vec<usize> = (0..because.len()).filter(|at| because[*at].is_some()).collect();
    for (at, because) in because.iter_mut().enumerate() {
        if let Some(Because::Upstream(node)) = because
            && may_be_offered(new, parent_result(old, parent, new, at), at, &runs)
        {
            *because = Some(Because::UnlessSame(node.clone()));
        }
    }
    Replay { nodes: new.nodes().iter().map(|node| node.id.clone()).zip(because).collect() }
}

/// Whether the parent has a result of a node.
fn parent_result(old: &Flow, parent: &Run, new: &Flow, at: usize) -> bool {
    let before = old.position(new.nodes()[at].id.as_str());
    before.is_some_and(|before| parent.state.nodes[before].phase.has_output())
}

/// Whether the same accepted input would give the same result: everything that the node depends on is in it.
///
/// Not so behind a node that is run again and writes: what it wrote may reach the node by another way than its output.
/// Not for a node that writes itself, since its writes were authorized for this Run and are expected of it; nor for a
/// person, who is asked about the present; nor inside a conversation; nor where an expression reads further nodes.
fn may_be_offered(new: &Flow, has_result: bool, at: usize, runs: &[usize]) -> bool {
    let node = &new.nodes()[at];
    let ancestors = new.graph().ancestors(at);
    has_result
        && !node.writes()
        && node.kind != NodeKind::Human
        && node.session_group.is_none()
        && node.rules.expressions().all(|(_, expression)| expression.nodes().is_empty())
        && !runs.iter().any(|run| ancestors.contains(run) && new.nodes()[*run].writes())
}

/// It receives the Flow input, judges by it, or has an expression that can read it.
pub(super) fn sees_flow_input(node: &Node) -> bool {
    node.upstream == Upstream::FlowInput
        || node.kind == NodeKind::Evaluation
        || node.rules.expressions().next().is_some()
}

impl Replay {
    /// `None` when nothing is left to run.
    #[must_use]
    pub fn plan(&self, new: &Flow, old: &Flow, parent: &Run) -> Option<Plan> {
        let carried: HashSet<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].1.is_none()).collect();
        let is_offered = |at: &usize| matches!(self.nodes[*at].1, Some(Because::UnlessSame(_)));
        let offered = (0..self.nodes.len()).filter(is_offered).collect();
        (carried.len() < self.nodes.len())
            .then(|| Plan { offered, ..Plan::of(new, &moved(new, old, parent), &carried) })
    }
}

/// The parent's nodes as the new flow has them, so that positions mean the same.
#[must_use]
pub fn moved(new: &Flow, old: &Flow, parent: &Run) -> Run {
    let mut moved = parent.clone();
    let fresh = super::state::NodeState::new();
    moved.state.nodes = new
        .nodes()
        .iter()
        .map(|node| old.position(node.id.as_str()).map_or_else(|| fresh.clone(), |at| parent.state.nodes[at].clone()))
        .collect();
    moved.state.context =
        parent.state.context.iter().filter_map(|at| new.position(old.nodes()[*at].id.as_str())).collect();
    moved
}
