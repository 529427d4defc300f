//! The journal: the one append-only record of Segue.
//!
//! It owns streams of events, who may append to them, the rows derived from them, exclusive holds,
//! requests to streams owned by another process, versioned documents, and bytes by digest. It does
//! not know what an event means.
//!
//! Events and the rows they change are written in one transaction. What was answered as committed
//! is on the disk. Several processes may have one journal open at once.

pub mod append;
pub mod artifacts;
pub mod backend;
pub mod document;
pub mod export;
mod judge;
pub mod projection;
pub mod stream;

use std::{future::Future, pin::Pin};

pub use append::{Append, AppendError, Authority, Batch, Committed, HoldChange, InboxRequest, NewEvent, StoredEvent};
pub use artifacts::BlobError;
pub use backend::{
    memory::{Memory, MemoryInstance},
    sqlite::{OpenError, OpenOptions, open},
};
pub use document::{Document, DocumentChange};
pub use projection::{ArtifactRow, HoldKey, HostRow, LeaseRow, Row, RunFilter, RunRow, TaskFilter, TaskPage, TaskRow};
pub use stream::{InstanceId, Position, Seq, StreamName, Token};

/// The answer to an append, once it is durable.
pub type Pending = Pin<Box<dyn Future<Output = Result<Committed, AppendError>> + Send>>;

/// The state folder is not the one any more that this process opened. It stays so for this process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the state folder {} was removed, moved or replaced while this process had it open, so nothing can be recorded or \
     looked up; put it back if it was moved, and start this process again",
    dir.display()
)]
pub struct Gone {
    pub dir: std::path::PathBuf,
}

/// Why a read failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Gone(#[from] Gone),
    #[error("database busy: {0}")]
    Busy(String),
    #[error("read the journal: {0}")]
    Storage(String),
}

impl ReadError {
    fn closed() -> Self {
        Self::Storage("it is closed".to_owned())
    }
}

/// Who has a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Nobody: it is finished.
    Nobody,
    /// This instance.
    Here(Token),
    /// Another instance that is alive.
    Elsewhere(InstanceId),
    /// An instance that is dead: the stream can be taken over.
    Dead(InstanceId),
}

/// A page of a stream's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    pub events: Vec<StoredEvent>,
    /// The last event's number in the whole stream, in the same snapshot as `events`.
    pub last: Seq,
    /// The task row of the same snapshot when the stream is a task's.
    pub task: Option<TaskRow>,
}

/// Which events of a stream a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only these kinds; empty means all.
    pub kinds: Vec<String>,
    /// Not these kinds.
    pub without: Vec<String>,
    /// Only events below this number.
    pub before: Option<Seq>,
    /// Descending: a page begins with the newest event.
    pub newest_first: bool,
}

/// One journal, opened by this process. Reads block the calling thread for the time of one query;
/// writes are queued and answered when they are durable.
pub trait Journal: Send + Sync + std::fmt::Debug {
    /// This process in the journal.
    fn instance(&self) -> &InstanceId;

    /// Queues one transaction. Batches of one caller are written in the order in which they were
    /// queued; several may share one commit, and each is refused or written on its own.
    fn append(&self, batch: Batch) -> Pending;

    /// Makes this instance the owner of a stream whose owner is dead or nobody: one immediate
    /// transaction that raises the token. The stream's task, lease, run and host rows that name the old
    /// server are given to this one. Refused with [`AppendError::Fenced`] when the owner lives. When
    /// this instance has it already, nothing changes and the answer is the present token.
    fn take_over(&self, stream: &StreamName) -> Result<(Token, Seq), AppendError>;

    fn owner(&self, stream: &StreamName) -> Result<Option<Owner>, ReadError>;

    /// Whether an instance is alive: its lock is held.
    fn alive(&self, instance: &InstanceId) -> bool;

    /// The number of the process of an instance, if it is known.
    fn process(&self, instance: &InstanceId) -> Option<u32>;

    /// Events with a number above `after`, at most `limit`, ascending unless the filter says otherwise. `None`: no such
    /// stream.
    fn events(
        &self,
        stream: &StreamName,
        after: Seq,
        limit: usize,
        filter: &EventFilter,
    ) -> Result<Option<EventPage>, ReadError>;

