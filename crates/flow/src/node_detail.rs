//! One node of a Run in full, without reading what the others accepted and returned: what it accepted, who executed it
//! how often and how that came out, what it returned.

use std::{collections::VecDeque, sync::Arc};

use segue_model::{
    Timestamp,
    flow::{Json, Node, NodeId, Object, RunId, capability::Capability, effect::EvidenceLevel},
    reading::{NodeStatus, outcome::ProjectedStatus},
    run::{
        Attempt, Event,
        about::SubrunOf,
        attempt::Artifact,
        event::{EvaluationRejected, PersonAnswered, SessionTurn},
        record::{evidence_level, node_status, run_status},
    },
};

use crate::{
    error::{RunError, StorageError},
    evidence, executors,
    payload::{self, Recorded},
    reads::{self, Loaded},
    shared::{Shared, blocking},
};

/// Calls of one node that are shown: the newest. A node with a thousand items has thousands.
pub const CALLS_MAX: usize = 200;

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeDetail {
    pub run_id: RunId,
    pub node: Arc<Node>,
    /// What it is bound to, as it was when the Run was admitted.
    pub capability: Option<Arc<Capability>>,
    pub status: ProjectedStatus,
    /// `None` for one that was not reached.
    pub reached: Option<NodeStatus>,
    pub evidence_level: EvidenceLevel,
    /// 1, or more after repairs.
    pub round: u32,
    /// What it accepted; `None` before that.
    pub input: Option<Arc<Object>>,
    /// How many items a `for_each` node has.
    pub items: Option<usize>,
    pub output: Option<Arc<Object>>,
    /// Calls of its executor in all.
    pub attempts: u32,
    /// The newest of them, in their order.
    pub calls: VecDeque<Call>,
    /// When its first input was accepted.
    pub ready_at: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    pub session: Option<SessionTurn>,
    pub artifact: Option<Artifact>,
    pub verdict: Option<Verdict>,
    pub question: Option<Question>,
    pub answer: Option<(PersonAnswered, Timestamp)>,
    /// Type and message.
    pub failure: Option<(String, String)>,
    /// The Run that its result was taken over from.
    pub reused_from: Option<RunId>,
    /// Why it does not run.
    pub skipped_because: Option<&'static str>,
}

/// One call of the node's executor.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub attempt: Attempt,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub result: CallResult,
    /// Type and message of a failure.
    pub failure: Option<(String, String)>,
    /// When the next attempt starts.
    pub retry_at: Option<Timestamp>,
    /// The Run that it started, for a `flow.task`.
    pub subrun: Option<RunId>,
    /// The keys under which the channel has its tasks, for an agent of the channel: one for each start that it may have
    /// had, in their order. All but the last that is there were lost before anything was asked of the agent.
    pub task_keys: Vec<String>,
}

/// How a call came out, as far as is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallResult {
    UnderWay,
    Succeeded,
    /// An evaluation whose verdict was negative.
    Rejected,
    Failed,
    /// Nobody knows; another one follows.
    Lost,
    /// It may have written before it was lost.
    Uncertain,
    /// It was no longer wanted.
    Ended,
}

impl CallResult {
    pub const WORDS: &'static [&'static str] =
        &["under_way", "succeeded", "rejected", "failed", "lost", "uncertain", "ended"];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnderWay => Self::WORDS[0],
            Self::Succeeded => Self::WORDS[1],
            Self::Rejected => Self::WORDS[2],
            Self::Failed => Self::WORDS[3],
            Self::Lost => Self::WORDS[4],
            Self::Uncertain => Self::WORDS[5],
            Self::Ended => Self::WORDS[6],
        }
    }
}

/// What an evaluation said.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Passed { summary: String },
    Rejected(EvaluationRejected),
}

/// What a person was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    pub asked_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// A node that was not reached yet has no input and no calls.
///
/// # Errors
/// There is no such Run or no such node, or the record cannot be read.
pub async fn node(shared: &Arc<Shared>, run: &str, node: &str) -> Result<NodeDetail, RunError> {
    let (reading, run, node) = (Arc::clone(shared), run.to_owned(), node.to_owned());
    blocking(move || Ok(node_now(&reading, &run, &node))).await?
}

