//! The command line as people and scripts know it, against the real program with scripted agents. One file for
//! each group of commands.

mod acting;
mod agents;
mod clients;
mod dispatch;
mod following;
mod looking;
mod places;
mod usage;

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use segue_testkit::mcp_client::{DEADLINE, ended};
use segue_testkit::program::{Finished, Program};
use serde_json::Value;

use crate::contract::served::wait_for;

/// The one JSON document that a command printed. It must have succeeded.
#[track_caller]
fn document(run: &Finished) -> Value {
    assert_eq!(run.ended, "exit 0", "{run:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} in {run:?}"))
}

/// The lines of JSON that a command printed.
#[track_caller]
fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

/// Asserts that a command was refused with this status: nothing on stdout, and all of these on stderr.
#[track_caller]
fn assert_refused(run: &Finished, status: u8, names: &[&str]) {
    assert_eq!((run.ended.as_str(), run.stdout.as_str()), (format!("exit {status}").as_str(), ""), "{run:?}");
    for name in names {
        assert!(run.stderr.contains(name), "{name:?} is not named in: {}", run.stderr);
    }
}

/// A command that runs beside the test. Killed when dropped.
pub struct Running(Child);

impl Running {
    pub fn start(world: &Program, arguments: &[&str]) -> Running {
        let mut command: Command = world.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().expect("the program starts"))
    }

    /// The same, and what it says is in a file while it runs.
    pub fn start_saying(world: &Program, arguments: &[&str], said: &std::path::Path) -> Running {
        let mut command: Command = world.command(arguments);
        let said = std::fs::File::create(said).expect("a file");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(said);
        Running(command.spawn().expect("the program starts"))
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
        rustix::process::kill_process(pid, signal).expect("it runs");
    }

    pub fn finish(mut self) -> Finished {
        let mut status: Option<ExitStatus> = None;
        wait_for("the command to end", || {
            status = self.0.try_wait().expect("it can be waited for");
            status.is_some()
        });
        let read = |stream: Option<&mut dyn std::io::Read>| {
            let mut text = String::new();
            if let Some(stream) = stream {
                stream.read_to_string(&mut text).expect("text");
            }
            text
        };
        let stdout = read(self.0.stdout.as_mut().map(|pipe| pipe as &mut dyn std::io::Read));
        let stderr = read(self.0.stderr.as_mut().map(|pipe| pipe as &mut dyn std::io::Read));
        Finished { ended: ended(status.expect("it ended")), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the newest task has this status, and gives it back.
#[track_caller]
fn newest(world: &Program, status: &str) -> Value {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let listed = document(&world.run(["tasks", "--limit", "1", "--json"]));
        if listed["tasks"][0]["status"] == status {
            return listed["tasks"][0].clone();
        }
        assert!(Instant::now() < deadline, "no {status} task in {listed}");
    }
}

/// Nothing that a terminal acts on, but line ends.
#[track_caller]
fn assert_tame(text: &str) {
    let wild: Vec<char> = text.chars().filter(|c| *c != '\n' && (c.is_control() || *c == '\u{202e}')).collect();
    assert_eq!(wild, [] as [char; 0], "{text:?}");
}
