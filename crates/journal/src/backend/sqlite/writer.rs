//! The one thread of this process that writes.
//!
//! It takes what has gathered, writes it as one transaction, and answers when that is on the disk.
//! Each job is judged on its own: a refused one writes nothing and leaves the others alone. When the
//! disk ends the transaction itself, each job is tried once more alone, so that one that asks for
//! too much does not take the others with it.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::watch;

use super::{
    bell::{self, Bell},
    blobs::Blobs,
    error::{Trouble, append_error, trouble},
    gate::Gate,
    place::Place,
    read,
    write::{Kinds, Transaction},
};
use crate::{AppendError, Batch, Committed, Gone, InboxRequest, InstanceId, Position, Seq, StreamName, Token};

/// A commit holds the gate; more than this would keep other processes waiting.
const GROUP_JOBS: usize = 1_024;
const GROUP_EVENTS: usize = 8_192;
/// The longest wait for company.
const COMPANY_WAIT: Duration = Duration::from_millis(2);

/// Something to be written, and who is told.
pub(super) struct Ask<Q, A> {
    question: Q,
    /// Called once, after the commit.
    reply: Reply<A>,
    /// The answer that holds once the transaction is committed.
    answer: Option<Result<A, AppendError>>,
}

type Reply<A> = Box<dyn FnOnce(Result<A, AppendError>) + Send>;

impl<Q, A> Ask<Q, A> {
    pub fn new(question: Q, reply: impl FnOnce(Result<A, AppendError>) + Send + 'static) -> Self {
        Self { question, reply: Box::new(reply), answer: None }
    }

    fn settle(self, fault: Option<&AppendError>) {
        let answer = fault.map(|fault| Err(fault.clone())).or(self.answer);
        (self.reply)(answer.unwrap_or(Err(AppendError::Closed)));
    }
}

pub(super) enum Job {
    Append(Ask<Batch, Committed>),
    TakeOver(Ask<StreamName, (Token, Seq)>),
    Request(Ask<InboxRequest, i64>),
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Append(_) => "Append",
            Self::TakeOver(_) => "TakeOver",
            Self::Request(_) => "Request",
        })
    }
}

impl Job {
    fn events(&self) -> usize {
        match self {
            Self::Append(ask) => ask.question.appends.iter().map(|append| append.events.len()).sum(),
            Self::TakeOver(_) | Self::Request(_) => 0,
        }
    }

    fn carry_out(&mut self, transaction: &mut Transaction<'_>) -> rusqlite::Result<()> {
        match self {
            Self::Append(ask) => ask.answer = Some(transaction.append(&ask.question)?),
            Self::TakeOver(ask) => ask.answer = Some(transaction.take_over(&ask.question)?),
            Self::Request(ask) => ask.answer = Some(transaction.request(&ask.question)?),
        }
        Ok(())
    }

    /// Tells the answer, or the trouble that kept it from being written.
    pub fn settle(self, fault: Option<&AppendError>) {
        match self {
            Self::Append(ask) => ask.settle(fault),
            Self::TakeOver(ask) => ask.settle(fault),
            Self::Request(ask) => ask.settle(fault),
        }
    }
}

#[derive(Debug)]
pub(super) struct Writer {
    pub connection: Connection,
    pub gate: Gate,
    pub bell: Bell,
    pub me: InstanceId,
    pub instances: PathBuf,
    pub place: Arc<Place>,
    pub blobs: Arc<Blobs>,
    pub changes: Arc<watch::Sender<Position>>,
    pub kinds: Kinds,
    /// How long a write waits for another program.
    pub busy_limit: Duration,
    /// Events of forgotten streams may be stored still.
    pub garbage: bool,
    /// How many jobs the last commit had.
    pub company: usize,
    /// How long it took.
    pub pace: Duration,
}

impl Writer {
    /// Works until everyone who could ask is gone and all they asked for is written.
    ///
    /// The queue has no bound of its own: whoever asks waits for the answer, so it is as long as
    /// there are callers.
    pub fn run(mut self, jobs: &Receiver<Job>) {
        while let Some(first) = self.next(jobs) {
            let group = self.gather(first, jobs);
            self.company = group.len();
            let started = Instant::now();
            self.commit(group);
            self.pace = started.elapsed();
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::warn!(%error, "the journal's file was not closed in order");
        }
    }

