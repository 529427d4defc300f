//! Why a Run is not further than it is, or ended as it did: one screen, from what was recorded. Pure.

use segue_model::{
    Timestamp,
    flow::{Flow, Node, NodeId, NodeKind},
    run::{
        Event, NodePhase, NodeState, Run, Status,
        state::{Slot, SlotState},
    },
};

use crate::payload::Recorded;

/// Lines about nodes: what fits on a screen with the rest.
const LINES_MAX: usize = 16;

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    pub status: Status,
    /// One sentence.
    pub headline: String,
    /// What is to be said of single nodes, in the flow's order.
    pub lines: Vec<Line>,
    /// Lines that did not fit.
    pub more: usize,
    /// What can be done, as fragments that begin with a verb.
    pub ways_on: Vec<String>,
    /// The node from which a fork would go on, of a Run that ended without success.
    pub fork_from: Option<NodeId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub node: NodeId,
    pub text: String,
}

/// What blocks or ended a Run.
#[must_use]
pub fn why(flow: &Flow, run: &Run, events: &[Recorded], now: Timestamp) -> Why {
    let nodes = || flow.nodes().iter().zip(&run.state.nodes);
    let mut lines: Vec<Line> = nodes()
        .filter_map(|(node, state)| {
            let may_run = run.state.unconfirmed.iter().filter(|(of, _)| *of == node.id).map(|(_, why)| may_run(why));
            let texts: Vec<String> = line(node, state, events, now).into_iter().chain(may_run.take(3)).collect();
            (!texts.is_empty()).then(|| Line { node: node.id.clone(), text: texts.join("; ") })
        })
        .collect();
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    let fork_from = fork_from(flow, run).cloned();
    let ways_on = match &fork_from {
        Some(node) => vec![format!("fork {} from node \"{node}\"", run.id)],
        None => asks(flow, run),
    };
    Why { status: run.state.status, headline: headline(flow, run), lines, more, ways_on, fork_from }
}

fn headline(flow: &Flow, run: &Run) -> String {
    let mut sentence = headline_of(flow, run);
    if !run.state.unconfirmed.is_empty() {
        sentence.push_str("; something that it started may still run");
    }
    sentence
}

fn headline_of(flow: &Flow, run: &Run) -> String {
    let state = &run.state;
    let settled = run.settled_nodes();
    let total = flow.nodes().len();
    match state.status {
        Status::Succeeded => format!("it succeeded: all {total} nodes are settled"),
        Status::Cancelled => match state.cancel_reason.as_deref() {
            Some(segue_model::run::answer::RUNTIME_SHUTDOWN) => {
                "it was cancelled because the runtime was stopped".into()
            }
            _ => "it was cancelled on request".to_owned(),
        },
        Status::Failed if state.interrupted => {
            "it was interrupted: a node that may have written was lost, and nobody knows whether it did".to_owned()
        }
        Status::Failed => match &state.failure {
            Some((error_type, message)) => format!("it failed: {error_type}: {message}"),
            None => "it failed".to_owned(),
        },
        Status::CancelRequested => format!("it is being cancelled; {settled} of {total} nodes are settled"),
        Status::Running if state.waits_for_somebody() => {
            format!("it waits for somebody; {settled} of {total} nodes are settled")
        }
        Status::Running if state.failing => "it is failing: what is under way is awaited".to_owned(),
        Status::Running => format!("it is running; {settled} of {total} nodes are settled"),
    }
}

fn line(node: &Node, state: &NodeState, events: &[Recorded], now: Timestamp) -> Option<String> {
    match &state.phase {
        NodePhase::Pending | NodePhase::Succeeded | NodePhase::Reused | NodePhase::Skipped => None,
        NodePhase::Ready => Some("its input is accepted and nothing was called yet".to_owned()),
        NodePhase::Asked { expires_at } => {
            let expiry = expires_at.map(|at| format!("; expires in {}", span(at.seconds_since(now))));
            Some(format!("asks a person ({}){}", options(node), expiry.unwrap_or_default()))
        }
        NodePhase::Running(slots) => {
            let texts: Vec<String> = slots.iter().filter_map(|slot| of_slot(node, slot, events, now)).collect();
            let shown = texts.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
            let rest = texts.len().saturating_sub(3);
            (!texts.is_empty()).then(|| if rest > 0 { format!("{shown}; and {rest} more items") } else { shown })
        }
        NodePhase::Failed => {
            let (error_type, message) = state.failure.clone().unwrap_or_default();
            Some(format!("failed after {}: {error_type}: {message}", calls(state.attempts)))
        }
        NodePhase::Cancelled => Some("was cancelled".to_owned()),
    }
}

