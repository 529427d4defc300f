//! The gate: one write transaction at a time among all processes of a state folder.
//!
//! SQLite's own lock is polled by those who wait for it, and one of four writers was seen to starve.
//! The kernel queues those who wait for this one. It is freed when its holder dies.

use std::{fs::File, io, path::Path};

use rustix::fs::{FlockOperation, flock};

use super::folder::private_file;

/// The open gate file of this process.
#[derive(Debug)]
pub(super) struct Gate {
    file: File,
}

/// The right to write; given back when dropped.
#[derive(Debug)]
pub(super) struct Passage<'g> {
    gate: &'g Gate,
}

impl Gate {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: private_file(path)? })
    }

    /// Waits until no other process writes.
    pub fn pass(&self) -> io::Result<Passage<'_>> {
        rustix::io::retry_on_intr(|| flock(&self.file, FlockOperation::LockExclusive))?;
        Ok(Passage { gate: self })
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        if let Err(error) = flock(&self.gate.file, FlockOperation::Unlock) {
            tracing::warn!(%error, "the journal's gate could not be unlocked");
        }
    }
}