    /// The next job. Garbage is removed while there is none.
    fn next(&mut self, jobs: &Receiver<Job>) -> Option<Job> {
        while self.garbage {
            match jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => self.sweep(),
            }
        }
        jobs.recv().ok()
    }

    /// What is waiting, and what comes soon. Where several callers wait for each commit, those of
    /// the last one come back together; half a commit's time is well spent on having them in one.
    /// A caller alone never waits.
    fn gather(&self, first: Job, jobs: &Receiver<Job>) -> Vec<Job> {
        let deadline = Instant::now() + (self.pace / 2).min(COMPANY_WAIT);
        let mut events = first.events();
        let mut group = vec![first];
        while group.len() < GROUP_JOBS && events < GROUP_EVENTS {
            let job = match jobs.try_recv() {
                Ok(job) => job,
                Err(TryRecvError::Empty) if group.len() < self.company => {
                    match jobs.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                        Ok(job) => job,
                        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            };
            events += job.events();
            group.push(job);
        }
        group
    }

    fn commit(&mut self, mut group: Vec<Job>) {
        let carry_out =
            |transaction: &mut Transaction<'_>| group.iter_mut().try_for_each(|job| job.carry_out(transaction));
        match self.transact(carry_out) {
            Ok(()) => group.into_iter().for_each(|job| job.settle(None)),
            // Waiting for the other program once more for each job would help nobody.
            Err(fault) if group.len() > 1 && !fault.busy => {
                group.into_iter().for_each(|job| self.commit(vec![job]));
            }
            Err(fault) => group.into_iter().for_each(|job| job.settle(Some(&fault.error))),
        }
    }

    fn sweep(&mut self) {
        let mut more = false;
        let swept = self.transact(|transaction| {
            more = transaction.sweep()?;
            Ok(())
        });
        if let Err(fault) = swept {
            // What is left waits for the next forgotten task or the next start.
            tracing::debug!(error = %fault.error, "events of a forgotten stream were not removed yet");
        }
        self.garbage = more;
    }

    /// Runs one transaction and tells about it.
    fn transact(&mut self, change: impl FnOnce(&mut Transaction<'_>) -> rusqlite::Result<()>) -> Result<(), Fault> {
        match self.write(change) {
            Ok(Some(position)) => {
                self.bell.ring();
                bell::tell(&self.changes, position);
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(fault) => {
                // A kind's number may have been undone.
                self.kinds.clear();
                Err(fault)
            }
        }
    }

    /// One transaction under the gate. Returns the new position when anything changed.
    fn write(
        &mut self,
        change: impl FnOnce(&mut Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<Option<Position>, Fault> {
        self.place.look()?;
        let started = Instant::now();
        let connection = &self.connection;
        let _passage = loop {
            let passage = self.gate.pass()?;
            match connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]) {
                Ok(_) => break passage,
                // Between two rounds the gate is open, so that nobody waits for us who only waits.
                Err(error) if trouble(&error) == Trouble::Busy && started.elapsed() < self.busy_limit => {}
                Err(error) => return Err(error.into()),
            }
        };
        let work = || {
            let before = read::position(connection)?;
            let mut transaction = Transaction {
                connection,
                me: &self.me,
                kinds: &mut self.kinds,
                instances: &self.instances,
                blobs: &self.blobs,
                position: before,
                garbage: false,
                unnamed: Vec::new(),
            };
            change(&mut transaction)?;
            let (position, garbage, nameless) = (transaction.position, transaction.garbage, transaction.nameless()?);
            if position != before {
                connection.prepare_cached("UPDATE head SET position = ?1")?.execute([position.cast_signed()])?;
            }
            connection.prepare_cached("COMMIT")?.execute([])?;
            self.garbage |= garbage;
            // Only now, for a transaction may be undone; and still under the gate, so that nobody names
            // one of them meanwhile.
            nameless.iter().for_each(|sha256| self.blobs.discard(sha256));
            Ok((position != before).then_some(position))
        };
        let outcome: rusqlite::Result<_> = work();
        // Some errors end the transaction by themselves.
        if outcome.is_err() && !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK")?;
        }
        Ok(outcome?)
    }
}

/// Why a transaction was not committed.
#[derive(Debug)]
struct Fault {
    busy: bool,
    error: AppendError,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self { busy: trouble(&error) == Trouble::Busy, error: append_error(&error) }
    }
}

impl From<Gone> for Fault {
    fn from(gone: Gone) -> Self {
        Self { busy: false, error: gone.into() }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self { busy: false, error: AppendError::Storage(format!("lock the gate: {error}")) }
    }
}
