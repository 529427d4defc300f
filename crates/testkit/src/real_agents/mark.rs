//! Finds what a test left running, by a mark in the environment.
//!
//! Agents put their commands into sessions of their own and their launchers die before their children, so neither
//! process group nor parent finds them all; the environment is inherited by everything.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const VARIABLE: &str = "SEGUE_TEST_MARK";

/// Between two looks; a wait for processes has nothing to be woken by.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A variable to put into the environment of a program under test. Whatever still carries it when the mark is
/// dropped is killed, so that a failing test leaves nothing behind either.
#[derive(Debug)]
pub struct Mark {
    value: String,
}

/// A process that carries a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub pid: i32,
    /// Its command line, the words joined by spaces.
    pub command: String,
}

impl Mark {
    /// A mark that no other test on this machine has: it holds the process's id and the test's name.
    pub fn new(test: &str) -> Self {
        Self { value: format!("{}-{test}", std::process::id()) }
    }

    /// Name and value of the variable.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.value)
    }

    /// The processes that carry the mark and are no zombies.
    pub fn processes(&self) -> Vec<Marked> {
        let wanted = format!("{VARIABLE}={}", self.value);
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let pid = entry.file_name().to_str()?.parse().ok()?;
                // What ends meanwhile, is a zombie, or belongs to someone else reads as nothing.
                let environment = fs::read(entry.path().join("environ")).ok()?;
                environment.split(|byte| *byte == 0).any(|line| line == wanted.as_bytes()).then(|| {
                    let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                    let words: Vec<_> = command.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
                    Marked { pid, command: words.join(" ").trim_end().to_owned() }
                })
            })
            .collect()
    }

    /// Waits until no process carries the mark, and returns those that still do when the limit is reached.
    pub fn wait_gone(&self, limit: Duration) -> Vec<Marked> {
        let until = Instant::now() + limit;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() >= until {
                return left;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        for process in self.processes() {
            if let Some(pid) = Pid::from_raw(process.pid) {
                // Gone already is as good.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_marked_process_is_seen_and_does_not_outlive_its_mark() {
        let mark = Mark::new("a_marked_process");
        let (name, value) = mark.variable();
        let mut child = Command::new("sleep").arg("600").env(name, value).spawn().expect("sleep");
        let seen = Marked { pid: child.id().cast_signed(), command: "sleep 600".to_owned() };
        // A program that has just been executed shows neither words nor environment for a moment.
        let until = Instant::now() + Duration::from_secs(30);
        while mark.processes() != [seen.clone()] {
            assert!(Instant::now() < until, "{:?} instead of {seen:?}", mark.processes());
            std::thread::yield_now();
        }
        drop(mark);
        assert!(!child.wait().expect("an ended child").success());
    }
}
