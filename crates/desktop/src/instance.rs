//! One window for each state folder: a second start brings the first one to the front.
//!
//! The lock says who is first and goes with its process, however that ends; the socket only carries the knock.

use std::{
    fs::{self, File},
    io,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

const LOCK: &str = "window.lock";
const SOCKET: &str = "window.sock";

#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

#[derive(Debug)]
pub enum Instance {
    First(First),
    /// Another window has been asked to come to the front.
    Other,
}

/// The right to be the window of this state folder; ends with the process.
#[derive(Debug)]
pub struct First {
    lock: File,
    knocks: UnixListener,
}

pub fn claim(state: &Path) -> Result<Instance, InstanceError> {
    let (lock_path, socket) = (state.join(LOCK), state.join(SOCKET));
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| InstanceError::Io { path, source }
    };
    let lock = File::options().create(true).append(true).open(&lock_path).map_err(at(&lock_path))?;
    if let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        return match io::Error::from(error) {
            taken if taken.kind() == io::ErrorKind::WouldBlock => {
                // One that is just starting has no socket yet and comes to the front by itself.
                let _ = UnixStream::connect(&socket);
                Ok(Instance::Other)
            }
            other => Err(at(&lock_path)(other)),
        };
    }
    match fs::remove_file(&socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&socket)(error)),
        _ => {}
    }
    let knocks = UnixListener::bind(&socket).map_err(at(&socket))?;
    Ok(Instance::First(First { lock, knocks }))
}

impl First {
    /// Calls `front` for each knock, for as long as that says true.
    pub fn listen(self, front: impl Fn() -> bool + Send + 'static) {
        std::thread::spawn(move || {
            // The lock lives as long as this thread, which lives as long as the process.
            let _lock = self.lock;
            for knock in self.knocks.incoming() {
                if knock.is_ok() && !front() {
                    break;
                }
            }
            std::thread::park();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_second_start_knocks_at_the_first() {
        let state = tempfile::tempdir().expect("a folder");
        // Left by a window that was killed.
        fs::write(state.path().join(SOCKET), "").expect("a file");
        let Ok(Instance::First(first)) = claim(state.path()) else { panic!("nobody else is there") };
        let (send, knocked) = channel();
        first.listen(move || send.send(()).is_ok());
        assert!(matches!(claim(state.path()), Ok(Instance::Other)));
        assert_eq!(knocked.recv(), Ok(()));
    }
}
