//! What was learnt becomes durable, then what was decided goes out.
//!
//! One transaction holds the events, the task's and the lease's rows, the session's hold, the
//! conversation's state and the position in the agent's output. Only when it is committed are the
//! lines that stand behind it sent, and is the host told what it may forget.

use std::time::{Duration, Instant};

use segue_host::{
    Offsets,
    acp::{LineBuffer, StderrLines},
};
use segue_journal::{AppendError, Batch, HoldKey, HostRow, Row, StreamName};

use super::{
    AgentJob, Ask, DEADLINE, HOST_LIMIT, Left, SHUTDOWN, UNRECORDED,
    checkpoint::{Failed, StopAsked},
    silence,
};
use crate::{
    error::{Code, Refusal},
    record::TaskRecord,
    spawn,
};
use segue_model::{
    lease::{self, Reason},
    task::Because,
};

/// How long to wait before a write is tried again after the journal said that it could not. The
/// agent's output waits in its host meanwhile.
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// How often it is tried once the server stops: then the next server takes the turn over.
const TRIES_WHEN_STOPPING: u32 = 20;

impl AgentJob {
    /// Writes what there is to write and sends what waited for it.
    pub(super) async fn settle_writes(&mut self) -> Result<(), Left> {
        let mut tries = 0;
        while self.must_commit || self.recorder.has_events() || !self.holds.is_empty() {
            match self.write().await {
                Ok(()) => {}
                Err(AppendError::Fenced { .. } | AppendError::Conflict { .. } | AppendError::NoStream { .. }) => {
                    return Err(Left::Fenced);
                }
                Err(AppendError::Held { key, holder }) => self.session_taken(&key, &holder),
                Err(error) => {
                    tries += 1;
                    if is_worth_telling(tries) {
                        tracing::warn!(host = %self.host, "the record has to wait: {error}");
                    }
                    if tries > 1 {
                        self.end_unrecorded();
                    }
                    if self.shared.is_stopping() && (tries >= TRIES_WHEN_STOPPING || is_for_good(&error)) {
                        return Err(Left::Unwritten);
                    }
                    self.wait_to_write(&error).await;
                }
            }
        }
        if self.ended.is_none() {
            self.send().await;
        }
        self.carry_out_stop();
        Ok(())
    }

    /// Until the next try. What is asked meanwhile is answered: an end begins at the next try, all else has to be
    /// recorded first and is refused.
    async fn wait_to_write(&mut self, error: &AppendError) {
        let until = tokio::time::Instant::now() + RETRY_AFTER;
        while let Ok(Some(ask)) = tokio::time::timeout_at(until, self.asks.recv()).await {
            let refusal = || Refusal::from(error.clone());
            match ask {
                Ask::Turn(further) => drop(further.reply.send(Err(refusal()))),
                Ask::Extend { reply, .. } => drop(reply.send(Err(refusal()))),
                end @ (Ask::Cancel { .. } | Ask::Release { .. } | Ask::Shutdown | Ask::StandsStill) => {
                    self.asked_to_end(end);
                }
            }
        }
    }

    /// An end that was asked for, or whose time has come, does not wait for a disk. The host keeps who asked: if this process goes before it
    /// can record that, the next one reads it there.
    fn end_unrecorded(&mut self) {
        if self.turn.as_ref().and_then(|turn| turn.deadline).is_some_and(|at| Instant::now() >= at) {
            self.overdue();
        }
        if let Some(who) = self.who_asked_to_end().filter(|_| !self.over) {
            self.stop_tree(&who);
            self.stop_why = self.stop_why.take().map(|_| format!("{UNRECORDED}{who}"));
        }
        self.carry_out_stop();
    }

    fn who_asked_to_end(&self) -> Option<String> {
        match (&self.turn, self.lease.as_ref().map(|lease| &lease.lease.state)) {
            (Some(turn), _) => match turn.state.stop.as_ref()? {
                StopAsked::Cancel { reason, .. } => Some(reason.clone()),
                StopAsked::Deadline => Some(DEADLINE.to_owned()),
            },
            (None, Some(lease::State::Ending { reason: Reason::ShuttingDown })) => Some(SHUTDOWN.to_owned()),
            (None, Some(lease::State::Ending { reason })) => Some(reason.to_string()),
            _ => None,
        }
    }

