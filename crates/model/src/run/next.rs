//! What follows from the state of a Run without anybody outside: which nodes become ready, which
//! executors are called, what is skipped, what is over.
//!
//! Same state, flow and time, same answer. An event that is applied is never returned again, so a
//! driver calls this until it returns nothing, and then waits for an answer or until [`wake_at`].

use super::{
    attempt::{Attempt, EvidenceLevel},
    event::{
        Accepted, Asked, Event, ExecutorStarted, NodeCancelled, NodeFailed, NodeOffered, NodeOverdue, NodeReady,
        NodeRepeated, NodeReused, NodeSkipped, NodeSucceeded, Offer, Output, PersonAnswered, PersonAsked,
        ResultAccepted, Reused, RunCancelled, RunFailed, RunSucceeded, SkipReason,
    },
    input,
    state::{NodePhase, NodeState, RunState, Slot, SlotState, Status},
};
use crate::{
    Timestamp,
    flow::{Flow, Hash, Json, Node, NodeKind, Object, json::object, rules::for_each::ITEMS_MAX},
};

/// Why a cancelled Run's nodes are cancelled.
const RUN_CANCELLED: &str = "run_cancelled";
const RUN_FAILING: &str = "run_failing";
/// Why a result is taken over although something before it was run again.
const SAME_INPUT: &str = "same_input";
pub const USER_REQUESTED: &str = "user_requested";

/// The next events that follow, of one node or of the Run. Empty when nothing does until somebody answers or time passes.
#[must_use]
pub fn next(flow: &Flow, state: &RunState, now: Timestamp) -> Vec<Event> {
    if state.status.is_terminal() {
        return Vec::new();
    }
    let graph = flow.graph();
    // One node at a time: what is accepted here is numbered in the order of acceptance.
    let of_a_node = flow.nodes().iter().enumerate().find_map(|(position, node)| {
        let events = of_node(flow, state, position, node, graph.upstream(position), now);
        (!events.is_empty()).then_some(events)
    });
    of_a_node.unwrap_or_else(|| of_run(flow, state).into_iter().collect())
}

/// When something is due although nobody answers.
#[must_use]
pub fn wake_at(flow: &Flow, state: &RunState) -> Option<Timestamp> {
    if state.status.is_terminal() {
        return None;
    }
    flow.nodes()
        .iter()
        .zip(&state.nodes)
        .flat_map(|(node, state)| {
            let deadline = deadline(node, state).filter(|_| !state.overdue && !state.phase.is_settled());
            let expiry = match &state.phase {
                NodePhase::Asked { expires_at } => *expires_at,
                _ => None,
            };
            let backoff = match &state.phase {
                NodePhase::Running(slots) => slots
                    .iter()
                    .filter_map(|slot| match slot.state {
                        SlotState::Backoff { until } => Some(until),
                        _ => None,
                    })
                    .min(),
                _ => None,
            };
            [deadline, expiry, backoff]
        })
        .flatten()
        .min()
}

fn deadline(node: &Node, state: &NodeState) -> Option<Timestamp> {
    Some(state.ready_at?.plus_seconds(i64::from(node.rules.deadline_seconds?)))
}

/// Nothing new starts.
fn is_stopping(state: &RunState) -> bool {
    state.failing || state.status == Status::CancelRequested
}

fn of_node(
    flow: &Flow,
    run: &RunState,
    position: usize,
    node: &Node,
    upstream: &[usize],
    now: Timestamp,
) -> Vec<Event> {
    let state = &run.nodes[position];
    if deadline(node, state).is_some_and(|at| now >= at)
        && !state.overdue
        && !state.phase.is_settled()
        && state.phase != NodePhase::Pending
    {
        return vec![NodeOverdue { node_id: node.id.clone() }.into()];
    }
    match &state.phase {
        NodePhase::Pending if !is_stopping(run) => of_pending(flow, run, position, node, upstream, now),
        NodePhase::Ready if is_stopping(run) => vec![cancelled(run, node, None)],
        NodePhase::Ready => of_ready(run, node, state, now),
        NodePhase::Running(slots) => of_running(run, node, state, slots, now),
        NodePhase::Asked { .. } if is_stopping(run) => vec![cancelled(run, node, None)],
        NodePhase::Asked { .. } if state.overdue => vec![failed(node, "Timeout", "the node's deadline passed")],
        NodePhase::Asked { expires_at } if expires_at.is_some_and(|at| now >= at) => of_expired(run, node),
        _ => Vec::new(),
    }
}

