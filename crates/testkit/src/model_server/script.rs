//! The directive language: what a prompt tells the model server to answer.
//!
//! Owns the syntax and nothing else: it knows no API dialect, no tool schema and no connection. The table of
//! directives stands in the module documentation of [`super`].

use std::time::Duration;

/// A directive that is meant for this server and cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("directive [[{directive}]]: {why}")]
pub struct ScriptError {
    /// What stood between the brackets.
    pub directive: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Everything that one prompt asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The directives as written, joined by spaces; two prompts with equal text are the same script.
    pub text: String,
    /// One list of steps per reply of the model. A tool directive ends a reply, because the model can only
    /// go on when the agent has sent the tool's result.
    pub replies: Vec<Vec<Step>>,
}

/// One thing the model does within a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Say(String),
    Think(String),
    /// `count` pieces of text, each padded to at least `bytes` bytes.
    Chunks {
        count: usize,
        bytes: usize,
    },
    /// One piece of this many bytes.
    Big(usize),
    /// From here on wait this long before every piece.
    Delay(Duration),
    Sleep(Duration),
    Hang,
    /// Say what the newest tool result was.
    Result,
    Tool(Errand),
    /// A tool by its name; the arguments are JSON, or plain text for a tool that takes text.
    Call {
        tool: String,
        arguments: String,
    },
    Fail {
        status: u16,
        message: String,
        /// Only the first time that this script is seen.
        once: bool,
    },
    Drop,
    Stop(Stop),
    Usage(Usage),
}

/// A job for one of the agent's tools, whatever the agent calls that tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    Write {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Read {
        path: String,
    },
    Shell {
        command: String,
        /// Ask to run outside the agent's sandbox, where it has one.
        outside_sandbox: bool,
    },
    Fetch {
        url: String,
    },
    Search {
        pattern: String,
    },
    Plan {
        items: Vec<String>,
    },
}

impl Errand {
    /// The word that the directive used.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Read { .. } => "read",
            Self::Shell { .. } => "shell",
            Self::Fetch { .. } => "fetch",
            Self::Search { .. } => "search",
            Self::Plan { .. } => "plan",
        }
    }
}

/// Ways for a reply to end other than by being complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The token limit was reached.
    Length,
    /// The model refused.
    Refusal,
}

/// Token counts that the reply reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}

impl Default for Usage {
    /// Two different numbers, so that a test sees when they are swapped.
    fn default() -> Self {
        Self {
            input: 100,
            output: 10,
        }
    }
}

/// Whether the text holds a directive of ours. Other text in double brackets is left alone: agents put
/// wiki links and template marks of their own into prompts.
pub fn is_scripted(text: &str) -> bool {
    directives(text).next().is_some()
}

impl Script {
    /// Reads every directive in the text.
    ///
    /// # Errors
    /// When a directive of ours has an argument that cannot be understood.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut script = Self::default();
        let mut reply = Vec::new();
        for directive in directives(text) {
            if !script.text.is_empty() {
                script.text.push(' ');
            }
            script.text.push_str(&format!("[[{}]]", directive.inner));
            reply.push(step(&directive)?);
            if matches!(directive.verb, "tool" | "call") {
                script.replies.push(std::mem::take(&mut reply));
            }
        }
        if !reply.is_empty() {
            script.replies.push(reply);
        }
        Ok(script)
    }
}

const VERBS: [&str; 16] = [
    "say",
    "think",
    "chunks",
    "big",
    "delay",
    "sleep",
    "hang",
    "result",
    "tool",
    "tool+",
    "call",
    "call+",
    "error",
    "error_once",
    "drop",
    "stop",
];
// `usage` stands apart only because it was the seventeenth.

struct Directive<'a> {
    inner: &'a str,
    verb: &'a str,
    argument: &'a str,
}
