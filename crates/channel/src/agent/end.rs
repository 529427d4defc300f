//! The end of an agent's process tree, and with it of its turn and its lease.

use std::sync::Arc;

use segue_host::{AskedBy, EndRecord, Exit, HostIdentity, HostState, How, ProcessId};
use segue_journal::{AppendError, Batch, HoldChange, HoldKey, Row};
use segue_model::{
    HostId,
    lease::{self, Reason},
    task::{Because, Event, Facts, Status, StopReceipt, StoppedProcess, outcome},
};

use super::{
    AgentJob, DEADLINE, HOST_LIMIT, Left, Phase, SHUTDOWN, UNRECORDED,
    checkpoint::{Failed, StopAsked},
    last_words::exit_told,
    source::{Heard, Source, silence},
};
use crate::{
    api::Released,
    error::Refusal,
    ledger, markers,
    record::{LeaseRecord, TaskRecord},
    remnants::{self, Held, Remnant},
    shared::Shared,
};

/// How the end of a tree went.
#[derive(Debug, Clone, Default)]
pub struct Swept {
    pub receipt: StopReceipt,
    /// What is known to live of it.
    pub left: Vec<ProcessId>,
}

impl Swept {
    #[must_use]
    pub fn of(receipt: segue_host::StopReceipt) -> Self {
        let left = receipt.escaped.iter().filter_map(segue_host::Survivor::id).collect();
        Self { receipt: receipt_of(receipt), left }
    }

    /// There was nothing to end.
    #[must_use]
    pub fn nothing() -> Self {
        Self { receipt: StopReceipt { tree_empty: true, ..StopReceipt::default() }, left: Vec::new() }
    }

    /// Nothing is left of the tree, as far as can be seen.
    #[must_use]
    pub const fn confirmed(&self) -> bool {
        self.receipt.unconfirmed.is_none() && self.receipt.tree_empty
    }
}

/// How a process tree ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// −N for signal N; `None` when no exit was seen.
    pub exit_code: Option<i32>,
    pub tree: Swept,
    /// The host ended the turn since no server was attached.
    pub orphaned: bool,
    /// The host's idle clock ended the kept agent.
    pub idle: bool,
    /// Why a server had the host end it that could not record that itself.
    pub unrecorded: Option<String>,
    /// The host itself is gone.
    pub lost: Option<Because>,
}

impl Ended {
    #[must_use]
    pub fn of_record(record: EndRecord) -> Self {
        let exit_code = match record.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(signal) => Some(-signal),
            Exit::NeverStarted(_) | Exit::StillRunning => None,
        };
        let asked_by = record.stop_receipt.asked_by;
        let reason = record.stop_receipt.reason.as_deref();
        let unrecorded = reason.and_then(|reason| reason.strip_prefix(UNRECORDED)).map(str::to_owned);
        Self {
            exit_code,
            tree: Swept::of(record.stop_receipt),
            orphaned: matches!(asked_by, AskedBy::Orphan | AskedBy::Signal),
            idle: matches!(asked_by, AskedBy::Idle),
            unrecorded,
            lost: None,
        }
    }

    #[must_use]
    pub fn lost(because: Because, tree: Swept) -> Self {
        Self { exit_code: None, tree, orphaned: false, idle: false, unrecorded: None, lost: Some(because) }
    }

    /// Nothing is left of the tree, as far as can be seen.
    #[must_use]
    pub const fn confirmed(&self) -> bool {
        self.tree.confirmed()
    }
}

/// A host's receipt in the model's words.
fn receipt_of(receipt: segue_host::StopReceipt) -> StopReceipt {
    let how = |how| match how {
        How::Exited => "exited",
        How::StdinClosed => "stdin_closed",
        How::Sigterm => "sigterm",
        How::Sigkill => "sigkill",
    };
    let pid = |pid: i32| u32::try_from(pid).unwrap_or_default();
    StopReceipt {
        processes: receipt
            .processes
            .into_iter()
            .map(|p| StoppedProcess { pid: pid(p.pid), name: p.name, how: how(p.how).to_owned(), in_group: p.in_group })
            .collect(),
        escaped: receipt
            .escaped
            .into_iter()
            .map(|p| StoppedProcess { pid: pid(p.pid), name: p.name, how: "escaped".to_owned(), in_group: false })
            .collect(),
        tree_empty: receipt.tree_empty,
        unconfirmed: receipt.unconfirmed,
    }
}

