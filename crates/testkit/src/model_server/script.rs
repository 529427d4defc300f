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
        Self { input: 100, output: 10 }
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

const VERBS: &[&str] = &[
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
    "usage",
];

struct Directive<'a> {
    inner: &'a str,
    verb: &'a str,
    argument: &'a str,
}

/// The directives of a text, in order.
fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find("[[")?;
            if let Some(directive) = directive_at(&rest[at + 2..]) {
                rest = &rest[at + 2 + directive.inner.len() + 2..];
                return Some(directive);
            }
            // One bracket on, so that "[[[say:x]]" is found too.
            rest = &rest[at + 1..];
        }
    })
}

/// The directive that starts where the text starts, just after its opening brackets.
fn directive_at(text: &str) -> Option<Directive<'_>> {
    let inner = &text[..text.find("]]")?];
    let (verb, argument) = inner.split_once(':').unwrap_or((inner, ""));
    VERBS.contains(&verb).then_some(Directive { inner, verb, argument })
}

fn step(directive: &Directive<'_>) -> Result<Step, ScriptError> {
    let argument = directive.argument;
    let wrong = |why| ScriptError { directive: directive.inner.to_owned(), why };
    Ok(match directive.verb {
        "say" => Step::Say(unescape(argument)),
        "think" => Step::Think(unescape(argument)),
        "chunks" => {
            let (count, bytes) = argument.split_once(':').unwrap_or((argument, "0"));
            Step::Chunks {
                count: count.parse().map_err(|_| wrong("the count is no number"))?,
                bytes: bytes.parse().map_err(|_| wrong("the size is no number"))?,
            }
        }
        "big" => Step::Big(argument.parse().map_err(|_| wrong("the size is no number"))?),
        "delay" => Step::Delay(seconds(argument).ok_or(wrong("not a number of seconds"))?),
        "sleep" => Step::Sleep(seconds(argument).ok_or(wrong("not a number of seconds"))?),
        "hang" => Step::Hang,
        "result" => Step::Result,
        "tool" | "tool+" => Step::Tool(errand(argument).ok_or(wrong("no such tool job"))?),
        "call" | "call+" => {
            let (tool, arguments) = argument.split_once(':').unwrap_or((argument, "{}"));
            Step::Call { tool: tool.to_owned(), arguments: arguments.to_owned() }
        }
        "error" | "error_once" => {
            let (status, message) = argument.split_once(':').unwrap_or((argument, "scripted error"));
            Step::Fail {
                status: status
                    .parse()
                    .ok()
                    .filter(|status| (400..600).contains(status))
                    .ok_or(wrong("the status is not one of 400 to 599"))?,
                message: unescape(message),
                once: directive.verb == "error_once",
            }
        }
        "drop" => Step::Drop,
        "stop" => Step::Stop(match argument {
            "length" => Stop::Length,
            "refusal" => Stop::Refusal,
            _ => return Err(wrong("a reply stops by length or refusal")),
        }),
        "usage" => {
            let (input, output) = argument.split_once(':').unwrap_or((argument, "0"));
            Step::Usage(Usage {
                input: input.parse().map_err(|_| wrong("the input count is no number"))?,
                output: output.parse().map_err(|_| wrong("the output count is no number"))?,
            })
        }
        _ => unreachable!("`directive_at` lets only the verbs of the table through"),
    })
}

fn errand(argument: &str) -> Option<Errand> {
    let (job, details) = argument.split_once(':').unwrap_or((argument, ""));
    Some(match job {
        "write" => {
            let [path, text] = fields(details);
            Errand::Write { path, text }
        }
        "edit" => {
            let [path, old, new] = fields(details);
            Errand::Edit { path, old, new }
        }
        "read" => Errand::Read { path: unescape(details) },
        "shell" | "shell-ask" => Errand::Shell { command: unescape(details), outside_sandbox: job == "shell-ask" },
        "fetch" => Errand::Fetch { url: unescape(details) },
        "search" => Errand::Search { pattern: unescape(details) },
        "plan" => Errand::Plan { items: unescape(details).split('|').map(str::to_owned).collect() },
        _ => return None,
    })
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

/// Cuts at colons without a backslash into `N` unescaped fields. The last field takes the rest, missing
/// ones are empty.
fn fields<const N: usize>(text: &str) -> [String; N] {
    let mut found: [String; N] = std::array::from_fn(|_| String::new());
    let mut at = 0;
    let mut start = 0;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        if byte == b':' && !escaped && at + 1 < N {
            found[at] = unescape(&text[start..index]);
            start = index + 1;
            at += 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    found[at] = unescape(&text[start..]);
    found
}

/// `\n` and `\t` are what they usually are; a backslash before any other character stands for that
/// character.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests;
