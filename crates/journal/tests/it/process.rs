//! Another process on the same journal: this test program, started again for one test that is a
//! program in disguise.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// A process that says nothing for so long never will.
const PATIENCE: Duration = Duration::from_secs(60);
/// Stands before each line that is for the parent; the test harness prints lines of its own.
const MARK: &str = "@@";
const ROLE: &str = "SEGUE_TEST_ROLE";
const FOLDER: &str = "SEGUE_TEST_FOLDER";

pub struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    /// Starts the process for a role on a folder.
    pub fn start(role: &str, folder: &Path) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::child", "--nocapture"])
            .env(ROLE, role)
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (said, lines) = channel();
        thread::spawn(move || {
            let marked = stdout.lines().map_while(Result::ok);
            for line in marked {
                let Some((_, line)) = line.split_once(MARK) else { continue };
                if said.send(line.to_owned()).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take().unwrap();
        Self { child, stdin, lines }
    }

    /// The next line, or `None` when the process said its last.
    pub fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the process says nothing any more"),
        }
    }

    /// What it said since the last question, without waiting.
    pub fn said_so_far(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    /// All it said until its end.
    pub fn rest(&self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }

    pub fn go(&mut self) {
        self.stdin.write_all(b"go\n").unwrap();
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Role and folder, in the child.
pub fn role() -> Option<(String, String)> {
    Some((env::var(ROLE).ok()?, env::var(FOLDER).ok()?))
}

/// In the child: tells the parent.
pub fn say(line: &str) {
    println!("{MARK}{line}");
}

/// In the child: waits for the parent's word.
pub fn wait_for_go() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}