impl AgentJob {
    /// The connection broke. What is seen of the host says what to do, live as in recovery.
    pub(super) async fn host_gone(&mut self) -> Result<(), Left> {
        if self.is_taken().await {
            return Err(Left::Fenced);
        }
        let dir = self.shared.host_dir(&self.host);
        let from = self.committed();
        match ledger::host_state(&self.shared, &self.host, self.checkpoint.identity.clone()).await {
            HostState::Alive => match Source::attach(&dir, from).await {
                Ok((source, hello)) => {
                    self.rewind();
                    self.resend(hello.last_input);
                    self.behind = Some(hello.end);
                    self.source = source;
                    if matches!(self.phase, Phase::Stopping) {
                        self.source.stop("the connection broke");
                    }
                }
                Err(error) => {
                    tracing::warn!(host = %self.host, "attach again: {error}");
                    self.source = Source::retry(dir);
                }
            },
            HostState::Ended(_) => match Source::import(&dir, from) {
                Ok(source) => {
                    self.rewind();
                    self.source = source;
                }
                Err(error) => {
                    tracing::error!(host = %self.host, "read what the host left: {error}");
                    self.sweep(Because::HostLost).await;
                }
            },
            HostState::OtherBoot => {
                self.ended = Some(Ended::lost(Because::MachineRestarted, Swept::nothing()));
            }
            HostState::Lost | HostState::Missing => {
                // What the host had passed on before it was killed still counts.
                match (self.source.is_import(), Source::import(&dir, from)) {
                    (false, Ok(source)) => {
                        self.rewind();
                        self.source = source;
                    }
                    _ => self.sweep(Because::HostLost).await,
                }
            }
        }
        Ok(())
    }

    /// Another server has the stream by now: its link replaced ours.
    async fn is_taken(&self) -> bool {
        let Some(stream) = self.stream() else { return false };
        let owner = ledger::read(&self.shared, move |journal| journal.owner(&stream)).await;
        matches!(owner, Ok(Some(segue_journal::Owner::Elsewhere(_) | segue_journal::Owner::Dead(_))))
    }

    /// Ends what a lost host left.
    async fn sweep(&mut self, because: Because) {
        let tree = ledger::sweep(&self.host, self.checkpoint.identity.clone()).await;
        self.source = Source::silent(self.shared.host_dir(&self.host));
        self.ended = Some(Ended::lost(because, tree));
    }

    /// The host was told to end the tree and has not done it in its time: it stands still, or it is broken. It is
    /// ended with the rest.
    pub(super) async fn host_stands_still(&mut self) {
        tracing::warn!(host = %self.host, "the host does not end the tree, and is ended with it");
        self.sweep(Because::HostLost).await;
    }

    /// Nothing can be recorded and the server stops: the tree ends all the same. The host keeps how it went for the
    /// next server.
    pub(super) async fn end_unwritten(&mut self) {
        if self.over {
            return;
        }
        self.source.stop(&format!("{UNRECORDED}{SHUTDOWN}"));
        let ended = async {
            loop {
                for heard in self.source.next().await {
                    match heard {
                        Heard::End(record) => return Some(Ended::of_record(*record).confirmed()),
                        Heard::Lost => return None,
                        _ => {}
                    }
                }
            }
        };
        let dir = self.shared.host_dir(&self.host);
        let ended = async {
            tokio::select! {
                ended = ended => ended,
                () = silence(&dir) => None,
            }
        };
        let confirmed = match tokio::time::timeout(HOST_LIMIT, ended).await {
            Ok(Some(confirmed)) => confirmed,
            Ok(None) | Err(_) => ledger::sweep(&self.host, self.checkpoint.identity.clone()).await.confirmed(),
        };
        if !confirmed {
            self.shared.mark_unconfirmed();
        }
    }

