//! One turn of the agent: how it begins on a kept one, how it is cancelled, and what follows its
//! answer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use segue_host::{
    acp::{CLOSE_LIMIT, Setting, SettingRole, TurnPlan},
    work_tree,
};
use segue_model::{
    AgentHandle, TaskId, Timestamp,
    lease::{self, Reason},
    task::{Because, Created, Event, Status, outcome},
};
use tokio::sync::oneshot;

use super::{
    AgentJob, CANCEL_LIMIT, Left, Phase,
    checkpoint::{Renewal, StopAsked, TurnState},
};
use crate::{
    error::{Code, Refusal},
    record::TaskRecord,
    shared::LiveCell,
    spawn::{Begun, Started},
    workspace,
};

/// A turn under way.
#[derive(Debug)]
pub struct Turn {
    pub record: TaskRecord,
    pub state: TurnState,
    pub prompt: Arc<str>,
    pub live: Arc<LiveCell>,
    /// When the task's own deadline passes, on the clock that does not jump.
    pub deadline: Option<Instant>,
    /// The state of the work tree before the prompt, while it is being read.
    pub work_tree: Option<oneshot::Receiver<Option<work_tree::Snapshot>>>,
}

impl Turn {
    #[must_use]
    pub fn new(record: TaskRecord, prompt: Arc<str>, live: Arc<LiveCell>, now: Timestamp) -> Self {
        let deadline = deadline(&record, now);
        let work_tree = read_work_tree(&record.task.request.workspace);
        Self { record, state: TurnState::default(), prompt, live, deadline, work_tree: Some(work_tree) }
    }

    /// A turn that another server began. The work tree may have changed since: only what was read
    /// before the prompt counts.
    #[must_use]
    pub fn resume(record: TaskRecord, state: TurnState, prompt: Arc<str>, live: Arc<LiveCell>, now: Timestamp) -> Self {
        let deadline = deadline(&record, now);
        Self { record, state, prompt, live, deadline, work_tree: None }
    }

    /// As the session's hold names it.
    #[must_use]
    pub fn holder(&self) -> String {
        format!("task {}", self.record.task.id)
    }

    /// The decisive facts so far.
    #[must_use]
    pub fn ending(&self) -> outcome::Ending<'_> {
        let state = &self.state;
        outcome::Ending {
            unkept: false,
            cancelled: matches!(state.stop, Some(StopAsked::Cancel { .. })),
            timed_out: matches!(state.stop, Some(StopAsked::Deadline)),
            stop_reason: state.answer.as_ref().map(|answer| answer.stop_reason.as_str()),
            failed: state.failure.is_some(),
        }
    }
}

fn deadline(record: &TaskRecord, now: Timestamp) -> Option<Instant> {
    let (at, seconds) = record.task.deadline().zip(record.task.request.deadline_seconds)?;
    let left = time_left(at, now, Duration::try_from_secs_f64(seconds).unwrap_or_default());
    Some(Instant::now() + left)
}

/// From now to a moment on the wall clock that was `bound` away at first. That clock may have jumped
/// since: nothing is further away than it was.
#[must_use]
pub fn time_left(at: Timestamp, now: Timestamp, bound: Duration) -> Duration {
    Duration::from_micros(u64::try_from(at.0.saturating_sub(now.0)).unwrap_or(0)).min(bound)
}

fn read_work_tree(workspace: &str) -> oneshot::Receiver<Option<work_tree::Snapshot>> {
    let (tx, rx) = oneshot::channel();
    let workspace = std::path::PathBuf::from(workspace);
    tokio::spawn(async move { tx.send(work_tree::snapshot(&workspace).await) });
    rx
}

/// A further turn on a kept agent, checked as far as that needs no agent.
#[derive(Debug)]
pub struct FurtherTurn {
    pub id: TaskId,
    pub request: Created,
    pub prompt: Arc<str>,
    pub plan: TurnPlan,
    /// Flags that carry choices of this request.
    pub launch_flags: Vec<String>,
    pub renewal: Renewal,
    pub reply: oneshot::Sender<Result<(TaskId, Started), Refusal>>,
}

