//! What was asked of the server and how each request ended, for tests to compare.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::dialect::Dialect;
use super::tools::{Arguments, Call};

/// A request for a reply. Model lists and token counts are answered but not recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// Counts from 1, in the order of arrival.
    pub number: u64,
    pub dialect: Dialect,
    pub model: Option<String>,
    /// What the request says about how hard to think: its fields of that meaning, by their own names.
    pub effort: Value,
    pub streamed: bool,
    /// No tools were offered: the agent wants a title or the like, beside the conversation.
    pub aside: bool,
    /// Names of the tools on offer.
    pub tools: Vec<String>,
    /// The script that was found, its directives joined by spaces; empty when the prompt holds none.
    pub script: String,
    /// Which of the script's replies was due, from 0.
    pub reply: usize,
    pub last_user: Option<String>,
    /// What the agent told the model of the newest tool call, for example that it was refused.
    pub last_result: Option<String>,
    /// The text of the reply, as far as it was sent.
    pub said: String,
    pub called: Vec<Called>,
    /// Nothing while the reply is under way.
    pub outcome: Option<Outcome>,
}

/// A tool call that was sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Called {
    pub tool: String,
    /// An object, or for tools that take text that text.
    pub arguments: Value,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The whole reply was sent.
    Ok,
    /// It was answered with an HTTP error.
    Error,
    /// The script had the connection cut.
    Dropped,
    /// The client left before the reply was complete.
    ClientClosed,
}

#[derive(Debug)]
pub(super) struct Log {
    requests: Mutex<Vec<Request>>,
    changed: Condvar,
    file: Option<File>,
}

impl Log {
    /// Keeps the requests, and appends a line of JSON at the start and at the end of each to the file.
    pub fn new(file: Option<&Path>) -> io::Result<Self> {
        let open = |path| File::options().create(true).append(true).open(path);
        Ok(Self { requests: Mutex::default(), changed: Condvar::new(), file: file.map(open).transpose()? })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn snapshot(&self) -> Vec<Request> {
        self.lock().clone()
    }

    /// The requests as soon as they fulfil the condition, or nothing when they do not in time.
    pub fn wait(&self, limit: Duration, met: impl Fn(&[Request]) -> bool) -> Option<Vec<Request>> {
        let (requests, _) = self
            .changed
            .wait_timeout_while(self.lock(), limit, |requests| !met(requests))
            .unwrap_or_else(PoisonError::into_inner);
        met(&requests).then(|| requests.clone())
    }

    /// Records a request, whose number is set here. It ends when the entry is dropped.
    pub fn open(self: &Arc<Self>, mut request: Request) -> Entry {
        let mut requests = self.lock();
        request.number = requests.len() as u64 + 1;
        self.write(&json!({"event": "request", "request": request}));
        let entry = Entry {
            log: Arc::clone(self),
            number: request.number,
            said: String::new(),
            called: Vec::new(),
            // Hyper drops what serves a client that leaves, so this is what stays if nothing else is set.
            outcome: Outcome::ClientClosed,
        };
        requests.push(request);
        self.changed.notify_all();
        entry
    }

    /// The log is a help for people; a full disk is not the test's failure.
    fn write(&self, line: &Value) {
        if let Some(mut file) = self.file.as_ref() {
            let _ = file.write_all(format!("{line}\n").as_bytes());
        }
    }
}

/// A request under way.
#[derive(Debug)]
pub(super) struct Entry {
    log: Arc<Log>,
    number: u64,
    said: String,
    called: Vec<Called>,
    outcome: Outcome,
}

impl Entry {
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    pub fn call(&mut self, call: &Call) {
        self.called.push(Called {
            tool: call.tool.clone(),
            arguments: match &call.arguments {
                Arguments::Json(arguments) => arguments.clone(),
                Arguments::Text(text) => json!(text),
                Arguments::LocalShell(command) => json!({"command": command}),
            },
        });
    }

    pub fn ended(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut requests = self.log.lock();
        let Some(request) = requests.iter_mut().find(|request| request.number == self.number) else {
            return;
        };
        request.said = std::mem::take(&mut self.said);
        request.called = std::mem::take(&mut self.called);
        request.outcome = Some(self.outcome);
        self.log.write(&json!({
            "event": "end", "number": self.number, "outcome": self.outcome, "said": request.said,
            "called": request.called,
        }));
        self.log.changed.notify_all();
    }
}
