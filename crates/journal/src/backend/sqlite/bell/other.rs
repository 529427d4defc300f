//! Listens to the clock only.

use std::{
    io,
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
};

use super::{Heard, LOOK_EVERY};

/// Dropped to stop the ear.
#[derive(Debug)]
pub(super) struct Stopper {
    _end: Sender<()>,
}

#[derive(Debug)]
pub(super) struct Ear {
    stop: Receiver<()>,
}

#[expect(clippy::unnecessary_wraps, reason = "the same signature on every platform")]
pub(super) fn open(_bell: &Path) -> io::Result<(Stopper, Ear)> {
    let (end, stop) = channel();
    Ok((Stopper { _end: end }, Ear { stop }))
}

impl Ear {
    pub fn listen(&mut self) -> Heard {
        match self.stop.recv_timeout(LOOK_EVERY) {
            Err(RecvTimeoutError::Timeout) => Heard::Look,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Heard::Stop,
        }
    }
}
