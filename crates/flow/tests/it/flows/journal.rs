//! A journal that dies after a number of commits, or fails for a while.

use std::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
};

use segue_journal::{
    AppendError, ArtifactRow, Batch, BlobError, Document, EventFilter, EventPage, HoldKey, HostRow, InboxRequest,
    InstanceId, Journal, LeaseRow, Owner, Pending, Position, ReadError, RunFilter, RunRow, Seq, StreamName, TaskFilter,
    TaskPage, TaskRow, Token,
};
use tokio::sync::watch;

/// The journal of one process, in the hands of a test.
#[derive(Debug)]
pub struct Mortal {
    inner: Arc<dyn Journal>,
    /// Commits until it dies; below 0: never.
    left: AtomicI64,
    /// The last of them is not written any more.
    unwritten: AtomicBool,
    /// Appends that fail before they are written.
    failing: AtomicUsize,
    /// Appends that panic.
    panicking: AtomicUsize,
    /// Reads that fail.
    blind: AtomicUsize,
    /// Which Runs are active cannot be read.
    overlooks: AtomicBool,
    /// What is read of events says the second where the first was written.
    altered: Mutex<Option<(&'static str, &'static str)>>,
    /// Where calls stay until they are let go, and how many came there.
    held: Mutex<(Option<Place>, usize)>,
    let_go: Condvar,
    dead: watch::Sender<bool>,
    kill: Box<dyn Kill>,
    /// Reads, and what they gave.
    read: AtomicUsize,
}

/// Calls that a test can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    TakeOver,
    Events,
}

/// How the process of a journal ends.
pub trait Kill: Fn() + Send + Sync {}
impl<F: Fn() + Send + Sync> Kill for F {}

impl std::fmt::Debug for dyn Kill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kill")
    }
}

impl Mortal {
    pub fn new(inner: Arc<dyn Journal>, kill: impl Kill + 'static) -> Arc<Self> {
        Arc::new(Self {
            inner,
            left: AtomicI64::new(-1),
            unwritten: AtomicBool::new(false),
            failing: AtomicUsize::new(0),
            panicking: AtomicUsize::new(0),
            blind: AtomicUsize::new(0),
            overlooks: AtomicBool::new(false),
            altered: Mutex::default(),
            held: Mutex::default(),
            let_go: Condvar::new(),
            dead: watch::Sender::new(false),
            kill: Box::new(kill),
            read: AtomicUsize::new(0),
        })
    }

    /// The process dies right after the `commits`-th commit from now, before it hears of it.
    pub fn die_after(&self, commits: i64) {
        self.left.store(commits, Ordering::SeqCst);
    }

    /// The process dies right before the `commits`-th commit from now is written.
    pub fn die_before(&self, commits: i64) {
        self.unwritten.store(true, Ordering::SeqCst);
        self.die_after(commits);
    }

    /// The next appends fail.
    pub fn fail(&self, appends: usize) {
        self.failing.store(appends, Ordering::SeqCst);
    }

    /// The next appends with events panic, and so whoever wants them.
    pub fn panic(&self, appends: usize) {
        self.panicking.store(appends, Ordering::SeqCst);
    }

    /// The next reads of events fail.
    pub fn blind(&self, reads: usize) {
        self.blind.store(reads, Ordering::SeqCst);
    }

    /// Nobody can read any more which Runs are active.
    pub fn overlook(&self) {
        self.overlooks.store(true, Ordering::SeqCst);
    }

    /// From now on, what is read of events and of a document says `to` where `from` was written.
    pub fn alter(&self, from: &'static str, to: &'static str) {
        *self.altered.lock().unwrap() = Some((from, to));
    }

    /// Such calls stay, until [`Self::let_go`].
    pub fn hold(&self, place: Place) {
        self.held.lock().unwrap().0 = Some(place);
    }

    pub fn let_go(&self) {
        self.held.lock().unwrap().0 = None;
        self.let_go.notify_all();
    }

    /// Whether a call came to where it is held.
    pub fn holds(&self) -> bool {
        self.held.lock().unwrap().1 > 0
    }

