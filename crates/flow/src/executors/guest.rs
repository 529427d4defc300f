//! A program under a host, as one attempt holds it: start it or find it again, say, hear, end, let go.
//!
//! Nothing is acknowledged before the end, so the whole output is in the spool and an attempt that is called again
//! hears all of it from the first byte. What the output means is not known here.

use std::{
    collections::VecDeque,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use bytes::Bytes;
use segue_host::{
    AskedBy, EndRecord, HostConfig, HostEvent, HostSpec, HostState, Link, LinkReceiver, LinkSender, Offsets,
    SpoolReader, StartError, StopReceipt,
};
use segue_model::{
    HostId,
    flow::rules::FailureClass,
    run::{
        Outcome,
        attempt::{Loss, UNCONFIRMED_END},
    },
};

use super::{Start, Surroundings, Terms, failure};

/// Output that a host holds for an executor before it stops reading its program: more than any executor accepts, and
/// no more than a disk can spare for a program that runs away while nobody is attached.
const SPOOL_LIMIT_BYTES: u64 = 4 << 20;
const SEGMENT_BYTES: u64 = 1 << 20;
/// Fixed by the flow contract.
const TERM_GRACE_MS: u64 = 1_000;
/// How long before a host that lives and cannot be reached is tried again.
const ATTACH_AGAIN: Duration = Duration::from_millis(100);
/// From the request to end a tree to its end: the host's own ladder takes 35 s at most.
pub(super) const END_LIMIT: Duration = Duration::from_secs(45);
/// A host that was let go removes its folder at once.
const LET_GO: Duration = Duration::from_secs(5);

/// A program to start.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    /// An absolute path.
    pub executable: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// Added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// From the end of its input to the first signal, once it is to end.
    pub eof_grace: Duration,
    /// Nobody can go on with it: it ends soon, and leaves nothing, when this process dies.
    pub unattended: Option<Duration>,
}

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    Out(Bytes),
    /// Nothing more of stdout.
    OutEof,
    /// The first process ended.
    Exited,
    /// The tree is gone; nothing follows.
    End(Box<EndRecord>),
    /// The host is gone without an end; what it left has been ended.
    Lost(Outcome),
}

/// What is let go once an outcome is recorded: a host, which keeps its output until then.
#[derive(Debug, Default)]
pub struct Parting(Rest);

#[derive(Debug, Default)]
enum Rest {
    #[default]
    Nothing,
    Release {
        sender: LinkSender,
        receiver: LinkReceiver,
        dir: PathBuf,
    },
    Remove(PathBuf),
}

impl Parting {
    /// Lets the host go; its folder is gone afterwards. What cannot be removed is left for whoever looks through the
    /// folders of hosts, and said in the log.
    pub async fn let_go(self) {
        match self.0 {
            Rest::Nothing => {}
            Rest::Remove(dir) => remove(&dir).await,
            Rest::Release { sender, mut receiver, dir } => {
                let released = async {
                    if sender.release().await.is_ok() {
                        while receiver.recv().await.is_some() {}
                    }
                };
                if tokio::time::timeout(LET_GO, released).await.is_err() {
                    tracing::warn!("the host of {} was let go and does not go", dir.display());
                    return;
                }
                // Gone already if the host heard; else it left its end there.
                remove(&dir).await;
            }
        }
    }
}

async fn remove(dir: &Path) {
    if let Err(error) = segue_host::remove(dir).await {
        tracing::warn!("remove {}: {error}", dir.display());
    }
}

#[derive(Debug)]
enum Line {
    Live {
        sender: LinkSender,
        receiver: LinkReceiver,
    },
    Import(VecDeque<HostEvent>),
    /// To be looked for.
    Broken,
    /// There is nothing to hear. The folder stays until the outcome is recorded: it shows that the program ran.
    Left,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Guest {
    host: HostId,
    dir: PathBuf,
    line: Line,
    /// Bytes of stdout that were heard.
    heard: u64,
    /// What was said, to be said again after the connection broke; the host ignores what it has.
    said: Vec<Bytes>,
    input_closed: bool,
    stop: Option<&'static str>,
}

impl Guest {
    /// Starts the program of a first attempt; finds the host of one that is called again.
    ///
    /// # Errors
    /// The outcome of an attempt whose program did not start, or of which nothing is left.
    pub async fn open(terms: &Terms, around: &dyn Surroundings, launch: Launch) -> Result<Self, Outcome> {
        let Some(host) = terms.host.clone() else {
            // It was ended when its Run was set aside.
            if terms.start == Start::Again {
                return Err(Outcome::Lost(Loss::Crash));
            }
            return Err(failure(None, "NoHost", "no host was recorded for the attempt"));
        };
        let dir = around.host_dir(&host);
        let mut guest = Self::new(host, dir);
        if terms.start == Start::Again {
            return Ok(guest);
        }
        guest.start(around, launch).await?;
        Ok(guest)
    }

