//! What a node receives.

use std::sync::Arc;

use super::state::{NodePhase, RunState};
use crate::flow::{Flow, Json, Object, Upstream, json::object, rules::expression::Variables};

/// The input of a node whose upstream is settled.
pub(super) fn of_node(flow: &Flow, state: &RunState, position: usize) -> Object {
    let node = &flow.nodes()[position];
    let output = |id: &str| flow.position(id).and_then(|at| state.nodes[at].output.clone());
    let mut input = match &node.upstream {
        Upstream::FlowInput => Object::clone(&state.flow_input),
        Upstream::Output(id) => output(id.as_str()).map(|output| Object::clone(&output)).unwrap_or_default(),
        Upstream::Gathered(ids) => ids
            .iter()
            .filter_map(|id| Some((id.as_str().to_owned(), Json::Object(Object::clone(&*output(id.as_str())?)))))
            .collect(),
    };
    if let Some(findings) = &state.nodes[position].findings {
        // A round of repair: what was judged, and what was found.
        input.insert("repair".to_owned(), repair(state.nodes[position].round, findings));
    }
    input
}

fn repair(round: u32, rejected: &Arc<Object>) -> Json {
    let part = |name: &str| rejected.get(name).cloned().unwrap_or(Json::Null);
    Json::Object(object([
        ("round", round.into()),
        ("candidate", part("candidate")),
        ("evaluation", part("evaluation")),
    ]))
}

/// Accepted outputs by node id, for expressions.
pub(super) fn outputs(flow: &Flow, state: &RunState) -> Object {
    let accepted = |(node, state): (&crate::flow::Node, &super::NodeState)| {
        let output = state.output.clone().filter(|_| state.phase.has_output())?;
        Some((node.id.as_str().to_owned(), Json::Object(Object::clone(&output))))
    };
    flow.nodes().iter().zip(&state.nodes).filter_map(accepted).collect()
}

/// What an expression of a node sees.
pub(super) fn variables<'a>(state: &'a RunState, input: &'a Object, nodes: &'a Object) -> Variables<'a> {
    Variables { input, flow_input: &state.flow_input, nodes }
}

/// Whether everything that a node waits for is settled, and whether there is anything left to receive.
pub(super) fn upstream_settled(state: &RunState, upstream: &[usize]) -> Option<bool> {
    if upstream.is_empty() {
        return Some(true);
    }
    let mut any = false;
    for at in upstream {
        match &state.nodes[*at].phase {
            phase if phase.has_output() => any = true,
            NodePhase::Skipped => {}
            _ => return None,
        }
    }
    Some(any)
}
