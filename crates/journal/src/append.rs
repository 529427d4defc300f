//! What one transaction may hold, and why it may be refused.

use std::borrow::Cow;

use crate::{
    Gone,
    document::DocumentChange,
    projection::{HoldKey, Row},
    stream::{InstanceId, Position, Seq, StreamName, Token},
};

/// One event to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The event's type, a constant word (`agent_message`).
    pub kind: Cow<'static, str>,
    /// When it was recorded: microseconds since the Unix epoch.
    pub at: i64,
    /// The payload: one JSON object, encoded.
    pub payload: String,
}

/// One event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub seq: Seq,
    pub kind: String,
    pub at: i64,
    pub payload: String,
}

/// Who says that an append is his.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// The stream does not exist yet; this instance creates and owns it (token 1).
    Create,
    /// This instance owns the stream under this token.
    Owner(Token),
    /// The stream has no owner any more (finished streams): the expected sequence is enough.
    Unowned,
}

/// Events for one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    pub stream: StreamName,
    pub authority: Authority,
    /// The number of the last event that the writer knows of; 0 for a new stream.
    pub expected: Seq,
    /// May be empty: then only ownership and rows change.
    pub events: Vec<NewEvent>,
    /// The stream has no owner after this append.
    pub release: bool,
}

/// What is held exclusively in the whole state folder, such as one agent's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldChange {
    /// Take the key for a holder (`task task_…`, `kept agent agent_…`, `delete_session`); the whole
    /// batch is refused with [`AppendError::Held`] when another holder has it.
    Take { key: HoldKey, holder: String },
    /// Give it to another holder without it being free in between. It is taken when nobody has it.
    Move { key: HoldKey, holder: String },
    /// Free it if this holder has it; otherwise nothing happens.
    Free { key: HoldKey, holder: String },
}

/// A request to the owner of a stream, written by another instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRequest {
    /// The number of the request in the whole journal, ascending.
    pub id: i64,
    pub stream: StreamName,
    pub from: InstanceId,
    /// Microseconds since the Unix epoch.
    pub at: i64,
    /// One JSON object, encoded; what it means is between the two sides.
    pub body: String,
}

/// One transaction: all of it is written, or nothing. It is judged in the order of the fields, and
/// a later part sees what an earlier one does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    pub appends: Vec<Append>,
    pub rows: Vec<Row>,
    pub holds: Vec<HoldChange>,
    /// Requests that this batch answers; they are removed.
    pub answered: Vec<i64>,
    pub documents: Vec<DocumentChange>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    pub position: Position,
    /// The last sequence of each append's stream after it, in the order of `appends`.
    pub last: Vec<Seq>,
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error("append to {stream} at {expected}: its last event is {found}")]
    Conflict { stream: StreamName, expected: Seq, found: Seq },
    #[error("append to {stream}: it belongs to another owner by now")]
    Fenced { stream: StreamName },
    /// Also the answer to a row of a task that was forgotten, and to a row of a Run without a stream.
    #[error("append to {stream}: there is no such stream")]
    NoStream { stream: StreamName },
    #[error("{key} is held by {holder}")]
    Held { key: HoldKey, holder: String },
    /// The client key was used before; `task` is the task that has it. For an admission key, `task` is
    /// the Run that has it.
    #[error("the key was used for {task}")]
    DuplicateKey { task: String },
    /// An artifact row names a blob that is not there.
    #[error("there is no blob {sha256}")]
    NoBlob { sha256: String },
    #[error("there is a {kind} {id} already")]
    Exists { kind: String, id: String },
    #[error("there is no {kind} {id}")]
    NoDocument { kind: String, id: String },
    /// `found` is its version by now.
    #[error("the {kind} {id} was changed by somebody else: it is at version {found}")]
    Stale { kind: String, id: String, found: u64 },
    #[error(transparent)]
    Gone(#[from] Gone),
    #[error("database busy: {0}")]
    Busy(String),
    #[error("no space left on the disk of the journal: {0}")]
    Full(String),
    #[error("write to the journal: {0}")]
    Storage(String),
    #[error("the journal is closed")]
    Closed,
}
