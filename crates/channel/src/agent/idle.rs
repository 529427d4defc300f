//! A kept agent between its turns.

use std::time::{Duration, Instant};

use segue_journal::{AppendError, Batch, HoldChange, HoldKey, Row};
use segue_model::{
    lease::{self, Bounds, Reason},
    task::{Because, Event, Status},
};
use tokio::sync::oneshot;

use super::{
    AgentJob, Left, Phase,
    commit::{is_for_good, is_worth_telling},
    end::lease_holder,
    turn::{busy, gone, time_left},
};
use crate::{
    api::{Extended, Released},
    error::Refusal,
    markers,
};

/// How long to wait before the completion of a turn is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(250);
const TRIES_WHEN_STOPPING: u32 = 20;

impl AgentJob {
    /// How long a kept agent may still be idle.
    pub(super) fn idle_left(&self) -> Duration {
        let Some(lease) = &self.lease else { return Duration::ZERO };
        let bound = Duration::from_secs(u64::from(lease.lease.bounds.keep_idle));
        let Some(expires) = lease.lease.state.expires_at() else { return bound };
        time_left(expires, self.shared.now(), bound)
    }

    /// The turn succeeded and the agent stays. Marked here, written by [`AgentJob::complete_kept`].
    pub(super) fn keep(&mut self, turns_left: u32) {
        self.phase = Phase::Idle { until: Instant::now() };
        self.keeping = Some(turns_left);
    }

    /// Session to the handle, lease kept, turn completed: one transaction.
    pub(super) async fn complete_kept(&mut self, turns_left: u32) -> Result<(), Left> {
        self.recorder.flush();
        self.settle_writes().await?;
        let (Some(mut turn), Some(session)) = (self.turn.take(), self.conversation.session_id().map(str::to_owned))
        else {
            self.stop_tree("there is no session to keep");
            return Ok(());
        };
        let now = self.shared.now();
        let because = self.because(&turn);
        let facts = self.facts(&turn, because, None).await;
        debug_assert_ne!(because, Because::Cancelled);
        let mut batch = Batch { answered: std::mem::take(&mut self.answered), ..Batch::default() };
        let mut idle = Duration::ZERO;
        if let Some(lease) = &mut self.lease {
            let renewal = turn.state.renewal.unwrap_or_default();
            let (bounds, _) = renewal.apply(lease.lease.bounds, turns_left);
            let expires_at = now.plus_seconds(i64::from(bounds.keep_idle));
            idle = Duration::from_secs(u64::from(bounds.keep_idle));
            let kept = Event::AgentKept {
                handle: lease.lease.handle.clone(),
                expires_at: expires_at.seconds(),
                turns_left,
                facts: Box::new(facts),
            };
            for event in [kept, Event::StatusChanged { from: Status::Running, to: Status::Succeeded }] {
                if let Err(illegal) = turn.record.push(&event, now) {
                    tracing::error!(task = %turn.record.task.id, "not recorded: {illegal}");
                }
            }
            let event = lease::Event::LeaseKept { session_id: session.clone(), expires_at, turns_left, bounds };
            if let Err(illegal) = lease.push(&event, now) {
                tracing::error!(host = %self.host, "not recorded: {illegal}");
            }
            let key = HoldKey { agent: self.checkpoint.agent.clone(), session };
            batch.holds.push(HoldChange::Move { key, holder: lease_holder(&lease.lease.handle) });
            let (append, row) = turn.record.take(true);
            batch.appends.push(append);
            batch.rows.push(row);
            let (append, row) = lease.take();
            batch.appends.push(append);
            batch.rows.push(row);
        }
        let task = turn.record.task.id.clone();
        self.shared.remove_job(&turn.record.stream());
        self.shared.remove_live(&task);
        self.conversation.idle();
        // From here on the host's row belongs to the lease.
        batch.rows.push(Row::Host(Box::new(self.host_row())));
        let last = self.write_last(batch).await?;
        if let (Some(lease), Some(last)) = (&mut self.lease, last.get(1)) {
            lease.written(*last);
        }
        self.phase = Phase::Idle { until: Instant::now() + idle };
        self.source.idle(Some(idle));
        self.source.ack(self.committed());
        self.shared.task_ended();
        markers::task_ended(&self.shared, &task).await;
        self.gone_while_idle();
        Ok(())
    }

