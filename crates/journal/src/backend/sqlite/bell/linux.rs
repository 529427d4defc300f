//! Listens through inotify.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use inotify::{Inotify, WatchMask};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
};

use super::{Heard, LOOK_EVERY};

/// Dropped to stop the ear: the pipe's other end then reports it.
#[derive(Debug)]
pub(super) struct Stopper {
    _pipe: OwnedFd,
}

#[derive(Debug)]
pub(super) struct Ear {
    stop: OwnedFd,
    /// `None` where the user has no watch left: then only the time makes us look.
    inotify: Option<Inotify>,
}

pub(super) fn open(bell: &Path) -> io::Result<(Stopper, Ear)> {
    let (stop, pipe) = pipe_with(PipeFlags::CLOEXEC)?;
    let watch = || -> io::Result<Inotify> {
        let inotify = Inotify::init()?;
        inotify.watches().add(bell, WatchMask::ATTRIB)?;
        Ok(inotify)
    };
    let inotify = watch().inspect_err(|error| tracing::debug!(%error, "the journal's bell cannot be watched")).ok();
    Ok((Stopper { _pipe: pipe }, Ear { stop, inotify }))
}

impl Ear {
    pub fn listen(&mut self) -> Heard {
        let patience =
            Timespec { tv_sec: LOOK_EVERY.as_secs().cast_signed(), tv_nsec: LOOK_EVERY.subsec_nanos().into() };
        let mut waited_for = vec![PollFd::new(&self.stop, PollFlags::IN)];
        if let Some(inotify) = &self.inotify {
            waited_for.push(PollFd::from_borrowed_fd(inotify.as_fd(), PollFlags::IN));
        }
        // An interrupted wait is a reason to look like any other.
        let _ = poll(&mut waited_for, Some(&patience));
        if !waited_for[0].revents().is_empty() {
            return Heard::Stop;
        }
        if let Some(inotify) = &mut self.inotify {
            // What happened is of no interest; without reading it the next wait would not wait.
            let _ = inotify.read_events(&mut [0; 1024]);
        }
        Heard::Look
    }
}
