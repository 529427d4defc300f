//! The one way a program is called: all of its input, then its output to the end, within bounds (contract §14.1).
//!
//! What the output means is the matter of the executors that call it. Arguments, environment and what the program
//! writes to stderr are in no outcome; the size of the latter is.

use std::{path::PathBuf, time::Duration};

use bytes::Bytes;
use segue_host::{EndRecord, Exit};
use segue_model::{
    flow::{capability::config::Command, rules::FailureClass},
    run::{Outcome, attempt::Loss},
};
use tokio::time::Instant;

use super::{
    Start, Surroundings, Terms, failure,
    guest::{END_LIMIT, Guest, Heard, Launch, base_name, ended_by_others, not_confirmed, unconfirmed},
};

/// The most that a program may write to stdout. Fixed by the contract.
pub const OUTPUT_MAX_BYTES: usize = 1_000_000;
/// The longest argument, its end included, that Linux gives to a program; others give more.
pub const ARGUMENT_MAX_BYTES: usize = 128 << 10;

/// The error type of a program that did well and wrote nothing.
pub const EMPTY: &str = "OutputEmpty";

/// A program, and what it is told.
#[derive(Debug, Clone)]
pub struct Program {
    /// An absolute path.
    pub executable: String,
    pub args: Vec<String>,
    /// All of its stdin.
    pub input: Vec<u8>,
}

impl Program {
    #[must_use]
    pub fn of(command: &Command, input: Vec<u8>) -> Self {
        Self { executable: command.executable.clone(), args: command.args.clone(), input }
    }
}

/// How a program ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The program's base name.
    pub name: String,
    /// A code or a signal.
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr_bytes: u64,
}

impl Finished {
    /// What a program that did well wrote, trimmed.
    ///
    /// # Errors
    /// The failure of one that did not exit with 0, or wrote nothing.
    pub fn text(&self) -> Result<String, Outcome> {
        let how = match &self.exit {
            Exit::Code(0) => None,
            Exit::Code(code) => Some(format!("exited with status {code}")),
            Exit::Signal(signal) => Some(format!("was ended by signal {signal}")),
            Exit::NeverStarted(_) | Exit::StillRunning => Some("ended in an unknown way".to_owned()),
        };
        if let Some(how) = how {
            let message = format!("{} {how} and wrote {} bytes to stderr", self.name, self.stderr_bytes);
            return Err(failure(Some(FailureClass::Exit), "ProcessExit", message));
        }
        let text = String::from_utf8_lossy(&self.stdout);
        match text.trim() {
            "" => {
                let message =
                    format!("{} wrote nothing to stdout and {} bytes to stderr", self.name, self.stderr_bytes);
                Err(failure(Some(FailureClass::Malformed), EMPTY, message))
            }
            text => Ok(text.to_owned()),
        }
    }
}

/// Why a program was ended before it was done. The word travels to the host and back in its receipt, so that an
/// attempt that is called again knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Timeout,
    Stopped,
    TooMuch,
    /// Its answer is complete.
    Done,
}

impl Why {
    const ALL: [Self; 4] = [Self::Timeout, Self::Stopped, Self::TooMuch, Self::Done];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Stopped => "cancelled",
            Self::TooMuch => "output limit",
            Self::Done => "done",
        }
    }

    /// What a dead process of ours had asked for.
    pub fn of(end: &EndRecord) -> Option<Self> {
        let reason = end.stop_receipt.reason.as_deref()?;
        Self::ALL.into_iter().find(|why| why.as_str() == reason)
    }
}

/// The outcome of a program that was ended, or whose end is not what it should be; `None` if it ended by itself and
/// nothing of it is left.
pub(super) fn outcome_of_end(why: Option<Why>, end: &EndRecord, name: &str, timeout: Duration) -> Option<Outcome> {
    if let Some(cause) = unconfirmed(&end.stop_receipt) {
        return Some(not_confirmed(name, &cause));
    }
    match why.or_else(|| Why::of(end)) {
        Some(why) => return outcome_of(why, name, timeout),
        None if ended_by_others(end) => return Some(Outcome::Lost(Loss::Crash)),
        None => {}
    }
    match &end.exit {
        Exit::NeverStarted(_) => {
            Some(failure(Some(FailureClass::Unavailable), "ProcessUnavailable", format!("{name} could not be started")))
        }
        _ => None,
    }
}

fn outcome_of(why: Why, name: &str, timeout: Duration) -> Option<Outcome> {
    match why {
        Why::Done => None,
        Why::Stopped => Some(Outcome::Aborted),
        Why::Timeout => {
            let message = format!("{name} took longer than {} s", timeout.as_secs_f64());
            Some(failure(Some(FailureClass::Timeout), "Timeout", message))
        }
        Why::TooMuch => {
            let message = format!("{name} wrote more than {OUTPUT_MAX_BYTES} bytes to stdout");
            Some(failure(Some(FailureClass::Malformed), "OutputTooLarge", message))
        }
    }
}

