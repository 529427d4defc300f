//! The job that has one agent process, from its start to the end of its tree.
//!
//! One owner for everything that changes with the process: the conversation, the turn's record, the
//! lease, the position in its output. Others ask by message ([`Ask`]). A job works the same whether
//! its server started the process, took it over in the middle of a prompt, or only takes in what a
//! finished host left behind.
//!
//! ```text
//! Talking ──answer──▶ Settling ──▶ Idle (kept) ──▶ Talking …
//!    │ failure, cancel, deadline      │ released, idle, last turn
//!    ▼                                ▼
//! Stopping ◀─────────────────────── Closing
//!    │ the host's end record
//!    ▼
//!  done: completion, release of session and lease in one transaction
//! ```

pub mod checkpoint;
mod commit;
mod end;
mod hear;
mod idle;
pub mod last_words;
mod source;
mod turn;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use segue_host::{
    Offsets,
    acp::{Conversation, LineBuffer, Outgoing, StderrLines},
};
use segue_journal::HoldChange;
use segue_model::{
    HostId, TaskId,
    lease::{self, Reason},
};
use tokio::sync::{mpsc, oneshot};

use self::{checkpoint::Checkpoint, last_words::LastWords};
pub use self::{
    commit::session_in_use,
    end::{Ended, Swept, close},
    source::{Heard, Source, silence},
    turn::{FurtherTurn, Turn},
};
use crate::{
    api::{Extended, Released},
    error::Refusal,
    record::LeaseRecord,
    recorder::Recorder,
    shared::{Busy, JobRef, Shared, Slot},
};

/// How long updates after the prompt's answer still belong to the turn. Agents were seen to send
/// their last text in the same write or shortly after; it is part of every turn's length.
pub const SETTLE: Duration = Duration::from_millis(250);
/// How long a turn that was asked to end may take to answer before its process is ended. Fixed by
/// the channel contract.
pub const CANCEL_LIMIT: Duration = Duration::from_secs(5);
/// How long a process that ended may leave its output open before the turn counts as over. Fixed by
/// the channel contract.
pub const EXIT_LIMIT: Duration = Duration::from_secs(1);
/// Why a task was cancelled whose server stopped. Fixed by the channel contract.
pub const SHUTDOWN: &str = "shutdown";
/// The same for a task whose deadline passed, in words of our own.
const DEADLINE: &str = "deadline";
/// Before the reason that a host is given for an end that is not recorded yet.
const UNRECORDED: &str = "not recorded: ";
/// How long a host may take to end a tree: the 35 s of its ladder and a margin. Only one that stands still takes
/// longer.
pub const HOST_LIMIT: Duration = Duration::from_secs(40);
/// Far enough to mean "no clock runs".
const NEVER: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What others want from the job.
#[derive(Debug)]
pub enum Ask {
    /// End the turn of this task, if it is the one under way: a kept agent may have come to a later one.
    /// `request` is the number of another server's request that this answers.
    Cancel {
        task: TaskId,
        reason: String,
        actor: Option<String>,
        request: Option<i64>,
    },
    /// A further turn on the kept agent.
    Turn(Box<FurtherTurn>),
    Extend {
        keep_idle: Option<u32>,
        keep_turns: Option<u32>,
        reply: oneshot::Sender<Result<Extended, Refusal>>,
    },
    Release {
        reply: oneshot::Sender<Result<Released, Refusal>>,
    },
    /// The server stops: end the turn or the kept agent.
    Shutdown,
    /// The host that was told to end the tree says nothing.
    StandsStill,
}

