//! How a host's program ends: who asked, the orphan's cancel, the ladder, the last output, the end record, departure.

use std::time::{Duration, Instant};

use bytes::Bytes;
use rustix::process::Signal;

use super::ladder::{Action, Graces, Ladder, Outcome, View};
use super::run::Host;
use crate::facts::{AskedBy, EndRecord, Exit, Offsets, ProcessId, Step, StopReceipt};
use crate::record::{Kind, Stream};
use crate::tree;

/// From the orphan's cancel line to the prompt's reply.
const CANCEL_REPLY: Duration = Duration::from_secs(5);
/// From the tree's end to the end of its output. What is in the pipes is read at once; longer waits mean that something
/// outside the tree holds them.
const LAST_OUTPUT: Duration = Duration::from_secs(2);
/// What a pipe can hold at most, in chunks, unless somebody raised the system's limit.
const LAST_CHUNKS: u32 = 16;
/// How long a program, also one that is over, waits for its first client: one that started it and is about to attach.
pub(super) const FIRST_CLIENT: Duration = Duration::from_secs(10);
/// How long the end record is tried on a full disk. Without it the server finds an empty tree and a lost host.
const END_RECORD: Duration = Duration::from_secs(600);

pub(crate) struct Asked {
    by: AskedBy,
    reason: Option<String>,
}

pub(crate) enum Phase {
    Running,
    /// The cancel line is with the program, and its reply is awaited.
    Cancelling {
        asked: Asked,
        began: Instant,
    },
    Descending {
        asked: Asked,
        ladder: Box<Ladder>,
    },
    /// The tree is gone; its last output is read.
    Emptied {
        end: Box<EndRecord>,
        began: Instant,
    },
    Ended {
        since: Instant,
        asked_by: AskedBy,
    },
    /// The end record could not be written.
    Mute,
}

impl Phase {
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running)
    }

    pub fn is_ended(&self) -> bool {
        matches!(self, Self::Ended { .. })
    }

    /// A client's input still has a reader.
    pub fn takes_input(&self) -> bool {
        matches!(self, Self::Running)
    }
}

impl Host {
    /// The attached server wants the program to end.
    pub(super) fn on_stop(&mut self, reason: Option<String>) {
        let now = Instant::now();
        match &mut self.phase {
            Phase::Running => self.descend(Asked { by: AskedBy::Client, reason }, None, now),
            // What the agent answers from here on, it answers to the host's own cancel.
            Phase::Cancelling { asked, began } => {
                let (by, waited) = (asked.by, now - *began);
                self.descend(Asked { by, reason }, Some(waited), now);
            }
            Phase::Descending { asked, ladder } => {
                if asked.by == AskedBy::SelfExit {
                    *asked = Asked { by: AskedBy::Client, reason };
                    ladder.skip_drain(now);
                }
            }
            Phase::Emptied { .. } | Phase::Ended { .. } | Phase::Mute => {}
        }
    }

    /// Nobody is there to end the turn in an orderly way, so the host does: cancel, refuse what is asked, await the reply.
    pub(super) fn end_unattended(&mut self, by: AskedBy, now: Instant) {
        if !self.phase.is_running() {
            return;
        }
        let asked = Asked { by, reason: None };
        let mut lines: Vec<String> = self.plan.cancel_line.take().into_iter().collect();
        lines.extend(self.watch.refusals());
        if lines.is_empty() || self.program.stdin.is_none() {
            return self.descend(asked, None, now);
        }
        for mut line in lines {
            if !line.ends_with('\n') {
                line.push('\n');
            }
            self.input.say(Bytes::from(line));
        }
        self.write_input();
        self.phase = Phase::Cancelling { asked, began: now };
    }

    pub(super) fn on_program_exit(&mut self, now: Instant) {
        self.spool_exit();
        match std::mem::replace(&mut self.phase, Phase::Running) {
            Phase::Running => {
                let (mut ladder, action) = Ladder::for_exited(self.graces(), now);
                ladder.note_exited_leader(self.program.id(), self.program.name().to_owned());
                self.carry_out(action);
                self.phase = Phase::Descending {
                    asked: Asked { by: AskedBy::SelfExit, reason: None },
                    ladder: Box::new(ladder),
                };
            }
            Phase::Cancelling { asked, began } => self.descend(asked, Some(now - began), now),
            other => self.phase = other,
        }
    }

