//! What a Run is after the events so far.

use std::sync::Arc;

use super::{
    attempt::{Artifact, Attempt, EvidenceLevel},
    event::{Event, NodeOffered, RunCreated},
};
use crate::{
    IllegalEvent, Timestamp,
    flow::{Flow, NodeId, Object},
};

/// The published label of a Run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    Running,
    CancelRequested,
    Succeeded,
    Failed,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Running, Self::CancelRequested, Self::Succeeded, Self::Failed, Self::Cancelled];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::CancelRequested => "cancel_requested",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// Where a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodePhase {
    Pending,
    /// Its input is accepted; nothing was started yet.
    Ready,
    /// Calls of its executor: one, or one for each item.
    Running(Vec<Slot>),
    /// A person was asked.
    Asked {
        expires_at: Option<Timestamp>,
    },
    /// What it waited for was answered, or every item is there; its output is accepted next.
    Succeeded,
    /// Taken over from another Run.
    Reused,
    Failed,
    Cancelled,
    Skipped,
}

impl NodePhase {
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Running(_) => "running",
            Self::Asked { .. } => "asked",
            Self::Succeeded => "succeeded",
            Self::Reused => "reused",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    /// Nothing more happens to it, unless a round of repair does.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Reused | Self::Failed | Self::Cancelled | Self::Skipped)
    }

    /// It has an accepted output.
    #[must_use]
    pub const fn has_output(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Reused)
    }
}

/// One call of an executor, and those that follow it when it fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    pub index: Option<u32>,
    /// The newest one; 0 before the first.
    pub attempt: u32,
    pub state: SlotState,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SlotState {
    /// Not started, or lost and to be started again.
    Waiting,
    Running,
    /// Failed; the next attempt starts then.
    Backoff {
        until: Timestamp,
    },
    /// It may have written, and a person decides.
    Uncertain,
    Done(Arc<Object>),
    /// Failed for good.
    Failed {
        error_type: String,
        message: String,
    },
    /// Ended because nobody wanted it any more.
    Ended,
}

/// A node of a Run.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeState {
    pub phase: NodePhase,
    pub round: u32,
    pub input: Option<Arc<Object>>,
    pub items: Option<Arc<Vec<crate::flow::Json>>>,
    pub output: Option<Arc<Object>>,
    pub level: Option<EvidenceLevel>,
    /// Calls of its executor so far, over all rounds and items.
    pub attempts: u32,
    pub ready_at: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    /// Its own deadline passed.
    pub overdue: bool,
    pub artifact: Option<Artifact>,
    /// What a rejected evaluation found, for the next round's producer.
    pub findings: Option<Arc<Object>>,
    pub failure: Option<(String, String)>,
    /// A result of another Run that will do for one input.
    pub offer: Option<Arc<NodeOffered>>,
}

impl NodeState {
    pub(super) fn new() -> Self {
        Self {
            phase: NodePhase::Pending,
            round: 1,
            input: None,
            items: None,
            output: None,
            level: None,
            attempts: 0,
            ready_at: None,
            settled_at: None,
            overdue: false,
            artifact: None,
            findings: None,
            failure: None,
            offer: None,
        }
    }

    /// Attempts that were started and whose end is not recorded.
    pub fn open_attempts<'a>(&'a self, id: &'a NodeId) -> impl Iterator<Item = Attempt> + 'a {
        let slots = match &self.phase {
            NodePhase::Running(slots) => slots.as_slice(),
            _ => &[],
        };
        slots.iter().filter(|slot| slot.state == SlotState::Running).map(|slot| Attempt {
            node_id: id.clone(),
            round: self.round,
            index: slot.index,
            attempt: slot.attempt,
        })
    }
}

/// A session group's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundSession {
    pub group: String,
    pub conversation_ref: String,
    pub turns: Vec<(NodeId, String)>,
}

/// A Run, derived from its events.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    pub status: Status,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub flow_input: Arc<Object>,
    /// In the order of the flow's nodes.
    pub nodes: Vec<NodeState>,
    /// Accepted outputs in the order of their acceptance: positions of nodes. The sequence of an entry
    /// is its place, from 1.
    pub context: Vec<usize>,
    pub sessions: Vec<BoundSession>,
    /// A node has failed: nothing new starts.
    pub failing: bool,
    pub interrupted: bool,
    /// The runtime was stopped in order, and nothing has happened since.
    pub left: bool,
    /// Why it is being cancelled.
    pub cancel_reason: Option<String>,
    pub failure: Option<(String, String)>,
    /// What may still run although its attempt is over: whose it is, and why nobody knows.
    pub unconfirmed: Vec<(NodeId, String)>,
}

