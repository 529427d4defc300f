//! The three APIs as one: reading a request, writing a streamed or a whole reply, and saying that it failed.
//!
//! Each dialect has a file with all of its field names; no one else knows any.

use serde::Serialize;
use serde_json::Value;

use super::conversation::Conversation;
use super::performance::Ending;
use super::tools::Call;
use super::{anthropic, chat, responses};

/// An API that the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
}

/// What a reply's envelope repeats of the request.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    /// The request's number, from which all ids in the reply are made.
    pub number: u64,
    pub model: String,
    /// Whether the request wants to see thoughts; only Anthropic's asks.
    pub thoughts: bool,
}

/// One server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub name: Option<&'static str>,
    pub data: Data,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Json(Value),
    /// Chat's end mark, which is not JSON.
    Done,
}

/// Writes one reply as events. The calls come in this order: `begin`, any of the middle ones, `end`.
pub(super) trait Writer: Send {
    fn begin(&mut self) -> Vec<Event>;
    fn text(&mut self, text: &str) -> Vec<Event>;
    fn thought(&mut self, text: &str) -> Vec<Event>;
    fn call(&mut self, call: &Call) -> Vec<Event>;
    /// A sign of life before a long wait.
    fn pause(&mut self) -> Vec<Event> {
        Vec::new()
    }
    fn end(&mut self, ending: &Ending) -> Vec<Event>;
}

/// A reply that is sent in one piece.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub text: String,
    pub calls: Vec<Call>,
    pub ending: Ending,
}

impl Whole {
    /// The text part: absent only beside calls, since a reply is never empty.
    pub fn text_part(&self) -> Option<&str> {
        (!self.text.is_empty() || self.calls.is_empty()).then_some(self.text.as_str())
    }
}

impl Dialect {
    pub(super) fn read(self, body: &Value) -> Conversation {
        match self {
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Anthropic => anthropic::read(body),
        }
    }

    pub(super) fn writer(self, envelope: Envelope) -> Box<dyn Writer> {
        match self {
            Self::Chat => Box::new(chat::Stream::new(envelope)),
            Self::Responses => Box::new(responses::Stream::new(envelope)),
            Self::Anthropic => Box::new(anthropic::Stream::new(envelope)),
        }
    }

    pub(super) fn whole(self, envelope: &Envelope, reply: &Whole) -> Value {
        match self {
            Self::Chat => chat::whole(envelope, reply),
            Self::Responses => responses::whole(envelope, reply),
            Self::Anthropic => anthropic::whole(envelope, reply),
        }
    }

    pub(super) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Chat | Self::Responses => chat::error(status, message),
            Self::Anthropic => anthropic::error(status, message),
        }
    }
}

/// The word for an HTTP status that all three dialects use.
pub(super) fn error_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// Cuts arguments in two where a character ends: agents must put streamed arguments together again.
pub(super) fn halves(text: &str) -> [&str; 2] {
    let (head, tail) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [head, tail]
}