    fn pass(&self, place: Place) {
        let mut held = self.held.lock().unwrap();
        while held.0 == Some(place) {
            held.1 += 1;
            held = self.let_go.wait(held).unwrap();
        }
    }

    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::SeqCst) > 0
    }

    pub fn die(&self) {
        (self.kill)();
        self.dead.send_replace(true);
    }

    /// How much was read so far: one for each read, and one for each row and event that it gave.
    pub fn read(&self) -> usize {
        self.read.load(Ordering::SeqCst)
    }

    fn gave<T>(&self, found: T, rows: impl Fn(&T) -> usize) -> T {
        self.read.fetch_add(1 + rows(&found), Ordering::SeqCst);
        found
    }

    /// Waits for its death.
    pub async fn died(&self) {
        let _ = self.dead.subscribe().wait_for(|dead| *dead).await;
    }
}

fn take(counter: &AtomicUsize) -> bool {
    counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok()
}

impl Journal for Mortal {
    fn instance(&self) -> &InstanceId {
        self.inner.instance()
    }

    fn append(&self, batch: Batch) -> Pending {
        if *self.dead.borrow() {
            return Box::pin(std::future::pending());
        }
        assert!(
            batch.appends.iter().all(|append| append.events.is_empty()) || !take(&self.panicking),
            "a test's panic"
        );
        if take(&self.failing) {
            return Box::pin(std::future::ready(Err(AppendError::Busy("a test".into()))));
        }
        let is_last = self.left.load(Ordering::SeqCst) > 0 && self.left.fetch_sub(1, Ordering::SeqCst) == 1;
        if is_last && self.unwritten.load(Ordering::SeqCst) {
            self.die();
            return Box::pin(std::future::pending());
        }
        let written = self.inner.append(batch);
        if is_last {
            // What is queued is written; nobody here hears of it.
            self.die();
            return Box::pin(async move {
                let _ = written.await;
                std::future::pending().await
            });
        }
        written
    }

    fn take_over(&self, stream: &StreamName) -> Result<(Token, Seq), AppendError> {
        self.pass(Place::TakeOver);
        self.inner.take_over(stream)
    }

    fn owner(&self, stream: &StreamName) -> Result<Option<Owner>, ReadError> {
        self.gave(self.inner.owner(stream), |found| found.as_ref().map_or(0, |found| usize::from(found.is_some())))
    }

    fn alive(&self, instance: &InstanceId) -> bool {
        self.inner.alive(instance)
    }
    fn process(&self, instance: &InstanceId) -> Option<u32> {
        self.inner.process(instance)
    }

    fn events(
        &self,
        stream: &StreamName,
        after: Seq,
        limit: usize,
        filter: &EventFilter,
    ) -> Result<Option<EventPage>, ReadError> {
        self.pass(Place::Events);
        if take(&self.blind) {
            return Err(ReadError::Busy("a test".into()));
        }
        let mut page = self.gave(self.inner.events(stream, after, limit, filter), |found| {
            found.as_ref().map_or(0, |found| found.as_ref().map_or(0, |page| page.events.len()))
        })?;
        if let Some((from, to)) = *self.altered.lock().unwrap() {
            for event in page.iter_mut().flat_map(|page| &mut page.events) {
                event.payload = event.payload.replace(from, to);
            }
        }
        Ok(page)
    }

    fn task(&self, id: &str) -> Result<Option<TaskRow>, ReadError> {
        self.inner.task(id)
    }

    fn tasks_by_id(&self, ids: &[String]) -> Result<Vec<TaskRow>, ReadError> {
        self.inner.tasks_by_id(ids)
    }

    fn task_by_key(&self, client_key: &str) -> Result<Option<TaskRow>, ReadError> {
        self.inner.task_by_key(client_key)
    }

    fn tasks(&self, filter: &TaskFilter, limit: usize) -> Result<Option<TaskPage>, ReadError> {
        self.inner.tasks(filter, limit)
    }

    fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.inner.tasks_starting_with(prefix, limit)
    }

    fn prompt(&self, id: &str) -> Result<Option<String>, ReadError> {
        self.inner.prompt(id)
    }

    fn task_counts(&self) -> Result<Vec<(String, u64)>, ReadError> {
        self.inner.task_counts()
    }

    fn run(&self, id: &str) -> Result<Option<RunRow>, ReadError> {
        self.gave(self.inner.run(id), |found| found.as_ref().map_or(0, |found| usize::from(found.is_some())))
    }

    fn run_by_key(&self, workspace: &str, key: &str) -> Result<Option<RunRow>, ReadError> {
        self.gave(self.inner.run_by_key(workspace, key), |found| {
            found.as_ref().map_or(0, |found| usize::from(found.is_some()))
        })
    }

    fn runs(&self, filter: &RunFilter, limit: usize) -> Result<Vec<RunRow>, ReadError> {
        self.gave(self.inner.runs(filter, limit), |found| found.as_ref().map_or(0, Vec::len))
    }

    fn forks(&self, workspace: &str, parent: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.inner.forks(workspace, parent, limit)
    }

    fn runs_starting_with(&self, workspace: &str, prefix: &str, limit: usize) -> Result<Vec<String>, ReadError> {
        self.inner.runs_starting_with(workspace, prefix, limit)
    }

    fn active_runs(&self, workspace: &str) -> Result<Vec<RunRow>, ReadError> {
        if self.overlooks.load(Ordering::SeqCst) {
            return Err(ReadError::Busy("a test".into()));
        }
        self.gave(self.inner.active_runs(workspace), |found| found.as_ref().map_or(0, Vec::len))
    }

    fn run_counts(&self, workspace: &str) -> Result<Vec<(String, u64)>, ReadError> {
        self.inner.run_counts(workspace)
    }

    fn artifact(&self, id: &str) -> Result<Option<ArtifactRow>, ReadError> {
        self.gave(self.inner.artifact(id), |found| found.as_ref().map_or(0, |found| usize::from(found.is_some())))
    }

    fn artifacts_of(&self, run: &str) -> Result<Vec<ArtifactRow>, ReadError> {
        self.gave(self.inner.artifacts_of(run), |found| found.as_ref().map_or(0, Vec::len))
    }

    fn document(&self, workspace: &str, kind: &str, id: &str) -> Result<Option<Document>, ReadError> {
        let mut found = self.gave(self.inner.document(workspace, kind, id), |found| {
            found.as_ref().map_or(0, |found| usize::from(found.is_some()))
        })?;
        if let (Some(document), Some((from, to))) = (&mut found, *self.altered.lock().unwrap()) {
            document.body = document.body.replace(from, to);
        }
        Ok(found)
    }

    fn documents(&self, workspace: &str, kind: &str) -> Result<Vec<Document>, ReadError> {
        self.gave(self.inner.documents(workspace, kind), |found| found.as_ref().map_or(0, Vec::len))
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<String, BlobError> {
        self.inner.put_blob(bytes)
    }

    fn blob(&self, sha256: &str) -> Result<Option<Vec<u8>>, BlobError> {
        self.inner.blob(sha256)
    }

    fn lease(&self, handle: &str) -> Result<Option<LeaseRow>, ReadError> {
        self.inner.lease(handle)
    }

    fn open_leases(&self) -> Result<Vec<LeaseRow>, ReadError> {
        self.inner.open_leases()
    }

    fn host(&self, id: &str) -> Result<Option<HostRow>, ReadError> {
        self.inner.host(id)
    }

    fn hosts(&self) -> Result<Vec<HostRow>, ReadError> {
        self.gave(self.inner.hosts(), |found| found.as_ref().map_or(0, Vec::len))
    }

    fn holder(&self, key: &HoldKey) -> Result<Option<String>, ReadError> {
        self.inner.holder(key)
    }

    fn request(&self, stream: &StreamName, body: String, at: i64) -> Result<i64, AppendError> {
        self.inner.request(stream, body, at)
    }

    fn inbox(&self) -> Result<Vec<InboxRequest>, ReadError> {
        self.inner.inbox()
    }

    fn waiting(&self, request: i64) -> Result<bool, ReadError> {
        self.inner.waiting(request)
    }

    fn changes(&self) -> watch::Receiver<Position> {
        self.inner.changes()
    }

    fn changed_since(&self, position: Position, limit: usize) -> Result<(Vec<(StreamName, Seq)>, Position), ReadError> {
        self.inner.changed_since(position, limit)
    }

    fn close(&self) {
        self.inner.close();
    }
}