impl RunState {
    /// The Run that its first event makes.
    #[must_use]
    pub fn create(flow: &Flow, created: &RunCreated, at: Timestamp) -> Self {
        Self {
            status: Status::Running,
            started_at: at,
            finished_at: None,
            flow_input: Arc::new(created.own.flow_input.clone()),
            nodes: vec![NodeState::new(); flow.nodes().len()],
            context: Vec::new(),
            sessions: Vec::new(),
            failing: false,
            interrupted: false,
            left: false,
            cancel_reason: None,
            failure: None,
            unconfirmed: Vec::new(),
        }
    }

    /// The state after all of these.
    ///
    /// # Errors
    /// When the first is no creation, or one cannot follow those before it.
    pub fn replay<'a>(
        flow: &Flow,
        events: impl IntoIterator<Item = (&'a Event, Timestamp)>,
    ) -> Result<Self, IllegalEvent> {
        let mut events = events.into_iter();
        let mut state = match events.next() {
            Some((Event::RunCreated(created), at)) => Self::create(flow, created, at),
            Some((other, _)) => return Err(IllegalEvent { state: "nothing", event: other.kind() }),
            None => return Err(IllegalEvent { state: "nothing", event: "nothing" }),
        };
        for (event, at) in events {
            state.apply(flow, event, at)?;
        }
        Ok(state)
    }

    /// The calls that are under way, as far as is recorded.
    #[must_use]
    pub fn open_attempts(&self, flow: &Flow) -> Vec<Attempt> {
        flow.nodes().iter().zip(&self.nodes).flat_map(|(node, state)| state.open_attempts(&node.id)).collect()
    }

    /// A person or a decision is waited for.
    #[must_use]
    pub fn waits_for_somebody(&self) -> bool {
        !self.status.is_terminal()
            && self.nodes.iter().any(|node| match &node.phase {
                NodePhase::Asked { .. } => true,
                NodePhase::Running(slots) => slots.iter().any(|slot| slot.state == SlotState::Uncertain),
                _ => false,
            })
    }

    /// Those of them that nobody wants any more: the Run is being cancelled, or the node is over its deadline.
    #[must_use]
    pub fn unwanted_attempts(&self, flow: &Flow) -> Vec<Attempt> {
        let all = self.status == Status::CancelRequested;
        flow.nodes()
            .iter()
            .zip(&self.nodes)
            .filter(|(_, state)| all || state.overdue)
            .flat_map(|(node, state)| state.open_attempts(&node.id))
            .collect()
    }

    /// What follows from one event. The only way a Run changes, live and in recovery.
    ///
    /// # Errors
    /// When the event cannot follow; the Run is left as it was.
    pub fn apply(&mut self, flow: &Flow, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        let illegal = |state: &'static str| IllegalEvent { state, event: event.kind() };
        if self.status.is_terminal() {
            return Err(illegal(self.status.as_str()));
        }
        match event.node_id() {
            Some(id) => {
                let position = flow.position(id.as_str()).ok_or_else(|| illegal("a flow without that node"))?;
                self.apply_to_node(flow, position, event, at)?;
            }
            None => self.apply_to_run(event, at)?,
        }
        self.left = matches!(event, Event::RunLeft(_));
        self.unconfirmed.extend(event.unconfirmed().map(|(node, why)| (node.clone(), why.to_owned())));
        Ok(())
    }

