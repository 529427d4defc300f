//! What the end of an attempt means.

use super::{
    attempt::{Attempt, Loss, Outcome, Session},
    event::{
        ArtifactCreated, AttemptEnded, AttemptFailed, AttemptLost, EvaluationPassed, EvaluationRejected, Event, Item,
        ItemAccepted, NodeFailed, NodeUncertain, Output, ResultAccepted, RunFailed, RunInterrupted, SessionReused,
        SessionTurn,
    },
    next,
    state::{NodePhase, RunState, SlotState, Status},
};
use crate::{
    Timestamp,
    flow::{Flow, Json, Node, NodeId, NodeKind, Object, rules::OnUncertain},
};

/// The contract of an evaluation's result.
const EVALUATION_RESULT: &str = "symphlo.evaluation-result.v1";
const REJECTED: &str = "evaluation_rejected";
const INTERRUPTED: &str = "runtime_interrupted";
/// Why an attempt that wrote is not repeated: the words of the published failure.
const INTERRUPTED_ERROR: &str = "RuntimeInterrupted";

/// Chance and time, as arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    pub now: Timestamp,
    /// 0 to 1000: where between half and the whole of a wait before the next attempt its moment lies.
    pub jitter: u32,
}

/// The events that the outcome of an attempt makes. Empty when the attempt is not open (any more):
/// a late result is dropped.
#[must_use]
pub fn settle(flow: &Flow, state: &RunState, attempt: &Attempt, outcome: Outcome, at: Circumstances) -> Vec<Event> {
    let Some(position) = flow.position(attempt.node_id.as_str()) else { return Vec::new() };
    let node = &flow.nodes()[position];
    if !is_open(state, position, attempt) {
        return Vec::new();
    }
    let unwanted = state.status == Status::CancelRequested || state.nodes[position].overdue;
    match outcome {
        outcome if unwanted => vec![ended(state, node, attempt, outcome.unconfirmed().map(str::to_owned))],
        Outcome::Aborted => vec![ended(state, node, attempt, None)],
        Outcome::Failed { class, error_type, message } => {
            let wait = match (&node.rules.retry, class) {
                (Some(retry), Some(class)) if !node.writes() || retry.repeat_writes => {
                    retry.wait_after(attempt.attempt, class)
                }
                _ => None,
            };
            let retry_at = wait.filter(|_| !state.failing).map(|seconds| with_jitter(at, seconds));
            vec![AttemptFailed { attempt: attempt.clone(), class, error_type, message, retry_at }.into()]
        }
        Outcome::Lost(loss) => lost(node, attempt, loss),
        Outcome::Returned { output, level, session, artifact } => {
            let Json::Object(output) = output else {
                return vec![malformed(attempt, "the output is not an object")];
            };
            if attempt.index.is_some() {
                let own = Item { attempt: attempt.clone(), output };
                return vec![ItemAccepted { evidence_level: level, own }.into()];
            }
            let mut events = Vec::new();
            if let Some(event) = session_event(state, node, session) {
                match event {
                    Ok(event) => events.push(event),
                    Err(message) => return vec![malformed(attempt, &message)],
                }
            }
            let mut gate = Vec::new();
            if node.kind == NodeKind::Evaluation {
                match Verdict::of(&output) {
                    None => return vec![malformed(attempt, "the evaluation's result has no verdict")],
                    Some(verdict) if !verdict.passed => {
                        return rejected(flow, state, position, node, output, level, &verdict);
                    }
                    Some(verdict) => gate.push(
                        EvaluationPassed {
                            node_id: node.id.clone(),
                            contract_version: EVALUATION_RESULT.to_owned(),
                            verdict: "pass".to_owned(),
                            summary: verdict.summary,
                        }
                        .into(),
                    ),
                }
            }
            gate.append(&mut events);
            let mut accepted = next::accept(state, node, output, level);
            let succeeded = accepted.pop();
            gate.append(&mut accepted);
            gate.extend(artifact.map(|artifact| Event::from(ArtifactCreated::of(node.id.clone(), artifact))));
            gate.extend(succeeded);
            gate
        }
    }
}

/// Nobody wants the result. A node of a cancelled Run is over with its only call, as published.
fn ended(state: &RunState, node: &Node, attempt: &Attempt, unconfirmed: Option<String>) -> Event {
    if state.status == Status::CancelRequested && attempt.index.is_none() {
        next::cancelled(state, node, unconfirmed)
    } else {
        AttemptEnded { attempt: attempt.clone(), unconfirmed }.into()
    }
}

fn is_open(state: &RunState, position: usize, attempt: &Attempt) -> bool {
    let node = &state.nodes[position];
    let NodePhase::Running(slots) = &node.phase else { return false };
    node.round == attempt.round
        && slots.iter().any(|slot| {
            slot.index == attempt.index && slot.attempt == attempt.attempt && slot.state == SlotState::Running
        })
}

/// Between half and the whole of the wait, so that many do not come back at once.
fn with_jitter(at: Circumstances, seconds: u32) -> Timestamp {
    let whole = i64::from(seconds) * 1_000_000;
    Timestamp(at.now.0.saturating_add(whole / 2 + whole / 2 * i64::from(at.jitter.min(1000)) / 1000))
}