    /// Appends the exit record once.
    pub(super) fn spool_exit(&mut self) {
        if let Some(exit) = self.program.exit().filter(|_| !self.exit_spooled) {
            let body = serde_json::to_vec(exit).unwrap_or_default();
            self.exit_spooled = self.append(Kind::Exit, 0, &body);
        }
    }

    fn graces(&self) -> Graces {
        Graces {
            eof: Duration::from_millis(self.config.eof_grace_ms),
            term: Duration::from_millis(self.config.term_grace_ms),
        }
    }

    fn descend(&mut self, asked: Asked, cancelled_for: Option<Duration>, now: Instant) {
        let (mut ladder, action) = if self.program.exit().is_some() {
            Ladder::for_exited(self.graces(), now)
        } else {
            Ladder::for_running(self.graces(), now)
        };
        if self.program.exit().is_some() {
            ladder.note_exited_leader(self.program.id(), self.program.name().to_owned());
        }
        // Seen before anything is done to them: some are gone a moment later.
        if let Ok(view) = self.program.view() {
            ladder.note(&view);
        }
        if let Some(waited) = cancelled_for {
            ladder.after(Step::Cancel, waited);
        }
        self.carry_out(action);
        self.phase = Phase::Descending { asked, ladder: Box::new(ladder) };
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            Action::CloseStdin => {
                self.input.drop_all();
                self.program.stdin = None;
            }
            Action::TermGroup => self.program.signal_group(Signal::TERM),
            Action::KillGroup => self.program.signal_group(Signal::KILL),
            Action::Term(ids) => signal_each(&ids, Signal::TERM),
            Action::Kill(ids) => signal_each(&ids, Signal::KILL),
            Action::Finish => {}
        }
    }

    /// A child ended: do not wait for the next look.
    pub(super) fn look_now(&mut self, now: Instant) {
        if let Phase::Descending { ladder, .. } = &mut self.phase {
            ladder.look_at(now);
        }
    }

    /// When the phase wants to be looked at.
    pub(super) fn phase_due(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Running | Phase::Mute => None,
            Phase::Cancelling { began, .. } => Some(*began + CANCEL_REPLY),
            Phase::Descending { ladder, .. } => ladder.next_look(),
            Phase::Emptied { began, .. } => {
                if self.retry_at.is_some() {
                    None
                } else {
                    Some(*began + LAST_OUTPUT)
                }
            }
            Phase::Ended { since, .. } => self.is_awaited().then(|| *since + FIRST_CLIENT),
        }
    }

    /// The tree is gone, so no more than what the pipes hold will come.
    pub(super) fn is_draining(&self) -> bool {
        matches!(self.phase, Phase::Emptied { .. })
    }

    pub(super) fn advance(&mut self, now: Instant) {
        match &mut self.phase {
            Phase::Cancelling { began, .. } => {
                let answered = !self.watch.awaits() && self.input.is_empty();
                if answered || self.program.stdin.is_none() || now >= *began + CANCEL_REPLY {
                    let waited = now - *began;
                    if let Phase::Cancelling { asked, .. } = std::mem::replace(&mut self.phase, Phase::Running) {
                        self.descend(asked, Some(waited), now);
                    }
                }
            }
            Phase::Descending { ladder, .. } if ladder.next_look().is_some_and(|at| at <= now) => self.look(now),
            Phase::Emptied { .. } => self.finish_output(now),
            _ => {}
        }
    }

    fn look(&mut self, now: Instant) {
        if self.program.note_children() {
            self.spool_exit();
        }
        let view = View::of(self.program.view());
        let Phase::Descending { ladder, .. } = &mut self.phase else { return };
        let actions = ladder.advance(&view, now);
        let nothing_lives = view.is_empty();
        let finished = actions.contains(&Action::Finish);
        for action in actions {
            self.carry_out(action);
        }
        if finished {
            // One that forked during the look may have been missed; the kernel does not miss it.
            let empty = nothing_lives && self.program.confirm_empty();
            if nothing_lives
                && !empty
                && tree::SEES_DESCENDANTS
                && let Phase::Descending { ladder, .. } = &mut self.phase
                && ladder.resume(now)
            {
                return;
            }
            self.tree_is_done(empty || (nothing_lives && !tree::SEES_DESCENDANTS), now);
        }
    }

    fn tree_is_done(&mut self, tree_empty: bool, now: Instant) {
        let Phase::Descending { asked, ladder } = std::mem::replace(&mut self.phase, Phase::Running) else { return };
        let Outcome { processes, unlisted, escaped, steps, unconfirmed } = ladder.outcome();
        let end = EndRecord {
            exit: self.program.exit().cloned().unwrap_or(Exit::StillRunning),
            stop_receipt: StopReceipt {
                asked_by: asked.by,
                reason: asked.reason,
                processes,
                processes_unlisted: unlisted,
                escaped,
                tree_empty,
                unseen: (!tree::SEES_DESCENDANTS).then(|| "descendants that left the process group".to_owned()),
                unconfirmed,
                stderr_bytes: 0,
                steps,
            },
            streams: Offsets::default(),
            last_input: self.input.begun(),
        };
        self.phase = Phase::Emptied { end: Box::new(end), began: now };
        self.finish_output(now);
    }

    /// Reads what the pipes still hold, then writes the end record.
    fn finish_output(&mut self, now: Instant) {
        let Phase::Emptied { began, .. } = &self.phase else { return };
        let began = *began;
        if now >= began + END_RECORD || self.folder.is_gone() {
            self.phase = Phase::Mute;
            return;
        }
        if self.retry_at.is_some() {
            return;
        }
        for stream in [Stream::Out, Stream::Err] {
            // A descendant that lives on, or one outside the tree, may hold the pipe for ever.
            if now < began + LAST_OUTPUT {
                continue;
            }
            // While the disk was full nothing was read, so a full pipe may be waiting.
            let mut chunks = 0;
            while chunks < LAST_CHUNKS && self.retry_at.is_none() && self.read_output(stream) {
                chunks += 1;
            }
            if self.retry_at.is_some() {
                return;
            }
            self.end_output(stream);
        }
        if !(self.out.ended && self.err.ended && self.exit_is_told()) {
            return;
        }
        let Phase::Emptied { end, .. } = &self.phase else { return };
        let mut end = end.clone();
        end.streams = Offsets { out: self.out.len, err: self.err.len };
        end.stop_receipt.stderr_bytes = self.err.len;
        let body = serde_json::to_vec(&end).unwrap_or_default();
        if self.append(Kind::End, 0, &body) {
            self.phase = Phase::Ended { since: now, asked_by: end.stop_receipt.asked_by };
        }
    }

    fn exit_is_told(&self) -> bool {
        self.exit_spooled || self.program.exit().is_none()
    }

    /// Its server has not been here yet and may come any moment.
    fn is_awaited(&self) -> bool {
        matches!(&self.phase, Phase::Ended { asked_by, .. } if *asked_by == AskedBy::SelfExit) && !self.ever_attached
    }

    /// The exit status, when there is nothing left to do here.
    pub(super) fn depart(&mut self, now: Instant) -> Option<i32> {
        let Phase::Ended { since, asked_by } = &self.phase else {
            return matches!(self.phase, Phase::Mute).then_some(1);
        };
        let unasked = matches!(asked_by, AskedBy::Orphan | AskedBy::Idle | AskedBy::Signal);
        if self.released || (unasked && self.config.discard_on_orphan && self.client.is_none()) {
            return Some(i32::from(self.folder.remove().is_err()));
        }
        if self.client.is_some() || (self.is_awaited() && now < *since + FIRST_CLIENT) {
            return None;
        }
        // Nobody has taken the end in: it must survive until somebody does.
        Some(i32::from(self.spool.sync(&self.folder).is_err()))
    }
}

/// Gone already is as good as done; what refuses shows in the next look.
fn signal_each(ids: &[ProcessId], signal: Signal) {
    for id in ids {
        tree::signal(*id, signal);
    }
}