impl AgentJob {
    /// Begins a further turn, or refuses it and changes nothing.
    pub(super) async fn further_turn(&mut self, further: FurtherTurn) -> Result<(), Left> {
        if further.reply.is_closed() {
            // The caller was told that the agent is busy.
            return Ok(());
        }
        if let Err(refusal) = self.may_claim(&further) {
            let _ = further.reply.send(Err(refusal));
            return Ok(());
        }
        let FurtherTurn { id, request, prompt, plan, renewal, reply, .. } = further;
        let now = self.shared.now();
        let key = request.client_key.clone();
        let startable = std::path::Path::new(&request.workspace).is_dir();
        let workspace = request.workspace.clone();
        let mut record = TaskRecord::create(id.clone(), request, prompt.to_string(), self.shared.instance(), now);
        let expires = self.lease.as_ref().and_then(|lease| lease.lease.state.expires_at()).unwrap_or(now);
        let mut events = vec![Event::StatusChanged { from: Status::Created, to: Status::Starting }];
        let mut lease_events = vec![lease::Event::LeaseClaimed { task: id.clone() }];
        if startable {
            events.push(Event::StatusChanged { from: Status::Starting, to: Status::Running });
        } else {
            events.push(Event::Error {
                message: format!("agent could not be started: {}", workspace::not_a_directory(&workspace)),
            });
            events.push(Event::StatusChanged { from: Status::Starting, to: Status::Failed });
            lease_events.push(lease::Event::LeaseClaimReturned { task: id.clone(), expires_at: expires });
        }
        for event in &events {
            record.push(event, now).expect("a new task starts so");
        }
        let before = self.lease.clone();
        if let Some(lease) = &mut self.lease {
            for event in &lease_events {
                lease.push(event, now).expect("a kept lease can be claimed");
            }
        }
        if !startable {
            let outcome = self.commit_unstarted(record, key).await;
            if outcome.is_err() {
                self.lease = before;
            }
            let _ = reply.send(outcome.map(|record| (id, Begun::of(&record, self.lease.as_ref()))));
            return Ok(());
        }

        let live = self.shared.add_live(id.clone());
        let mut turn = Turn::new(record, prompt, live, now);
        turn.state.renewal = Some(renewal);
        self.turn = Some(turn);
        self.checkpoint.about.settings.clear();
        self.last_words.forget();
        self.keep_declined = None;
        let idle = std::mem::replace(&mut self.phase, Phase::Talking);
        let conversation = self.conversation.clone();
        let acts = self.conversation.next_turn(plan);
        self.act(acts, self.out);
        self.must_commit = true;
        match self.try_write().await {
            Ok(()) => {
                self.publish();
                self.source.idle(None);
                let Some(turn) = &self.turn else { return Ok(()) };
                let started = Begun::of(&turn.record, self.lease.as_ref());
                if reply.send(Ok((id, started))).is_err() {
                    let reason = "the call that started the task was given up".to_owned();
                    self.cancel(StopAsked::Cancel { reason, actor: None });
                }
            }
            Err(refused) => {
                // Nothing was written: the agent is idle as before.
                self.shared.remove_live(&id);
                self.turn = None;
                self.lease = before;
                self.conversation = conversation;
                self.recorder.take();
                self.sends.clear();
                self.holds.clear();
                self.phase = idle;
                let _ = reply.send(Err(refused));
            }
        }
        Ok(())
    }

    fn may_claim(&self, further: &FurtherTurn) -> Result<(), Refusal> {
        let Some(lease) = &self.lease else { return Err(Refusal::new(Code::AgentGone, "the agent is not kept")) };
        let lease = &lease.lease;
        let handle = &lease.handle;
        match &lease.state {
            lease::State::Pending { .. } => return Err(busy(handle)),
            lease::State::Kept { .. } => {}
            state => return Err(gone(handle, state.reason())),
        }
        if self.exited {
            return Err(gone(handle, Some(&Reason::ExitedWhileIdle)));
        }
        if lease.agent != further.request.agent {
            return Err(Refusal::invalid(format!(
                "{handle} is a {} agent, not {}",
                lease.agent, further.request.agent
            )));
        }
        if lease.workspace != further.request.workspace {
            return Err(Refusal::invalid(format!(
                "{handle} works in workspace {}, not {}",
                lease.workspace, further.request.workspace
            )));
        }
        if !further.launch_flags.is_empty() && further.launch_flags != self.checkpoint.launch_flags {
            return Err(Refusal::invalid(format!(
                "option effort is fixed when the agent is launched: {handle} runs with {:?}",
                self.checkpoint.launch_flags
            )));
        }
        for setting in &further.plan.settings {
            let option = match setting.role {
                SettingRole::Pin => continue,
                SettingRole::Model => "model",
                SettingRole::Effort => "effort",
            };
            // An effort may only appear once the model is set, so only the model's own is known now.
            let model_changes = further.plan.settings.iter().any(|s| s.role == SettingRole::Model);
            if setting.role == SettingRole::Effort && model_changes {
                continue;
            }
            if !self.offers(setting) {
                return Err(Refusal::invalid(format!(
                    "option {option}: {handle} does not offer {:?} for {}",
                    setting.value.to_string(),
                    setting.name
                )));
            }
        }
        Ok(())
    }

    fn offers(&self, setting: &Setting) -> bool {
        match self.conversation.offer().get(&setting.name) {
            Some(segue_host::acp::OfferedValue::Select { values, .. }) => values.contains(&setting.value.to_string()),
            Some(segue_host::acp::OfferedValue::Boolean { .. }) => true,
            None => false,
        }
    }

