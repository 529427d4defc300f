//! Why a state folder was not opened, and what SQLite's errors mean to a caller.

use std::{io, path::PathBuf, time::Duration};

use rusqlite::ErrorCode;

use crate::{AppendError, InstanceId, ReadError};

/// Why the journal was not opened. The files are as they were before; each message names the file
/// and, where there is one, a way on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("use the state folder {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the state folder {} is not a folder; name another one", path.display())]
    NotAFolder { path: PathBuf },
    #[error("the state folder {} belongs to user {uid}; name one of your own", path.display())]
    ForeignFolder { path: PathBuf, uid: u32 },
    #[error(
        "the state folder {} is on a network file system ({kind}), where locks and shared memory cannot be \
         relied on; name one on a local disk",
        path.display()
    )]
    Network { path: PathBuf, kind: String },
    #[error("read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is not a file; move it aside to begin a new journal", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} is empty, and Segue never leaves it so; restore it, or move it aside to begin a new journal", path.display())]
    Empty { path: PathBuf },
    #[error("{} is not a database; move it aside to begin a new journal", path.display())]
    NotADatabase { path: PathBuf },
    #[error(
        "{} belongs to another program (application id {application_id:#x}); move it aside, or name another state folder",
        path.display()
    )]
    Foreign { path: PathBuf, application_id: i32 },
    #[error(
        "{} is cut off: {missing} of {pages} pages are missing; restore it, or move it and its -wal file aside to \
         begin a new journal",
        path.display()
    )]
    Truncated { path: PathBuf, missing: u64, pages: u64 },
    #[error(
        "{} is damaged ({reason}); restore it, or move it and its -wal file aside to begin a new journal",
        path.display()
    )]
    Damaged { path: PathBuf, reason: String },
    #[error(
        "{} was written by a newer Segue (schema {found}, this one knows {known}); use that version, or name another \
         state folder",
        path.display()
    )]
    Newer { path: PathBuf, found: i32, known: i32 },
    #[error(
        "{} was left behind by a database that is gone; move it aside too, or put the database back",
        path.display()
    )]
    LeftOver { path: PathBuf },
    #[error(
        "{} has to be brought to a new schema while nobody else uses it; end the other Segue processes first ({})",
        path.display(), names(others)
    )]
    InUse { path: PathBuf, others: Vec<InstanceId> },
    #[error("database busy: {} was locked by another program for {} s", path.display(), waited.as_secs())]
    Busy { path: PathBuf, waited: Duration },
    #[error("no space left on the disk of {}", path.display())]
    Full { path: PathBuf },
    #[error("open {}: {reason}", path.display())]
    Storage { path: PathBuf, reason: String },
}

fn names(instances: &[InstanceId]) -> String {
    instances.iter().map(|instance| instance.0.as_str()).collect::<Vec<_>>().join(", ")
}

/// What kind of trouble an error of SQLite is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Another program holds a lock.
    Busy,
    Full,
    /// The file is not what it should be.
    Damaged,
    Other,
}

/// `SQLITE_IOERR_SHMSIZE`: the shared memory beside the database could not grow, for want of space.
const IOERR_SHMSIZE: i32 = 4874;

pub(super) fn trouble(error: &rusqlite::Error) -> Trouble {
    match error.sqlite_error() {
        Some(code) if code.extended_code == IOERR_SHMSIZE => Trouble::Full,
        Some(code) => match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Trouble::Busy,
            ErrorCode::DiskFull => Trouble::Full,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Trouble::Damaged,
            _ => Trouble::Other,
        },
        None => Trouble::Other,
    }
}

pub(super) fn append_error(error: &rusqlite::Error) -> AppendError {
    let text = error.to_string();
    match trouble(error) {
        Trouble::Busy => AppendError::Busy(text),
        Trouble::Full => AppendError::Full(text),
        Trouble::Damaged | Trouble::Other => AppendError::Storage(text),
    }
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        match trouble(&error) {
            Trouble::Busy => Self::Busy(error.to_string()),
            Trouble::Full | Trouble::Damaged | Trouble::Other => Self::Storage(error.to_string()),
        }
    }
}
