//! What every part of the channel of one process has in common.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use segue_host::{acp::Client, adapters::Registry};
use segue_journal::{InstanceId, Journal, StreamName};
use segue_model::{AgentHandle, HostId, TaskId, Timestamp, lease::OPEN_LEASES};
use tokio::sync::{mpsc, watch};

use crate::{agent::Ask, markers::Markers, remnants::Clocks};

/// Where time and ids come from.
pub trait World: Send + Sync + std::fmt::Debug {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Since a moment that stays the same for this process, on a clock that nobody sets and that goes on while the
    /// machine sleeps.
    fn elapsed(&self) -> Duration;
    /// Random bytes for ids.
    fn random(&self, bytes: &mut [u8]);
}

/// How a channel is set up.
#[derive(Debug)]
pub struct Config {
    pub journal: Arc<dyn Journal>,
    pub world: Arc<dyn World>,
    pub agents: Registry,
    /// The folder for hosts: their sockets and spools. Created when the first host starts.
    pub hosts: PathBuf,
    /// The program that is started as `<exe> host …`.
    pub exe: PathBuf,
    /// The server's own folder: the default workspace.
    pub cwd: PathBuf,
    /// The server's environment: what agents get, after the adapters' changes.
    pub environment: Vec<(OsString, OsString)>,
    /// Runs inside an agent that was dispatched: nothing may be dispatched.
    pub nested: bool,
    pub client: Client,
    pub markers: Option<Markers>,
    /// How long a turn goes on with no server attached.
    pub orphan_grace: Duration,
    /// Nothing survives this process; hosts end with it.
    pub ephemeral: bool,
}

/// How to reach the job that has an agent process.
#[derive(Debug, Clone)]
pub struct JobRef {
    pub host: HostId,
    pub asks: mpsc::UnboundedSender<Ask>,
}

/// What is known of a running task before it is recorded.
#[derive(Debug)]
pub struct LiveCell {
    heard: Mutex<(Instant, Timestamp)>,
    waiting_for: Mutex<String>,
}