    /// Ends the turn under way as far as it can still be changed.
    pub(super) fn cancel(&mut self, stop: StopAsked) {
        let declined = matches!(stop, StopAsked::Cancel { .. }).then_some(Reason::TaskCancelledFirst);
        let Some(turn) = &mut self.turn else { return };
        if turn.state.is_over() || matches!(self.phase, Phase::Stopping) {
            if self.keep_declined.is_none() {
                self.keep_declined = declined;
            }
            // The last actor before the stop takes effect is the one that is recorded.
            if let (false, Some(StopAsked::Cancel { .. }), StopAsked::Cancel { .. }) =
                (turn.state.is_over(), &turn.state.stop, &stop)
            {
                turn.state.stop = Some(stop);
            }
            return;
        }
        let first = turn.state.stop.is_none();
        if first || matches!(stop, StopAsked::Cancel { .. }) {
            turn.state.stop = Some(stop);
        }
        self.must_commit = true;
        if !first {
            return;
        }
        let acts = self.conversation.cancel();
        if acts.is_empty() {
            // Nothing was prompted yet.
            self.stop_tree("the task was cancelled");
        } else {
            self.cancel_until = Some(Instant::now() + CANCEL_LIMIT);
            self.act(acts, self.out);
        }
    }

    pub(super) fn overdue(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.deadline = None;
        }
        self.cancel(StopAsked::Deadline);
    }

    /// The time in which late text belongs to the turn is over.
    pub(super) fn settled(&mut self) {
        self.recorder.flush();
        self.conversation.end_settle();
        let Some(turn) = &self.turn else { return };
        let reason = self.keep_declined.clone().or_else(|| {
            outcome::not_kept(outcome::Keep {
                ending: turn.ending(),
                shutting_down: self.shared.is_stopping(),
                agent_exited: self.exited || self.source.is_import(),
                session_known: self.conversation.session_id().is_some(),
            })
        });
        let Some(lease) = &self.lease else {
            self.stop_tree("the turn is over");
            return;
        };
        match reason {
            Some(reason) => {
                self.keep_declined = Some(reason);
                self.stop_tree("the turn is over");
            }
            None => {
                let left = lease.lease.state.turns_left().unwrap_or(0);
                let (_, left) = turn.state.renewal.unwrap_or_default().apply(lease.lease.bounds, left);
                if left > 0 {
                    self.keep(left);
                } else {
                    self.keep_declined = Some(Reason::LastTurnEnded);
                    self.close_session();
                }
            }
        }
    }

    /// Lets the agent close its session, then ends the tree.
    pub(super) fn close_session(&mut self) {
        let acts = self.conversation.close_session();
        if acts.is_empty() {
            self.stop_tree("the session is over");
        } else {
            self.phase = Phase::Closing { until: Instant::now() + CLOSE_LIMIT };
            self.must_commit = true;
            self.act(acts, self.out);
        }
    }

    /// Why the turn ended, as far as its own end says.
    pub(super) fn because(&self, turn: &Turn) -> Because {
        let state = &turn.state;
        match (&state.stop, &state.failure, &state.answer) {
            (Some(StopAsked::Cancel { .. }), _, _) => Because::Cancelled,
            (Some(StopAsked::Deadline), _, _) => Because::Deadline,
            (_, Some(failed), _) => failed.because,
            (_, _, Some(answer)) => {
                let task = &turn.record.task;
                segue_model::task::because::of_answer(segue_model::task::because::Answer {
                    stop_reason: &answer.stop_reason,
                    usage_reported: answer.usage.is_some(),
                    tool_calls: task.receipt.tool_calls_total(),
                    permissions_refused: task.permissions_refused(),
                    refused_last: task.receipt.refused_last,
                    final_message: task.final_message.text().unwrap_or_default(),
                })
            }
            (None, None, None) => Because::AgentExited,
        }
    }
}

/// `agent_gone`, with the recorded reason when there is one.
#[must_use]
pub fn gone(handle: &AgentHandle, reason: Option<&Reason>) -> Refusal {
    let message = match reason {
        Some(reason) => format!("{handle} is gone: {reason}"),
        None => format!("{handle} is gone"),
    };
    Refusal::new(Code::AgentGone, message)
}

/// `agent_busy`.
#[must_use]
pub fn busy(handle: &AgentHandle) -> Refusal {
    Refusal::new(Code::AgentBusy, format!("{handle} is running a turn"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_makes_no_wait_longer_and_none_negative() {
        let (now, bound) = (Timestamp(1_700_000_000_000_000), Duration::from_secs(300));
        let at = now.plus_seconds(300);
        let left = |now: Timestamp| time_left(at, now, bound).as_secs();
        assert_eq!(left(now), 300);
        assert_eq!(left(now.plus_seconds(100)), 200);
        assert_eq!(left(now.plus_seconds(-3_600)), 300, "one hour back");
        assert_eq!(left(now.plus_seconds(86_400)), 0, "one day forward");
        assert_eq!(time_left(Timestamp(i64::MAX), Timestamp(i64::MIN), bound), bound);
    }
}