fn node_now(shared: &Shared, run: &str, id: &str) -> Result<NodeDetail, RunError> {
    let loaded = reads::load_lean_now(shared, run, Some(id))?;
    let flow = &loaded.bound.flow;
    let unknown = || RunError::NotFound(format!("{}/{}", loaded.run.id, id.chars().take(80).collect::<String>()));
    let position = flow.position(id).ok_or_else(unknown)?;
    let (node, state) = (&loaded.bound.nodes[position], &loaded.run.state.nodes[position]);
    let mut detail = NodeDetail {
        run_id: loaded.run.id.clone(),
        node: Arc::clone(node),
        capability: loaded.bound.capabilities[position].clone(),
        status: ProjectedStatus::of(node_status(&state.phase), run_status(loaded.run.state.status)),
        reached: node_status(&state.phase),
        evidence_level: evidence_level(node, state),
        round: state.round,
        input: state.input.clone(),
        items: state.items.as_ref().map(|items| items.len()),
        output: state.output.clone(),
        attempts: state.attempts,
        calls: VecDeque::new(),
        ready_at: state.ready_at,
        settled_at: state.settled_at,
        session: None,
        artifact: state.artifact.clone(),
        verdict: None,
        question: None,
        answer: None,
        failure: state.failure.clone(),
        reused_from: None,
        skipped_because: None,
    };
    for Recorded { at, event, .. } in of_node(&loaded, &node.id) {
        detail.tell(event, *at);
    }
    Ok(detail)
}

fn of_node<'a>(loaded: &'a Loaded, id: &'a NodeId) -> impl Iterator<Item = &'a Recorded> {
    loaded.events.iter().filter(move |recorded| recorded.event.node_id() == Some(id))
}

impl NodeDetail {
    /// As the evidence of a Run has it; `None` for a node that was not reached.
    #[must_use]
    pub fn evidence(&self) -> Option<evidence::Node> {
        Some(evidence::Node {
            node_id: self.node.id.clone(),
            executor: self.node.executor.clone(),
            effects: self.node.effects.clone(),
            evidence_level: self.evidence_level,
            status: self.reached?,
            input: self.input.as_deref().cloned(),
            output: self.output.as_deref().cloned(),
            attempts: self.attempts,
            round: self.round,
        })
    }

    fn tell(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::NodeReused(reused) => self.reused_from = Some(reused.parent_run_id.clone()),
            Event::NodeSkipped(skipped) => {
                self.skipped_because = Some(match skipped.reason {
                    segue_model::run::event::SkipReason::Condition => "condition",
                    segue_model::run::event::SkipReason::Upstream => "upstream",
                });
            }
            Event::ExecutorStarted(started) => self.begin(&started.attempt, at),
            Event::ItemAccepted(item) => self.end(&item.own.attempt, CallResult::Succeeded, at),
            Event::AttemptFailed(failed) => {
                let failure = (failed.error_type.clone(), failed.message.clone());
                if let Some(call) = self.close(&failed.attempt, CallResult::Failed, at) {
                    call.failure = Some(failure);
                    call.retry_at = failed.retry_at;
                }
            }
            Event::AttemptLost(lost) => self.end(&lost.attempt, CallResult::Lost, at),
            Event::AttemptEnded(ended) => self.end(&ended.attempt, CallResult::Ended, at),
            Event::NodeUncertain(uncertain) => self.end(&uncertain.attempt, CallResult::Uncertain, at),
            Event::ResultAccepted(_) => self.end_open(CallResult::Succeeded, at),
            Event::EvaluationPassed(passed) => self.verdict = Some(Verdict::Passed { summary: passed.summary.clone() }),
            Event::EvaluationRejected(rejected) => {
                self.verdict = Some(Verdict::Rejected(rejected.clone()));
                if let Some(last) = self.calls.back_mut() {
                    last.result = CallResult::Rejected;
                }
            }
            Event::NodeFailed(failed) => {
                let failure = failed.error_type.clone().zip(failed.message.clone());
                for call in self.calls.iter_mut().filter(|call| call.result == CallResult::UnderWay) {
                    (call.result, call.ended_at) = (CallResult::Failed, Some(at));
                    call.failure.clone_from(&failure);
                }
            }
            Event::NodeCancelled(_) => self.end_open(CallResult::Ended, at),
            Event::SessionBound(turn) => self.session = Some(turn.clone()),
            Event::SessionReused(turn) => self.session = Some(turn.0.clone()),
            Event::PersonAsked(asked) => {
                self.question = Some(Question { asked_at: at, expires_at: asked.expires_at });
                self.answer = None;
            }
            Event::PersonAnswered(answered) => self.answer = Some((answered.clone(), at)),
            _ => {}
        }
    }

    fn begin(&mut self, attempt: &Attempt, at: Timestamp) {
        if self.calls.len() == CALLS_MAX {
            self.calls.pop_front();
        }
        let of = SubrunOf { run_id: self.run_id.clone(), attempt: attempt.clone() };
        let is_task = self.capability.as_deref().is_some_and(executors::is_task_of_the_channel);
        self.calls.push_back(Call {
            attempt: attempt.clone(),
            started_at: at,
            ended_at: None,
            result: CallResult::UnderWay,
            failure: None,
            retry_at: None,
            subrun: self.node.rules.subflow.is_some().then(|| of.run_id()),
            task_keys: if is_task { executors::task_keys(&self.run_id, attempt) } else { Vec::new() },
        });
    }

    fn close(&mut self, attempt: &Attempt, result: CallResult, at: Timestamp) -> Option<&mut Call> {
        let call = self.calls.iter_mut().rev().find(|call| call.attempt == *attempt)?;
        (call.result, call.ended_at) = (result, Some(at));
        Some(call)
    }

    fn end(&mut self, attempt: &Attempt, result: CallResult, at: Timestamp) {
        self.close(attempt, result, at);
    }

    fn end_open(&mut self, result: CallResult, at: Timestamp) {
        for call in self.calls.iter_mut().filter(|call| call.result == CallResult::UnderWay) {
            (call.result, call.ended_at) = (result, Some(at));
        }
    }
}