/// Calls a program in the workspace and waits for the end of its whole tree.
///
/// # Errors
/// The outcome of an attempt that came to no output of its own: it could not start, took too long, wrote too much,
/// was to be ended, or was lost.
pub async fn run(terms: &Terms, around: &dyn Surroundings, program: Program) -> Result<Finished, Outcome> {
    if let Some(long) = program.args.iter().find(|arg| arg.len() >= ARGUMENT_MAX_BYTES) {
        let most = ARGUMENT_MAX_BYTES - 1;
        let message = format!("an argument of {} bytes is longer than the {most} that can be passed", long.len());
        return Err(failure(None, "ArgumentTooLarge", message));
    }
    if program.input.len() > segue_host::INPUT_MAX_BYTES {
        let message = format!("an input of {} bytes is too large to be passed", program.input.len());
        return Err(failure(None, "InputTooLarge", message));
    }
    let launch = Launch {
        executable: PathBuf::from(program.executable),
        args: program.args.into_iter().map(Into::into).collect(),
        cwd: terms.workspace.clone(),
        env: Vec::new(),
        // Its input is at its end already, so that is no hint to go.
        eof_grace: Duration::ZERO,
        unattended: None,
    };
    let mut watch = Watch::open(terms, around, launch).await?;
    if !program.input.is_empty() {
        watch.guest.say(Bytes::from(program.input)).await;
    }
    watch.guest.close_input().await;
    let mut stdout = Vec::new();
    let end = loop {
        match watch.next().await? {
            // What comes after the reason to end it is of no use.
            Heard::Out(_) if watch.why.is_some() => {}
            Heard::Out(bytes) if stdout.len() + bytes.len() > OUTPUT_MAX_BYTES => watch.end(Why::TooMuch),
            Heard::Out(bytes) => stdout.extend_from_slice(&bytes),
            Heard::End(end) => break end,
            Heard::OutEof | Heard::Exited => {}
            Heard::Lost(outcome) => return Err(watch.lost(around, outcome)),
        }
    };
    let name = watch.name.clone();
    match watch.finish(around, &end) {
        Some(outcome) => Err(outcome),
        None => Ok(Finished { name, exit: end.exit, stdout, stderr_bytes: end.stop_receipt.stderr_bytes }),
    }
}

/// A moment that is noticed this late passed while this process stood still: stopped, or the machine asleep.
const STOOD_STILL: Duration = Duration::from_secs(1);
/// What came meanwhile is heard within this, before the moment counts.
const HEAR_FIRST: Duration = Duration::from_secs(1);

/// A program, and the reasons to end it: its time is over, nobody wants its result.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    terms: &'a Terms,
    pub guest: Guest,
    /// The program's base name.
    pub name: String,
    /// When its time is over; when the host's is, once the end was asked for.
    deadline: Instant,
    pub why: Option<Why>,
    /// The deadline was put off already, for what came while this process stood still.
    put_off: bool,
    /// End it when the attempt is to stop. False: the owner does that.
    pub heed_stop: bool,
}

impl<'a> Watch<'a> {
    /// # Errors
    /// As [`Guest::open`]; a first attempt that nobody wants does not start.
    pub async fn open(terms: &'a Terms, around: &dyn Surroundings, launch: Launch) -> Result<Self, Outcome> {
        if terms.start == Start::First && terms.stop.is_cancelled() {
            return Err(Outcome::Aborted);
        }
        let deadline = Instant::now() + terms.timeout;
        let name = base_name(&launch.executable);
        let guest = Guest::open(terms, around, launch).await?;
        Ok(Self { terms, guest, name, deadline, why: None, put_off: false, heed_stop: true })
    }

    /// The time of the attempt begins anew: for a program whose every answer has its own.
    pub fn restart_clock(&mut self) {
        if self.why.is_none() {
            self.deadline = Instant::now() + self.terms.timeout;
            self.put_off = false;
        }
    }

    /// Has it ended; the first reason counts.
    pub fn end(&mut self, why: Why) {
        if self.why.is_none() {
            self.why = Some(why);
            self.deadline = Instant::now() + END_LIMIT;
            self.put_off = false;
            self.guest.stop(why.as_str());
        }
    }

    /// What comes next; ends the program when there is reason to.
    ///
    /// # Errors
    /// Its end was asked for and does not come.
    pub async fn next(&mut self) -> Result<Heard, Outcome> {
        loop {
            tokio::select! {
                heard = self.guest.next() => return Ok(heard),
                () = self.terms.stop.cancelled(), if self.heed_stop && self.why.is_none() => self.end(Why::Stopped),
                () = tokio::time::sleep_until(self.deadline) => {
                    if !self.put_off && self.deadline.elapsed() > STOOD_STILL {
                        self.put_off = true;
                        self.deadline = Instant::now() + HEAR_FIRST;
                        continue;
                    }
                    if self.why.is_some() {
                        let cause = format!("its host{} does not answer", self.guest.processes().await);
                        return Err(not_confirmed(&self.name, &cause));
                    }
                    self.end(Why::Timeout);
                }
            }
        }
    }

