//! What an agent that failed left to explain it: how it exited, and the last lines of its standard error.
//!
//! Kept in memory only. The lines are in the record as well; here they are for the message that a person
//! reads first.

use std::collections::VecDeque;

use segue_model::task::StopReceipt;

/// Enough for a usage text or the end of a stack trace.
const LINES: usize = 5;
const LINE_CHARS: usize = 200;

/// The last lines of standard error.
#[derive(Debug, Default)]
pub struct LastWords(VecDeque<String>);

impl LastWords {
    pub fn hear(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if self.0.len() == LINES {
            self.0.pop_front();
        }
        self.0.push_back(line.chars().take(LINE_CHARS).collect());
    }

    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// For the end of a message; empty when nothing was said.
    #[must_use]
    pub fn told(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = self.0.iter().map(String::as_str).collect();
        format!("; its stderr ends with: {}", lines.join("\n"))
    }
}

/// How the first process of the tree went, for the end of a message; empty when it was made to go.
#[must_use]
pub fn exit_told(exit_code: Option<i32>, leader: Option<u32>, receipt: &StopReceipt) -> String {
    let ended = leader.and_then(|pid| receipt.processes.iter().find(|process| process.pid == pid));
    if ended.is_some_and(|process| matches!(process.how.as_str(), "sigterm" | "sigkill")) {
        return String::new();
    }
    match exit_code {
        Some(code) if code < 0 => format!("; it was ended by signal {}", -code),
        Some(code) => format!("; it exited with status {code}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use segue_model::task::StoppedProcess;

    use super::*;

    #[test]
    fn the_last_lines_are_told_and_blank_ones_are_not() {
        let mut words = LastWords::default();
        assert_eq!(words.told(), "");
        for n in 0..8 {
            words.hear(&format!("line {n}"));
            words.hear("  ");
        }
        words.hear(&"ä".repeat(1000));
        let last = "ä".repeat(LINE_CHARS);
        assert_eq!(words.told(), format!("; its stderr ends with: line 4\nline 5\nline 6\nline 7\n{last}"));
    }

    #[test]
    fn an_exit_is_told_unless_it_was_our_doing() {
        let receipt = |how: &str| StopReceipt {
            processes: vec![StoppedProcess { pid: 7, name: "a".into(), how: how.into(), in_group: true }],
            ..StopReceipt::default()
        };
        assert_eq!(exit_told(Some(2), Some(7), &receipt("exited")), "; it exited with status 2");
        assert_eq!(exit_told(Some(0), Some(7), &receipt("stdin_closed")), "; it exited with status 0");
        assert_eq!(exit_told(Some(-9), Some(7), &StopReceipt::default()), "; it was ended by signal 9");
        assert_eq!(exit_told(Some(-15), Some(7), &receipt("sigterm")), "");
        assert_eq!(exit_told(None, Some(7), &receipt("exited")), "");
    }
}