impl LiveCell {
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { heard: Mutex::new((Instant::now(), now)), waiting_for: Mutex::new("process".to_owned()) }
    }

    pub fn heard(&self, now: Timestamp) {
        *lock(&self.heard) = (Instant::now(), now);
    }

    pub fn wait_for(&self, what: &str) {
        let mut waiting = lock(&self.waiting_for);
        if *waiting != what {
            what.clone_into(&mut waiting);
        }
    }

    /// When the agent was last heard of, seconds since then, and what is waited for.
    #[must_use]
    pub fn read(&self) -> (Timestamp, f64, String) {
        let (instant, at) = *lock(&self.heard);
        (at, instant.elapsed().as_secs_f64(), lock(&self.waiting_for).clone())
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Shared {
    pub config: Config,
    /// Jobs by the stream that their agent works for at present.
    jobs: Mutex<HashMap<StreamName, JobRef>>,
    live: Mutex<HashMap<TaskId, Arc<LiveCell>>>,
    adoptions: Mutex<Adoptions>,
    leases: AtomicUsize,
    /// This process takes over what dead servers left.
    pub takes_over: AtomicBool,
    /// Rises whenever a task of this process ended.
    pub ended: watch::Sender<u64>,
    /// True once the shutdown began.
    pub stopping: watch::Sender<bool>,
    /// How many jobs and starts are under way.
    pub busy: watch::Sender<usize>,
    /// A process tree was not confirmed empty.
    pub unconfirmed: AtomicBool,
    /// An end could not be recorded before this process had to go.
    pub unwritten: AtomicBool,
    /// When what is left of unconfirmed ends is signalled again.
    pub remnants: Clocks,
    ids: AtomicU64,
}

/// A poisoned lock guards data that is replaced whole: what is there is usable.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    #[must_use]
    pub fn new(config: Config) -> Arc<Self> {
        Arc::new(Self {
            config,
            jobs: Mutex::default(),
            live: Mutex::default(),
            adoptions: Mutex::default(),
            leases: AtomicUsize::new(0),
            takes_over: AtomicBool::new(false),
            ended: watch::Sender::new(0),
            stopping: watch::Sender::new(false),
            busy: watch::Sender::new(0),
            unconfirmed: AtomicBool::new(false),
            unwritten: AtomicBool::new(false),
            remnants: Clocks::default(),
            ids: AtomicU64::new(0),
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

    fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.config.world.random(&mut bytes);
        bytes
    }

    #[must_use]
    pub fn draw_task(&self) -> TaskId {
        TaskId::from_bytes(self.random())
    }

    #[must_use]
    pub fn draw_handle(&self) -> AgentHandle {
        AgentHandle::from_bytes(self.random())
    }

    #[must_use]
    pub fn draw_host(&self) -> HostId {
        HostId::from_bytes(self.random())
    }

    #[must_use]
    pub fn host_dir(&self, host: &HostId) -> PathBuf {
        self.config.hosts.join(host.as_str())
    }

    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits for the shutdown to begin.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        while !*stopping.borrow_and_update() {
            if stopping.changed().await.is_err() {
                return;
            }
        }
    }

    pub fn add_job(&self, stream: StreamName, job: JobRef) {
        lock(&self.jobs).insert(stream, job);
    }

    pub fn remove_job(&self, stream: &StreamName) {
        lock(&self.jobs).remove(stream);
    }

    #[must_use]
    pub fn job(&self, stream: &StreamName) -> Option<JobRef> {
        lock(&self.jobs).get(stream).cloned()
    }

    /// Every job, with the streams it works for.
    #[must_use]
    pub fn all_jobs(&self) -> Vec<(StreamName, JobRef)> {
        lock(&self.jobs).iter().map(|(stream, job)| (stream.clone(), job.clone())).collect()
    }

    pub fn add_live(&self, task: TaskId) -> Arc<LiveCell> {
        let cell = Arc::new(LiveCell::new(self.now()));
        lock(&self.live).insert(task, Arc::clone(&cell));
        cell
    }

    pub fn remove_live(&self, task: &TaskId) {
        lock(&self.live).remove(task);
    }

    #[must_use]
    pub fn live(&self, task: &TaskId) -> Option<Arc<LiveCell>> {
        lock(&self.live).get(task).cloned()
    }

    /// The right to take a host of a dead server over, in this process; `None` while another job has it.
    #[must_use]
    pub fn claim(self: &Arc<Self>, host: &HostId) -> Option<Claim> {
        let claimed = lock(&self.adoptions).claimed.insert(host.clone());
        claimed.then(|| Claim { shared: Arc::clone(self), host: host.clone() })
    }

    /// A takeover of this process broke off after it may have won: it has to be tried again.
    pub fn broke_off(&self, host: &HostId, broken: bool) {
        let mut adoptions = lock(&self.adoptions);
        if broken {
            adoptions.broken_off.insert(host.clone());
        } else {
            adoptions.broken_off.remove(host);
        }
    }

    #[must_use]
    pub fn has_broken_off(&self, host: &HostId) -> bool {
        lock(&self.adoptions).broken_off.contains(host)
    }

    /// A place for one more lease; `None` when all are taken.
    #[must_use]
    pub fn take_slot(self: &Arc<Self>) -> Option<Slot> {
        self.leases
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| (n < OPEN_LEASES).then_some(n + 1))
            .ok()
            .map(|_| Slot(Arc::clone(self)))
    }

    /// A place for a lease that exists already, also above the limit.
    #[must_use]
    pub fn force_slot(self: &Arc<Self>) -> Slot {
        self.leases.fetch_add(1, Ordering::AcqRel);
        Slot(Arc::clone(self))
    }

    #[must_use]
    pub fn open_leases(&self) -> usize {
        self.leases.load(Ordering::Acquire)
    }

    /// Counts one job or start until the guard is dropped.
    #[must_use]
    pub fn busy(self: &Arc<Self>) -> Busy {
        self.busy.send_modify(|n| *n += 1);
        Busy(Arc::clone(self))
    }

    pub fn task_ended(&self) {
        self.ended.send_modify(|n| *n += 1);
    }

    pub fn mark_unconfirmed(&self) {
        self.unconfirmed.store(true, Ordering::Release);
    }

    pub fn mark_unwritten(&self) {
        self.unwritten.store(true, Ordering::Release);
    }

    /// A number for things of this process only.
    pub fn next_number(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}

/// What this process's recovery has in hand.
#[derive(Debug, Default)]
struct Adoptions {
    claimed: HashSet<HostId>,
    broken_off: HashSet<HostId>,
}

/// See [`Shared::claim`]; given back when dropped.
#[derive(Debug)]
pub struct Claim {
    shared: Arc<Shared>,
    host: HostId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.shared.adoptions).claimed.remove(&self.host);
    }
}

/// One of the places for open leases; free again when dropped.
#[derive(Debug)]
pub struct Slot(Arc<Shared>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.leases.fetch_sub(1, Ordering::AcqRel);
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
