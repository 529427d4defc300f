//! The flows of a workspace: the one object that HTTP, the command line, MCP and schedules call. Here is its life; what
//! callers want of it is in one file for each reason to call.

mod act;
mod capabilities;
mod flows;
mod read;
mod start;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use segue_model::flow::{Profile, RunId};

use crate::{
    catalogue,
    drive::{Ask, OnStop},
    error::StorageError,
    people, recover, schedule,
    shared::{Config, Shared},
    store,
    workspace::Workspace,
};

/// How long Runs may take to end when the runtime is stopped in order. Fixed by the contract.
const GRACE: Duration = Duration::from_secs(3);
/// How long what is left may take to be written down after that.
const LEAVE: Duration = Duration::from_secs(2);

/// The flows of one workspace in one process.
#[derive(Debug, Clone)]
pub struct Flows {
    pub(crate) shared: Arc<Shared>,
}

/// A Run that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    pub run_id: RunId,
    pub why: String,
}

impl Flows {
    /// Flows that do nothing by themselves yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { shared: Shared::new(config) }
    }

    /// Sets a fresh workspace up: it has the golden flow.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub async fn open(&self) -> Result<(), StorageError> {
        store::seed(&self.shared).await
    }

    /// Lets it take over what dead servers left, answer other servers' requests and start the Runs of schedules. Needs
    /// a runtime.
    pub fn serve(&self) {
        tokio::spawn(schedule::serve(Arc::clone(&self.shared)));
        self.shared.has_looked.store(false, Ordering::Release);
        // Counted from here on: a shutdown before the first look waits for it.
        tokio::spawn(recover::serve(Arc::clone(&self.shared), self.shared.busy()));
        people::serve(&self.shared);
    }

    /// Lets other servers ask the Runs of this process, for one that only admits; a takeover begins it as well. Needs a
    /// runtime.
    pub fn answer_requests(&self) {
        people::serve(&self.shared);
    }

    /// Takes over what dead servers left, once.
    pub async fn recover(&self) {
        recover::once(&self.shared).await;
    }

    /// Takes one Run over if its server is dead, once.
    pub async fn adopt(&self, run: &RunId) {
        recover::adopt(&self.shared, run).await;
    }

    /// Ends what this process drives. Runs that only wait for somebody are left for the next runtime, others as `runs`
    /// says; what does not end in time is left as well. True when nothing executes any more, as far as can be known, and
    /// that is recorded: what a dead server left must have been seen.
    pub async fn shut_down(&self, runs: OnStop) -> bool {
        self.stop(runs);
        let idle = self.idle(GRACE).await;
        if !idle {
            self.tell_all(|| Ask::Abandon);
            self.idle(LEAVE).await;
        }
        idle && self.shared.has_looked.load(Ordering::Acquire) && !self.shared.unwritten.load(Ordering::Acquire)
    }

    /// Begins a [`Flows::shut_down`] without waiting: nothing is admitted or taken over any more, and what runs hears of
    /// it.
    pub fn stop(&self, runs: OnStop) {
        // Said once: a Run that is being cancelled for it is not told to be left by a second time.
        if !self.shared.stopping.send_replace(true) {
            self.tell_all(|| Ask::Stop(runs));
        }
    }

    fn tell_all(&self, ask: impl Fn() -> Ask) {
        for job in self.shared.all_jobs() {
            let _ = job.asks.send(ask());
        }
    }

    async fn idle(&self, limit: Duration) -> bool {
        let mut busy = self.shared.busy.subscribe();
        tokio::time::timeout(limit, busy.wait_for(|n| *n == 0)).await.is_ok_and(|idle| idle.is_ok())
    }

    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.shared.workspace
    }

    /// Whether a profile's agent is installed. Looks for its program only.
    #[must_use]
    pub fn is_available(&self, profile: Profile) -> bool {
        catalogue::is_available(&self.shared, profile)
    }
}