/// Where the job is.
#[derive(Debug)]
enum Phase {
    /// Before and during the prompt.
    Talking,
    /// The prompt was answered; what comes until then belongs to the turn.
    Settling {
        until: Instant,
    },
    /// Kept, with no turn.
    Idle {
        until: Instant,
    },
    /// `session/close` was sent.
    Closing {
        until: Instant,
    },
    /// The host was told to end the tree; its end record is awaited.
    Stopping,
    Done,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct AgentJob {
    shared: Arc<Shared>,
    host: HostId,
    source: Source,
    asks: mpsc::UnboundedReceiver<Ask>,
    own: JobRef,
    conversation: Conversation,
    /// What the row holds beside the conversation and the turn's state.
    checkpoint: Checkpoint,
    lines: LineBuffer,
    errs: StderrLines,
    last_words: LastWords,
    recorder: Recorder,
    /// Bytes of output whose lines were taken in.
    out: u64,
    out_heard: u64,
    /// The same for standard error, whole lines only.
    err: u64,
    err_heard: u64,
    /// How far the host was when this job attached: until there, what it hears has been waiting, and
    /// no clock of the turn runs.
    behind: Option<Offsets>,
    phase: Phase,
    turn: Option<Turn>,
    lease: Option<LeaseRecord>,
    slot: Option<Slot>,
    /// Lines to send once what was learnt before them is durable.
    sends: Vec<Outgoing>,
    holds: Vec<HoldChange>,
    answered: Vec<i64>,
    /// Something has to be durable although no event was recorded.
    must_commit: bool,
    /// When the awaited answer has to be there.
    step_until: Option<Instant>,
    /// When the answer to `session/cancel` has to be there.
    cancel_until: Option<Instant>,
    /// The tree is to be ended once why is durable.
    stop_why: Option<String>,
    /// When the host that was told to end the tree has to have done so.
    stop_until: Option<Instant>,
    /// The first process ended and its output is still open.
    exit_until: Option<Instant>,
    exited: bool,
    keep_declined: Option<Reason>,
    /// The turn is over and its agent stays, with this many turns.
    keeping: Option<u32>,
    releases: Vec<oneshot::Sender<Result<Released, Refusal>>>,
    /// How the tree ended, once it is known.
    ended: Option<Ended>,
    /// The tree has ended, recorded or not.
    over: bool,
    _busy: Busy,
}

/// What a job begins with.
#[derive(Debug)]
pub struct Begin {
    pub host: HostId,
    pub source: Source,
    pub conversation: Conversation,
    pub checkpoint: Checkpoint,
    pub turn: Option<Turn>,
    pub lease: Option<LeaseRecord>,
    pub slot: Option<Slot>,
    /// Lines to send first.
    pub sends: Vec<Outgoing>,
    /// Where the output that was not taken in yet begins.
    pub out: u64,
    pub err: u64,
    /// Where the host's output stood when it was attached to, if it was.
    pub behind: Option<Offsets>,
    /// The last write before the job began was refused.
    pub unwritten: bool,
}

/// Why a job stops without a recorded end.
#[derive(Debug)]
enum Left {
    /// Its streams belong to another server by now.
    Fenced,
    /// The server stops and the journal cannot be written: the next server records what became of it.
    Unwritten,
}

impl AgentJob {
    /// Starts the job. It is reachable under the streams it works for.
    pub fn start(shared: &Arc<Shared>, begin: Begin) -> JobRef {
        Self::build(shared, begin).go()
    }

    /// Starts a job that has only the end of its tree left to record.
    pub fn start_ended(shared: &Arc<Shared>, begin: Begin, ended: Ended) -> JobRef {
        let mut job = Self::build(shared, begin);
        job.phase = Phase::Stopping;
        job.ended = Some(ended);
        job.go()
    }

    fn go(self) -> JobRef {
        let own = self.own.clone();
        self.publish();
        // A shutdown that began before the job could be found does not pass it by.
        if self.shared.is_stopping() {
            let _ = own.asks.send(Ask::Shutdown);
        }
        tokio::spawn(self.run());
        own
    }

    fn build(shared: &Arc<Shared>, begin: Begin) -> Self {
        let (tx, asks) = mpsc::unbounded_channel();
        let own = JobRef { host: begin.host.clone(), asks: tx };
        let mut job = Self {
            shared: Arc::clone(shared),
            host: begin.host,
            source: begin.source,
            asks,
            own,
            conversation: begin.conversation,
            checkpoint: begin.checkpoint,
            lines: LineBuffer::at(begin.out),
            errs: StderrLines::default(),
            last_words: LastWords::default(),
            recorder: Recorder::default(),
            out: begin.out,
            out_heard: begin.out,
            err: begin.err,
            err_heard: begin.err,
            behind: begin.behind,
            phase: Phase::Talking,
            turn: begin.turn,
            lease: begin.lease,
            slot: begin.slot,
            sends: begin.sends,
            holds: Vec::new(),
            answered: Vec::new(),
            must_commit: begin.unwritten,
            keeping: None,
            step_until: None,
            cancel_until: None,
            stop_why: None,
            stop_until: None,
            exit_until: None,
            exited: false,
            keep_declined: None,
            releases: Vec::new(),
            ended: None,
            over: false,
            _busy: shared.busy(),
        };
        job.enter();
        job
    }

