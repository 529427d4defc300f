//! The program: started in a session of its own, with pipes; watched without being reaped.
//!
//! Its first process stays a zombie until the tree is empty, so that its pid, which is also its group's, is not given
//! to another.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions};

use super::ladder::View;
use crate::facts::{Exit, ProcessId};
use crate::{limits, tree};

#[derive(Debug)]
pub(crate) struct Program {
    id: ProcessId,
    pid: Pid,
    name: String,
    exit: Option<Exit>,
    reaped: bool,
    pub stdin: Option<File>,
    pub out: Option<File>,
    pub err: Option<File>,
}

impl Program {
    /// `env` is its whole environment and `open_files` the soft limit that it gets; without one it has the host's.
    pub fn start(
        path: &Path,
        args: &[OsString],
        env: Option<&[(OsString, OsString)]>,
        open_files: Option<u64>,
    ) -> io::Result<Self> {
        let mut command = Command::new(path);
        if let Some(env) = env {
            command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
        }
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The signal mask, SIGPIPE and every signal this process handles are back at their defaults in the child: the
        // standard library does the first two, the kernel the last.
        #[expect(unsafe_code, reason = "the standard library has no stable way to start a session or to set a limit")]
        // SAFETY: both are single system calls, async-signal-safe, and touch no memory but the closure's own.
        unsafe {
            command.pre_exec(move || {
                rustix::process::setsid()?;
                open_files.map_or(Ok(()), limits::set_soft)
            });
        }
        let mut child = command.spawn()?;
        let pid = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("a pid out of range"))?;
        let pipe = |fd: Option<OwnedFd>| fd.map(|fd| nonblocking(&fd).map(|()| File::from(fd))).transpose();
        Ok(Self {
            id: tree::identify(pid.as_raw_nonzero().get())
                .ok_or_else(|| io::Error::other("the process table does not show the program"))?,
            pid,
            name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
            exit: None,
            reaped: false,
            stdin: pipe(child.stdin.take().map(OwnedFd::from))?,
            out: pipe(child.stdout.take().map(OwnedFd::from))?,
            err: pipe(child.stderr.take().map(OwnedFd::from))?,
        })
    }

    pub fn id(&self) -> ProcessId {
        self.id
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }

    /// Takes note of children that ended: the program's own exit is kept waiting, adopted ones are reaped.
    /// True when the program's exit is news.
    pub fn note_children(&mut self) -> bool {
        let news = self.exit.is_none() && self.look_at_leader();
        for pid in tree::dead_children(own_pid()).unwrap_or_default() {
            if pid != self.id.pid {
                reap(pid);
            }
        }
        news
    }

    fn look_at_leader(&mut self) -> bool {
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Ok(Some(status)) = rustix::process::waitid(WaitId::Pid(self.pid), peek) else { return false };
        self.exit = status.exit_status().map(Exit::Code).or(status.terminating_signal().map(Exit::Signal));
        self.exit.is_some()
    }

    /// What lives of the tree. An error means that it could not be seen.
    pub fn view(&self) -> io::Result<View> {
        let leader = self.exit.is_none();
        // Once the leader is reaped its number may belong to another, and no group is ours any more.
        let (group, rest) =
            tree::descendants(own_pid())?.into_iter().partition(|process| !self.reaped && process.group == self.id.pid);
        Ok(View { leader, group, rest })
    }

    pub fn signal_group(&self, signal: Signal) {
        if !self.reaped {
            // Gone already is as good as done; what refuses shows in the next look.
            let _ = rustix::process::kill_process_group(self.pid, signal);
        }
    }

    /// Reaps the leader, whose tree was seen empty, and asks the kernel for its word: no child means no descendant,
    /// since every one whose parent ended is a child of this process.
    pub fn confirm_empty(&mut self) -> bool {
        self.reaped = true;
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return error == rustix::io::Errno::CHILD,
            }
        }
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

fn reap(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

fn nonblocking(fd: impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    Ok(rustix::fs::fcntl_setfl(&fd, flags | OFlags::NONBLOCK)?)
}
