//! What became of a host, and the end of what a lost one left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use segue_model::HostId;
use tokio::sync::Semaphore;

use crate::facts::{
    AskedBy, EndRecord, EndedProcess, HostIdentity, How, PROCESSES_LISTED, ProcessId, Step, StepTaken, StopReceipt,
    Survivor,
};
use crate::folder::Folder;
use crate::guest::{last_begun, millis};
use crate::spool_reader::SpoolReader;
use crate::tree;

/// Scans of the process table under way at once; each reads a few files for every process of the machine.
const SCANS_MAX: usize = 16;
/// From SIGTERM to SIGKILL, and from there to giving up. The end-of-input step is missing: the pipe died with the host.
const SWEEP_TERM: Duration = Duration::from_secs(5);
const SWEEP_KILL: Duration = Duration::from_secs(5);
const LOOK_MIN: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_millis(400);

static SCANS: Semaphore = Semaphore::const_new(SCANS_MAX);

/// What is known of a host by its folder.
#[derive(Debug, Clone, PartialEq)]
pub enum HostState {
    /// Its lock is held: attach.
    Alive,
    /// It went in an orderly way and left its end: import with [`SpoolReader`], then remove the folder.
    Ended(Box<EndRecord>),
    /// It is gone without an end: [`sweep`], import what there is, remove the folder.
    Lost,
    /// The machine was restarted since, or this is another container: nothing of it may be signalled.
    OtherBoot,
    /// There is no folder: it never started, or was released or discarded.
    Missing,
}

/// Looks at the folder of a host. Without an identity (the server died before it stored one) the host's own note is used.
///
/// # Errors
/// The folder cannot be read.
pub async fn state(dir: &Path, identity: Option<&HostIdentity>) -> io::Result<HostState> {
    let (dir, identity) = (dir.to_owned(), identity.cloned());
    tokio::task::spawn_blocking(move || state_blocking(&dir, identity)).await.map_err(io::Error::other)?
}

fn state_blocking(dir: &Path, identity: Option<HostIdentity>) -> io::Result<HostState> {
    let folder = match Folder::open(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HostState::Missing),
        opened => opened?,
    };
    if is_locked(&folder)? {
        return Ok(HostState::Alive);
    }
    if let Some(end) = SpoolReader::end_record(dir)? {
        return Ok(HostState::Ended(Box::new(end)));
    }
    let same_machine = match identity.or_else(|| noted_identity(&folder)) {
        Some(identity) => identity.boot_id == tree::boot_id()? && identity.pid_namespace == tree::pid_namespace()?,
        // It never came to run its program, so there is nothing to mistake.
        None => true,
    };
    Ok(if same_machine { HostState::Lost } else { HostState::OtherBoot })
}

