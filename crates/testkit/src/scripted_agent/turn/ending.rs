//! The end of a turn: the prompt's answer, and what an agent says after it.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::wire::{self, lock};
use super::{Outcome, Turn, message_chunk, session_update};

/// How often a lingering turn says something.
const LINGER_PAUSE: Duration = Duration::from_millis(50);

impl Turn {
    pub(super) fn finish(mut self, mut outcome: Outcome) {
        if self.cancelled {
            self.agent.end_commands();
            if let Some(time) = self.linger {
                let end = Instant::now() + time;
                while Instant::now() < end {
                    self.say("lingering ");
                    std::thread::sleep(LINGER_PAUSE);
                }
            }
            outcome = Outcome::Stop("cancelled".to_owned());
        }
        // Saved and set free first: the client may load or prompt as soon as it has the answer.
        self.agent.sessions.save(&self.session);
        *lock(&self.session.turn) = None;
        let mut last = match outcome {
            Outcome::Silence => return,
            Outcome::Stop(reason) => {
                let mut result = json!({"stopReason": reason});
                if let Some(usage) = self.usage.take() {
                    result["usage"] = usage;
                }
                if let Some(meta) = self.meta.take() {
                    result["_meta"] = meta;
                }
                vec![wire::answer(&self.prompt_id, result)]
            }
            Outcome::Error { code, message } => {
                vec![wire::error(&self.prompt_id, code, &message, self.error_data.as_ref())]
            }
        };
        self.late.sort_by_key(|(after, _)| *after);
        let at_once = self.late.iter().take_while(|(after, _)| after.is_zero()).count();
        for (_, text) in self.late.drain(..at_once) {
            last.push(session_update(&self.session.id, &message_chunk(&text)));
        }
        let line_end = self.agent.wire.line_end();
        self.agent.wire.burst(|out| {
            for message in &last {
                out.line(&message.to_string(), line_end);
            }
            if let Some(extra) = &self.agent.behaviour.after_answer {
                out.line(extra, line_end);
            }
        });
        self.speak_late(Instant::now());
    }

    fn speak_late(mut self, answered: Instant) {
        let rest_of = |after: Duration| (answered + after).saturating_duration_since(Instant::now());
        for (after, text) in std::mem::take(&mut self.late) {
            std::thread::sleep(rest_of(after));
            self.send(&[message_chunk(&text)]);
        }
        for (after, bytes) in std::mem::take(&mut self.late_stderr) {
            std::thread::sleep(rest_of(after));
            stderr_repeated(bytes);
        }
    }
}

pub(super) fn stderr_bytes(bytes: &[u8]) {
    // A client that does not read stderr is the client's affair.
    let _ = std::io::stderr().write_all(bytes);
}

/// `count` bytes without a line end.
pub(super) fn stderr_repeated(count: usize) {
    let block = [b'e'; 64 * 1024];
    let mut left = count;
    while left > 0 {
        let size = left.min(block.len());
        stderr_bytes(&block[..size]);
        left -= size;
    }
}
