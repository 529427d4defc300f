//! A journal without files: for `--ephemeral` and for tests and simulations.
//!
//! It keeps the promises of the trait except the one that needs a disk: nothing survives the
//! process. Several instances on one [`Memory`] behave as several processes on one state folder;
//! which of them are alive is said by the test. Nothing here is random, so a simulation repeats.

mod flows;
mod state;

use std::{
    future::ready,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
};

use tokio::sync::watch;

use self::state::State;
use crate::{
    AppendError, ArtifactRow, Batch, BlobError, Document, EventFilter, EventPage, HoldKey, HostRow, InboxRequest,
    InstanceId, Journal, LeaseRow, Owner, Pending, Position, ReadError, RunFilter, RunRow, Seq, StreamName, TaskFilter,
    TaskPage, TaskRow, Token,
};

/// A journal in memory, shared by the instances opened on it.
#[derive(Debug, Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changes: watch::Sender<Position>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another user cannot leave half a batch: everything is judged before it is applied.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one transaction and tells about it.
    fn write<T>(&self, change: impl FnOnce(&mut State) -> Result<T, AppendError>) -> Result<T, AppendError> {
        let mut state = self.state();
        let result = change(&mut state);
        let position = state.position();
        // Under the lock, so that positions are told in their order.
        self.changes.send_if_modified(|told| std::mem::replace(told, position) != position);
        result
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// An empty journal.
    #[must_use]
    pub fn new() -> Self {
        Self { shared: Arc::new(Shared { state: Mutex::default(), changes: watch::channel(0).0 }) }
    }

    /// Another instance on this journal, as another process would be. Ids are counted from
    /// `inst_0000000000000001` on.
    #[must_use]
    pub fn open_instance(&self) -> Arc<MemoryInstance> {
        let id = self.shared.state().open_instance();
        Arc::new(MemoryInstance { id, shared: Arc::clone(&self.shared), standing: AtomicU8::new(OPEN) })
    }
}

/// One instance on a [`Memory`].
#[derive(Debug)]
pub struct MemoryInstance {
    id: InstanceId,
    shared: Arc<Shared>,
    standing: AtomicU8,
}

const OPEN: u8 = 0;
/// Nothing can be written any more; reads still answer, as they harm nobody.
const KILLED: u8 = 1;
const CLOSED: u8 = 2;

impl MemoryInstance {
    /// The instance is dead from now on, as after `kill -9`: others see it so, and whatever of it
    /// still runs in this test can write nothing more.
    pub fn kill(&self) {
        self.standing.fetch_max(KILLED, Ordering::SeqCst);
        self.lose_lock();
    }

    /// Others take the instance for dead, but it goes on, as a process does whose lock file was
    /// deleted. It writes until a takeover fences it.
    pub fn lose_lock(&self) {
        self.shared.state().set_dead(&self.id);
    }

    fn write<T>(&self, change: impl FnOnce(&mut State) -> Result<T, AppendError>) -> Result<T, AppendError> {
        self.shared.write(|state| {
            // Looked at under the lock: a write after `kill` returned is impossible.
            if self.standing.load(Ordering::SeqCst) != OPEN {
                return Err(AppendError::Closed);
            }
            change(state)
        })
    }

    fn read<T>(&self, query: impl FnOnce(&State) -> T) -> Result<T, ReadError> {
        if self.standing.load(Ordering::SeqCst) == CLOSED {
            return Err(ReadError::closed());
        }
        Ok(query(&self.shared.state()))
    }
}

impl Journal for MemoryInstance {
    fn instance(&self) -> &InstanceId {
        &self.id
    }

    fn append(&self, batch: Batch) -> Pending {
        let result = self.write(|state| state.append(batch, &self.id));
        Box::pin(ready(result))
    }

    fn take_over(&self, stream: &StreamName) -> Result<(Token, Seq), AppendError> {
        self.write(|state| state.take_over(stream, &self.id))
    }

    fn owner(&self, stream: &StreamName) -> Result<Option<Owner>, ReadError> {
        self.read(|state| state.owner(stream, &self.id))
    }

    fn alive(&self, instance: &InstanceId) -> bool {
        self.shared.state().alive(instance)
    }

    /// All instances are of this process.
    fn process(&self, instance: &InstanceId) -> Option<u32> {
        self.alive(instance).then(std::process::id)
    }

    fn events(
        &self,
        stream: &StreamName,
        after: Seq,
        limit: usize,
        filter: &EventFilter,
    ) -> Result<Option<EventPage>, ReadError> {
        self.read(|state| state.events(stream, after, limit, filter))
    }

    fn task(&self, id: &str) -> Result<Option<TaskRow>, ReadError> {
        self.read(|state| state.task(id).cloned())
    }

    fn tasks_by_id(&self, ids: &[String]) -> Result<Vec<TaskRow>, ReadError> {
        self.read(|state| ids.iter().filter_map(|id| state.task(id).cloned()).collect())
    }

