//! Looks at the database file before SQLite does, so that a foreign or broken file stays untouched.
//!
//! Closing any descriptor of a file frees all POSIX locks that this process has on it, SQLite's
//! included. So a file that this process has open already is not looked at again; [`Seen`] knows.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    error::OpenError,
    place::{FileId, id_of},
    schema,
};

/// The first bytes of a database: <https://www.sqlite.org/fileformat.html>.
const HEADER_LEN: usize = 100;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// What the write-ahead log puts before the first frame, and before each page.
const WAL_HEADER_LEN: u64 = 32;
const FRAME_HEADER_LEN: u64 = 24;

/// Files that this process has open, by device and inode, with the number of journals on each.
static OPEN_HERE: Mutex<Option<HashMap<FileId, usize>>> = Mutex::new(None);

/// A database file that was looked at and is about to be opened, or is open.
#[derive(Debug)]
pub(super) struct Seen {
    file: FileId,
}

impl Seen {
    /// Looks at the file. `None` when there is none; a `-wal` file without it is refused, because
    /// SQLite would read a new database and an old log as one.
    pub fn look(path: &Path) -> Result<Option<Self>, OpenError> {
        let unreadable = |source| OpenError::Unreadable { path: path.to_owned(), source };
        let wal = wal_path(path);
        let wal_len = fs::metadata(&wal).map_or(0, |found| found.len());
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if wal_len == 0 { Ok(None) } else { Err(OpenError::LeftOver { path: wal }) };
            }
            Err(error) => return Err(unreadable(error)),
        };
        if !found.is_file() {
            return Err(OpenError::NotAFile { path: path.to_owned() });
        }
        let file = id_of(&found);
        let mut here = OPEN_HERE.lock().unwrap_or_else(PoisonError::into_inner);
        let count = here.get_or_insert_default().entry(file).or_insert(0);
        if *count == 0 {
            let mut header = Vec::with_capacity(HEADER_LEN);
            let opened = File::open(path).map_err(unreadable)?;
            opened.take(HEADER_LEN as u64).read_to_end(&mut header).map_err(unreadable)?;
            judge(path, &header, found.len(), wal_len)?;
        }
        *count += 1;
        Ok(Some(Self { file }))
    }

    pub fn file(&self) -> FileId {
        self.file
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        let mut here = OPEN_HERE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = here.as_mut().and_then(|open| open.get_mut(&self.file)) {
            *count = count.saturating_sub(1);
        }
    }
}

pub(super) fn wal_path(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    wal.into()
}

fn judge(path: &Path, header: &[u8], len: u64, wal_len: u64) -> Result<(), OpenError> {
    let path = || path.to_owned();
    if header.is_empty() {
        return Err(OpenError::Empty { path: path() });
    }
    let Some(header) = header.first_chunk::<HEADER_LEN>().filter(|header| header.starts_with(MAGIC)) else {
        return Err(OpenError::NotADatabase { path: path() });
    };
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let application_id = word(68).cast_signed();
    if application_id != schema::APPLICATION_ID {
        return Err(OpenError::Foreign { path: path(), application_id });
    }
    let version = word(60).cast_signed();
    if version > schema::VERSION {
        return Err(OpenError::Newer { path: path(), found: version, known: schema::VERSION });
    }
    // 1 stands for 65536.
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    if page_size < 512 {
        return Err(OpenError::Damaged { path: path(), reason: format!("page size {page_size}") });
    }
    let pages = u64::from(word(28));
    let missing = pages.saturating_sub(len / page_size);
    // A checkpoint that was cut short leaves the missing pages in the log.
    let logged = wal_len.saturating_sub(WAL_HEADER_LEN) / (page_size + FRAME_HEADER_LEN);
    // The count of pages holds only when it was written by the last change.
    if word(24) == word(92) && missing > logged {
        return Err(OpenError::Truncated { path: path(), missing, pages });
    }
    Ok(())
}
