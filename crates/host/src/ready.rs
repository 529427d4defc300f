//! A host that is started before it is needed: it waits to be told what to start, so that the next program need not wait
//! for its host. It has its mark from the beginning, and nothing that others could find or could have to remove.
//!
//! Whoever made it ready holds the only end of its pipe. When that is dropped, or its process dies, the host goes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use segue_model::HostId;
use tokio::process::Child;
use tokio::task::JoinHandle;

use crate::guest;
use crate::start::command;

/// A host that is ready, or about to be. Dropped, it ends.
#[derive(Debug)]
pub struct Ready {
    host_id: HostId,
    starting: JoinHandle<io::Result<Waiting>>,
}

impl Ready {
    /// Starts `<exe> host --ready`, which is marked with this id. `env` is for the host itself: its program gets what
    /// is said when it is told.
    #[must_use]
    pub fn prepare(host_id: HostId, exe: PathBuf, env: Vec<(OsString, OsString)>) -> Self {
        let (runtime, mark) = (tokio::runtime::Handle::current(), host_id.clone());
        let starting = tokio::task::spawn_blocking(move || {
            let _inside = runtime.enter();
            let mut command = command(&exe, &env, &mark);
            // It is in nobody's way before it is told where to work.
            let child = command.arg(guest::READY).current_dir("/").spawn()?;
            Ok(Waiting(Some(child)))
        });
        Self { host_id, starting }
    }

    /// The only host that it can become.
    #[must_use]
    pub const fn host_id(&self) -> &HostId {
        &self.host_id
    }

    /// The host, if it is this one and lives.
    pub(crate) async fn waiting_for(self, host_id: &HostId) -> Option<Waiting> {
        let mut waiting = self.starting.await.ok()?.ok()?;
        let lives = matches!(waiting.0.as_mut()?.try_wait(), Ok(None));
        (lives && self.host_id == *host_id).then_some(waiting)
    }
}

/// A host that was told nothing: it is ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting(Option<Child>);

impl Waiting {
    /// From now on it is a host as any other, and outlives this process.
    pub fn into_child(mut self) -> Child {
        self.0.take().expect("taken only here, and dropped afterwards")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else { return };
        // The end of its pipe would do, a moment later.
        let _ = child.start_kill();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { child.wait().await });
        }
    }
}
