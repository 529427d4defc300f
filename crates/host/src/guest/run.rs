//! The loop: one `poll` over everything that can happen to a host, and what follows from each.
//!
//! How an end goes is in `ending.rs`; this file moves bytes and keeps the clocks.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::client::{Client, Gone};
use super::ending::{FIRST_CLIENT, Phase};
use super::input::Input;
use super::output::Output;
use super::program::Program;
use super::watch::Watch;
use crate::facts::{AskedBy, HostConfig, HostIdentity, Offsets, OrphanPlan};
use crate::folder::Folder;
use crate::protocol::{self, Hello, Request};
use crate::record::Stream;
use crate::spool::Spool;

/// Connections that have not attached yet. One is enough; a few more may be dead ones.
const STRANGERS_MAX: usize = 8;
pub(crate) struct Parts {
    pub config: HostConfig,
    pub folder: Folder,
    pub lock: File,
    pub spool: Spool,
    pub listener: UnixListener,
    pub signals: Signals,
    pub program: Program,
    pub input: Input,
    pub identity: HostIdentity,
}

/// Signals, as readable descriptors.
#[derive(Debug)]
pub(crate) struct Signals {
    child: UnixStream,
    go: UnixStream,
}

impl Signals {
    pub fn register() -> io::Result<Self> {
        let pair = || -> io::Result<_> {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            Ok((read, write))
        };
        let (child, write) = pair()?;
        signal_hook::low_level::pipe::register(SIGCHLD, write)?;
        let (go, write) = pair()?;
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
        }
        Ok(Self { child, go })
    }
}

pub(crate) fn listen(folder: &Folder) -> io::Result<UnixListener> {
    let path = folder.socket_path();
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

pub(crate) struct Host {
    pub(super) config: HostConfig,
    pub(super) folder: Folder,
    /// Held for life; the kernel lets go of it when this process dies.
    _lock: File,
    pub(super) spool: Spool,
    listener: UnixListener,
    signals: Signals,
    pub(super) program: Program,
    pub(super) input: Input,
    identity: HostIdentity,
    pub(super) out: Output,
    pub(super) err: Output,
    pub(super) watch: Watch,
    pub(super) client: Option<Client>,
    strangers: Vec<Client>,
    acked: Offsets,
    pub(super) plan: OrphanPlan,
    idle_until: Option<Instant>,
    /// Since when nobody is attached; `None` while somebody is.
    pub(super) alone_since: Option<Instant>,
    pub(super) ever_attached: bool,
    pub(super) phase: Phase,
    pub(super) released: bool,
    pub(super) exit_spooled: bool,
    /// The disk took nothing; the next attempt.
    pub(super) retry_at: Option<Instant>,
    pub(super) buffer: Vec<u8>,
    more_to_send: bool,
}

/// What a descriptor in the poll set stands for.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Child,
    Go,
    Listener,
    Client,
    Stranger(usize),
    Out,
    Err,
    Stdin,
}

impl Host {
    pub fn new(parts: Parts) -> Self {
        let Parts { config, folder, lock, spool, listener, signals, mut program, input, identity } = parts;
        Self {
            out: Output::new(Stream::Out, program.out.take()),
            err: Output::new(Stream::Err, program.err.take()),
            config,
            folder,
            _lock: lock,
            spool,
            listener,
            signals,
            program,
            input,
            identity,
            watch: Watch::default(),
            client: None,
            strangers: Vec::new(),
            acked: Offsets::default(),
            plan: OrphanPlan::default(),
            idle_until: None,
            alone_since: Some(Instant::now()),
            ever_attached: false,
            phase: Phase::Running,
            released: false,
            exit_spooled: false,
            retry_at: None,
            buffer: Vec::new(),
            more_to_send: false,
        }
    }

    pub fn identity(&self) -> &HostIdentity {
        &self.identity
    }

    /// To the end; gives the exit status.
    pub fn run(mut self) -> i32 {
        // A child that ended before the handler was there raised no signal.
        self.on_child();
        loop {
            let ready = self.wait();
            for (slot, flags) in ready {
                self.handle(slot, flags);
            }
            self.keep_clocks(Instant::now());
            self.advance(Instant::now());
            self.serve();
            if let Some(status) = self.depart(Instant::now()) {
                return status;
            }
        }
    }