/// What waits for somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    pub run_id: RunId,
    pub flow_id: String,
    pub task_id: String,
    pub task_title: String,
    pub node: Arc<Node>,
    pub since: Timestamp,
    pub what: Wanted,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// The answer of a person, who sees what the node accepted.
    Answer { expires_at: Option<Timestamp>, input: Option<Arc<Object>> },
    /// A decision about a call that may have written.
    Decision { attempt: Attempt, reason: Json },
}

/// Everything in this workspace that waits for somebody, the longest wait first.
///
/// # Errors
/// The journal cannot be read.
pub async fn waiting(shared: &Arc<Shared>) -> Result<Vec<Waiting>, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let rows = reading.journal().active_runs(reading.workspace.key())?;
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| row.waiting) {
            match waiting_of(&reading, &row.id) {
                Ok(waiting) => found.extend(waiting),
                // It ended or was set aside meanwhile.
                Err(RunError::NotFound(_) | RunError::Quarantined { .. }) => {}
                Err(RunError::Storage(error)) if !error.is_permanent() => return Err(error),
                Err(error) => tracing::warn!(run = row.id, "{}", crate::drive::chain(&error)),
            }
        }
        found.sort_by_key(|waiting| waiting.since);
        Ok(found)
    })
    .await
}

fn waiting_of(shared: &Shared, run: &str) -> Result<Vec<Waiting>, RunError> {
    use segue_model::run::{NodePhase, state::SlotState};
    let loaded = reads::load_lean_now(shared, run, None)?;
    let mut found = Vec::new();
    for (at, state) in loaded.run.state.nodes.iter().enumerate() {
        let node = &loaded.bound.nodes[at];
        let waiting = |since: Timestamp, what: Wanted| Waiting {
            run_id: loaded.run.id.clone(),
            flow_id: loaded.bound.flow.flow_id().to_owned(),
            task_id: loaded.run.about.task_id.clone(),
            task_title: loaded.run.about.task_title.clone(),
            node: Arc::clone(node),
            since,
            what,
        };
        match &state.phase {
            NodePhase::Asked { expires_at } => {
                let asked =
                    of_node(&loaded, &node.id).filter(|recorded| matches!(recorded.event, Event::PersonAsked(_)));
                let since = asked.last().map_or(loaded.run.state.started_at, |recorded| recorded.at);
                let input = payload::input_of(&**shared.journal(), &loaded.run.id, &node.id)?;
                found.push(waiting(since, Wanted::Answer { expires_at: *expires_at, input: input.map(Arc::new) }));
            }
            NodePhase::Running(slots) if slots.iter().any(|slot| slot.state == SlotState::Uncertain) => {
                let open = |attempt: &Attempt| {
                    slots.iter().any(|slot| {
                        slot.index == attempt.index
                            && slot.attempt == attempt.attempt
                            && slot.state == SlotState::Uncertain
                    })
                };
                let uncertain = of_node(&loaded, &node.id).filter_map(|recorded| match &recorded.event {
                    Event::NodeUncertain(uncertain) if open(&uncertain.attempt) => Some((recorded.at, uncertain)),
                    _ => None,
                });
                found.extend(uncertain.map(|(at, uncertain)| {
                    let reason = Event::from(uncertain.clone()).published().shift_remove("reason").unwrap_or_default();
                    waiting(at, Wanted::Decision { attempt: uncertain.attempt.clone(), reason })
                }));
            }
            _ => {}
        }
    }
    Ok(found)
}