fn malformed(attempt: &Attempt, message: &str) -> Event {
    AttemptFailed {
        attempt: attempt.clone(),
        class: Some(crate::flow::rules::FailureClass::Malformed),
        error_type: "Malformed".to_owned(),
        message: message.to_owned(),
        retry_at: None,
    }
    .into()
}

/// After a crash: what writes nothing outside is done again; what may have written is never repeated
/// on its own.
fn lost(node: &Node, attempt: &Attempt, reason: Loss) -> Vec<Event> {
    if !node.writes() {
        return vec![AttemptLost { attempt: attempt.clone(), reason }.into()];
    }
    let uncertain = NodeUncertain { attempt: attempt.clone(), reason }.into();
    if node.rules.on_uncertain == Some(OnUncertain::Ask) {
        return vec![uncertain];
    }
    vec![
        uncertain,
        NodeFailed::for_reason(&node.id, INTERRUPTED, INTERRUPTED_ERROR, INTERRUPTED).into(),
        RunInterrupted { reason: INTERRUPTED.to_owned() }.into(),
    ]
}

fn session_event(state: &RunState, node: &Node, session: Option<Session>) -> Option<Result<Event, String>> {
    let (group, session) = node.session_group.clone().zip(session)?;
    let bound = state.sessions.iter().find(|known| known.group == group);
    let reused = bound.is_some();
    if let Some(bound) = bound.filter(|bound| bound.conversation_ref != session.conversation_ref) {
        let message = format!(
            "the agent answered with conversation {:?} instead of {:?}",
            session.conversation_ref, bound.conversation_ref
        );
        return Some(Err(message));
    }
    let turn = SessionTurn {
        node_id: node.id.clone(),
        session_group: group,
        conversation_ref: session.conversation_ref,
        turn_ref: session.turn_ref,
        reused,
    };
    Some(Ok(if reused { Event::SessionReused(SessionReused(turn)) } else { Event::SessionBound(turn) }))
}

/// What an evaluation says, as far as the Run depends on it.
struct Verdict {
    passed: bool,
    summary: String,
    codes: Vec<String>,
}

impl Verdict {
    fn of(output: &Object) -> Option<Self> {
        let evaluation = output.get("evaluation")?;
        let text = |name: &str| evaluation.get(name).and_then(Json::as_str).map(str::to_owned);
        let findings = evaluation.get("findings").and_then(Json::as_array).unwrap_or_default();
        Some(Self {
            passed: match text("verdict")?.as_str() {
                "pass" => true,
                "fail" => false,
                _ => return None,
            },
            summary: text("summary")?,
            codes: findings.iter().filter_map(|finding| finding.get("code")?.as_str().map(str::to_owned)).collect(),
        })
    }
}

/// A valid fail: it goes back to the producer while rounds are left; otherwise the node has failed.
fn rejected(
    flow: &Flow,
    state: &RunState,
    position: usize,
    node: &Node,
    output: Object,
    level: super::attempt::EvidenceLevel,
    verdict: &Verdict,
) -> Vec<Event> {
    let producer = node.rules.repair.as_ref().map(|repair| repair.from.clone());
    let repair_from = producer.or_else(|| node.upstream.ids().first().cloned()).unwrap_or_else(|| node.id.clone());
    let mut events: Vec<Event> = vec![
        ResultAccepted {
            evidence_level: level,
            context_sequence: None,
            control_outcome: Some("rejected".to_owned()),
            own: Output { node_id: node.id.clone(), output },
        }
        .into(),
        EvaluationRejected {
            node_id: node.id.clone(),
            contract_version: EVALUATION_RESULT.to_owned(),
            verdict: "fail".to_owned(),
            summary: verdict.summary.clone(),
            finding_codes: verdict.codes.clone(),
            repair_from_node_id: repair_from,
        }
        .into(),
    ];
    let round = state.nodes[position].round;
    match &node.rules.repair {
        Some(repair) if round <= repair.max_rounds && !state.failing => {
            events.push(next::repeated(flow, position, round + 1))
        }
        _ => events.push(NodeFailed::for_reason(&node.id, REJECTED, "EvaluationRejected", &verdict.summary).into()),
    }
    events
}

/// The end of a Run that cannot be driven any more, for a reason that is nobody's failure.
#[must_use]
pub fn interrupted(state: &RunState, open: &[NodeId]) -> Vec<Event> {
    if state.status.is_terminal() {
        return Vec::new();
    }
    let failed =
        open.iter().map(|node_id| NodeFailed::for_reason(node_id, INTERRUPTED, INTERRUPTED_ERROR, INTERRUPTED).into());
    let end: [Event; 2] = [
        RunInterrupted { reason: INTERRUPTED.to_owned() }.into(),
        RunFailed { error_type: INTERRUPTED_ERROR.to_owned(), message: INTERRUPTED.to_owned() }.into(),
    ];
    failed.chain(end).collect()
}
