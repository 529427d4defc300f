//! The receipt: what the agent was seen to do, counted by Segue from the record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::permission::Decision;

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
    /// Tool calls by kind as reported (`other` when none was).
    pub tool_calls: BTreeMap<String, u64>,
    /// Commands with their exit status, as reported.
    pub commands: Vec<Command>,
    pub commands_total: u64,
    pub permissions_asked: u64,
    pub permissions_refused: u64,
    /// Tool calls that were done without a question, by kind. Refused ones are not among them.
    pub unasked: BTreeMap<String, u64>,
    /// The newest tool calls, open ones and finished ones.
    pub recent: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    pub title: String,
    pub exit_status: Option<i64>,
    /// The last status reported: `completed`, `failed`, …
    pub status: Option<String>,
}

/// A tool call that is followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub kind: String,
    pub title: String,
    pub asked: bool,
    /// More than a question was seen.
    pub announced: bool,
    /// It was reported as finished, and counted.
    pub done: bool,
    /// Its place in `commands`.
    command: Option<usize>,
}

/// Keys under which agents were seen to report the exit status of a command in `rawOutput`.
const EXIT_KEYS: [&str; 5] = ["exitCode", "exit_code", "exitStatus", "exit", "code"];

fn exit_status(update: &Value) -> Option<i64> {
    let raw = update.get("rawOutput")?;
    let places = [Some(raw), raw.get("metadata"), raw.get("output")];
    places.into_iter().flatten().find_map(|place| EXIT_KEYS.iter().find_map(|key| place.get(key)?.as_i64()))
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
        }
        let status = text(update, "status");
        if matches!(status, Some("completed" | "failed")) {
            self.done(at, status, exit_status(update));
        }
    }

    pub(super) fn permission(&mut self, id: &str, title: Option<&str>, kind: Option<&str>, decision: Decision) {
        self.permissions_asked += 1;
        if decision != Decision::Allowed {
            self.permissions_refused += 1;
        }
        let at = self.follow(id);
        let call = &mut self.recent[at];
        call.asked = true;
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
                self.done(at, None, None);
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
                self.done(0, None, None);
            }
            self.recent.remove(0);
        }
        self.recent.push(Call {
            id: id.to_owned(),
            kind: OTHER.to_owned(),
            title: String::new(),
            asked: false,
            announced: false,
            done: false,
            command: None,
        });
        self.recent.len() - 1
    }

    /// Counts a call once; a later report of the same call only corrects its command's end.
    fn done(&mut self, at: usize, status: Option<&str>, exit_status: Option<i64>) {
        let call = &mut self.recent[at];
        if !call.done {
            call.done = true;
            *self.tool_calls.entry(call.kind.clone()).or_default() += 1;
            if !call.asked {
                *self.unasked.entry(call.kind.clone()).or_default() += 1;
            }
            if call.kind == "execute" {
                self.commands_total += 1;
                if self.commands.len() < COMMANDS_LISTED {
                    call.command = Some(self.commands.len());
                    self.commands.push(Command { title: call.title.clone(), exit_status: None, status: None });
                }
            }
        }
        if let Some(command) = call.command.and_then(|at| self.commands.get_mut(at)) {
            command.exit_status = exit_status.or(command.exit_status);
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
        receipt.tool(&json!({"toolCallId": "3", "kind": "read", "status": "in_progress"}));
        receipt.settle();
        assert_eq!(
            receipt,
            Receipt {
                tool_calls: BTreeMap::from([("edit".into(), 1), ("execute".into(), 1), ("read".into(), 1)]),
                commands: vec![Command { title: "make".into(), exit_status: Some(2), status: Some("completed".into()) }],
                commands_total: 1,
                permissions_asked: 1,
                permissions_refused: 1,
                unasked: BTreeMap::from([("execute".into(), 1), ("read".into(), 1)]),
                recent: vec![],
            }
        );
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