    /// Records the end of the tree: of the turn, of the lease and of the session's hold, in one
    /// transaction. Then waiters are woken and the marker appears.
    pub(super) async fn complete(&mut self, ended: Ended) -> Result<(), Left> {
        self.over = true;
        let confirmed = ended.confirmed();
        if !confirmed {
            self.shared.mark_unconfirmed();
        }
        self.recorder.flush();
        self.settle_writes().await?;
        self.note_end(&ended);
        let now = self.shared.now();
        let declined = self.why_not_kept(confirmed);
        let mut batch = Batch { answered: std::mem::take(&mut self.answered), ..Batch::default() };
        let task = self.turn.as_ref().map(|turn| turn.record.task.id.clone());
        let mut held = Vec::new();

        if let Some(mut turn) = self.turn.take() {
            let events = self.last_events(&turn, &ended).await;
            for event in &events {
                if let Err(illegal) = turn.record.push(event, now) {
                    tracing::error!(task = %turn.record.task.id, "not recorded: {illegal}");
                }
            }
            let (append, row) = turn.record.take(true);
            batch.appends.push(append);
            batch.rows.push(row);
            held.extend(self.hold(turn.holder()));
            self.turn = Some(turn);
        }
        let mut unconfirmed_lease = None;
        let lease_held = self.lease.as_ref().and_then(|lease| self.hold(lease_holder(&lease.lease.handle)));
        held.extend(lease_held);
        if let Some(lease) = &mut self.lease {
            let reason = self.keep_declined.clone().unwrap_or(declined);
            let event = match &lease.lease.state {
                lease::State::Ending { reason } => lease::Event::LeaseEnded { reason: reason.clone() },
                lease::State::Kept { .. } => lease::Event::LeaseEnded { reason: Reason::ExitedWhileIdle },
                _ => lease.lease.turn_not_kept(reason),
            };
            if let Err(illegal) = lease.push(&event, now) {
                tracing::error!(host = %self.host, "not recorded: {illegal}");
            }
            let (append, row) = lease.take();
            batch.appends.push(append);
            batch.rows.push(row);
            if !confirmed && task.is_none() {
                unconfirmed_lease = Some(lease.lease.task.clone());
            }
        }
        let identity = self.checkpoint.identity.clone();
        close(&self.shared, &self.host, &ended.tree, identity, held, &mut batch);
        self.write_last(batch).await?;

        self.source.release().await;
        self.phase = Phase::Done;
        self.slot = None;
        if let Some(task) = unconfirmed_lease {
            let message = format!("the kept agent was ended, but {}", unconfirmed_words(&ended.tree.receipt));
            ledger::late_error(&self.shared, &task, message).await;
        }
        self.reply_releases(&ended);
        if let Some(task) = task {
            self.withdraw();
            self.shared.task_ended();
            markers::task_ended(&self.shared, &task).await;
        }
        Ok(())
    }

    /// The session as this one may hold it.
    fn hold(&self, holder: String) -> Option<Held> {
        let session = self.conversation.session_id()?.to_owned();
        Some(Held { key: HoldKey { agent: self.checkpoint.agent.clone(), session }, holder })
    }

    fn why_not_kept(&self, confirmed: bool) -> Reason {
        let Some(turn) = &self.turn else { return Reason::LeaseNotOpen };
        let ending = outcome::Ending { unkept: !confirmed, ..turn.ending() };
        let keep =
            outcome::Keep { ending, shutting_down: self.shared.is_stopping(), agent_exited: true, session_known: true };
        outcome::not_kept(keep).unwrap_or(Reason::AgentExited)
    }

