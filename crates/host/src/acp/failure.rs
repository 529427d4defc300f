//! Why a conversation cannot go on, and in which words a caller reads it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::read::{self, Object, cut};
use super::{AuthMethod, STEP_LIMIT, Step};

/// The code of "authentication required".
const AUTH_REQUIRED: i64 = -32000;

/// How many characters of an agent's error text are kept. A person reads it.
const TEXT_CHARS: usize = 16_000;
/// How many characters of its `data`.
const DATA_CHARS: usize = 2_000;

/// A conversation's end without its purpose reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The request that it happened at.
    pub step: Step,
    pub kind: FailureKind,
    /// The whole message for the task's `error`.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FailureKind {
    /// JSON-RPC code −32000.
    AuthRequired {
        methods: Vec<AuthMethod>,
    },
    /// `session/load` was refused.
    LoadFailed {
        session_id: String,
    },
    Timeout,
    /// Standard output ended.
    Closed,
    /// The process ended while something else kept its standard output open.
    Exited,
    UnknownStopReason {
        stop_reason: String,
    },
    SettingNotOffered {
        name: String,
    },
    ValueNotOffered {
        name: String,
    },
    /// The agent accepted a setting and then reported another value.
    SettingNotInForce {
        name: String,
    },
    /// `capability` as in messages, `method` as on the wire.
    MissingCapability {
        capability: String,
        method: String,
    },
    /// The agent wants to speak another version of the protocol.
    ProtocolVersion {
        answered: String,
    },
    /// An answer without what it must hold.
    Malformed,
    AgentError {
        code: Option<i64>,
        text: String,
        data: Option<Value>,
    },
}

/// A kind with the words for it, before it is known where it happened.
#[derive(Debug)]
pub(super) struct Cause {
    pub(super) kind: Box<FailureKind>,
    pub(super) text: String,
}

impl Cause {
    pub(super) fn new(kind: FailureKind, text: impl Into<String>) -> Self {
        Self { kind: Box::new(kind), text: text.into() }
    }

    /// The agent's standard output ended, or with `exited` only its process did.
    pub(super) fn gone(exe: &str, step: &Step, flags: &[String], exited: bool) -> Self {
        let suspects = if matches!(step, Step::Prompt) { String::new() } else { suspects(flags) };
        if exited {
            let text = format!("{exe} exited before its prompt turn ended; {step} was not answered{suspects}");
            Self::new(FailureKind::Exited, text)
        } else {
            Self::new(FailureKind::Closed, format!("Connection closed before {step} was answered{suspects}"))
        }
    }

    pub(super) fn timeout(step: &Step, flags: &[String]) -> Self {
        let seconds = step.limit().unwrap_or(STEP_LIMIT).as_secs();
        Self::new(FailureKind::Timeout, format!("{step} was not answered within {seconds} s{}", suspects(flags)))
    }

    pub(super) fn missing_capability(exe: &str, capability: &str, method: &str) -> Self {
        Self::new(
            FailureKind::MissingCapability { capability: capability.to_owned(), method: method.to_owned() },
            format!("{exe} does not offer the capability {capability}, so {method} cannot be used"),
        )
    }

    /// What the agent's `error` says of `step`. `session` is the one to load, `methods` are the
    /// ways to sign in that it named before.
    pub(super) fn agent_error(
        error: &RawValue,
        exe: &str,
        step: &Step,
        session: Option<&str>,
        methods: &[AuthMethod],
    ) -> Self {
        let object = Object::of(Some(error)).unwrap_or_default();
        let code = object.value("code").and_then(|code| code.as_i64());
        let text = match object.text("message") {
            Some(text) => cut(&text, TEXT_CHARS).into_owned(),
            None => cut(error.get(), TEXT_CHARS).into_owned(),
        };
        let data = object.some("data");
        let said = said(code, &text, data);
        if code == Some(AUTH_REQUIRED) {
            return Self::new(
                FailureKind::AuthRequired { methods: methods.to_vec() },
                format!(
                    "{exe} reports that authentication is required. Authenticate {exe} outside of this server, then \
                     try again{}. The agent said: {said}",
                    sign_in(methods)
                ),
            );
        }
        if let (Step::LoadSession, Some(session)) = (step, session) {
            return Self::new(
                FailureKind::LoadFailed { session_id: session.to_owned() },
                format!(
                    "session '{session}' could not be loaded; it may not exist for this agent or workspace: {said}"
                ),
            );
        }
        let data = data.and_then(read::value).map(|data| read::bounded(data, DATA_CHARS));
        let at = if matches!(step, Step::Prompt) { String::new() } else { format!("{step}: ") };
        Self::new(FailureKind::AgentError { code, text, data }, format!("{at}{said}"))
    }

    pub(super) fn at(self, step: Step, exe: &str) -> Failure {
        let message = match *self.kind {
            FailureKind::Exited => self.text,
            _ => format!("{exe} session failed: {}", self.text),
        };
        Failure { step, kind: *self.kind, message }
    }
}

/// The agent's words: message, code and data, bounded.
fn said(code: Option<i64>, text: &str, data: Option<&RawValue>) -> String {
    let code = code.map(|code| format!("code {code}"));
    let data = data.map(|data| match read::text(data) {
        Some(text) => format!("data: {}", cut(&text, DATA_CHARS)),
        None => format!("data: {}", cut(data.get(), DATA_CHARS)),
    });
    let details: Vec<String> = code.into_iter().chain(data).collect();
    if details.is_empty() { text.to_owned() } else { format!("{text} ({})", details.join("; ")) }
}

fn sign_in(methods: &[AuthMethod]) -> String {
    if methods.is_empty() {
        return String::new();
    }
    let named: Vec<String> = methods
        .iter()
        .map(|method| match &method.name {
            Some(name) if *name != method.id => format!("{} ({name})", method.id),
            _ => method.id.clone(),
        })
        .collect();
    format!("; it names these ways to sign in: {}", named.join(", "))
}

fn suspects(flags: &[String]) -> String {
    if flags.is_empty() {
        String::new()
    } else {
        format!("; a possible cause is {} on its command line", flags.join(" "))
    }
}
