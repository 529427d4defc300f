//! What every part of the flows of one process has in common.

use std::{
    any::Any,
    collections::{HashMap, HashSet},
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Duration,
};

use segue_channel::{Channel, World};
use segue_journal::{InstanceId, Journal};
use segue_model::{
    HostId, ScheduleId, TaskId, Timestamp,
    flow::{ArtifactId, ExecutorRef, Flow, Hash, RunId, capability::Saved, id::CapabilityId},
};
use tokio::sync::watch;

use crate::{bindings::Executors, drive::JobRef, error::StorageError, executors::Parting, workspace::Workspace};

/// Runs that are active at once unless the user says otherwise.
pub const ACTIVE_RUNS: usize = 8;
/// Flows that are kept compiled: those of the Runs that people look at now.
const FLOWS_KEPT: usize = 64;

/// How the flows of a workspace are set up.
#[derive(Debug)]
pub struct Config {
    pub journal: Arc<dyn Journal>,
    pub world: Arc<dyn World>,
    pub channel: Channel,
    pub executors: Arc<dyn Executors>,
    /// An absolute path.
    pub workspace: PathBuf,
    /// The folder for hosts: their sockets and spools.
    pub hosts: PathBuf,
    /// The program that is started as `<exe> host …`.
    pub exe: PathBuf,
    /// The environment of processes.
    pub environment: Vec<(OsString, OsString)>,
    /// How long a process goes on with no server attached.
    pub orphan_grace: Duration,
    /// The user's file of agent descriptors, which need not exist.
    pub descriptors: Option<PathBuf>,
    /// At least 1. Runs that are nodes of other Runs do not count.
    pub max_active_runs: usize,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Shared {
    pub config: Config,
    pub workspace: Workspace,
    /// See [`segue_host::place`].
    pub place: Option<String>,
    jobs: Mutex<HashMap<RunId, JobRef>>,
    adopting: Mutex<HashSet<RunId>>,
    partings: Mutex<HashMap<HostId, Parting>>,
    /// Runs of which it was said that they are left alone.
    left_alone: Mutex<HashSet<RunId>>,
    /// Runs whose jobs panicked in this process.
    panicked: Mutex<HashSet<RunId>>,
    flows: Mutex<HashMap<Hash, Arc<Flow>>>,
    /// Capabilities that the runtime itself brings. They live as long as this process.
    pub samples: Mutex<Vec<Saved>>,
    /// Those of them that nodes call by the name of a preset.
    named: Mutex<HashMap<CapabilityId, ExecutorRef>>,
    /// One admission after the other: the limit is looked at and taken in one.
    pub admission: tokio::sync::Mutex<()>,
    /// One change of saved flows and capabilities after the other.
    pub saving: tokio::sync::Mutex<()>,
    /// False while it is not known what a dead server left: a look at that was begun and has not been successful.
    pub has_looked: AtomicBool,
    /// Requests of other servers are handed to the jobs of this process.
    pub answers: AtomicBool,
    /// True once the shutdown began.
    pub stopping: watch::Sender<bool>,
    /// A job gave up writing, so that what became of its Run is not recorded by this process.
    pub unwritten: AtomicBool,
    /// How many jobs are under way.
    pub busy: watch::Sender<usize>,
}

/// A poisoned lock guards data that is replaced whole: what is there is usable.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs what may block on a thread that may. A panic is an unreadable record, not the end of the process.
///
/// # Errors
/// As the work's own.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => {
            let why = format!("reading it panicked: {}", panic_text(&*error.into_panic()));
            Err(StorageError::corrupt("what was asked for", why))
        }
        Err(_) => Err(StorageError::Stopping),
    }
}

/// What a panic said.
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

impl Shared {
    #[must_use]
    pub fn new(config: Config) -> Arc<Self> {
        let workspace = Workspace::new(config.workspace.clone());
        Arc::new(Self {
            config,
            workspace,
            place: segue_host::place().ok(),
            jobs: Mutex::default(),
            adopting: Mutex::default(),
            partings: Mutex::default(),
            left_alone: Mutex::default(),
            panicked: Mutex::default(),
            flows: Mutex::default(),
            samples: Mutex::default(),
            named: Mutex::default(),
            admission: tokio::sync::Mutex::default(),
            saving: tokio::sync::Mutex::default(),
            has_looked: AtomicBool::new(true),
            answers: AtomicBool::new(false),
            stopping: watch::Sender::new(false),
            unwritten: AtomicBool::new(false),
            busy: watch::Sender::new(0),
        })
    }

