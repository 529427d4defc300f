//! OpenAI chat completions.

use serde_json::{Value, json};

use super::conversation::{Conversation, Turn};
use super::dialect::{Data, Envelope, Event, Whole, Writer, error_kind, halves};
use super::performance::Ending;
use super::script::{Stop, Usage};
use super::tools::{Arguments, Call, Input, Tool};

/// Replies carry a fixed date, so that equal scripts give equal replies.
const CREATED: u64 = 1_700_000_000;

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation::default();
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str() {
            Some("assistant") => read.turns.push(Turn::Assistant),
            Some("tool") => read.push_result(&message["content"]),
            Some("user") => read.push_user(&message["content"]),
            _ => {}
        }
    }
    read.tools = body["tools"].as_array().into_iter().flatten().filter_map(tool).collect();
    read.answer_schema = body.pointer("/response_format/json_schema/schema").cloned();
    read
}

fn tool(offer: &Value) -> Option<Tool> {
    let (definition, input) = match offer["type"].as_str()? {
        "function" => (&offer["function"], Input::Schema(offer["function"]["parameters"].clone())),
        "custom" => (&offer["custom"], Input::Text),
        _ => return None,
    };
    Some(Tool { name: definition["name"].as_str()?.to_owned(), input })
}

pub(super) struct Stream {
    envelope: Envelope,
    calls: usize,
}

impl Stream {
    pub(super) fn new(envelope: Envelope) -> Self {
        Self { envelope, calls: 0 }
    }

    fn chunk(&self, choices: Value) -> Value {
        json!({
            "id": reply_id(&self.envelope), "object": "chat.completion.chunk", "created": CREATED,
            "model": self.envelope.model, "choices": choices,
        })
    }

    fn delta(&self, delta: Value, finish: Option<&str>) -> Event {
        event(self.chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}])))
    }
}

impl Writer for Stream {
    fn begin(&mut self) -> Vec<Event> {
        vec![self.delta(json!({"role": "assistant", "content": ""}), None)]
    }

    fn text(&mut self, text: &str) -> Vec<Event> {
        vec![self.delta(json!({"content": text}), None)]
    }

    /// Not part of OpenAI's API; it is the field that compatible services and their clients agreed on.
    fn thought(&mut self, text: &str) -> Vec<Event> {
        vec![self.delta(json!({"reasoning_content": text}), None)]
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let index = self.calls;
        self.calls += 1;
        let (mut opened, kind, field, text) = called(&self.envelope, index, call);
        opened["index"] = json!(index);
        opened[kind][field] = json!("");
        std::iter::once(opened)
            .chain(halves(&text).map(|part| json!({"index": index, kind: {field: part}})))
            .map(|part| self.delta(json!({"tool_calls": [part]}), None))
            .collect()
    }

    fn end(&mut self, ending: &Ending) -> Vec<Event> {
        let mut counted = self.chunk(json!([]));
        counted["usage"] = usage(ending.usage);
        vec![
            self.delta(json!({}), Some(finish(ending, self.calls > 0))),
            event(counted),
            Event { name: None, data: Data::Done },
        ]
    }
}

pub(super) fn whole(envelope: &Envelope, reply: &Whole) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.text_part()});
    if !reply.calls.is_empty() {
        let calls = reply.calls.iter().enumerate();
        message["tool_calls"] = calls.map(|(index, call)| called(envelope, index, call).0).collect();
    }
    let finish = finish(&reply.ending, !reply.calls.is_empty());
    json!({
        "id": reply_id(envelope), "object": "chat.completion", "created": CREATED, "model": envelope.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage(reply.ending.usage),
    })
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = error_kind(status);
    json!({"error": {"message": message, "type": kind, "code": kind, "param": null}})
}

fn event(data: Value) -> Event {
    Event { name: None, data: Data::Json(data) }
}

fn reply_id(envelope: &Envelope) -> String {
    format!("chatcmpl-{}", envelope.number)
}

/// A call, with the name of its part, the field in it that is streamed, and what that field holds.
fn called(envelope: &Envelope, index: usize, call: &Call) -> (Value, &'static str, &'static str, String) {
    let (kind, field, text) = match &call.arguments {
        Arguments::Json(arguments) => ("function", "arguments", arguments.to_string()),
        Arguments::Text(text) => ("custom", "input", text.clone()),
        Arguments::LocalShell(_) => unreachable!("only a Responses request offers a local shell"),
    };
    let id = format!("call_{}_{index}", envelope.number);
    let value = json!({"id": id, "type": kind, kind: {"name": call.tool, field: text}});
    (value, kind, field, text)
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output, "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

fn finish(ending: &Ending, called: bool) -> &'static str {
    match ending.stop {
        Some(Stop::Length) => "length",
        Some(Stop::Refusal) => "content_filter",
        None if called => "tool_calls",
        None => "stop",
    }
}