    /// What the way in which the tree ended says about the turn or the lease.
    fn note_end(&mut self, ended: &Ended) {
        let Some(turn) = &mut self.turn else {
            if let Some(lease) = self.lease.as_mut()
                && let lease::State::Kept { .. } = lease.lease.state
            {
                let reason = match (&ended.unrecorded, ended.lost, ended.idle, ended.orphaned) {
                    (_, Some(Because::MachineRestarted), _, _) => Reason::MachineRestarted,
                    (_, Some(_), _, _) => Reason::HostLost,
                    (_, _, _, true) => Reason::ServerDied,
                    (_, _, true, _) => Reason::Idle(lease.lease.bounds.keep_idle),
                    (Some(why), ..) if why == SHUTDOWN => Reason::ShuttingDown,
                    (Some(_), ..) => Reason::Released,
                    _ => Reason::ExitedWhileIdle,
                };
                let _ = lease.push(&lease::Event::LeaseEnding { reason }, self.shared.now());
            }
            return;
        };
        if let (None, None, Some(reason)) = (&turn.state.stop, &turn.state.answer, &ended.unrecorded) {
            // That its output ended is what came of it.
            turn.state.failure = None;
            turn.state.stop = Some(match reason.as_str() {
                DEADLINE => StopAsked::Deadline,
                _ => StopAsked::Cancel { reason: reason.clone(), actor: None },
            });
        }
        if turn.state.stop.is_some() {
            return;
        }
        let answered = turn.state.answer.as_ref().map(|answer| answer.stop_reason.clone());
        let gone = |because, message: &str| {
            Some(Failed { message: message.to_owned(), because, stop_reason: answered.clone() })
        };
        let failure = match ended.lost {
            _ if answered.as_deref() == Some("end_turn") => None,
            // The agent's answer, or its silence, was to the host's own cancel.
            None if ended.orphaned => gone(
                Because::Orphaned,
                "no server was attached to the agent for the orphan grace, and its host ended the turn",
            ),
            _ if answered.is_some() => None,
            Some(Because::MachineRestarted) => {
                gone(Because::MachineRestarted, "the machine was restarted during the turn")
            }
            Some(because) => gone(because, "the host process of the agent was lost during the turn"),
            None if turn.state.failure.is_none() => {
                gone(Because::AgentExited, &format!("{} session failed: Connection closed", self.checkpoint.exe))
            }
            None => None,
        };
        if let Some(failure) = failure {
            turn.state.failure = Some(failure);
        }
        let leader = self.checkpoint.leader();
        if let (None, Some(failure)) = (ended.lost, &mut turn.state.failure)
            && failure.because == Because::AgentExited
        {
            failure.message.push_str(&exit_told(ended.exit_code, leader, &ended.tree.receipt));
            failure.message.push_str(&self.last_words.told());
        }
    }

    /// The completion's events, in the order of the contract.
    async fn last_events(&self, turn: &super::Turn, ended: &Ended) -> Vec<Event> {
        let state = &turn.state;
        let unkept = !ended.confirmed();
        let ending = outcome::Ending { unkept, ..turn.ending() };
        let mut events = Vec::new();
        if let Some(StopAsked::Cancel { reason, actor }) = &state.stop {
            events.push(Event::TaskCancelled { reason: reason.clone(), actor: actor.clone() });
        }
        match (&state.stop, &state.failure) {
            (Some(StopAsked::Deadline), _) => {
                let seconds = turn.record.task.request.deadline_seconds.unwrap_or_default();
                events.push(Event::Error { message: format!("the deadline of {seconds} s passed") });
            }
            // A step that fails because the task was cancelled is no error of its own.
            (Some(StopAsked::Cancel { .. }), _) => {}
            (None, Some(failed)) => {
                events.push(Event::Error { message: failed.message.clone() });
            }
            (None, None) => {}
        }
        if unkept {
            events.push(Event::Error {
                message: format!("{}: {}", self.checkpoint.exe, unconfirmed_words(&ended.tree.receipt)),
            });
        }
        let because = if unkept { Because::Unconfirmed } else { self.because(turn) };
        let facts = self.facts(turn, because, Some(ended.tree.receipt.clone())).await;
        let stop_reason = match (&state.answer, &state.failure) {
            (Some(answer), _) => Some(answer.stop_reason.clone()),
            (None, Some(failed)) => failed.stop_reason.clone(),
            (None, None) => None,
        };
        events.push(Event::ProcessExited { exit_code: ended.exit_code, stop_reason, facts: Box::new(facts) });
        events.push(Event::StatusChanged { from: Status::Running, to: outcome::status(ending) });
        events
    }