    fn apply_to_run(&mut self, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        let status = match (self.status, event) {
            (Status::Running, Event::RunEffectsEvaluated(_) | Event::RunEffectsAuthorized(_) | Event::RunForked(_)) => {
                return Ok(());
            }
            (Status::Running, Event::RunInterrupted(_)) => {
                self.interrupted = true;
                return Ok(());
            }
            (Status::Running | Status::CancelRequested, Event::RunLeft(_)) => return Ok(()),
            (Status::Running, Event::RunCancelRequested(requested)) => {
                self.cancel_reason = Some(requested.reason.clone());
                Status::CancelRequested
            }
            (Status::CancelRequested, Event::RunCancelled(_)) => Status::Cancelled,
            (Status::Running, Event::RunSucceeded(_)) => Status::Succeeded,
            (Status::Running | Status::CancelRequested, Event::RunFailed(failed)) => {
                self.failure = Some((failed.error_type.clone(), failed.message.clone()));
                Status::Failed
            }
            (status, event) => return Err(IllegalEvent { state: status.as_str(), event: event.kind() }),
        };
        self.status = status;
        if status.is_terminal() {
            self.finished_at = Some(at);
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one match that a reader can check against the table of events")]
    fn apply_to_node(
        &mut self,
        flow: &Flow,
        position: usize,
        event: &Event,
        at: Timestamp,
    ) -> Result<(), IllegalEvent> {
        let node = &mut self.nodes[position];
        let illegal = IllegalEvent { state: node.phase.name(), event: event.kind() };
        match (&mut node.phase, event) {
            (NodePhase::Pending, Event::NodeOffered(offered)) => node.offer = Some(Arc::new(offered.clone())),
            (NodePhase::Pending, Event::NodeReused(reused)) => {
                node.phase = NodePhase::Reused;
                node.offer = None;
                node.input = Some(Arc::new(reused.own.input.clone()));
                node.output = Some(Arc::new(reused.own.output.clone()));
                node.level = Some(reused.own.evidence_level);
                node.settled_at = Some(at);
                self.context.push(position);
            }
            (NodePhase::Pending, Event::NodeSkipped(_)) => {
                node.phase = NodePhase::Skipped;
                node.settled_at = Some(at);
            }
            (NodePhase::Pending, Event::NodeReady(ready)) => {
                node.phase = NodePhase::Ready;
                node.round = ready.own.round;
                node.input = Some(Arc::new(ready.own.input.clone()));
                node.items = ready.own.items.clone().map(Arc::new);
                node.ready_at.get_or_insert(at);
            }
            (NodePhase::Ready, Event::PersonAsked(asked)) => {
                node.phase = NodePhase::Asked { expires_at: asked.expires_at }
            }
            (NodePhase::Ready, Event::ExecutorStarted(started)) => {
                let slot = |index| Slot { index, attempt: 0, state: SlotState::Waiting };
                let mut slots = match &node.items {
                    Some(items) => {
                        (0..u32::try_from(items.len()).unwrap_or(u32::MAX)).map(|index| slot(Some(index))).collect()
                    }
                    None => vec![slot(None)],
                };
                start(&mut slots, &started.attempt).ok_or(illegal)?;
                node.attempts += 1;
                node.phase = NodePhase::Running(slots);
            }
            (NodePhase::Running(slots), Event::ExecutorStarted(started)) if started.attempt.round == node.round => {
                start(slots, &started.attempt).ok_or(illegal)?;
                node.attempts += 1;
            }
            (NodePhase::Running(slots), Event::AttemptFailed(failed)) => {
                let slot = running(slots, &failed.attempt).ok_or(illegal)?;
                slot.state = match failed.retry_at {
                    Some(until) => SlotState::Backoff { until },
                    None => {
                        SlotState::Failed { error_type: failed.error_type.clone(), message: failed.message.clone() }
                    }
                };
            }
            (NodePhase::Running(slots), Event::AttemptLost(lost)) => {
                running(slots, &lost.attempt).ok_or(illegal)?.state = SlotState::Waiting;
            }
            (NodePhase::Running(slots), Event::AttemptEnded(ended)) => {
                running(slots, &ended.attempt).ok_or(illegal)?.state = SlotState::Ended;
            }
            (NodePhase::Running(slots), Event::NodeUncertain(uncertain)) => {
                running(slots, &uncertain.attempt).ok_or(illegal)?.state = SlotState::Uncertain;
            }
            (NodePhase::Running(slots), Event::NodeDecided(decided)) => {
                let slot = slots
                    .iter_mut()
                    .find(|slot| slot.index == decided.attempt.index && slot.state == SlotState::Uncertain);
                slot.ok_or(illegal)?.state = match decided.decision.as_str() {
                    "repeat" => SlotState::Waiting,
                    _ => SlotState::Failed {
                        error_type: "Uncertain".to_owned(),
                        message: "the node may have written, and it was decided not to repeat it".to_owned(),
                    },
                };
            }
            (NodePhase::Running(slots), Event::ItemAccepted(item)) => {
                let slot = running(slots, &item.own.attempt).ok_or(illegal)?;
                slot.state = SlotState::Done(Arc::new(item.own.output.clone()));
                node.level = node.level.max(Some(item.evidence_level));
            }
            (NodePhase::Running(_), Event::SessionBound(turn)) => {
                self.sessions.push(BoundSession {
                    group: turn.session_group.clone(),
                    conversation_ref: turn.conversation_ref.clone(),
                    turns: vec![(turn.node_id.clone(), turn.turn_ref.clone())],
                });
            }
            (NodePhase::Running(_), Event::SessionReused(super::event::SessionReused(turn))) => {
                let session = self.sessions.iter_mut().find(|session| session.group == turn.session_group);
                session.ok_or(illegal)?.turns.push((turn.node_id.clone(), turn.turn_ref.clone()));
            }
            (NodePhase::Running(_), Event::EvaluationPassed(_)) => {}
            (NodePhase::Asked { .. }, Event::PersonAnswered(_)) => node.phase = NodePhase::Running(Vec::new()),
            (NodePhase::Ready | NodePhase::Running(_), Event::ResultAccepted(accepted)) => {
                node.output = Some(Arc::new(accepted.own.output.clone()));
                node.level = Some(accepted.evidence_level);
                if accepted.context_sequence.is_some() {
                    self.context.retain(|known| *known != position);
                    self.context.push(position);
                }
            }
            (NodePhase::Running(_), Event::ArtifactCreated(created)) => {
                node.artifact = Some(Artifact {
                    artifact_id: created.artifact_id.clone(),
                    name: created.name.clone(),
                    media_type: created.own.media_type.clone(),
                    sha256: created.sha256.clone(),
                    bytes: created.own.bytes,
                });
            }
            (NodePhase::Ready | NodePhase::Running(_), Event::NodeSucceeded(_)) if node.output.is_some() => {
                node.phase = NodePhase::Succeeded;
                node.settled_at = Some(at);
            }
            (NodePhase::Running(_), Event::EvaluationRejected(_)) => {
                node.findings.clone_from(&node.output);
            }
            (NodePhase::Running(_), Event::NodeRepeated(repeated)) => {
                let findings = node.findings.clone();
                for id in &repeated.node_ids {
                    let position = flow.position(id.as_str()).ok_or_else(|| illegal.clone())?;
                    let again = &mut self.nodes[position];
                    *again = NodeState {
                        round: repeated.round,
                        attempts: again.attempts,
                        ready_at: again.ready_at,
                        ..NodeState::new()
                    };
                    if Some(id) == repeated.node_ids.first() {
                        again.findings.clone_from(&findings);
                    }
                    self.context.retain(|known| *known != position);
                }
            }
            (
                NodePhase::Pending | NodePhase::Ready | NodePhase::Running(_) | NodePhase::Asked { .. },
                Event::NodeFailed(failed),
            ) => {
                node.phase = NodePhase::Failed;
                node.settled_at = Some(at);
                node.failure = Some(failed.cause());
                self.failing = true;
            }
            (NodePhase::Ready | NodePhase::Running(_) | NodePhase::Asked { .. }, Event::NodeCancelled(_)) => {
                node.phase = NodePhase::Cancelled;
                node.settled_at = Some(at);
            }
            (NodePhase::Ready | NodePhase::Running(_) | NodePhase::Asked { .. }, Event::NodeOverdue(_)) => {
                node.overdue = true
            }
            _ => return Err(illegal),
        }
        Ok(())
    }
}

/// Marks the next attempt of a slot as started.
fn start(slots: &mut [Slot], attempt: &Attempt) -> Option<()> {
    let slot = slots.iter_mut().find(|slot| slot.index == attempt.index)?;
    let startable = matches!(slot.state, SlotState::Waiting | SlotState::Backoff { .. });
    if !startable || slot.attempt + 1 != attempt.attempt {
        return None;
    }
    slot.attempt = attempt.attempt;
    slot.state = SlotState::Running;
    Some(())
}

fn running<'a>(slots: &'a mut [Slot], attempt: &Attempt) -> Option<&'a mut Slot> {
    slots
        .iter_mut()
        .find(|slot| slot.index == attempt.index && slot.attempt == attempt.attempt && slot.state == SlotState::Running)
}