/// What a person may answer.
fn options(node: &Node) -> String {
    let options = node.rules.person.iter().flat_map(|person| &person.options);
    options.map(|option| option.id.as_str()).collect::<Vec<_>>().join(" | ")
}

fn may_run(why: &str) -> String {
    format!("may still run: {why}")
}

fn calls(attempts: u32) -> String {
    if attempts == 1 { "1 call".to_owned() } else { format!("{attempts} calls") }
}

fn of_slot(node: &Node, slot: &Slot, events: &[Recorded], now: Timestamp) -> Option<String> {
    let item = slot.index.map(|index| format!("item {index}: ")).unwrap_or_default();
    let text = match &slot.state {
        SlotState::Waiting | SlotState::Done(_) | SlotState::Ended => return None,
        SlotState::Running => {
            let since = started(node, slot, events).map(|at| format!(" for {}", span(now.seconds_since(at))));
            format!("attempt {} is under way{}", slot.attempt, since.unwrap_or_default())
        }
        SlotState::Backoff { until } => {
            let last = last_failure(node, slot, events).unwrap_or_default();
            format!(
                "attempt {} failed ({last}); the next one starts in {}",
                slot.attempt,
                span(until.seconds_since(now))
            )
        }
        SlotState::Uncertain => "may have written before it was lost; decide: repeat | fail".to_owned(),
        SlotState::Failed { error_type, message } => format!("failed: {error_type}: {message}"),
    };
    Some(item + &text)
}

fn started(node: &Node, slot: &Slot, events: &[Recorded]) -> Option<Timestamp> {
    let of_slot = events.iter().rev().find(|recorded| match &recorded.event {
        Event::ExecutorStarted(started) => {
            started.attempt.node_id == node.id
                && started.attempt.index == slot.index
                && started.attempt.attempt == slot.attempt
        }
        _ => false,
    });
    of_slot.map(|recorded| recorded.at)
}

fn last_failure(node: &Node, slot: &Slot, events: &[Recorded]) -> Option<String> {
    events.iter().rev().find_map(|recorded| match &recorded.event {
        Event::AttemptFailed(failed) if failed.attempt.node_id == node.id && failed.attempt.index == slot.index => {
            Some(format!("{}: {}", failed.error_type, failed.message))
        }
        _ => None,
    })
}

/// What is asked of a person.
fn asks(flow: &Flow, run: &Run) -> Vec<String> {
    if run.state.status.is_terminal() {
        return Vec::new();
    }
    let id = &run.id;
    let nodes = flow.nodes().iter().zip(&run.state.nodes);
    nodes
        .filter_map(|(node, state)| match &state.phase {
            NodePhase::Asked { .. } => Some(format!("answer node \"{}\" of {id}: {}", node.id, options(node))),
            NodePhase::Running(slots) if slots.iter().any(|slot| slot.state == SlotState::Uncertain) => {
                Some(format!("decide about node \"{}\" of {id}: repeat | fail", node.id))
            }
            _ => None,
        })
        .take(LINES_MAX)
        .collect()
}

/// The node from which a fork would go on.
fn fork_from<'a>(flow: &'a Flow, run: &Run) -> Option<&'a NodeId> {
    let mut nodes = flow.nodes().iter().zip(&run.state.nodes);
    match run.state.status {
        Status::Running | Status::CancelRequested | Status::Succeeded => None,
        Status::Failed => {
            let (node, _) = nodes.find(|(_, state)| state.phase == NodePhase::Failed)?;
            Some(match node.kind {
                // What was judged is repaired where it was made.
                NodeKind::Evaluation => {
                    let repair = node.rules.repair.as_ref().map(|repair| &repair.from);
                    repair.or_else(|| node.upstream.ids().first()).unwrap_or(&node.id)
                }
                _ => &node.id,
            })
        }
        Status::Cancelled => {
            let next = nodes.find(|(_, state)| !state.phase.has_output() && state.phase != NodePhase::Skipped);
            next.map(|(node, _)| &node.id)
        }
    }
}

/// A length of time in words that are short.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}
