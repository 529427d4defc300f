//! Blobs as files: `blobs/<2 hex>/<62 hex>` in the state folder, by the SHA-256 of their bytes.
//!
//! A file gets its name once it is whole and synced, so a crash leaves a file of no name, which the
//! next start removes, and never a torn one. What is read is compared with its name.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::folder;
use crate::{
    InstanceId,
    artifacts::{BlobError, digest, is_digest},
};

/// Where files are before they have a name. No digest begins so.
const NAMELESS: &str = "new";
/// Digits of a digest that name the folder: a folder then has few files among millions.
const FOLDER_DIGITS: usize = 2;

/// The blobs of a state folder, as one instance has them.
#[derive(Debug)]
pub(super) struct Blobs {
    dir: PathBuf,
    me: InstanceId,
    /// How many files this instance began.
    begun: AtomicU64,
}

impl Blobs {
    /// Makes the folder when it is missing, and removes what instances began that are not `living`.
    pub fn open(dir: PathBuf, me: InstanceId, living: &[InstanceId]) -> io::Result<Self> {
        let nameless = dir.join(NAMELESS);
        if !nameless.is_dir() {
            folder::make(&nameless)?;
            for made in [Some(dir.as_path()), dir.parent()].into_iter().flatten() {
                sync_folder(made)?;
            }
        }
        for entry in fs::read_dir(&nameless)? {
            let entry = entry?;
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.split_once('.')).map_or("", |(owner, _)| owner);
            if !living.iter().any(|instance| instance.0 == owner) {
                remove(&entry.path());
            }
        }
        Ok(Self { dir, me, begun: AtomicU64::new(0) })
    }

    /// Writes the bytes where they are not there yet, and returns their digest.
    pub fn put(&self, bytes: &[u8]) -> Result<String, BlobError> {
        let sha256 = digest(bytes);
        self.keep(&sha256, bytes).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BlobError::Full(error.to_string()),
            _ => BlobError::Storage(error.to_string()),
        })?;
        Ok(sha256)
    }

    fn keep(&self, sha256: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(sha256);
        let prefix = self.dir.join(&sha256[..FOLDER_DIGITS]);
        // What is there is looked at: a file that was changed meanwhile is replaced.
        if !fs::read(&path).is_ok_and(|found| found == bytes) {
            folder::make(&prefix)?;
            let number = self.begun.fetch_add(1, Ordering::Relaxed);
            let nameless = self.dir.join(NAMELESS).join(format!("{}.{number}", self.me));
            let written = write_synced(&nameless, bytes).and_then(|()| fs::rename(&nameless, &path));
            if let Err(error) = written {
                remove(&nameless);
                return Err(error);
            }
        }
        // Also for a file that another process has just made and not yet made sure of.
        sync_folder(&prefix)?;
        sync_folder(&self.dir)
    }

    /// The bytes, when they are still those of the digest.
    pub fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>, BlobError> {
        if !is_digest(sha256) {
            return Ok(None);
        }
        match fs::read(self.path(sha256)) {
            Ok(bytes) if digest(&bytes) == sha256 => Ok(Some(bytes)),
            Ok(_) => Err(BlobError::Changed { sha256: sha256.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BlobError::Storage(error.to_string())),
        }
    }

    pub fn has(&self, sha256: &str) -> bool {
        is_digest(sha256) && self.path(sha256).is_file()
    }

    /// Removes a blob that no row names. One that stays does no harm.
    pub fn discard(&self, sha256: &str) {
        if is_digest(sha256) {
            remove(&self.path(sha256));
        }
    }

    /// `sha256` is a digest.
    fn path(&self, sha256: &str) -> PathBuf {
        self.dir.join(&sha256[..FOLDER_DIGITS]).join(&sha256[FOLDER_DIGITS..])
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = folder::private_file(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_folder(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

fn remove(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::debug!(%error, path = %path.display(), "a blob that nobody needs was not removed");
        }
        _ => {}
    }
}