    fn new(host: HostId, dir: PathBuf) -> Self {
        Self { host, dir, line: Line::Broken, heard: 0, said: Vec::new(), input_closed: false, stop: None }
    }

    /// What is to be looked at when the host does not answer: the processes, as far as it noted them.
    pub async fn processes(&self) -> String {
        match segue_host::identity(&self.dir).await {
            Ok(Some(identity)) => {
                format!(" (process {}; the program is process {})", identity.host.pid, identity.program.pid)
            }
            Ok(None) | Err(_) => String::new(),
        }
    }

    pub const fn host(&self) -> &HostId {
        &self.host
    }

    async fn start(&mut self, around: &dyn Surroundings, launch: Launch) -> Result<(), Outcome> {
        let millis = |grace: Duration| u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        let unattended = launch.unattended.or_else(|| around.unattended());
        let mut env = around.environment();
        env.extend(launch.env);
        let executable = launch.executable.clone();
        let spec = HostSpec {
            host_id: self.host.clone(),
            dir: self.dir.clone(),
            exe: around.exe(),
            program: launch.executable,
            args: launch.args,
            env,
            cwd: launch.cwd,
            config: HostConfig {
                eof_grace_ms: millis(launch.eof_grace),
                term_grace_ms: TERM_GRACE_MS,
                orphan_grace_ms: millis(unattended.unwrap_or_else(|| around.orphan_grace())),
                discard_on_orphan: unattended.is_some(),
                count_only_stderr: true,
                json_rpc: false,
                spool_limit_bytes: SPOOL_LIMIT_BYTES,
                segment_bytes: SEGMENT_BYTES,
                open_files: None,
            },
        };
        let started = match around.take_ready(&self.host) {
            Some(ready) => segue_host::start_ready(spec, ready).await,
            None => segue_host::start(spec).await,
        };
        match started {
            // It may have done what it was started for: whoever listens finds it lost, and its folder stays until then.
            Err(StartError::Lost) => return Ok(()),
            Err(error) => return Err(not_started(&executable, &error)),
            Ok(_) => {}
        }
        // One that cannot be reached is looked for like one whose connection broke.
        if let Ok(link) = Link::attach(&self.dir, Offsets::default()).await {
            let (sender, receiver) = link.split();
            self.line = Line::Live { sender, receiver };
        }
        Ok(())
    }

    /// Bytes for the program's stdin.
    pub async fn say(&mut self, bytes: Bytes) {
        self.said.push(bytes.clone());
        if let Line::Live { sender, .. } = &self.line {
            // A broken connection shows in what is heard.
            let _ = sender.send_line(self.said.len() as u64, bytes).await;
        }
    }

    /// Nothing more is said.
    pub async fn close_input(&mut self) {
        self.input_closed = true;
        if let Line::Live { sender, .. } = &self.line {
            let _ = sender.close_input().await;
        }
    }

    /// Has the tree ended; [`Heard::End`] follows within [`END_LIMIT`]. The first reason counts.
    pub fn stop(&mut self, reason: &'static str) {
        self.stop.get_or_insert(reason);
        self.send_stop();
    }

    fn send_stop(&self) {
        if let (Line::Live { sender, .. }, Some(reason)) = (&self.line, self.stop) {
            let sender = sender.clone();
            // Bounded by itself, and of no use once the end is heard.
            tokio::spawn(async move { sender.stop(Some(reason.to_owned())).await });
        }
    }

    /// Lets the host forget what was heard: for a program whose output is not the result.
    pub fn forget_output(&self) {
        if let Line::Live { sender, .. } = &self.line {
            sender.ack(Offsets { out: self.heard, err: 0 });
        }
    }

    /// What comes next. Nothing is lost when the future is dropped. Not to be called after an end.
    pub async fn next(&mut self) -> Heard {
        loop {
            let event = match &mut self.line {
                Line::Live { receiver, .. } => receiver.recv().await,
                Line::Import(events) => events.pop_front(),
                Line::Broken | Line::Left => {
                    if let Err(lost) = self.find().await {
                        return Heard::Lost(lost);
                    }
                    continue;
                }
            };
            match event {
                Some(HostEvent::Out { offset, bytes }) => {
                    self.heard = offset + bytes.len() as u64;
                    return Heard::Out(bytes);
                }
                Some(HostEvent::OutEof { .. }) => return Heard::OutEof,
                Some(HostEvent::Exited(_)) => return Heard::Exited,
                Some(HostEvent::End(end)) => return Heard::End(end),
                // Nothing of stderr is sent but its end, and a gap is what `forget_output` made.
                Some(HostEvent::Err { .. } | HostEvent::ErrEof { .. } | HostEvent::Gap { .. }) => {}
                None => self.line = Line::Broken,
            }
        }
    }