    /// Finds the phase of what was begun with.
    fn enter(&mut self) {
        let now = Instant::now();
        match &self.turn {
            Some(turn) if turn.state.failure.is_some() => self.stop_tree("the turn failed"),
            Some(turn) if turn.state.answer.is_some() => self.phase = Phase::Settling { until: now + SETTLE },
            // It was cancelled before there was anything to answer.
            Some(turn) if turn.state.stop.is_some() && self.conversation.awaiting().is_none() => {
                self.stop_tree("the task was cancelled");
            }
            Some(turn) => {
                if turn.state.stop.is_some() {
                    self.cancel_until = Some(now + CANCEL_LIMIT);
                }
                self.phase = Phase::Talking;
            }
            None => match self.lease.as_ref().map(|lease| &lease.lease.state) {
                Some(lease::State::Kept { .. }) => self.phase = Phase::Idle { until: now + self.idle_left() },
                // Its end had begun, and nobody knows how far that went.
                _ => self.stop_tree("the session is over"),
            },
        }
        self.watch_step();
    }

    /// Makes the job reachable.
    fn publish(&self) {
        if let Some(turn) = &self.turn {
            self.shared.add_job(turn.record.stream(), self.own.clone());
        }
        if let Some(lease) = &self.lease {
            self.shared.add_job(lease.stream(), self.own.clone());
        }
    }

    fn withdraw(&self) {
        if let Some(turn) = &self.turn {
            self.shared.remove_job(&turn.record.stream());
            self.shared.remove_live(&turn.record.task.id);
        }
        if let Some(lease) = &self.lease {
            self.shared.remove_job(&lease.stream());
        }
    }

    async fn run(mut self) {
        let outcome = self.work().await;
        self.withdraw();
        self.shared.task_ended();
        match outcome {
            // Nobody waits for this but a shutdown: a process that exits now would leave a host behind that
            // was never told.
            Ok(()) => self.source.gone().await,
            Err(Left::Fenced) => tracing::warn!(host = %self.host, "another server has taken this agent over"),
            Err(Left::Unwritten) => {
                self.end_unwritten().await;
                self.shared.mark_unwritten();
                tracing::error!(host = %self.host, "the end of this agent could not be recorded; the next server does that");
            }
        }
    }

    async fn work(&mut self) -> Result<(), Left> {
        loop {
            self.settle_writes().await?;
            if let Some(turns_left) = self.keeping.take() {
                self.complete_kept(turns_left).await?;
            }
            if let Some(ended) = self.ended.take() {
                self.complete(ended).await?;
            }
            if matches!(self.phase, Phase::Done) {
                return Ok(());
            }
            let wake = tokio::time::Instant::from_std(self.next_wake());
            tokio::select! {
                biased;
                Some(ask) = self.asks.recv() => self.asked(ask).await?,
                heard = self.source.next() => self.hear(heard).await?,
                () = tokio::time::sleep_until(wake) => {
                    self.tick();
                    if self.stop_until.is_some_and(|until| Instant::now() >= until) {
                        self.host_stands_still().await;
                    }
                }
            }
        }
    }

    async fn asked(&mut self, ask: Ask) -> Result<(), Left> {
        match ask {
            Ask::Turn(further) => self.further_turn(*further).await?,
            Ask::Extend { keep_idle, keep_turns, reply } => self.extend(keep_idle, keep_turns, reply).await?,
            end @ (Ask::Cancel { .. } | Ask::Release { .. } | Ask::Shutdown | Ask::StandsStill) => {
                self.asked_to_end(end)
            }
        }
        Ok(())
    }

    /// An end needs no answer from the journal to begin.
    fn asked_to_end(&mut self, ask: Ask) {
        match ask {
            Ask::Cancel { task, reason, actor, request } => {
                self.answered.extend(request);
                self.must_commit |= request.is_some();
                if self.turn.as_ref().is_some_and(|turn| turn.record.task.id == task) {
                    self.cancel(checkpoint::StopAsked::Cancel { reason, actor });
                }
            }
            Ask::Release { reply } => self.release(Reason::Released, Some(reply)),
            Ask::Shutdown if self.turn.is_some() => {
                self.keep_declined.get_or_insert(Reason::ShuttingDown);
                self.cancel(checkpoint::StopAsked::Cancel { reason: SHUTDOWN.to_owned(), actor: None });
            }
            Ask::Shutdown => self.release(Reason::ShuttingDown, None),
            // Its time is over at once.
            Ask::StandsStill => self.stop_until = self.stop_until.map(|until| until.min(Instant::now())),
            Ask::Turn(_) | Ask::Extend { .. } => {}
        }
    }