    #[must_use]
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.config.journal
    }

    #[must_use]
    pub fn instance(&self) -> InstanceId {
        self.config.journal.instance().clone()
    }

    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.config.world.now()
    }

    /// Random bytes.
    #[must_use]
    pub fn draw<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.config.world.random(&mut bytes);
        bytes
    }

    #[must_use]
    pub fn draw_run(&self) -> RunId {
        RunId::from_bytes(self.draw())
    }

    #[must_use]
    pub fn draw_task(&self) -> TaskId {
        TaskId::from_bytes(self.draw())
    }

    #[must_use]
    pub fn draw_schedule(&self) -> ScheduleId {
        ScheduleId::from_bytes(self.draw())
    }

    #[must_use]
    pub fn draw_host(&self) -> HostId {
        HostId::from_bytes(self.draw())
    }

    #[must_use]
    pub fn draw_artifact(&self) -> ArtifactId {
        ArtifactId::from_bytes(self.draw())
    }

    /// Runs a read on a thread that may block.
    ///
    /// # Errors
    /// As the read's own.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&dyn Journal) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let journal = Arc::clone(self.journal());
        blocking(move || query(&*journal)).await
    }

    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits for the shutdown to begin.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }

    pub fn add_job(&self, run: RunId, job: JobRef) {
        lock(&self.jobs).insert(run, job);
    }

    pub fn remove_job(&self, run: &RunId) {
        lock(&self.jobs).remove(run);
    }

    #[must_use]
    pub fn job(&self, run: &RunId) -> Option<JobRef> {
        lock(&self.jobs).get(run).cloned()
    }

    #[must_use]
    pub fn all_jobs(&self) -> Vec<JobRef> {
        lock(&self.jobs).values().cloned().collect()
    }

    /// The right to take a Run over, in this process; `None` while somebody has it or a job drives the Run.
    #[must_use]
    pub fn claim(self: &Arc<Self>, run: &RunId) -> Option<Claim> {
        if lock(&self.jobs).contains_key(run) {
            return None;
        }
        let claimed = lock(&self.adopting).insert(run.clone());
        claimed.then(|| Claim { shared: Arc::clone(self), run: run.clone() })
    }

    /// Whether it was not said yet that a Run is left alone: it is looked at every few seconds.
    #[must_use]
    pub fn is_news(&self, run: &RunId) -> bool {
        lock(&self.left_alone).insert(run.clone())
    }

    /// Whether it is the first time that a job of a Run panicked here.
    #[must_use]
    pub fn panicked_first(&self, run: &RunId) -> bool {
        lock(&self.panicked).insert(run.clone())
    }

    /// Keeps what is to be let go once the outcome of its attempt is recorded.
    pub fn keep_parting(&self, host: &HostId, parting: Parting) {
        lock(&self.partings).insert(host.clone(), parting);
    }

    #[must_use]
    pub fn take_parting(&self, host: &HostId) -> Option<Parting> {
        lock(&self.partings).remove(host)
    }

    /// Lets nodes call a capability by another name.
    pub fn name_executor(&self, capability: CapabilityId, executor: ExecutorRef) {
        lock(&self.named).insert(capability, executor);
    }

    #[must_use]
    pub fn named_executor(&self, capability: &CapabilityId) -> Option<ExecutorRef> {
        lock(&self.named).get(capability).cloned()
    }

    #[must_use]
    pub fn known_flow(&self, hash: &Hash) -> Option<Arc<Flow>> {
        lock(&self.flows).get(hash).cloned()
    }

    pub fn know_flow(&self, flow: &Arc<Flow>) {
        let mut flows = lock(&self.flows);
        if flows.len() >= FLOWS_KEPT {
            flows.clear();
        }
        flows.insert(flow.hash().clone(), Arc::clone(flow));
    }

    /// Counts one job until the guard is dropped.
    #[must_use]
    pub fn busy(self: &Arc<Self>) -> Busy {
        self.busy.send_modify(|n| *n += 1);
        Busy(Arc::clone(self))
    }
}

/// See [`Shared::claim`]; given back when dropped.
#[derive(Debug)]
pub struct Claim {
    shared: Arc<Shared>,
    run: RunId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.shared.adopting).remove(&self.run);
    }
}

/// Work that the shutdown waits for.
#[derive(Debug)]
pub struct Busy(Arc<Shared>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.send_modify(|n| *n -= 1);
    }
}