    /// Looks at what became of the host. Ok: there is more to hear, or it is worth looking again.
    async fn find(&mut self) -> Result<(), Outcome> {
        let state = segue_host::state(&self.dir, None).await;
        match state {
            Ok(HostState::Alive) => {
                match Link::attach(&self.dir, Offsets { out: self.heard, err: 0 }).await {
                    Ok(link) => self.resume(link).await,
                    // It went this moment, or it is stopped: silence is not death, and the caller's clock runs.
                    Err(_) => tokio::time::sleep(ATTACH_AGAIN).await,
                }
                Ok(())
            }
            Ok(HostState::Ended(_)) => {
                let (dir, from) = (self.dir.clone(), Offsets { out: self.heard, err: 0 });
                let read = tokio::task::spawn_blocking(move || -> std::io::Result<VecDeque<HostEvent>> {
                    SpoolReader::open(&dir, from)?.collect()
                });
                match read.await {
                    Ok(Ok(events)) if events.iter().any(|event| matches!(event, HostEvent::End(_))) => {
                        self.line = Line::Import(events);
                        Ok(())
                    }
                    _ => Err(Outcome::Lost(Loss::Crash)),
                }
            }
            Ok(HostState::Lost) => {
                let identity = segue_host::identity(&self.dir).await.ok().flatten();
                let receipt = segue_host::sweep(&self.host, identity.as_ref()).await;
                let lost = match unconfirmed(&receipt) {
                    Some(cause) => not_confirmed("the program of a host that was killed", &cause),
                    None => Outcome::Lost(Loss::Crash),
                };
                self.line = Line::Left;
                Err(lost)
            }
            Ok(HostState::OtherBoot) => {
                self.line = Line::Left;
                Err(Outcome::Lost(Loss::Restart))
            }
            // It was never started, or nobody was left to keep it for.
            Ok(HostState::Missing) => Err(Outcome::Lost(Loss::Crash)),
            Err(error) => {
                tracing::warn!("look at the host in {}: {error}", self.dir.display());
                tokio::time::sleep(ATTACH_AGAIN).await;
                Ok(())
            }
        }
    }

    async fn resume(&mut self, link: Link) {
        let (sender, receiver) = link.split();
        for (n, bytes) in (1..).zip(&self.said) {
            let _ = sender.send_line(n, bytes.clone()).await;
        }
        if self.input_closed {
            let _ = sender.close_input().await;
        }
        self.line = Line::Live { sender, receiver };
        self.send_stop();
    }

    /// What is to be let go once the outcome is recorded.
    pub fn part(self) -> Parting {
        Parting(match self.line {
            Line::Live { sender, receiver } => Rest::Release { sender, receiver, dir: self.dir },
            Line::Import(_) | Line::Left => Rest::Remove(self.dir),
            Line::Broken => Rest::Nothing,
        })
    }
}

/// The base name: what messages call a program.
pub(super) fn base_name(executable: &Path) -> String {
    executable.file_name().unwrap_or(executable.as_os_str()).to_string_lossy().into_owned()
}

fn not_started(executable: &Path, error: &StartError) -> Outcome {
    let name = base_name(executable);
    let (error_type, message) = match error {
        StartError::WorkingFolder(_, cause) => {
            ("WorkspaceUnavailable", format!("{name} was not started: the workspace cannot be entered: {cause}"))
        }
        // The host names the program by its path.
        StartError::Program(cause) => {
            let cause = cause.replace(&executable.display().to_string(), &name);
            ("ProcessUnavailable", format!("{name} could not be started: {cause}"))
        }
        StartError::Folder(..)
        | StartError::Host(..)
        | StartError::Pipe(_)
        | StartError::Vanished
        | StartError::Silent
        | StartError::Lost => {
            tracing::warn!("start a host: {}", chain(error));
            ("ProcessUnavailable", format!("{name} could not be started: its host failed"))
        }
    };
    failure(Some(FailureClass::Unavailable), error_type, message)
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

/// Why a tree was not seen empty, if it was not.
pub(super) fn unconfirmed(receipt: &StopReceipt) -> Option<String> {
    if receipt.unconfirmed.is_none() && receipt.tree_empty {
        return None;
    }
    Some(receipt.unconfirmed.clone().unwrap_or_else(|| "its processes were not seen to be gone".to_owned()))
}

/// Something may still run: never a success, and never tried again on top of it.
pub(super) fn not_confirmed(name: &str, cause: &str) -> Outcome {
    failure(None, UNCONFIRMED_END, format!("the end of {name} is not confirmed: {cause}"))
}

/// Nobody of ours asked for this end, and the program did not end by itself: how it would have come out is unknown.
pub(super) fn ended_by_others(end: &EndRecord) -> bool {
    matches!(end.stop_receipt.asked_by, AskedBy::Orphan | AskedBy::Idle | AskedBy::Signal | AskedBy::Sweep)
}
