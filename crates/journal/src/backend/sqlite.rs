//! The journal in a SQLite database, shared by all processes of one user.
//!
//! In the state folder it owns `journal.sqlite3` (with its `-wal` and `-shm`), `journal.gate`,
//! `journal.bell`, `instances/` and `blobs/`. It knows no clock: what has to be told apart in time carries its
//! time as an argument, and waits are measured by elapsed time.
//!
//! `synchronous=FULL` in WAL mode: a commit that was answered survives a power cut, not only a crash.

mod bell;
mod blobs;
mod error;
mod folder;
mod gate;
mod header;
mod instance;
mod open;
mod place;
mod read;
mod schema;
mod write;
mod writer;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, sync_channel},
    },
    thread::JoinHandle,
};

use tokio::sync::{oneshot, watch};

pub(crate) use self::folder::private_file;
use self::{
    bell::Listener,
    blobs::Blobs,
    header::Seen,
    instance::Lock,
    place::Place,
    read::Readers,
    writer::{Ask, Job},
};
pub use self::{
    error::OpenError,
    open::{OpenOptions, open},
};
use crate::{
    AppendError, ArtifactRow, Batch, BlobError, Document, EventFilter, EventPage, HoldKey, HostRow, InboxRequest,
    InstanceId, Journal, LeaseRow, Owner, Pending, Position, ReadError, RunFilter, RunRow, Seq, StreamName, TaskFilter,
    TaskPage, TaskRow, Token,
};

/// One process's journal.
#[derive(Debug)]
struct Sqlite {
    me: InstanceId,
    instances: PathBuf,
    place: Arc<Place>,
    blobs: Arc<Blobs>,
    readers: Arc<Readers>,
    /// `None` once closed.
    queue: Mutex<Option<Sender<Job>>>,
    changes: Arc<watch::Sender<Position>>,
    /// What has to be ended in order; `None` once closed.
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    writer: JoinHandle<()>,
    listener: Listener,
    lock: Lock,
    _seen: Seen,
}

impl Sqlite {
    /// Queues a job; it is answered in any case.
    fn ask(&self, job: Job) {
        let refused = match &*locked(&self.queue) {
            Some(queue) => queue.send(job).err().map(|error| error.0),
            None => Some(job),
        };
        if let Some(job) = refused {
            job.settle(Some(&AppendError::Closed));
        }
    }

