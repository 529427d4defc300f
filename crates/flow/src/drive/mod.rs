//! The job that drives one Run, from its admission or takeover to its end.
//!
//! One owner for everything that changes with the Run: its record, the calls of executors, what people ask. The
//! rules are the model's; the job asks them what follows, makes it durable, and only then carries it out.
//!
//! ```text
//!        ┌────────────────────────────────────────────────────────────┐
//!        ▼                                                            │
//!   next, until nothing follows ─▶ one commit ─▶ start, stop, reply ─▶ wait for an outcome, an ask, a moment
//! ```
//!
//! What came meanwhile shares the next commit: the acceptance of one node and the start of the next are one.

mod asks;
mod attempts;
mod clock;
mod commit;
mod left;
mod panics;
mod spare;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use segue_journal::{DocumentChange, Row};
use segue_model::{
    HostId, Timestamp,
    flow::{NodeId, Object, RunId},
    run::{Attempt, Event, Status, attempt::Loss, next, wake_at},
};
use tokio::{
    sync::{mpsc, watch},
    task::{Id, JoinSet},
};

use self::{
    asks::Reply,
    attempts::{Done, Live},
    clock::RunClock,
    spare::Spare,
};
pub use self::{
    asks::{Ask, Cancelled, OnStop},
    attempts::{Left, attempt_of},
    commit::{Refused, chain},
};
use crate::{
    record::RunRecord,
    shared::{Busy, Shared},
};

/// How long a wait goes without a look at the clock, which goes on while the machine sleeps.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// How to reach a job.
#[derive(Debug, Clone)]
pub struct JobRef {
    pub run: RunId,
    /// Unbounded: asks come from people, and each waits for its answer.
    pub asks: mpsc::UnboundedSender<Ask>,
    /// Closed when the job is over.
    over: watch::Receiver<()>,
}

impl JobRef {
    /// Waits for the end of the job. It cannot be found any more by then.
    pub async fn over(mut self) {
        while self.over.changed().await.is_ok() {}
    }
}

/// Why a job stops before the end of its Run.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    /// The Run belongs to another server by now, or nothing can be written any more.
    Fenced,
    /// The runtime is stopped; the next one goes on.
    Left,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct RunJob {
    shared: Arc<Shared>,
    record: RunRecord,
    clock: RunClock,
    asks: mpsc::UnboundedReceiver<Ask>,
    own: JobRef,
    live: HashMap<Attempt, Live>,
    working: JoinSet<Done>,
    /// Which attempt a piece of work is: a panic names only the work.
    attempts: HashMap<Id, Attempt>,
    /// Inputs of items that are done, by node and round: for the next items.
    item_inputs: HashMap<(NodeId, u32), Vec<Arc<Object>>>,
    /// Hosts that are recorded, or will be with the next commit, for attempts that are open.
    hosts: HashMap<Attempt, HostId>,
    /// Hosts whose attempts are settled: let go after the next commit.
    settled_hosts: Vec<HostId>,
    /// The host of the next program.
    spare: Spare,
    /// Were open when the Run was taken over.
    again: HashSet<Attempt>,
    /// Those of them whose hosts can tell that they never ran.
    doubted: HashSet<Attempt>,
    /// What became of the server before, if it was a loss.
    loss: Loss,
    rows: Vec<Row>,
    documents: Vec<DocumentChange>,
    answered: Vec<i64>,
    /// Requests of other servers that were taken.
    heard: HashSet<i64>,
    replies: Vec<Reply>,
    leaving: bool,
    /// Dropped with the job.
    _over: watch::Sender<()>,
    _busy: Busy,
}

impl RunJob {
    /// The job of a Run that is not recorded yet, with its first steps taken.
    #[must_use]
    pub fn begin(shared: &Arc<Shared>, record: RunRecord, documents: Vec<DocumentChange>) -> Self {
        let started_at = record.run.state.started_at;
        let mut job = Self::build(shared, record, started_at);
        job.documents = documents;
        job.step();
        job
    }

    /// The job of a Run that was taken over, with the hosts of its open attempts and what the server before was asked.
    /// `recorded` is the last moment of its record.
    #[must_use]
    pub fn resume(
        shared: &Arc<Shared>,
        record: RunRecord,
        recorded: Timestamp,
        hosts: HashMap<Attempt, Left>,
        asked: Vec<Ask>,
    ) -> Self {
        let mut job = Self::build(shared, record, recorded);
        job.again = job.record.run.state.open_attempts(&job.record.bound.flow).into_iter().collect();
        job.loss = if job.record.run.state.left { Loss::Shutdown } else { Loss::Crash };
        let leaves_traces = |attempt: &Attempt| {
            let bound = &job.record.bound;
            bound
                .flow
                .position(attempt.node_id.as_str())
                .is_some_and(|at| shared.config.executors.leaves_traces(&bound.nodes[at], bound.capability(at)))
        };
        let doubted = hosts.iter().filter(|(attempt, left)| left.is_of_here && leaves_traces(attempt));
        job.doubted = doubted.map(|(attempt, _)| attempt.clone()).collect();
        job.hosts = hosts.into_iter().map(|(attempt, left)| (attempt, left.host)).collect();
        asked.into_iter().for_each(|ask| job.asked(ask));
        job
    }