    fn task(&self, id: &str) -> Result<Option<TaskRow>, ReadError>;
    /// The task rows that exist among these, in the order given.
    fn tasks_by_id(&self, ids: &[String]) -> Result<Vec<TaskRow>, ReadError>;
    fn task_by_key(&self, client_key: &str) -> Result<Option<TaskRow>, ReadError>;
    /// `None`: the `after` id never existed.
    fn tasks(&self, filter: &TaskFilter, limit: usize) -> Result<Option<TaskPage>, ReadError>;
    /// Ids of tasks that begin with `prefix`, ascending, at most `limit`; forgotten ones are not among
    /// them.
    fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError>;
    fn prompt(&self, id: &str) -> Result<Option<String>, ReadError>;
    /// How many tasks there are of each status that occurs, by status.
    fn task_counts(&self) -> Result<Vec<(String, u64)>, ReadError>;

    fn run(&self, id: &str) -> Result<Option<RunRow>, ReadError>;
    /// The Run of a workspace that was admitted under this key.
    fn run_by_key(&self, workspace: &str, admission_key: &str) -> Result<Option<RunRow>, ReadError>;
    /// At most `limit` Runs, newest `started_at` first, those of one time by id, descending.
    fn runs(&self, filter: &RunFilter, limit: usize) -> Result<Vec<RunRow>, ReadError>;
    /// Ids of a workspace's Runs that begin with `prefix`, ascending, at most `limit`.
    fn runs_starting_with(&self, workspace: &str, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError>;
    /// Ids of a workspace's Runs that were forked from this one, in the order of [`Journal::runs`], at most `limit`.
    fn forks(&self, workspace: &str, parent: &str, limit: usize) -> Result<Vec<String>, ReadError>;
    /// Runs of a workspace that are not ended, of all servers, in the order of [`Journal::runs`].
    fn active_runs(&self, workspace: &str) -> Result<Vec<RunRow>, ReadError>;
    /// How many Runs of a workspace there are of each status that occurs, by status.
    fn run_counts(&self, workspace: &str) -> Result<Vec<(String, u64)>, ReadError>;
    fn artifact(&self, id: &str) -> Result<Option<ArtifactRow>, ReadError>;
    /// In the order in which they were published.
    fn artifacts_of(&self, run: &str) -> Result<Vec<ArtifactRow>, ReadError>;

    fn document(&self, workspace: &str, kind: &str, id: &str) -> Result<Option<Document>, ReadError>;
    /// In the order of their creation.
    fn documents(&self, workspace: &str, kind: &str) -> Result<Vec<Document>, ReadError>;

    /// Keeps bytes and returns their digest, 64 lower-case hex digits of SHA-256, once they are on the
    /// disk. Bytes that are there already are left alone. Blocks the calling thread. A blob is kept
    /// until the last Run with a row that names it is forgotten; one that no row ever named stays.
    fn put_blob(&self, bytes: &[u8]) -> Result<String, BlobError>;
    /// The bytes of a digest. `None`: there is no such blob. What is not what was stored is an error.
    fn blob(&self, sha256: &str) -> Result<Option<Vec<u8>>, BlobError>;

    fn lease(&self, handle: &str) -> Result<Option<LeaseRow>, ReadError>;
    /// Leases that are not ended, of all servers, by handle.
    fn open_leases(&self) -> Result<Vec<LeaseRow>, ReadError>;
    fn host(&self, id: &str) -> Result<Option<HostRow>, ReadError>;
    /// By id.
    fn hosts(&self) -> Result<Vec<HostRow>, ReadError>;
    fn holder(&self, key: &HoldKey) -> Result<Option<String>, ReadError>;

    /// Asks the owner of `stream` for something. Returns the request's id. The end of the stream's
    /// ownership answers what waits for it: an append with `release` removes its requests, and one
    /// made to a stream without an owner does not wait.
    fn request(&self, stream: &StreamName, body: String, at: i64) -> Result<i64, AppendError>;
    /// Requests waiting for streams that this instance owns.
    fn inbox(&self) -> Result<Vec<InboxRequest>, ReadError>;
    /// The request was not answered yet.
    fn waiting(&self, request: i64) -> Result<bool, ReadError>;

    /// Changes whenever anything was committed, by this process or by another. Missed values are
    /// of no importance: a reader looks at what it wants again.
    fn changes(&self) -> tokio::sync::watch::Receiver<Position>;

    /// Streams that changed after `position`, each once with its last sequence, in the order of
    /// their last change; and the position read up to. `limit` may be passed by the streams of one
    /// position, which is never split. A stream that was forgotten is not told.
    fn changed_since(&self, position: Position, limit: usize) -> Result<(Vec<(StreamName, Seq)>, Position), ReadError>;

    /// Writes what is queued, gives up this instance's lock and closes. Streams still owned are
    /// then free to be taken over. Afterwards writes answer [`AppendError::Closed`] and reads fail.
    /// Dropping the last handle closes as well.
    fn close(&self);
}
