//! Whether the state folder is still the one that was opened.
//!
//! A folder that was removed, moved or put in the place of another one leaves this process with files that nobody will
//! find again: what it wrote there would be lost with it, and another process at the same path would not see it. So
//! the database at the path is compared with the one that was opened, and nothing is written or read any more once it
//! is another file. (Who only loses its lock file is taken for dead and fenced like any other.)

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use crate::Gone;

/// A file as the file system knows it.
pub(super) type FileId = (u64, u64);

#[derive(Debug)]
pub(super) struct Place {
    dir: PathBuf,
    database: PathBuf,
    id: FileId,
    gone: AtomicBool,
}

impl Place {
    pub fn new(dir: &Path, database: &Path, id: FileId) -> Self {
        Self { dir: dir.to_owned(), database: database.to_owned(), id, gone: AtomicBool::new(false) }
    }

    /// Looks at the file. What was gone once stays gone: others may have written elsewhere meanwhile.
    pub fn look(&self) -> Result<(), Gone> {
        if is_another(&self.database, self.id) && !self.gone.swap(true, Ordering::AcqRel) {
            tracing::error!("{}", self.name());
        }
        self.known()
    }

    /// What the last look found.
    pub fn known(&self) -> Result<(), Gone> {
        if self.gone.load(Ordering::Acquire) { Err(self.name()) } else { Ok(()) }
    }

    fn name(&self) -> Gone {
        Gone { dir: self.dir.clone() }
    }
}

pub(super) fn id_of(found: &fs::Metadata) -> FileId {
    (found.dev(), found.ino())
}

/// Where that cannot be found out (a limit of this process, an error of the disk) the file counts as the same.
fn is_another(path: &Path, id: FileId) -> bool {
    match fs::metadata(path) {
        Ok(found) => id_of(&found) != id,
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}