fn is_locked(folder: &Folder) -> io::Result<bool> {
    let lock = match folder.existing_lock_file() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match lock.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn noted_identity(folder: &Folder) -> Option<HostIdentity> {
    serde_json::from_reader(folder.existing_lock_file().ok()?).ok()
}

/// The identity a host noted in its folder, for a server that died before it stored what [`crate::start`] gave it.
///
/// # Errors
/// The folder cannot be read.
pub async fn identity(dir: &Path) -> io::Result<Option<HostIdentity>> {
    let dir = dir.to_owned();
    tokio::task::spawn_blocking(move || Ok(noted_identity(&Folder::open(&dir)?))).await.map_err(io::Error::other)?
}

/// Whether a host never came to start its program, and will not: what is on its way there is ended first. Asked about a
/// host whose server is dead and which was drawn at this [`place`]; of one that removes its folder by itself
/// ([`HostConfig::discard_on_orphan`](crate::HostConfig)) nothing can be told.
///
/// A host makes its spool before it starts its program, so a folder without one is that of a host that did not come so
/// far.
///
/// # Errors
/// The folder cannot be read.
pub async fn never_ran(host_id: &HostId, dir: &Path) -> io::Result<bool> {
    if !has_begun_nothing(dir).await? {
        return Ok(false);
    }
    let receipt = sweep(host_id, None).await;
    Ok(receipt.unconfirmed.is_none() && receipt.tree_empty && has_begun_nothing(dir).await?)
}

async fn has_begun_nothing(dir: &Path) -> io::Result<bool> {
    let dir = dir.to_owned();
    let look = move || {
        let folder = match Folder::open(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            opened => opened?,
        };
        Ok(!is_locked(&folder)? && folder.segments()?.is_empty() && noted_identity(&folder).is_none())
    };
    tokio::task::spawn_blocking(look).await.map_err(io::Error::other)?
}

/// Names this boot of this machine and what can be seen of it from here: what was written to a disk and not synced, and
/// processes, are known for as long as it is the same.
///
/// # Errors
/// The system does not say.
pub fn place() -> io::Result<String> {
    Ok(format!("{}/{}", tree::boot_id()?, tree::pid_namespace()?))
}

/// The number of the last input whose first byte went to the program of a host that is gone; 0 for none.
///
/// # Errors
/// The folder cannot be read.
pub async fn last_input(dir: &Path) -> io::Result<u64> {
    let dir = dir.to_owned();
    tokio::task::spawn_blocking(move || last_begun(&Folder::open(&dir)?)).await.map_err(io::Error::other)?
}

/// Ends what a lost host left: every process that carries its mark, its program, and what descends from these. Each is
/// signalled through a descriptor after its start time was compared; what cannot be proven to be the host's is not
/// signalled. A process that cleared its environment and lost its parents cannot be found.
pub async fn sweep(host_id: &HostId, identity: Option<&HostIdentity>) -> StopReceipt {
    sweep_also(host_id, identity, &[]).await
}

/// The same, with processes that are known to be the host's by another way than their mark.
pub async fn sweep_also(host_id: &HostId, identity: Option<&HostIdentity>, also: &[ProcessId]) -> StopReceipt {
    let (host_id, sweep) = (host_id.clone(), Sweep::new(identity.cloned(), also));
    // A closed semaphore does not exist: this one is never closed.
    let _permit = SCANS.acquire().await;
    let swept = tokio::task::spawn_blocking(move || sweep.run(&host_id)).await;
    swept.unwrap_or_else(|_| Sweep::new(None, &[]).receipt(Some("the sweep was interrupted".to_owned())))
}

/// What lives of all that [`sweep_also`] would end; nothing is signalled. Empty when the machine was restarted since.
///
/// # Errors
/// The process table cannot be read, or the host ran in another PID namespace, which cannot be seen from here.
pub async fn survivors(
    host_id: &HostId,
    identity: Option<&HostIdentity>,
    also: &[ProcessId],
) -> io::Result<Vec<ProcessId>> {
    let (host_id, sweep) = (host_id.clone(), Sweep::new(identity.cloned(), also));
    let _permit = SCANS.acquire().await;
    tokio::task::spawn_blocking(move || sweep.survivors(&host_id)).await.map_err(io::Error::other)?
}

struct Sweep {
    identity: Option<HostIdentity>,
    known: BTreeSet<ProcessId>,
    seen: BTreeMap<ProcessId, (EndedProcess, bool)>,
    steps: Vec<StepTaken>,
}

impl Sweep {
    fn new(identity: Option<HostIdentity>, also: &[ProcessId]) -> Self {
        let own = identity.iter().flat_map(|identity| [identity.host, identity.program]);
        let known = own.chain(also.iter().copied()).collect();
        Self { identity, known, seen: BTreeMap::new(), steps: Vec::new() }
    }

    fn survivors(mut self, host_id: &HostId) -> io::Result<Vec<ProcessId>> {
        if let Some(identity) = &self.identity {
            if tree::boot_id()? != identity.boot_id {
                return Ok(Vec::new());
            }
            if tree::pid_namespace()? != identity.pid_namespace {
                return Err(io::Error::other("the host ran in another PID namespace"));
            }
        }
        if !tree::SEES_DESCENDANTS {
            return Err(io::Error::other("what a lost host left cannot be seen here"));
        }
        self.look(host_id)
    }

    /// Blocking, ten seconds at most.
    fn run(mut self, host_id: &HostId) -> StopReceipt {
        if let Some(identity) = &self.identity {
            match (tree::boot_id(), tree::pid_namespace()) {
                (Ok(boot), Ok(namespace)) if boot == identity.boot_id && namespace == identity.pid_namespace => {}
                (Ok(_), Ok(_)) => {
                    return self.receipt(Some("the host ran in another boot or PID namespace".to_owned()));
                }
                (Err(error), _) | (_, Err(error)) => {
                    return self.receipt(Some(format!("it cannot be told whether the host ran here: {error}")));
                }
            }
        }
        for (step, signal, how, wait) in [
            (Step::RestTerm, Signal::TERM, How::Sigterm, SWEEP_TERM),
            (Step::RestKill, Signal::KILL, How::Sigkill, SWEEP_KILL),
        ] {
            let began = Instant::now();
            let mut look = LOOK_MIN;
            loop {
                let living = match self.look(host_id) {
                    Ok(living) => living,
                    Err(error) => return self.receipt(Some(format!("the process table cannot be read: {error}"))),
                };
                if living.is_empty() || began.elapsed() >= wait {
                    self.steps.push(StepTaken { step, ms: millis(began.elapsed()) });
                    if living.is_empty() {
                        return self.receipt(None);
                    }
                    break;
                }
                for id in living {
                    self.signal(id, signal, how);
                }
                // A blocking thread of its own; there is no event for the end of another's child.
                std::thread::sleep(look);
                look = (look * 2).min(LOOK_MAX);
            }
        }
        self.receipt(Some("did not exit after SIGKILL".to_owned()))
    }

    fn look(&mut self, host_id: &HostId) -> io::Result<Vec<ProcessId>> {
        let leader = self.identity.as_ref().map(|identity| identity.program);
        let living = tree::belongings(host_id.as_str(), leader, &self.known)?;
        for (_, gone) in self.seen.values_mut() {
            *gone = true;
        }
        let ids = living.iter().map(|process| process.id).collect();
        for process in living {
            self.known.insert(process.id);
            let in_group = leader.is_some_and(|leader| leader.pid == process.group);
            let entry =
                || (EndedProcess { pid: process.id.pid, name: process.name, how: How::Exited, in_group }, false);
            self.seen.entry(process.id).or_insert_with(entry).1 = false;
        }
        Ok(ids)
    }

    /// SIGTERM once, SIGKILL as often as it takes.
    fn signal(&mut self, id: ProcessId, signal: Signal, how: How) {
        let Some((process, _)) = self.seen.get_mut(&id) else { return };
        if process.how == how && how == How::Sigterm {
            return;
        }
        if tree::signal(id, signal) == tree::Sent::Delivered {
            process.how = how;
        }
    }

    fn receipt(self, unconfirmed: Option<String>) -> StopReceipt {
        let seen = self.seen.into_iter().map(|(id, seen)| (seen, id.start_ticks));
        let (gone, living): (Vec<_>, Vec<_>) = seen.partition(|((_, gone), _)| *gone);
        let unlisted = gone.len().saturating_sub(PROCESSES_LISTED) as u64;
        StopReceipt {
            asked_by: AskedBy::Sweep,
            reason: None,
            processes: gone.into_iter().map(|((process, _), _)| process).take(PROCESSES_LISTED).collect(),
            processes_unlisted: unlisted,
            escaped: living
                .into_iter()
                .map(|((process, _), start_ticks)| Survivor { pid: process.pid, name: process.name, start_ticks })
                .collect(),
            tree_empty: unconfirmed.is_none() && tree::SEES_DESCENDANTS,
            unseen: (!tree::SEES_DESCENDANTS).then(|| "what a lost host left".to_owned()),
            unconfirmed,
            stderr_bytes: 0,
            steps: self.steps,
        }
    }
}