fn of_pending(
    flow: &Flow,
    run: &RunState,
    position: usize,
    node: &Node,
    upstream: &[usize],
    now: Timestamp,
) -> Vec<Event> {
    let receives = match input::upstream_settled(run, upstream) {
        None => return Vec::new(),
        Some(receives) => receives,
    };
    if !receives {
        return vec![NodeSkipped { node_id: node.id.clone(), reason: SkipReason::Upstream }.into()];
    }
    let accepted = input::of_node(flow, run, position);
    let uses_outputs = node.rules.when.is_some() || node.rules.for_each.is_some();
    let outputs = if uses_outputs { input::outputs(flow, run) } else { Object::new() };
    let variables = input::variables(run, &accepted, &outputs);
    match node.rules.when.as_ref().map(|when| when.condition(variables)) {
        None | Some(Ok(true)) => {}
        Some(Ok(false)) => return vec![NodeSkipped { node_id: node.id.clone(), reason: SkipReason::Condition }.into()],
        Some(Err(error)) => return vec![failed(node, "Condition", &format!("when: {error}"))],
    }
    if let Some(reused) = offered(run, position, &accepted) {
        return vec![reused.into()];
    }
    let items = match node.rules.for_each.as_ref().map(|each| each.items.list(variables)) {
        None => None,
        Some(Ok(items)) if items.len() > ITEMS_MAX => {
            return vec![failed(node, "Items", &format!("for_each has {} items, of at most {ITEMS_MAX}", items.len()))];
        }
        Some(Ok(items)) => Some(items),
        Some(Err(error)) => return vec![failed(node, "Items", &format!("for_each: {error}"))],
    };
    let ready = NodeReady {
        node_id: node.id.clone(),
        input_from: node.definition().get("input_from").cloned().unwrap_or(Json::Null),
        own: Accepted { round: run.nodes[position].round, input: accepted, items },
    };
    let mut events = vec![ready.into()];
    let mut after = run.nodes[position].clone();
    if let Some(Event::NodeReady(ready)) = events.first() {
        after.items = ready.own.items.clone().map(std::sync::Arc::new);
    }
    events.extend(of_ready(run, node, &after, now));
    events
}

/// The result of another Run that was offered for this very input.
fn offered(run: &RunState, position: usize, accepted: &Object) -> Option<NodeReused> {
    let NodeOffered { node_id, parent_run_id, own } = run.nodes[position].offer.as_deref()?.clone();
    if Hash::of_object(accepted) != own.input_hash {
        return None;
    }
    let Offer { executor, effects, evidence_level, input_hash: _, output } = own;
    Some(NodeReused {
        node_id,
        parent_run_id,
        context_sequence: run.context.len() as u64 + 1,
        because: Some(SAME_INPUT.to_owned()),
        own: Reused { executor, effects, evidence_level, input: accepted.clone(), output },
    })
}

/// Calls the executor, or asks the person, of a node whose input is accepted.
fn of_ready(run: &RunState, node: &Node, state: &NodeState, now: Timestamp) -> Vec<Event> {
    if node.kind == NodeKind::Human {
        let expires = node.rules.person.as_ref().and_then(|person| person.expires_seconds);
        let expires_at = expires.map(|seconds| now.plus_seconds(i64::from(seconds)));
        return vec![PersonAsked { node_id: node.id.clone(), expires_at }.into()];
    }
    match (&state.items, &node.rules.for_each) {
        (Some(items), _) if items.is_empty() => {
            // Nothing to call: the empty list is the result.
            accept(run, node, object([("items", Json::Array(Vec::new()))]), EvidenceLevel::Deterministic)
        }
        (Some(items), Some(each)) => {
            let first = u32::try_from(items.len()).unwrap_or(u32::MAX).min(each.max_parallel);
            (0..first).map(|index| started(node, state.round, Some(index), 1)).collect()
        }
        _ => vec![started(node, state.round, None, 1)],
    }
}

fn of_running(run: &RunState, node: &Node, state: &NodeState, slots: &[Slot], now: Timestamp) -> Vec<Event> {
    if node.kind == NodeKind::Human {
        // Answered: the answer's own events follow it in the same commit.
        return Vec::new();
    }
    let open = slots.iter().filter(|slot| slot.state == SlotState::Running).count();
    let failure = slots.iter().find_map(|slot| match &slot.state {
        SlotState::Failed { error_type, message } => Some((error_type.as_str(), message.as_str())),
        _ => None,
    });
    if state.overdue || failure.is_some() || is_stopping(run) {
        if open > 0 {
            return Vec::new();
        }
        return match failure {
            _ if run.status == Status::CancelRequested => vec![cancelled(run, node, None)],
            Some((error_type, message)) => vec![failed(node, error_type, message)],
            None if state.overdue => vec![failed(node, "Timeout", "the node's deadline passed")],
            None if all_done(slots) => accept_items(run, node, state, slots),
            None => vec![cancelled(run, node, None)],
        };
    }
    if all_done(slots) && !slots.is_empty() && slots.iter().all(|slot| slot.index.is_some()) {
        return accept_items(run, node, state, slots);
    }
    let room = match &node.rules.for_each {
        Some(each) => usize::try_from(each.max_parallel).unwrap_or(usize::MAX).saturating_sub(open),
        None => usize::from(open == 0),
    };
    let startable = |slot: &&Slot| match slot.state {
        SlotState::Waiting => true,
        SlotState::Backoff { until } => now >= until,
        _ => false,
    };
    slots
        .iter()
        .filter(startable)
        .take(room)
        .map(|slot| started(node, state.round, slot.index, slot.attempt + 1))
        .collect()
}

