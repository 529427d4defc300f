//! What people say to a Run: an answer, a decision, a cancellation.

use super::{
    attempt::{Attempt, EvidenceLevel},
    event::{Asked, Event, NodeDecided, PersonAnswered, RunCancelRequested},
    next,
    state::{NodePhase, RunState, SlotState, Status},
};
use crate::flow::{Flow, Json, Node, Object, json::object};

/// Why an answer is refused. Nothing was recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("there is no node \"{0}\"")]
    UnknownNode(String),
    #[error("node \"{node}\" waits for nobody: it is {phase}")]
    NotWaiting { node: String, phase: &'static str },
    #[error("the Run is {0}")]
    NotRunning(&'static str),
    #[error("\"{option}\" is not one of {known}")]
    UnknownOption { option: String, known: String },
}

/// A person's answer to a `human.task` node. That the form fits its schema is the caller's to check.
///
/// # Errors
/// When the node does not wait for one, or the option is not offered.
pub fn answer(flow: &Flow, state: &RunState, answer: PersonAnswered) -> Result<Vec<Event>, AnswerError> {
    if state.status != Status::Running {
        return Err(AnswerError::NotRunning(state.status.as_str()));
    }
    let id = answer.node_id.as_str();
    let position = flow.position(id).ok_or_else(|| AnswerError::UnknownNode(id.to_owned()))?;
    let node = &flow.nodes()[position];
    let phase = &state.nodes[position].phase;
    if !matches!(phase, NodePhase::Asked { .. }) || state.failing {
        return Err(AnswerError::NotWaiting { node: id.to_owned(), phase: phase.name() });
    }
    let options = node.rules.person.as_ref().map(|person| person.options.as_slice()).unwrap_or_default();
    if !options.iter().any(|option| option.id == answer.option) {
        let known: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
        return Err(AnswerError::UnknownOption { option: answer.option, known: known.join(", ") });
    }
    Ok(accepted(state, node, answer))
}

/// The answer, accepted as the node's output.
pub(super) fn accepted(state: &RunState, node: &Node, answer: PersonAnswered) -> Vec<Event> {
    let mut output: Object =
        object([("option", answer.option.as_str().into()), ("actor", answer.actor.clone().into())]);
    if let Some(form) = &answer.form {
        output.insert("form".to_owned(), Json::Object(form.clone()));
    }
    let mut events = vec![answer.into()];
    events.extend(next::accept(state, node, output, EvidenceLevel::RealExecutor));
    events
}

/// What to do with an attempt that may have written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Call the executor again.
    Repeat,
    /// The node has failed.
    Fail,
}

impl Decision {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Fail => "fail",
        }
    }
}

/// A person's decision about the uncertain attempts of a node.
///
/// # Errors
/// When there are none.
pub fn decide(
    flow: &Flow,
    state: &RunState,
    node: &str,
    decision: Decision,
    asked: &Asked,
) -> Result<Vec<Event>, AnswerError> {
    if state.status != Status::Running {
        return Err(AnswerError::NotRunning(state.status.as_str()));
    }
    let position = flow.position(node).ok_or_else(|| AnswerError::UnknownNode(node.to_owned()))?;
    let state = &state.nodes[position];
    let slots = match &state.phase {
        NodePhase::Running(slots) => slots.as_slice(),
        _ => &[],
    };
    let decided = slots.iter().filter(|slot| slot.state == SlotState::Uncertain).map(|slot| {
        NodeDecided {
            attempt: Attempt {
                node_id: flow.nodes()[position].id.clone(),
                round: state.round,
                index: slot.index,
                attempt: slot.attempt,
            },
            decision: decision.as_str().to_owned(),
            actor: asked.actor.clone(),
            own: Asked { actor: None, request: asked.request },
        }
        .into()
    });
    let events: Vec<Event> = decided.collect();
    if events.is_empty() {
        return Err(AnswerError::NotWaiting { node: node.to_owned(), phase: state.phase.name() });
    }
    Ok(events)
}

/// Why a Run is cancelled when the runtime is stopped in order.
pub const RUNTIME_SHUTDOWN: &str = "runtime_shutdown";

/// A request to cancel, for [`USER_REQUESTED`](next::USER_REQUESTED) or [`RUNTIME_SHUTDOWN`]; `None` when the Run
/// is not running (any more).
#[must_use]
pub fn cancel(state: &RunState, reason: &str, asked: Asked) -> Option<Event> {
    (state.status == Status::Running).then(|| RunCancelRequested { reason: reason.to_owned(), own: asked }.into())
}