    /// Asks and waits for the answer.
    fn ask_now<Q, A: Send + 'static>(
        &self,
        kind: impl FnOnce(Ask<Q, A>) -> Job,
        question: Q,
    ) -> Result<A, AppendError> {
        let (answer, answered) = sync_channel(1);
        self.ask(kind(Ask::new(question, move |result| drop(answer.send(result)))));
        answered.recv().unwrap_or(Err(AppendError::Closed))
    }

    fn read<T>(&self, query: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>) -> Result<T, ReadError> {
        self.readers.read(query)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Journal for Sqlite {
    fn instance(&self) -> &InstanceId {
        &self.me
    }

    fn append(&self, batch: Batch) -> Pending {
        let (answer, answered) = oneshot::channel();
        // Nobody has to wait for the answer; the batch is written all the same.
        self.ask(Job::Append(Ask::new(batch, move |result| drop(answer.send(result)))));
        Box::pin(async move { answered.await.unwrap_or(Err(AppendError::Closed)) })
    }

    fn take_over(&self, stream: &StreamName) -> Result<(Token, Seq), AppendError> {
        self.ask_now(Job::TakeOver, stream.clone())
    }

    fn owner(&self, stream: &StreamName) -> Result<Option<Owner>, ReadError> {
        let Some(facts) = self.read(|connection| read::stream(connection, stream))? else { return Ok(None) };
        Ok(Some(match facts.owner {
            None => Owner::Nobody,
            Some(owner) if owner == self.me => Owner::Here(facts.token),
            Some(owner) if self.alive(&owner) => Owner::Elsewhere(owner),
            Some(owner) => Owner::Dead(owner),
        }))
    }

    fn alive(&self, instance: &InstanceId) -> bool {
        instance::alive(&self.instances, instance)
    }

    fn process(&self, instance: &InstanceId) -> Option<u32> {
        instance::process(&self.instances, instance)
    }

    fn events(
        &self,
        stream: &StreamName,
        after: Seq,
        limit: usize,
        filter: &EventFilter,
    ) -> Result<Option<EventPage>, ReadError> {
        self.read(|connection| read::events(connection, stream, after, limit, filter))
    }

    fn task(&self, id: &str) -> Result<Option<TaskRow>, ReadError> {
        self.read(|connection| read::task(connection, id))
    }

    fn tasks_by_id(&self, ids: &[String]) -> Result<Vec<TaskRow>, ReadError> {
        self.read(|connection| read::tasks_by_id(connection, ids))
    }

    fn task_by_key(&self, client_key: &str) -> Result<Option<TaskRow>, ReadError> {
        self.read(|connection| read::task_by_key(connection, client_key))
    }

    fn tasks(&self, filter: &TaskFilter, limit: usize) -> Result<Option<TaskPage>, ReadError> {
        self.read(|connection| read::tasks(connection, filter, limit))
    }

    fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|connection| read::tasks_starting_with(connection, prefix, limit))
    }

    fn prompt(&self, id: &str) -> Result<Option<String>, ReadError> {
        self.read(|connection| read::prompt(connection, id))
    }

    fn task_counts(&self) -> Result<Vec<(String, u64)>, ReadError> {
        self.read(read::task_counts)
    }

    fn run(&self, id: &str) -> Result<Option<RunRow>, ReadError> {
        self.read(|connection| read::run(connection, id))
    }

    fn run_by_key(&self, workspace: &str, admission_key: &str) -> Result<Option<RunRow>, ReadError> {
        self.read(|connection| read::run_by_key(connection, workspace, admission_key))
    }

    fn runs(&self, filter: &RunFilter, limit: usize) -> Result<Vec<RunRow>, ReadError> {
        self.read(|connection| read::runs(connection, filter, limit))
    }

    fn forks(&self, workspace: &str, parent: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|connection| read::forks(connection, workspace, parent, limit))
    }

    fn runs_starting_with(&self, workspace: &str, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|connection| read::runs_starting_with(connection, workspace, prefix, limit))
    }

    fn active_runs(&self, workspace: &str) -> Result<Vec<RunRow>, ReadError> {
        self.read(|connection| read::active_runs(connection, workspace))
    }

    fn run_counts(&self, workspace: &str) -> Result<Vec<(String, u64)>, ReadError> {
        self.read(|connection| read::run_counts(connection, workspace))
    }

    fn artifact(&self, id: &str) -> Result<Option<ArtifactRow>, ReadError> {
        self.read(|connection| read::artifact(connection, id))
    }

    fn artifacts_of(&self, run: &str) -> Result<Vec<ArtifactRow>, ReadError> {
        self.read(|connection| read::artifacts_of(connection, run))
    }

    fn document(&self, workspace: &str, kind: &str, id: &str) -> Result<Option<Document>, ReadError> {
        self.read(|connection| read::document(connection, workspace, kind, id))
    }

    fn documents(&self, workspace: &str, kind: &str) -> Result<Vec<Document>, ReadError> {
        self.read(|connection| read::documents(connection, workspace, kind))
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<String, BlobError> {
        if locked(&self.queue).is_none() {
            return Err(BlobError::Closed);
        }
        self.place.look().map_err(|gone| BlobError::Storage(gone.to_string()))?;
        self.blobs.put(bytes)
    }

    fn blob(&self, sha256: &str) -> Result<Option<Vec<u8>>, BlobError> {
        if locked(&self.queue).is_none() {
            return Err(BlobError::Closed);
        }
        self.place.look().map_err(|gone| BlobError::Storage(gone.to_string()))?;
        self.blobs.get(sha256)
    }

    fn lease(&self, handle: &str) -> Result<Option<LeaseRow>, ReadError> {
        self.read(|connection| read::lease(connection, handle))
    }

    fn open_leases(&self) -> Result<Vec<LeaseRow>, ReadError> {
        self.read(read::open_leases)
    }

    fn host(&self, id: &str) -> Result<Option<HostRow>, ReadError> {
        self.read(|connection| read::host(connection, id))
    }

    fn hosts(&self) -> Result<Vec<HostRow>, ReadError> {
        self.read(read::hosts)
    }

    fn holder(&self, key: &HoldKey) -> Result<Option<String>, ReadError> {
        self.read(|connection| read::holder(connection, key))
    }

    fn request(&self, stream: &StreamName, body: String, at: i64) -> Result<i64, AppendError> {
        let unnumbered = InboxRequest { id: 0, stream: stream.clone(), from: self.me.clone(), at, body };
        self.ask_now(Job::Request, unnumbered)
    }

    fn inbox(&self) -> Result<Vec<InboxRequest>, ReadError> {
        self.read(|connection| read::inbox(connection, &self.me))
    }

    fn waiting(&self, request: i64) -> Result<bool, ReadError> {
        self.read(|connection| read::waiting(connection, request))
    }

    fn changes(&self) -> watch::Receiver<Position> {
        self.changes.subscribe()
    }

    fn changed_since(&self, position: Position, limit: usize) -> Result<(Vec<(StreamName, Seq)>, Position), ReadError> {
        self.read(|connection| read::changed_since(connection, position, limit))
    }

    fn close(&self) {
        // Held to the end: who closes as well returns when all is closed.
        let mut running = locked(&self.running);
        let Some(Running { writer, listener, lock, _seen }) = running.take() else { return };
        listener.stop();
        // The writer's connection has to be the last: only it can empty and remove the log.
        self.readers.close();
        drop(locked(&self.queue).take());
        if writer.join().is_err() {
            tracing::error!("the journal's writer had panicked");
        }
        lock.release();
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close();
    }
}