fn all_done(slots: &[Slot]) -> bool {
    slots.iter().all(|slot| matches!(slot.state, SlotState::Done(_)))
}

/// Every item is there: the list is the node's output.
fn accept_items(run: &RunState, node: &Node, state: &NodeState, slots: &[Slot]) -> Vec<Event> {
    let items: Vec<Json> = slots
        .iter()
        .filter_map(|slot| match &slot.state {
            SlotState::Done(output) => Some(Json::Object(Object::clone(output))),
            _ => None,
        })
        .collect();
    let output = object([("items", Json::Array(items))]);
    accept(run, node, output, state.level.unwrap_or(EvidenceLevel::RealExecutor))
}

/// `result.accepted` and `node.succeeded`.
pub(super) fn accept(run: &RunState, node: &Node, output: Object, level: EvidenceLevel) -> Vec<Event> {
    let mut output_keys: Vec<String> = output.keys().cloned().collect();
    output_keys.sort_unstable();
    vec![
        ResultAccepted {
            evidence_level: level,
            context_sequence: Some(run.context.len() as u64 + 1),
            control_outcome: None,
            own: Output { node_id: node.id.clone(), output },
        }
        .into(),
        NodeSucceeded { node_id: node.id.clone(), output_keys }.into(),
    ]
}

fn of_expired(run: &RunState, node: &Node) -> Vec<Event> {
    let person = node.rules.person.as_ref();
    match person.and_then(|person| person.on_expiry.clone()) {
        Some(option) => {
            let answer =
                PersonAnswered { node_id: node.id.clone(), option, actor: None, form: None, own: Asked::default() };
            super::answer::accepted(run, node, answer)
        }
        None => vec![failed(node, "Expired", "nobody answered in time")],
    }
}

fn started(node: &Node, round: u32, index: Option<u32>, attempt: u32) -> Event {
    ExecutorStarted {
        executor: node.executor.clone(),
        attempt: Attempt { node_id: node.id.clone(), round, index, attempt },
    }
    .into()
}

pub(super) fn cancelled(run: &RunState, node: &Node, unconfirmed: Option<String>) -> Event {
    let reason = if run.status == Status::CancelRequested { RUN_CANCELLED } else { RUN_FAILING };
    NodeCancelled { node_id: node.id.clone(), reason: reason.to_owned(), unconfirmed }.into()
}

pub(super) fn failed(node: &Node, error_type: &str, message: &str) -> Event {
    NodeFailed {
        node_id: node.id.clone(),
        reason: "executor_failed".to_owned(),
        error_type: Some(error_type.to_owned()),
        message: Some(message.to_owned()),
        own: None,
    }
    .into()
}

/// The end of the Run, when nothing is under way.
fn of_run(flow: &Flow, state: &RunState) -> Option<Event> {
    let busy =
        |node: &NodeState| matches!(node.phase, NodePhase::Ready | NodePhase::Running(_) | NodePhase::Asked { .. });
    if state.nodes.iter().any(busy) {
        return None;
    }
    if state.status == Status::CancelRequested {
        let reason = state.cancel_reason.clone().unwrap_or_else(|| USER_REQUESTED.to_owned());
        return Some(RunCancelled { reason }.into());
    }
    if state.failing {
        let first = flow.nodes().iter().zip(&state.nodes).find(|(_, node)| node.phase == NodePhase::Failed);
        let (error_type, message) = first.and_then(|(_, node)| node.failure.clone()).unwrap_or_default();
        return Some(RunFailed { error_type, message }.into());
    }
    state.nodes.iter().all(|node| node.phase.is_settled()).then(|| RunSucceeded {}.into())
}

/// Which nodes a round of repair runs again.
pub(super) fn repeated(flow: &Flow, evaluator: usize, round: u32) -> Event {
    let nodes = flow.nodes();
    let mut region = flow.graph().repair_region(nodes, evaluator);
    // The producer first: it is the one that gets the findings.
    if let Some(from) = nodes[evaluator].rules.repair.as_ref().and_then(|repair| flow.position(repair.from.as_str())) {
        region.retain(|position| *position != from);
        region.insert(0, from);
    }
    NodeRepeated {
        node_id: nodes[evaluator].id.clone(),
        round,
        node_ids: region.into_iter().map(|position| nodes[position].id.clone()).collect(),
    }
    .into()
}
