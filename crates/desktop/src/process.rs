//! A program that runs for the window: what it says, how it ended, and its end when the window closes.
//!
//! It runs for as long as its standard input stays open, so it also ends when the window is killed.

use std::{
    io::{self, BufRead, BufReader, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// A line of the runtime is short; what is longer is cut.
const LINE_BYTES: u64 = 64 * 1024;
/// Of its complaints the last bytes are kept, enough for what a person is shown.
const COMPLAINT_BYTES: usize = 4 * 1024;

#[derive(Debug)]
pub struct Process {
    group: Pid,
    life: Mutex<Life>,
    ended: Condvar,
}

#[derive(Debug)]
struct Life {
    /// Closing it asks for an orderly end.
    input: Option<ChildStdin>,
    end: Option<End>,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    status: Option<ExitStatus>,
    complaint: String,
}

impl Process {
    /// Starts it in a process group of its own; the lines it says arrive until it closes its output.
    pub fn start(mut command: Command) -> io::Result<(Arc<Self>, Receiver<String>)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let life = Mutex::new(Life { input, end: None });
        let process = Arc::new(Self { group: Pid::from_child(&child), life, ended: Condvar::new() });
        let (say, said) = channel();
        if let Some(output) = output {
            std::thread::spawn(move || {
                for_each_line(output, |line| {
                    // Nobody listens once the address is known; the pipe is emptied all the same.
                    let _ = say.send(line);
                })
            });
        }
        let waiting = Arc::clone(&process);
        std::thread::spawn(move || waiting.await_end(child, errors));
        Ok((process, said))
    }

    fn await_end(&self, mut child: Child, errors: Option<ChildStderr>) {
        let reading = std::thread::spawn(move || errors.map(last_words).unwrap_or_default());
        let status = child.wait().ok();
        // A program that it left behind may hold its standard error open, so that is not waited for without end.
        let complaint = if status.is_none_or(|status| !status.success()) {
            reading.join().unwrap_or_default()
        } else {
            String::new()
        };
        self.life().end = Some(End { status, complaint });
        self.ended.notify_all();
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end.
    pub fn wait(&self) -> End {
        let mut life = self.life();
        loop {
            match &life.end {
                Some(end) => return end.clone(),
                None => life = self.ended.wait(life).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Asks for an orderly end and waits for it; after `limit` the whole group is killed.
    pub fn end(&self, limit: Duration) -> End {
        let mut life = self.life();
        drop(life.input.take());
        let running = |life: &mut Life| life.end.is_none();
        let (waited, timeout) =
            self.ended.wait_timeout_while(life, limit, running).unwrap_or_else(PoisonError::into_inner);
        life = waited;
        if timeout.timed_out() && life.end.is_none() {
            // The leader has not been waited for, so the group is still its own.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
        drop(life);
        self.wait()
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => write!(f, "exit status {code}")?,
            Some((None, Some(signal))) => write!(f, "signal {signal}")?,
            _ => f.write_str("no status")?,
        }
        let said = self.complaint.trim();
        if said.is_empty() { Ok(()) } else { write!(f, ": {said}") }
    }
}

fn for_each_line(output: ChildStdout, mut line: impl FnMut(String)) {
    let mut output = BufReader::new(output);
    loop {
        let mut bytes = Vec::new();
        match output.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => line(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

fn last_words(mut errors: ChildStderr) -> String {
    let mut kept = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut piece) {
        kept.extend_from_slice(&piece[..count]);
        kept.drain(..kept.len().saturating_sub(COMPLAINT_BYTES));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Arc<Process>, Receiver<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::start(command).expect("sh")
    }

    #[test]
    fn it_ends_when_its_input_does() {
        let (process, said) = shell("echo here; cat >/dev/null; echo gone >&2; exit 3");
        assert_eq!(said.recv().as_deref(), Ok("here\n"));
        assert_eq!(process.end(Duration::from_secs(600)).to_string(), "exit status 3: gone");
        assert_eq!(process.wait().to_string(), "exit status 3: gone");
    }

    #[test]
    fn what_does_not_end_is_killed_with_its_group() {
        let (process, said) = shell("sleep 600 & echo here; wait");
        assert_eq!(said.recv().as_deref(), Ok("here\n"));
        assert_eq!(process.end(Duration::ZERO).to_string(), "signal 9");
        // Its output ends only when no process of the group holds it any more.
        assert!(said.recv().is_err());
    }
}
