//! The bell: a file that is touched after each commit, so that other processes look at once.
//!
//! It is a hint and nothing more. Everyone looks once a second in any case, so a lost touch, a
//! deleted file or a platform without a way to watch costs a second.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as ear;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as ear;

use std::{fs::File, io, path::Path, sync::Arc, thread::JoinHandle, time::Duration};

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
use tokio::sync::watch;

use super::{
    folder::private_file,
    place::Place,
    read::{self, Readers},
};
use crate::Position;

/// How often everyone looks without having heard anything.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A look is a query; under a storm of commits this is the least time between two of them.
const REST: Duration = Duration::from_millis(2);

/// The bell as those who commit have it.
#[derive(Debug)]
pub(super) struct Bell {
    file: File,
}

impl Bell {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: private_file(path)? })
    }

    pub fn ring(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        if let Err(error) = futimens(&self.file, &Timestamps { last_access: now, last_modification: now }) {
            tracing::debug!(%error, "the journal's bell was not touched");
        }
    }
}

/// What came of listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// The bell, or the time for a look is up.
    Look,
    Stop,
}

/// The thread that listens; it ends when this is dropped or stopped.
#[derive(Debug)]
pub(super) struct Listener {
    stopper: ear::Stopper,
    thread: JoinHandle<()>,
}

impl Listener {
    /// Tells `changes` about commits of other processes.
    pub fn start(
        bell: &Path,
        place: Arc<Place>,
        readers: Arc<Readers>,
        changes: Arc<watch::Sender<Position>>,
    ) -> io::Result<Self> {
        let (stopper, mut ear) = ear::open(bell)?;
        let listen = move || {
            let mut gone = false;
            while ear.listen() == Heard::Look {
                if !gone && place.look().is_err() {
                    gone = true;
                    // Whoever waits for a change looks, and is told.
                    changes.send_modify(|_| {});
                }
                match readers.read(read::position) {
                    Ok(position) => tell(&changes, position),
                    Err(error) => tracing::debug!(%error, "the journal was not looked at"),
                }
                std::thread::sleep(REST);
            }
        };
        let thread = std::thread::Builder::new().name("journal-bell".to_owned()).spawn(listen)?;
        Ok(Self { stopper, thread })
    }

    pub fn stop(self) {
        drop(self.stopper);
        if self.thread.join().is_err() {
            tracing::warn!("the journal's listener had panicked");
        }
    }
}

/// Raises the value that is waited on. Positions may be told in any order.
pub(super) fn tell(changes: &watch::Sender<Position>, position: Position) {
    changes.send_if_modified(|told| {
        let later = position > *told;
        *told = position.max(*told);
        later
    });
}