    /// Tells the host to end the tree, once why is durable: a server that dies now leaves a task that
    /// says who wanted its end.
    fn carry_out_stop(&mut self) {
        if let Some(why) = self.stop_why.take() {
            self.stop_until = Some(Instant::now() + HOST_LIMIT);
            self.source.stop(&why);
            self.listen_for_silence();
            if let Some(turn) = &self.turn {
                turn.live.wait_for("end");
            }
        }
    }

    /// Has the job told when the host stands still: its tree is then ended long before the time that one which works
    /// may take, so that whoever asked for the end is answered.
    fn listen_for_silence(&self) {
        let (dir, asks) = (self.shared.host_dir(&self.host), self.own.asks.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = silence(&dir) => drop(asks.send(Ask::StandsStill)),
                () = asks.closed() => {}
            }
        });
    }

    /// What was taken in and is not recorded will come again.
    pub(super) fn rewind(&mut self) {
        let at = self.committed();
        self.recorder.forget_run();
        self.lines = LineBuffer::at(at.out);
        self.out_heard = at.out;
        self.errs = StderrLines::default();
        self.out = at.out;
        self.err = at.err;
        self.err_heard = at.err;
    }

    /// Sends again what a host does not have.
    pub(super) fn resend(&mut self, last_input: u64) {
        let again: Vec<_> = self.conversation.outbox().iter().filter(|out| out.n > last_input).cloned().collect();
        self.sends.retain(|out| !again.iter().any(|other| other.n == out.n));
        self.sends.splice(0..0, again);
    }

    /// One try, for a turn that is refused when it cannot be recorded.
    pub(super) async fn try_write(&mut self) -> Result<(), Refusal> {
        match self.write().await {
            Ok(()) => {
                self.send().await;
                Ok(())
            }
            Err(error) => Err(spawn::refusal_of(error)),
        }
    }

    /// A further turn that could not start: its record and the lease as it was.
    pub(super) async fn commit_unstarted(
        &mut self,
        mut record: TaskRecord,
        _key: Option<String>,
    ) -> Result<TaskRecord, Refusal> {
        let (append, row) = record.take(true);
        let mut batch = Batch { appends: vec![append], rows: vec![row], ..Batch::default() };
        if let Some(lease) = &mut self.lease {
            let (append, row) = lease.take();
            batch.appends.push(append);
            batch.rows.push(row);
        }
        let committed = self.shared.journal().append(batch).await.map_err(spawn::refusal_of)?;
        if let (Some(lease), Some(last)) = (&mut self.lease, committed.last.get(1)) {
            lease.written(*last);
        }
        record.written(committed.last.first().copied().unwrap_or_default());
        self.shared.task_ended();
        Ok(record)
    }

    /// A new session that somebody else holds: an agent that gives out one id twice.
    fn session_taken(&mut self, key: &HoldKey, holder: &str) {
        self.holds.clear();
        self.fail(Failed {
            message: format!("internal error: {key} is already held by {holder}"),
            because: Because::SetupFailed,
            stop_reason: None,
        });
        self.must_commit = true;
        self.sends.clear();
    }

    async fn write(&mut self) -> Result<(), AppendError> {
        self.wait_for_work_tree().await;
        let batch = self.batch();
        let (turn, lease) =
            (self.turn.is_some(), self.lease.is_some() && batch.appends.len() > usize::from(self.turn.is_some()));
        let kept = batch.clone();
        match self.shared.journal().append(batch).await {
            Ok(committed) => {
                let mut last = committed.last.into_iter();
                if let (true, Some(turn)) = (turn, &mut self.turn) {
                    turn.record.written(last.next().unwrap_or_default());
                }
                if let (true, Some(lease)) = (lease, &mut self.lease) {
                    lease.written(last.next().unwrap_or_default());
                }
                self.holds.clear();
                self.answered.clear();
                self.must_commit = false;
                self.source.ack(self.committed());
                Ok(())
            }
            Err(error) => {
                self.give_back(kept);
                Err(error)
            }
        }
    }

    /// A refused batch: its events stand at the front of the next one.
    fn give_back(&mut self, batch: Batch) {
        for append in batch.appends {
            if let Some(turn) = self.turn.as_mut().filter(|turn| turn.record.stream() == append.stream) {
                turn.record.untake(append.events);
            } else if let Some(lease) = self.lease.as_mut().filter(|lease| lease.stream() == append.stream) {
                lease.untake(append.events);
            }
        }
    }

    fn batch(&mut self) -> Batch {
        let now = self.shared.now();
        let events = self.recorder.take();
        let mut batch = Batch { holds: self.holds.clone(), answered: self.answered.clone(), ..Batch::default() };
        if let Some(turn) = &mut self.turn {
            for event in &events {
                if let Err(illegal) = turn.record.push(event, now) {
                    tracing::error!(task = %turn.record.task.id, "not recorded: {illegal}");
                }
            }
            let (append, row) = turn.record.take(false);
            batch.appends.push(append);
            batch.rows.push(row);
        }
        if let Some(lease) = self.lease.as_mut().filter(|lease| lease.has_unwritten()) {
            let (append, row) = lease.take();
            batch.appends.push(append);
            batch.rows.push(row);
        }
        batch.rows.push(Row::Host(Box::new(self.host_row())));
        batch
    }

    /// The stream that the agent works for at present.
    pub(super) fn stream(&self) -> Option<StreamName> {
        self.turn.as_ref().map(|turn| turn.record.stream()).or_else(|| self.lease.as_ref().map(|lease| lease.stream()))
    }

    /// How far the agent's output is in the record.
    pub(super) fn committed(&self) -> Offsets {
        Offsets { out: self.recorder.unrecorded_from().unwrap_or(self.out), err: self.err }
    }

    pub(super) fn host_row(&mut self) -> HostRow {
        // What is on its way to the host is not sent again; all else stays in the outbox.
        self.conversation.delivered(self.source.delivered());
        self.checkpoint.conversation = Some(self.conversation.clone());
        self.checkpoint.turn = self.turn.as_ref().map(|turn| turn.state.clone());
        self.checkpoint.handle = self.lease.as_ref().map(|lease| lease.lease.handle.clone());
        let Offsets { out, err } = self.committed();
        HostRow {
            id: self.host.as_str().to_owned(),
            server: self.shared.instance(),
            stream: self.stream(),
            out,
            err,
            body: serde_json::to_string(&self.checkpoint).unwrap_or_default(),
        }
    }

    /// The state of the work tree is known before the prompt that may change it goes out.
    async fn wait_for_work_tree(&mut self) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.state.prompted)
            && let Some(reading) = turn.work_tree.take()
        {
            turn.state.work_tree = reading.await.ok().flatten();
        }
    }

    async fn send(&mut self) {
        for out in std::mem::take(&mut self.sends) {
            let prompt = self.turn.as_ref().map(|turn| &*turn.prompt).unwrap_or_default();
            if let Some(plan) = out.orphan_plan() {
                self.source.orphan_plan(plan).await;
            }
            self.source.send(out.n, out.render(prompt)).await;
        }
    }
}

/// A write that is tried again and again is told of less and less often.
pub(super) const fn is_worth_telling(tries: u32) -> bool {
    tries.is_power_of_two()
}

/// No later try can succeed in this process.
pub(super) const fn is_for_good(error: &AppendError) -> bool {
    matches!(error, AppendError::Gone(_) | AppendError::Closed)
}

/// The code for a refused batch's session.
#[must_use]
pub fn session_in_use(key: &HoldKey, holder: &str) -> Refusal {
    Refusal::new(Code::SessionInUse, format!("{key} is in use by {holder}"))
}