    /// The next moment at which something is due.
    fn next_wake(&self) -> Instant {
        let phase = match self.phase {
            Phase::Settling { until } | Phase::Idle { until } | Phase::Closing { until } => Some(until),
            _ => None,
        };
        let talking = self.is_talking();
        [
            phase,
            self.recorder.flush_at(),
            self.stop_until,
            self.step_until.filter(|_| talking),
            self.cancel_until.filter(|_| talking),
            self.exit_until.filter(|_| talking),
            self.turn.as_ref().and_then(|turn| turn.deadline).filter(|_| talking),
        ]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or_else(|| Instant::now() + NEVER)
    }

    /// Does what is due.
    fn tick(&mut self) {
        let now = Instant::now();
        let due = |at: Option<Instant>| at.is_some_and(|at| now >= at);
        if due(self.recorder.flush_at()) {
            self.recorder.flush();
        }
        match self.phase {
            Phase::Talking if !self.is_behind() => {
                if due(self.exit_until) {
                    self.exit_until = None;
                    let acts = self.conversation.exited();
                    self.act(acts, self.out);
                } else if due(self.cancel_until) {
                    self.cancel_until = None;
                    self.stop_tree("the turn did not end when it was cancelled");
                } else if due(self.step_until) {
                    self.step_until = None;
                    let acts = self.conversation.timed_out();
                    self.act(acts, self.out);
                } else if due(self.turn.as_ref().and_then(|turn| turn.deadline)) {
                    self.overdue();
                }
            }
            Phase::Settling { until } if now >= until => self.settled(),
            Phase::Idle { until } if now >= until => self.idle_expired(),
            Phase::Closing { until } if now >= until => self.stop_tree("the session was closed"),
            _ => {}
        }
    }

    /// Starts the clock of the request that is awaited, if another one is.
    fn watch_step(&mut self) {
        let awaiting = self.conversation.awaiting();
        self.step_until = awaiting.and_then(|step| step.limit()).map(|limit| Instant::now() + limit);
        if let Some(turn) = &self.turn {
            match awaiting {
                Some(segue_host::acp::Step::Prompt) => turn.live.wait_for("model"),
                Some(step) => turn.live.wait_for(&step.to_string()),
                None => turn.live.wait_for("end"),
            }
        }
    }

    /// The clocks of a turn run.
    fn is_talking(&self) -> bool {
        matches!(self.phase, Phase::Talking) && !self.is_behind()
    }

    /// Not everything was heard that the host had when it was attached to.
    fn is_behind(&self) -> bool {
        self.behind.is_some_and(|end| !Offsets { out: self.out_heard, err: self.err_heard }.covers(end))
    }

    /// Has the host end the process tree, once what was decided before is durable.
    fn stop_tree(&mut self, why: &str) {
        if !matches!(self.phase, Phase::Stopping | Phase::Done) {
            self.conversation.end_settle();
            self.stop_why = Some(why.to_owned());
            self.phase = Phase::Stopping;
        }
    }
}

#[cfg(test)]
mod tests {
    use segue_model::task::{Event, Status};

    use super::*;
    use crate::testing::{begin, changed, shared, task};

    /// The 120 s of the contract, without their passing.
    #[tokio::test]
    async fn a_request_whose_time_is_over_fails_the_turn_and_the_tree_is_ended() {
        let shared = shared();
        let started = [
            changed(Status::Created, Status::Starting),
            Event::ProcessStarted { pid: 17 },
            changed(Status::Starting, Status::Running),
        ];
        let record = task(&shared, &started, vec![]).await;
        let live = shared.add_live(record.task.id.clone());
        let turn = Turn::new(record, "".into(), live, shared.now());
        let mut job = AgentJob::build(&shared, Begin { turn: Some(turn), ..begin(&shared) });
        let limit = job.conversation.awaiting().and_then(|step| step.limit());
        assert_eq!(limit, Some(Duration::from_secs(120)));
        assert!(job.step_until.is_some_and(|until| until <= Instant::now() + Duration::from_secs(120)));
        job.tick();
        assert!(matches!(job.phase, Phase::Talking), "it has time");
        job.step_until = Some(Instant::now());
        assert!(job.next_wake() <= Instant::now());
        job.tick();
        let failure = job.turn.as_ref().and_then(|turn| turn.state.failure.clone()).map(|failed| failed.message);
        assert_eq!(failure.as_deref(), Some("codex-acp session failed: initialize was not answered within 120 s"));
        assert!(matches!(job.phase, Phase::Stopping));
    }
}
