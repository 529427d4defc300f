//! The receipt: what the agent was seen to do, counted by Segue from the record.

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    command::{command_lines, exit_statuses},
    permission::Decision,
};

/// How many commands a receipt lists; later ones are only counted. A screen of a person.
pub const COMMANDS_LISTED: usize = 100;
/// How many tool calls are followed at once; one more lets the oldest go. Agents were seen to have a
/// few open, and to report a finished one again.
pub const CALLS_FOLLOWED: usize = 64;
/// How many characters of a title are kept.
const TITLE_CHARS: usize = 300;
/// The kind of a call that reported none.
const OTHER: &str = "other";

/// Counts of one turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// Tool calls by kind as reported (`other` when none was), refused ones too.
    pub tool_calls: BTreeMap<String, u64>,
    /// Commands with their exit status, as reported; refused ones too.
    pub commands: Vec<Command>,
    pub commands_total: u64,
    pub permissions_asked: u64,
    pub permissions_refused: u64,
    /// Tool calls that nobody was asked about, by kind, whatever became of them.
    pub unasked: BTreeMap<String, u64>,
    /// The newest tool calls, open ones and finished ones.
    pub recent: Vec<Call>,
    /// The newest question was refused, and no other tool call was seen since.
    pub refused_last: bool,
}

/// A command that the agent ran, or wanted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Command {
    /// What was to be run, where the agent said it; some put a description of their own into the title.
    pub command: Option<String>,
    pub title: String,
    pub exit_status: Option<i64>,
    /// The last status reported: `completed`, `failed`, …; some agents report a failed command as completed.
    pub status: Option<String>,
    /// How the question for it was answered; `None` when nobody was asked. A refused command was not run.
    pub permission: Option<Decision>,
}

/// A tool call that is followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub kind: String,
    pub title: String,
    pub permission: Option<Decision>,
    /// More than a question was seen.
    pub announced: bool,
    /// It was reported as finished, and counted.
    pub done: bool,
    /// The command lines it was given.
    input: Vec<String>,
    /// The places of its commands in `commands`.
    commands: Range<usize>,
}

fn text<'a>(update: &'a Value, key: &str) -> Option<&'a str> {
    update.get(key)?.as_str()
}

fn cut(title: &str) -> String {
    title.chars().take(TITLE_CHARS).collect()
}

impl Receipt {
    /// A `tool_call` or `tool_call_update`; an update may come first.
    pub(super) fn tool(&mut self, update: &Value) {
        let Some(id) = text(update, "toolCallId") else { return };
        let at = self.follow(id);
        let call = &mut self.recent[at];
        call.announced = true;
        if !call.done {
            if let Some(title) = text(update, "title") {
                call.title = cut(title);
            }
            if let Some(kind) = text(update, "kind") {
                kind.clone_into(&mut call.kind);
            }
            let input = command_lines(update);
            if !input.is_empty() {
                call.input = input.iter().map(|line| cut(line)).collect();
            }
        }
        self.refused_last &= call.permission.is_some_and(|decision| decision != Decision::Allowed);
        let status = text(update, "status");
        if matches!(status, Some("completed" | "failed")) {
            self.done(at, status, &exit_statuses(update));
        }
    }

    pub(super) fn permission(&mut self, id: &str, title: Option<&str>, kind: Option<&str>, decision: Decision) {
        self.permissions_asked += 1;
        self.refused_last = decision != Decision::Allowed;
        if self.refused_last {
            self.permissions_refused += 1;
        }
        let at = self.follow(id);
        let call = &mut self.recent[at];
        call.permission = Some(decision);
        if let (true, Some(title)) = (call.title.is_empty(), title) {
            call.title = cut(title);
        }
        if let (true, Some(kind)) = (call.kind == OTHER, kind) {
            kind.clone_into(&mut call.kind);
        }
    }

    /// The turn is over: what is open was left open.
    pub(super) fn settle(&mut self) {
        for at in 0..self.recent.len() {
            if self.recent[at].announced {
                self.done(at, None, &[]);
            }
        }
        self.recent.clear();
    }

    /// The newest tool call that is announced and not finished.
    #[must_use]
    pub fn open_call(&self) -> Option<&Call> {
        self.recent.iter().rev().find(|c| c.announced && !c.done)
    }

    /// How many tool calls were seen, open ones included.
    #[must_use]
    pub fn tool_calls_total(&self) -> u64 {
        let open = self.recent.iter().filter(|c| c.announced && !c.done).count();
        self.tool_calls.values().sum::<u64>() + open as u64
    }

    fn follow(&mut self, id: &str) -> usize {
        if let Some(at) = self.recent.iter().rposition(|c| c.id == id) {
            return at;
        }
        if self.recent.len() >= CALLS_FOLLOWED {
            if self.recent[0].announced {
                self.done(0, None, &[]);
            }
            self.recent.remove(0);
        }
        self.recent.push(Call {
            id: id.to_owned(),
            kind: OTHER.to_owned(),
            title: String::new(),
            permission: None,
            announced: false,
            done: false,
            input: Vec::new(),
            commands: 0..0,
        });
        self.recent.len() - 1
    }

