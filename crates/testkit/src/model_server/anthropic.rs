//! Anthropic Messages.

use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Turn};
use super::dialect::{Data, Envelope, Event, Whole, Writer, error_kind, halves};
use super::performance::Ending;
use super::script::{Stop, Usage};
use super::tools::{Arguments, Call, Input, Tool};

/// Thoughts are signed so that they can be sent back; nothing here checks it.
const SIGNATURE: &str = "c2lnbmVk";

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation::default();
    for message in body["messages"].as_array().into_iter().flatten() {
        if message["role"] == "assistant" {
            read.turns.push(Turn::Assistant);
            continue;
        }
        // A message holds the results of the last reply and then, perhaps, words of the user.
        for part in message["content"].as_array().into_iter().flatten() {
            if part["type"] == "tool_result" {
                read.push_result(&part["content"]);
            }
        }
        read.push_user(&message["content"]);
    }
    read.tools = body["tools"].as_array().into_iter().flatten().filter_map(tool).collect();
    read.answer_schema = body.pointer("/output_config/format/schema").cloned();
    read
}

/// Tools without a schema are the service's own, such as web search; a model does not call those.
fn tool(offer: &Value) -> Option<Tool> {
    Some(Tool { name: offer["name"].as_str()?.to_owned(), input: Input::Schema(offer.get("input_schema")?.clone()) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Thinking,
}

pub(super) struct Stream {
    envelope: Envelope,
    open: Option<Block>,
    /// The index of the next content block.
    next: usize,
    calls: usize,
}

impl Stream {
    pub(super) fn new(envelope: Envelope) -> Self {
        Self { envelope, open: None, next: 0, calls: 0 }
    }

    fn start(&mut self, block: Value) -> Event {
        self.next += 1;
        event("content_block_start", json!({"index": self.next - 1, "content_block": block}))
    }

    fn delta(&self, delta: Value) -> Event {
        event("content_block_delta", json!({"index": self.next - 1, "delta": delta}))
    }

    fn stop(&self) -> Event {
        event("content_block_stop", json!({"index": self.next - 1}))
    }

    fn close(&mut self) -> Vec<Event> {
        match self.open.take() {
            Some(Block::Thinking) => {
                let signed = self.delta(json!({"type": "signature_delta", "signature": SIGNATURE}));
                vec![signed, self.stop()]
            }
            Some(Block::Text) => vec![self.stop()],
            None => Vec::new(),
        }
    }

    /// Goes on in a block of this kind, or begins one.
    fn continue_in(&mut self, block: Block) -> Vec<Event> {
        if self.open == Some(block) {
            return Vec::new();
        }
        let mut events = self.close();
        events.push(self.start(match block {
            Block::Text => json!({"type": "text", "text": ""}),
            Block::Thinking => json!({"type": "thinking", "thinking": "", "signature": ""}),
        }));
        self.open = Some(block);
        events
    }
}

impl Writer for Stream {
    fn begin(&mut self) -> Vec<Event> {
        let message = json!({
            "id": reply_id(&self.envelope), "type": "message", "role": "assistant", "model": self.envelope.model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage(Usage { output: 1, ..Usage::default() }),
        });
        vec![event("message_start", json!({"message": message}))]
    }

    fn text(&mut self, text: &str) -> Vec<Event> {
        let mut events = self.continue_in(Block::Text);
        events.push(self.delta(json!({"type": "text_delta", "text": text})));
        events
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        if !self.envelope.thoughts {
            return Vec::new();
        }
        let mut events = self.continue_in(Block::Thinking);
        events.push(self.delta(json!({"type": "thinking_delta", "thinking": text})));
        events
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let mut block = called(&self.envelope, self.calls, call);
        let arguments = block["input"].take().to_string();
        block["input"] = json!({});
        self.calls += 1;
        let mut events = self.close();
        events.push(self.start(block));
        for part in halves(&arguments) {
            events.push(self.delta(json!({"type": "input_json_delta", "partial_json": part})));
        }
        events.push(self.stop());
        events
    }

    fn pause(&mut self) -> Vec<Event> {
        vec![event("ping", json!({}))]
    }

    fn end(&mut self, ending: &Ending) -> Vec<Event> {
        // A reply has at least one block.
        let mut events = if self.next == 0 { self.continue_in(Block::Text) } else { Vec::new() };
        events.extend(self.close());
        events.push(event(
            "message_delta",
            json!({
                "delta": {"stop_reason": stop_reason(ending, self.calls > 0), "stop_sequence": null},
                "usage": usage(ending.usage),
            }),
        ));
        events.push(event("message_stop", json!({})));
        events
    }
}

pub(super) fn whole(envelope: &Envelope, reply: &Whole) -> Value {
    let text = reply.text_part().map(|text| json!({"type": "text", "text": text}));
    let calls = reply.calls.iter().enumerate();
    let content: Vec<Value> =
        text.into_iter().chain(calls.map(|(index, call)| called(envelope, index, call))).collect();
    json!({
        "id": reply_id(envelope), "type": "message", "role": "assistant", "model": envelope.model,
        "content": content, "stop_reason": stop_reason(&reply.ending, !reply.calls.is_empty()),
        "stop_sequence": null, "usage": usage(reply.ending.usage),
    })
}

pub(super) fn error(status: u16, message: &str) -> Value {
    json!({"type": "error", "error": {"type": error_kind(status), "message": message}})
}

/// An event says its type twice: in its name and in its data.
fn event(name: &'static str, fields: Value) -> Event {
    let mut data = Map::new();
    data.insert("type".to_owned(), json!(name));
    if let Value::Object(fields) = fields {
        data.extend(fields);
    }
    Event { name: Some(name), data: Data::Json(Value::Object(data)) }
}

fn reply_id(envelope: &Envelope) -> String {
    format!("msg_{}", envelope.number)
}

fn called(envelope: &Envelope, index: usize, call: &Call) -> Value {
    let Arguments::Json(input) = &call.arguments else {
        unreachable!("every tool of a Messages request has a schema");
    };
    let id = format!("toolu_{}_{index}", envelope.number);
    json!({"type": "tool_use", "id": id, "name": call.tool, "input": input})
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    })
}

fn stop_reason(ending: &Ending, called: bool) -> &'static str {
    match ending.stop {
        Some(Stop::Length) => "max_tokens",
        Some(Stop::Refusal) => "refusal",
        None if called => "tool_use",
        None => "end_turn",
    }
}