    fn wait(&self) -> Vec<(Slot, PollFlags)> {
        let mut slots = Vec::with_capacity(8);
        let mut fds = Vec::with_capacity(8);
        let mut add = |slot, fd, flags| {
            slots.push(slot);
            fds.push(PollFd::from_borrowed_fd(fd, flags));
        };
        add(Slot::Child, self.signals.child.as_fd(), PollFlags::IN);
        add(Slot::Go, self.signals.go.as_fd(), PollFlags::IN);
        add(Slot::Listener, self.listener.as_fd(), PollFlags::IN);
        if let Some(client) = &self.client {
            let mut flags = PollFlags::empty();
            // With much input waiting the rest stays in the socket; its end is still noticed.
            flags.set(PollFlags::IN, !self.input.is_full());
            flags.set(PollFlags::OUT, client.blocked);
            add(Slot::Client, client.socket().as_fd(), flags);
        }
        for (at, stranger) in self.strangers.iter().enumerate() {
            add(Slot::Stranger(at), stranger.socket().as_fd(), PollFlags::IN);
        }
        if self.reads_output() {
            for (slot, output) in [(Slot::Out, &self.out), (Slot::Err, &self.err)] {
                if let Some(pipe) = &output.pipe {
                    add(slot, pipe.as_fd(), PollFlags::IN);
                }
            }
        }
        if let Some(stdin) = self.program.stdin.as_ref().filter(|_| !self.input.is_empty()) {
            add(Slot::Stdin, stdin.as_fd(), PollFlags::OUT);
        }
        let timeout = self.next_due().map(|due| due.saturating_duration_since(Instant::now()));
        let timeout =
            timeout.map(|wait| Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) });
        // An interruption is as good as a timeout: the clocks are looked at either way.
        let _ = rustix::event::poll(&mut fds, timeout.as_ref());
        slots.into_iter().zip(fds.iter().map(PollFd::revents)).filter(|(_, flags)| !flags.is_empty()).collect()
    }

    /// The earliest moment at which something is to be done without being asked.
    fn next_due(&self) -> Option<Instant> {
        // With output left to send and a socket that takes it, the next round is due at once.
        if self.more_to_send {
            return Some(Instant::now());
        }
        [self.retry_at, self.orphan_at(), self.idle_at(), self.phase_due()].into_iter().flatten().min()
    }

    fn handle(&mut self, slot: Slot, flags: PollFlags) {
        match slot {
            Slot::Child => {
                drain(&mut self.signals.child);
                self.on_child();
            }
            Slot::Go => {
                drain(&mut self.signals.go);
                self.end_unattended(AskedBy::Signal, Instant::now());
            }
            Slot::Listener => self.accept(),
            Slot::Client => self.hear_client(flags),
            Slot::Stranger(at) => self.hear_stranger(at),
            Slot::Out => _ = self.read_output(Stream::Out),
            Slot::Err => _ = self.read_output(Stream::Err),
            Slot::Stdin => self.write_input(),
        }
    }

    fn on_child(&mut self) {
        if self.program.note_children() {
            self.on_program_exit(Instant::now());
        }
        self.look_now(Instant::now());
    }

    pub(super) fn write_input(&mut self) {
        self.input.write(&mut self.program.stdin);
    }

    fn accept(&mut self) {
        while let Ok((socket, _)) = self.listener.accept() {
            let Ok(client) = Client::new(socket) else { continue };
            if self.strangers.len() == STRANGERS_MAX {
                self.strangers.remove(0);
            }
            self.strangers.push(client);
        }
    }

    fn hear_stranger(&mut self, at: usize) {
        let Some(stranger) = self.strangers.get_mut(at) else { return };
        match stranger.request() {
            Ok(None) => {}
            Ok(Some(Request::Attach(attach))) => {
                let stranger = self.strangers.remove(at);
                self.attach(stranger, attach.from);
            }
            // The way past a full socket: a client whose input the program does not read can still end it.
            Ok(Some(Request::Stop(stop))) => self.on_stop(stop.reason),
            Ok(Some(_)) | Err(Gone) => drop(self.strangers.remove(at)),
        }
    }

    fn attach(&mut self, mut client: Client, from: Offsets) {
        // What the one before has said counts, also when it died right after: nobody will say it again.
        self.hear_out();
        if !self.spool.end().covers(from) {
            client.refuse("the client is ahead of this host");
            return;
        }
        let hello = Hello {
            version: protocol::VERSION,
            identity: self.identity.clone(),
            last_input: self.input.taken(),
            stdin_open: self.program.stdin.is_some(),
            kept: self.spool.kept(),
            end: self.spool.end(),
            out_eof: self.out.ended,
            err_eof: self.err.ended,
            exit: self.program.exit().cloned(),
        };
        client.attach(&hello, &self.spool, from);
        // Whoever was attached before is closed: the newer one knows more.
        self.client = Some(client);
        self.alone_since = None;
        self.ever_attached = true;
    }

    fn hear_client(&mut self, flags: PollFlags) {
        if flags.contains(PollFlags::OUT)
            && let Some(client) = &mut self.client
        {
            client.blocked = false;
        }
        while !self.input.is_full() || flags.intersects(PollFlags::HUP | PollFlags::ERR) {
            let Some(client) = &mut self.client else { return };
            match client.request() {
                Ok(Some(request)) => self.on_request(request),
                Ok(None) => return,
                Err(Gone) => {
                    self.lose_client();
                    return;
                }
            }
        }
    }

    /// Takes in what the attached client has said and that is still in the socket: no more than a socket holds.
    fn hear_out(&mut self) {
        while let Some(client) = &mut self.client {
            match client.request() {
                Ok(Some(request)) => self.on_request(request),
                Ok(None) => return,
                Err(Gone) => self.lose_client(),
            }
        }
    }

    fn lose_client(&mut self) {
        self.client = None;
        self.alone_since = Some(Instant::now());
    }

    fn on_request(&mut self, request: Request) {
        match request {
            // A second attach on one connection has no meaning.
            Request::Attach(_) => self.lose_client(),
            Request::Line { n, bytes } => {
                let seen = bytes.clone();
                if self.phase.takes_input() && self.input.take(n, bytes) {
                    if self.config.json_rpc {
                        self.watch.input(&seen);
                    }
                    drop(seen);
                    self.write_input();
                }
            }
            Request::CloseInput => {
                self.input.close_when_written();
                self.write_input();
            }
            Request::Ack(to) => {
                self.acked = Offsets { out: self.acked.out.max(to.out), err: self.acked.err.max(to.err) };
                self.spool.release(&self.folder, self.acked);
                if self.retry_at.is_some() {
                    self.retry();
                }
            }
            Request::Stop(stop) => self.on_stop(stop.reason),
            Request::OrphanPlan(plan) => {
                self.watch.await_reply(plan.await_reply_id.clone());
                self.plan = plan;
            }
            Request::Idle(idle) => self.idle_until = idle.ms.map(|ms| Instant::now() + Duration::from_millis(ms)),
            Request::Release => self.released = self.phase.is_ended(),
        }
    }

    /// Sends what the client has not got.
    fn serve(&mut self) {
        self.more_to_send = false;
        let Some(client) = &mut self.client else { return };
        if client.blocked || !client.is_behind(&self.spool) {
            return;
        }
        match client.send(&self.folder, &self.spool, &mut self.buffer) {
            Ok(()) => self.more_to_send = !client.blocked && client.is_behind(&self.spool),
            Err(Gone) => self.lose_client(),
        }
    }

    fn orphan_at(&self) -> Option<Instant> {
        let grace = Duration::from_millis(self.plan.grace_ms.unwrap_or(self.config.orphan_grace_ms));
        // Whoever started this host is about to attach, however short the grace is afterwards.
        let grace = if self.ever_attached { grace } else { grace.max(FIRST_CLIENT) };
        self.alone_since.filter(|_| self.phase.is_running())?.checked_add(grace)
    }

    fn idle_at(&self) -> Option<Instant> {
        self.idle_until.filter(|_| self.alone_since.is_some() && self.phase.is_running())
    }

    fn keep_clocks(&mut self, now: Instant) {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.retry_at) {
            self.retry();
        }
        if due(self.idle_at()) {
            self.end_unattended(AskedBy::Idle, now);
        } else if due(self.orphan_at()) {
            self.end_unattended(AskedBy::Orphan, now);
        }
    }
}

fn drain(socket: &mut UnixStream) {
    let mut bytes = [0; 64];
    while matches!(socket.read(&mut bytes), Ok(read) if read == bytes.len()) {}
}
