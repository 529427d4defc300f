//! Lock files: one for each process that has the journal open, freed by the kernel when it dies.
//!
//! A file says the number of its process, for people. One whose lock is free belongs to a dead process; whoever opens the journal next removes it.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

use super::folder::private_file;
use crate::InstanceId;

/// This process's lock, held for its life.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Draws an id and locks its file in `folder`.
    pub fn take(folder: &Path) -> io::Result<(InstanceId, Self)> {
        loop {
            let mut random = [0; 8];
            getrandom::fill(&mut random).map_err(io::Error::other)?;
            let id = InstanceId(format!("{PREFIX}{:016x}", u64::from_be_bytes(random)));
            let path = path_of(folder, &id);
            let file = private_file(&path)?;
            rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))?;
            // A sweep may have taken the file for a dead one before it was locked.
            let same = fs::metadata(&path).is_ok_and(|found| file.metadata().is_ok_and(|own| own.ino() == found.ino()));
            if same {
                // Nothing rests on it: a disk that is full does not keep anybody from working.
                if let Err(error) = (&file).write_all(std::process::id().to_string().as_bytes()) {
                    tracing::debug!(%error, path = %path.display(), "the process is not named in its lock file");
                }
                return Ok((id, Self { path, _file: file }));
            }
        }
    }

    /// Gives the lock up in order: the file goes as well.
    pub fn release(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, path = %self.path.display(), "the instance's lock file was not removed");
        }
    }
}

const PREFIX: &str = "inst_";
const SUFFIX: &str = ".lock";

fn path_of(folder: &Path, id: &InstanceId) -> PathBuf {
    folder.join(format!("{id}{SUFFIX}"))
}

/// Whether an instance lives. Where that cannot be found out it counts as alive, so that nothing is
/// ever taken from the living.
pub(super) fn alive(folder: &Path, id: &InstanceId) -> bool {
    is_plain(id) && held(&path_of(folder, id))
}

/// The number of its process: none for one of a release that did not write it.
pub(super) fn process(folder: &Path, id: &InstanceId) -> Option<u32> {
    is_plain(id).then(|| fs::read_to_string(path_of(folder, id)).ok()?.parse().ok())?
}

fn is_plain(id: &InstanceId) -> bool {
    id.0.strip_prefix(PREFIX).is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn held(path: &Path) -> bool {
    match File::open(path) {
        // Shared, so that two who look at the same time do not see each other.
        Ok(file) => flock(&file, FlockOperation::NonBlockingLockShared).is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Removes the lock files of the dead and returns the living.
pub(super) fn sweep(folder: &Path) -> io::Result<Vec<InstanceId>> {
    let mut living = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)) else { continue };
        let path = folder.join(&name);
        if held(&path) {
            living.push(InstanceId(id.to_owned()));
        } else if let Err(error) = fs::remove_file(&path) {
            tracing::debug!(%error, path = %path.display(), "a dead instance's lock file was not removed");
        }
    }
    living.sort();
    Ok(living)
}