    fn task_by_key(&self, client_key: &str) -> Result<Option<TaskRow>, ReadError> {
        self.read(|state| state.task_by_key(client_key).cloned())
    }

    fn tasks(&self, filter: &TaskFilter, limit: usize) -> Result<Option<TaskPage>, ReadError> {
        self.read(|state| state.tasks(filter, limit))
    }

    fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|state| state.tasks_starting_with(prefix, limit))
    }

    fn prompt(&self, id: &str) -> Result<Option<String>, ReadError> {
        self.read(|state| state.prompt(id).cloned())
    }

    fn task_counts(&self) -> Result<Vec<(String, u64)>, ReadError> {
        self.read(State::task_counts)
    }

    fn run(&self, id: &str) -> Result<Option<RunRow>, ReadError> {
        self.read(|state| state.flows.run(id).cloned())
    }

    fn run_by_key(&self, workspace: &str, admission_key: &str) -> Result<Option<RunRow>, ReadError> {
        self.read(|state| state.flows.run_by_key(workspace, admission_key).cloned())
    }

    fn runs(&self, filter: &RunFilter, limit: usize) -> Result<Vec<RunRow>, ReadError> {
        self.read(|state| state.flows.runs(filter, limit))
    }

    fn forks(&self, workspace: &str, parent: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|state| state.flows.forks(workspace, parent, limit))
    }

    fn runs_starting_with(&self, workspace: &str, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.read(|state| state.flows.runs_starting_with(workspace, prefix, limit))
    }

    fn active_runs(&self, workspace: &str) -> Result<Vec<RunRow>, ReadError> {
        let active = RunFilter { workspace: workspace.to_owned(), ended: Some(false), ..RunFilter::default() };
        self.runs(&active, usize::MAX)
    }

    fn run_counts(&self, workspace: &str) -> Result<Vec<(String, u64)>, ReadError> {
        self.read(|state| state.flows.run_counts(workspace))
    }

    fn artifact(&self, id: &str) -> Result<Option<ArtifactRow>, ReadError> {
        self.read(|state| state.flows.artifact(id).cloned())
    }

    fn artifacts_of(&self, run: &str) -> Result<Vec<ArtifactRow>, ReadError> {
        self.read(|state| state.flows.artifacts_of(run))
    }

    fn document(&self, workspace: &str, kind: &str, id: &str) -> Result<Option<Document>, ReadError> {
        self.read(|state| state.flows.document((workspace, kind, id)).cloned())
    }

    fn documents(&self, workspace: &str, kind: &str) -> Result<Vec<Document>, ReadError> {
        self.read(|state| state.flows.documents(workspace, kind))
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<String, BlobError> {
        let mut state = self.shared.state();
        if self.standing.load(Ordering::SeqCst) != OPEN {
            return Err(BlobError::Closed);
        }
        Ok(state.flows.put_blob(bytes))
    }

    fn blob(&self, sha256: &str) -> Result<Option<Vec<u8>>, BlobError> {
        self.read(|state| state.flows.blob(sha256).cloned()).map_err(|_| BlobError::Closed)
    }

    fn lease(&self, handle: &str) -> Result<Option<LeaseRow>, ReadError> {
        self.read(|state| state.lease(handle).cloned())
    }

    fn open_leases(&self) -> Result<Vec<LeaseRow>, ReadError> {
        self.read(State::open_leases)
    }

    fn host(&self, id: &str) -> Result<Option<HostRow>, ReadError> {
        self.read(|state| state.host(id).cloned())
    }

    fn hosts(&self) -> Result<Vec<HostRow>, ReadError> {
        self.read(State::hosts)
    }

    fn holder(&self, key: &HoldKey) -> Result<Option<String>, ReadError> {
        self.read(|state| state.held_by(key).cloned())
    }

    fn request(&self, stream: &StreamName, body: String, at: i64) -> Result<i64, AppendError> {
        self.write(|state| state.request(stream, &self.id, body, at))
    }

    fn inbox(&self) -> Result<Vec<InboxRequest>, ReadError> {
        self.read(|state| state.inbox(&self.id))
    }

    fn waiting(&self, request: i64) -> Result<bool, ReadError> {
        self.read(|state| state.waiting(request))
    }

    fn changes(&self) -> watch::Receiver<Position> {
        self.shared.changes.subscribe()
    }

    fn changed_since(&self, position: Position, limit: usize) -> Result<(Vec<(StreamName, Seq)>, Position), ReadError> {
        self.read(|state| state.changed_since(position, limit))
    }

    fn close(&self) {
        self.standing.store(CLOSED, Ordering::SeqCst);
        self.lose_lock();
    }
}

impl Drop for MemoryInstance {
    fn drop(&mut self) {
        self.close();
    }
}