    /// Writes a completion, however long it takes.
    pub(super) async fn write_last(&mut self, batch: Batch) -> Result<Vec<u64>, Left> {
        let mut tries = 0;
        loop {
            match self.shared.journal().append(batch.clone()).await {
                Ok(committed) => return Ok(committed.last),
                Err(AppendError::Fenced { .. } | AppendError::Conflict { .. } | AppendError::NoStream { .. }) => {
                    return Err(Left::Fenced);
                }
                Err(error) => {
                    tries += 1;
                    if is_worth_telling(tries) {
                        tracing::warn!(host = %self.host, "the completion has to wait: {error}");
                    }
                    if self.shared.is_stopping() && (tries >= TRIES_WHEN_STOPPING || is_for_good(&error)) {
                        return Err(Left::Unwritten);
                    }
                    tokio::time::sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    /// The idle bound passed.
    pub(super) fn idle_expired(&mut self) {
        let Some(lease) = &self.lease else { return };
        let reason = Reason::Idle(lease.lease.bounds.keep_idle);
        self.end_lease(reason);
    }

    /// The agent ended by itself while it was idle.
    pub(super) fn gone_while_idle(&mut self) {
        // Of a host that is over the end record follows, and it knows whose doing the exit was.
        let over = self.source.is_import();
        if self.exited && !over && self.turn.is_none() && matches!(self.phase, Phase::Idle { .. }) {
            self.end_lease(Reason::ExitedWhileIdle);
        }
    }

    fn end_lease(&mut self, reason: Reason) {
        let now = self.shared.now();
        let Some(lease) = &mut self.lease else { return };
        if lease.push(&lease::Event::LeaseEnding { reason }, now).is_ok() {
            self.must_commit = true;
            if self.exited {
                self.stop_tree("the agent exited");
            } else {
                self.close_session();
            }
        }
    }

    pub(super) async fn extend(
        &mut self,
        keep_idle: Option<u32>,
        keep_turns: Option<u32>,
        reply: oneshot::Sender<Result<Extended, Refusal>>,
    ) -> Result<(), Left> {
        let now = self.shared.now();
        let Some(lease) = &mut self.lease else { return Ok(()) };
        let handle = lease.lease.handle.clone();
        let refusal = match &lease.lease.state {
            lease::State::Kept { .. } if !self.exited => None,
            lease::State::Kept { .. } => Some(gone(&handle, Some(&Reason::ExitedWhileIdle))),
            lease::State::Pending { .. } => Some(busy(&handle)),
            state => Some(gone(&handle, state.reason())),
        };
        if let Some(refusal) = refusal {
            let _ = reply.send(Err(refusal));
            return Ok(());
        }
        let bounds = Bounds {
            keep_idle: keep_idle.unwrap_or(lease.lease.bounds.keep_idle),
            keep_turns: keep_turns.unwrap_or(lease.lease.bounds.keep_turns),
        };
        let turns_left = keep_turns.or(lease.lease.state.turns_left()).unwrap_or(0);
        let expires_at = now.plus_seconds(i64::from(bounds.keep_idle));
        let event = lease::Event::LeaseExtended { expires_at, turns_left, bounds };
        lease.push(&event, now).expect("a kept lease can be extended");
        self.must_commit = true;
        self.settle_writes().await?;
        let idle = Duration::from_secs(u64::from(bounds.keep_idle));
        self.phase = Phase::Idle { until: Instant::now() + idle };
        self.source.idle(Some(idle));
        let _ = reply.send(Ok(Extended { handle: handle.to_string(), expires_at, turns_left }));
        Ok(())
    }

    pub(super) fn release(&mut self, reason: Reason, reply: Option<oneshot::Sender<Result<Released, Refusal>>>) {
        let Some(lease) = &self.lease else { return };
        let handle = lease.lease.handle.clone();
        match &lease.lease.state {
            lease::State::Kept { .. } => {
                self.releases.extend(reply);
                self.end_lease(reason);
            }
            lease::State::Ending { .. } => self.releases.extend(reply),
            lease::State::Pending { .. } => {
                if let Some(reply) = reply {
                    let _ = reply.send(Err(busy(&handle)));
                }
            }
            state => {
                if let Some(reply) = reply {
                    let _ = reply.send(Err(gone(&handle, state.reason())));
                }
            }
        }
    }
}