    fn build(shared: &Arc<Shared>, record: RunRecord, recorded: Timestamp) -> Self {
        let (tx, asks) = mpsc::unbounded_channel();
        let (over_tx, over) = watch::channel(());
        let own = JobRef { run: record.run.id.clone(), asks: tx, over };
        Self {
            shared: Arc::clone(shared),
            record,
            clock: RunClock::begin(&shared.config.world, recorded),
            asks,
            own,
            live: HashMap::new(),
            working: JoinSet::new(),
            attempts: HashMap::new(),
            item_inputs: HashMap::new(),
            hosts: HashMap::new(),
            settled_hosts: Vec::new(),
            spare: Spare::default(),
            again: HashSet::new(),
            doubted: HashSet::new(),
            loss: Loss::Crash,
            rows: Vec::new(),
            documents: Vec::new(),
            answered: Vec::new(),
            heard: HashSet::new(),
            replies: Vec::new(),
            leaving: false,
            _over: over_tx,
            _busy: shared.busy(),
        }
    }

    #[must_use]
    pub fn status(&self) -> Status {
        self.record.run.state.status
    }

    /// Lets it work. It can be reached from now on.
    pub fn go(self) -> JobRef {
        let own = self.own.clone();
        self.shared.add_job(own.run.clone(), own.clone());
        // A shutdown that began before the job could be found does not pass it by.
        if self.shared.is_stopping() {
            let _ = own.asks.send(Ask::Stop(OnStop::Cancel));
        }
        tokio::spawn(self.run());
        own
    }

    async fn run(mut self) {
        let run = self.own.run.clone();
        match panics::caught(self.work()).await {
            Ok(Ok(()) | Err(Stopped::Left)) => {}
            Ok(Err(Stopped::Fenced)) => tracing::warn!(%run, "this server does not drive the run any more"),
            Err(panic) => self.broke_off(&panic).await,
        }
        self.shared.remove_job(&run);
    }

    async fn work(&mut self) -> Result<(), Stopped> {
        loop {
            self.step();
            self.settle_writes().await?;
            if self.record.run.state.status.is_terminal() {
                return Ok(());
            }
            if self.leaving {
                return Err(Stopped::Left);
            }
            self.start_open();
            self.stop_unwanted();
            self.prepare_spare();
            self.wait().await;
        }
    }

    /// Waits for something, and takes everything that is there by then.
    async fn wait(&mut self) {
        let wake = self.wake_in();
        tokio::select! {
            biased;
            Some(ask) = self.asks.recv() => self.asked(ask),
            Some(done) = self.working.join_next_with_id() => self.done(done),
            () = self.spare.outlived() => {}
            () = tokio::time::sleep(wake) => {}
        }
        while let Ok(ask) = self.asks.try_recv() {
            self.asked(ask);
        }
        while let Some(done) = self.working.try_join_next_with_id() {
            self.done(done);
        }
    }

    fn wake_in(&self) -> Duration {
        let at = wake_at(&self.record.bound.flow, &self.record.run.state);
        let micros = at.map(|at| u64::try_from(at.0.saturating_sub(self.clock.now().0)).unwrap_or(0));
        micros.map_or(LOOK_AGAIN, |micros| Duration::from_micros(micros).min(LOOK_AGAIN))
    }

    /// Takes every step that needs nobody.
    fn step(&mut self) {
        while !self.leaving {
            let events = next(&self.record.bound.flow, &self.record.run.state, self.clock.now());
            if events.is_empty() {
                return;
            }
            self.push(events);
        }
    }

    /// Records events, with the rows that they change.
    fn push(&mut self, events: Vec<Event>) {
        let now = self.clock.now();
        for event in events {
            self.row_of(&event);
            if let Err(illegal) = self.record.push(event, now) {
                // The rules made an event that they refuse. It is not stored, and the Run stays as it is.
                tracing::error!(run = %self.own.run, "not recorded: {illegal}");
                debug_assert!(false, "{illegal}");
                self.leaving = true;
                return;
            }
        }
    }
}