    /// Counts a call once; a later report of the same call only corrects the end of its commands.
    fn done(&mut self, at: usize, status: Option<&str>, exit_statuses: &[Option<i64>]) {
        let call = &mut self.recent[at];
        if !call.done {
            call.done = true;
            *self.tool_calls.entry(call.kind.clone()).or_default() += 1;
            if call.permission.is_none() {
                *self.unasked.entry(call.kind.clone()).or_default() += 1;
            }
            // Codex files a command that only reads under `read`.
            if call.kind == "execute" || exit_statuses.iter().any(Option::is_some) {
                let lines: Vec<Option<String>> = match call.input.len() {
                    0 => vec![None],
                    _ => std::mem::take(&mut call.input).into_iter().map(Some).collect(),
                };
                self.commands_total += lines.len() as u64;
                let from = self.commands.len();
                let room = COMMANDS_LISTED.saturating_sub(from);
                self.commands.extend(lines.into_iter().take(room).map(|command| Command {
                    command,
                    title: call.title.clone(),
                    permission: call.permission,
                    ..Command::default()
                }));
                call.commands = from..self.commands.len();
            }
        }
        let commands = self.commands.get_mut(call.commands.clone()).unwrap_or_default();
        for (place, command) in commands.iter_mut().enumerate() {
            command.exit_status = exit_statuses.get(place).copied().flatten().or(command.exit_status);
            command.status = status.map(str::to_owned).or(command.status.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn asked_refused_and_unasked_are_told_apart() {
        let mut receipt = Receipt::default();
        receipt.tool(&json!({"toolCallId": "1", "kind": "execute", "title": "make", "status": "pending"}));
        assert_eq!(receipt.open_call().map(|c| c.title.as_str()), Some("make"));
        receipt.tool(&json!({"toolCallId": "1", "status": "completed", "rawOutput": {"exitCode": 2}}));
        receipt.permission("2", Some("write a"), Some("edit"), Decision::Rejected);
        // An update before the call, and one id finished twice.
        receipt.tool(&json!({"toolCallId": "2", "status": "failed"}));
        receipt.tool(&json!({"toolCallId": "2", "status": "pending"}));
        receipt.tool(&json!({"toolCallId": "2", "status": "failed"}));
        assert!(receipt.refused_last);
        receipt.tool(&json!({"toolCallId": "3", "kind": "read", "status": "in_progress"}));
        receipt.settle();
        assert_eq!(
            receipt,
            Receipt {
                tool_calls: BTreeMap::from([("edit".into(), 1), ("execute".into(), 1), ("read".into(), 1)]),
                commands: vec![Command {
                    title: "make".into(),
                    exit_status: Some(2),
                    status: Some("completed".into()),
                    ..Command::default()
                }],
                commands_total: 1,
                permissions_asked: 1,
                permissions_refused: 1,
                unasked: BTreeMap::from([("execute".into(), 1), ("read".into(), 1)]),
                ..Receipt::default()
            }
        );
    }

    #[test]
    fn commands_say_what_was_run_whether_it_was_allowed_and_how_it_ended() {
        let mut receipt = Receipt::default();
        // Copilot: the title is a description.
        receipt
            .tool(&json!({"toolCallId": "1", "kind": "execute", "title": "Builds", "rawInput": {"command": "make"}}));
        receipt.permission("1", None, None, Decision::Allowed);
        receipt.tool(&json!({"toolCallId": "1", "status": "completed"}));
        // Cline: several in one call.
        receipt
            .tool(&json!({"toolCallId": "2", "kind": "execute", "title": "run", "rawInput": {"commands": ["a", "b"]}}));
        receipt.tool(&json!({"toolCallId": "2", "status": "completed", "rawOutput": [
            {"success": true}, {"error": "Command exited with code 3", "success": false}]}));
        // Codex: a command filed under another kind.
        receipt.tool(&json!({"toolCallId": "3", "kind": "read", "title": "List files"}));
        receipt.tool(&json!({"toolCallId": "3", "status": "completed", "rawOutput": {"exit_code": 0}}));
        receipt.tool(&json!({"toolCallId": "4", "kind": "execute", "title": "rm", "rawInput": {"command": "rm -r x"}}));
        receipt.permission("4", None, None, Decision::Rejected);
        receipt.tool(&json!({"toolCallId": "4", "status": "failed"}));
        receipt.settle();
        let command = |command: Option<&str>, title: &str, exit_status, status: &str, permission| Command {
            command: command.map(str::to_owned),
            title: title.to_owned(),
            exit_status,
            status: Some(status.to_owned()),
            permission,
        };
        assert_eq!(
            receipt.commands,
            [
                command(Some("make"), "Builds", None, "completed", Some(Decision::Allowed)),
                command(Some("a"), "run", None, "completed", None),
                command(Some("b"), "run", Some(3), "completed", None),
                command(None, "List files", Some(0), "completed", None),
                command(Some("rm -r x"), "rm", None, "failed", Some(Decision::Rejected)),
            ]
        );
        assert_eq!(receipt.commands_total, 5);
        assert_eq!(receipt.unasked, BTreeMap::from([("execute".into(), 1), ("read".into(), 1)]));
    }

    #[test]
    fn a_refusal_is_the_last_word_until_something_else_is_done() {
        let mut receipt = Receipt::default();
        receipt.permission("1", None, Some("edit"), Decision::Rejected);
        receipt.tool(&json!({"toolCallId": "1", "status": "failed"}));
        assert!(receipt.refused_last);
        receipt.tool(&json!({"toolCallId": "2", "kind": "read", "status": "completed"}));
        assert!(!receipt.refused_last);
        receipt.permission("3", None, Some("edit"), Decision::Cancelled);
        assert!(receipt.refused_last);
        receipt.permission("4", None, Some("edit"), Decision::Allowed);
        assert!(!receipt.refused_last);
    }

    #[test]
    fn calls_beyond_those_followed_are_still_counted() {
        let mut receipt = Receipt::default();
        for i in 0..1_000 {
            receipt.tool(&json!({"toolCallId": i.to_string(), "kind": "read", "status": "pending"}));
        }
        assert_eq!((receipt.tool_calls_total(), receipt.recent.len()), (1_000, CALLS_FOLLOWED));
    }
}