    /// What is known at the end of a turn.
    pub(super) async fn facts(&self, turn: &super::Turn, because: Because, stop: Option<StopReceipt>) -> Facts {
        let files_changed = match &turn.state.work_tree {
            Some(before) => {
                segue_host::work_tree::changed_since(std::path::Path::new(&turn.record.task.request.workspace), before)
                    .await
            }
            None => None,
        };
        Facts {
            because: Some(because),
            prompted: turn.state.prompted,
            agent_name: self.checkpoint.about.name.clone(),
            agent_version: self.checkpoint.about.version.clone(),
            settings: self.checkpoint.about.settings.clone(),
            usage: turn.state.answer.as_ref().and_then(|answer| answer.usage.clone()),
            answer_meta: turn.state.answer.as_ref().and_then(|answer| answer.meta.clone()),
            files_changed,
            stop,
            noise_lines: turn.state.noise_lines,
        }
    }

    /// Records the end of a task whose server died before its agent ran.
    pub async fn end_unstarted(
        shared: &Arc<Shared>,
        host: HostId,
        mut record: TaskRecord,
        lease: Option<LeaseRecord>,
        identity: Option<HostIdentity>,
        tree: Swept,
    ) -> Result<(), AppendError> {
        let now = shared.now();
        let mut events = Vec::new();
        if record.task.status() == Status::Created {
            events.push(Event::StatusChanged { from: Status::Created, to: Status::Starting });
        }
        let message = if tree.confirmed() {
            "agent could not be started: the server died while it was starting".to_owned()
        } else {
            format!(
                "agent could not be started: the server died while it was starting, and {}",
                unconfirmed_words(&tree.receipt)
            )
        };
        events.push(Event::Error { message });
        events.push(Event::StatusChanged { from: Status::Starting, to: Status::Failed });
        for event in &events {
            if let Err(illegal) = record.push(event, now) {
                tracing::error!(task = %record.task.id, "not recorded: {illegal}");
            }
        }
        let mut batch = Batch::default();
        let task = record.task.id.clone();
        let held = record.task.request.session_id.clone().map(|session| Held {
            key: HoldKey { agent: record.task.request.agent.clone(), session },
            holder: format!("task {task}"),
        });
        let (append, row) = record.take(true);
        batch.appends.push(append);
        batch.rows.push(row);
        if let Some(mut lease) = lease {
            let event = lease.lease.turn_not_kept(Reason::NotStarted);
            if lease.push(&event, now).is_ok() {
                let (append, row) = lease.take();
                batch.appends.push(append);
                batch.rows.push(row);
            }
        }
        close(shared, &host, &tree, identity, held.into_iter().collect(), &mut batch);
        shared.journal().append(batch).await?;
        shared.task_ended();
        markers::task_ended(shared, &task).await;
        Ok(())
    }

    fn reply_releases(&mut self, ended: &Ended) {
        let Some(lease) = &self.lease else { return };
        let lease = &lease.lease;
        for reply in self.releases.drain(..) {
            let answer = if ended.confirmed() {
                Ok(Released {
                    handle: lease.handle.to_string(),
                    agent: lease.agent.clone(),
                    session_id: lease.session_id.clone(),
                })
            } else {
                Err(Refusal::invalid(format!(
                    "{}: {}; its session stays held until they are seen to be gone",
                    lease.handle,
                    unconfirmed_words(&ended.tree.receipt)
                )))
            };
            let _ = reply.send(answer);
        }
    }
}

/// Adds the end of a host's row to the batch that records the end of its work. Holds are freed with it when the tree is
/// gone; else they stay with what is left.
pub fn close(
    shared: &Shared,
    host: &HostId,
    tree: &Swept,
    identity: Option<HostIdentity>,
    held: Vec<Held>,
    batch: &mut Batch,
) {
    if tree.confirmed() {
        batch.rows.push(Row::RemoveHost(host.as_str().to_owned()));
        batch.holds.extend(held.into_iter().map(|Held { key, holder }| HoldChange::Free { key, holder }));
    } else {
        remnants::keep(shared, host, &Remnant { identity, left: tree.left.clone(), held }, batch);
    }
}

/// As a session's hold names a kept agent.
#[must_use]
pub fn lease_holder(handle: &segue_model::AgentHandle) -> String {
    format!("kept agent {handle}")
}

fn unconfirmed_words(receipt: &StopReceipt) -> String {
    receipt.unconfirmed.clone().unwrap_or_else(|| "its process tree was not seen empty".to_owned())
}

#[cfg(test)]
mod tests;