    /// Has what a lost host left removed once the outcome is recorded.
    pub fn lost(self, around: &dyn Surroundings, outcome: Outcome) -> Outcome {
        let host = self.guest.host().clone();
        around.settle_later(&host, self.guest.part());
        outcome
    }

    /// Lets the host go once the outcome is recorded. Gives the outcome unless the program ended as it should.
    pub fn finish(self, around: &dyn Surroundings, end: &EndRecord) -> Option<Outcome> {
        let outcome = outcome_of_end(self.why, end, &self.name, self.terms.timeout);
        let host = self.guest.host().clone();
        around.settle_later(&host, self.guest.part());
        outcome
    }
}

#[cfg(test)]
mod tests {
    use segue_host::{AskedBy, Offsets, StopReceipt, Survivor};

    use super::*;

    fn end(asked_by: AskedBy, reason: Option<&str>, exit: Exit) -> EndRecord {
        let stop_receipt = StopReceipt {
            asked_by,
            reason: reason.map(str::to_owned),
            processes: Vec::new(),
            processes_unlisted: 0,
            escaped: Vec::new(),
            tree_empty: true,
            unseen: None,
            unconfirmed: None,
            stderr_bytes: 0,
            steps: Vec::new(),
        };
        EndRecord { exit, stop_receipt, streams: Offsets::default(), last_input: 1 }
    }

    fn outcome(why: Option<Why>, end: &EndRecord) -> Option<Outcome> {
        outcome_of_end(why, end, "tool", Duration::from_millis(1500))
    }

    #[test]
    fn an_end_that_was_asked_for_is_known_by_its_reason_later_on() {
        for why in Why::ALL {
            let asked = end(AskedBy::Client, Some(why.as_str()), Exit::Signal(15));
            assert_eq!(outcome(None, &asked), outcome_of(why, "tool", Duration::from_millis(1500)), "{why:?}");
            assert_eq!(outcome(Some(Why::Stopped), &asked), Some(Outcome::Aborted));
        }
        let words = |why| match outcome_of(why, "tool", Duration::from_millis(1500)) {
            Some(Outcome::Failed { class, message, .. }) => Some((class, message)),
            _ => None,
        };
        assert_eq!(words(Why::Timeout), Some((Some(FailureClass::Timeout), "tool took longer than 1.5 s".to_owned())));
        let message = "tool wrote more than 1000000 bytes to stdout".to_owned();
        assert_eq!(words(Why::TooMuch), Some((Some(FailureClass::Malformed), message)));
    }

    #[test]
    fn an_end_that_nobody_of_ours_asked_for_is_a_loss() {
        for by in [AskedBy::Orphan, AskedBy::Idle, AskedBy::Signal, AskedBy::Sweep] {
            assert_eq!(outcome(None, &end(by, None, Exit::Code(0))), Some(Outcome::Lost(Loss::Crash)), "{by:?}");
        }
        for exit in [Exit::Code(0), Exit::Code(3), Exit::Signal(9)] {
            assert_eq!(outcome(None, &end(AskedBy::SelfExit, None, exit)), None);
        }
        let never = outcome(None, &end(AskedBy::SelfExit, None, Exit::NeverStarted("execute /x: no".into())));
        let Some(Outcome::Failed { class, message, .. }) = never else { panic!("{never:?}") };
        assert_eq!((class, message.as_str()), (Some(FailureClass::Unavailable), "tool could not be started"));
    }

    /// Whatever else is known, a tree that may still live is no success and no ordinary failure.
    #[test]
    fn an_end_that_is_not_confirmed_is_a_failure_that_says_so() {
        let mut left = end(AskedBy::SelfExit, None, Exit::Code(0));
        left.stop_receipt.tree_empty = false;
        left.stop_receipt.escaped = vec![Survivor { pid: 7, name: "x".into(), start_ticks: 1 }];
        let message = "the end of tool is not confirmed: its processes were not seen to be gone";
        let unseen = failure(None, "UnconfirmedEnd", message);
        assert_eq!(outcome(None, &left), Some(unseen.clone()));
        assert_eq!(outcome(Some(Why::Stopped), &left), Some(unseen));
        left.stop_receipt.unconfirmed = Some("did not exit after SIGKILL".into());
        let message = "the end of tool is not confirmed: did not exit after SIGKILL";
        assert_eq!(outcome(None, &left), Some(failure(None, "UnconfirmedEnd", message)));
    }
}
