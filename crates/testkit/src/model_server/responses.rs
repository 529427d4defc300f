//! OpenAI Responses.

use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Turn};
use super::dialect::{Data, Envelope, Event, Whole, Writer};
use super::performance::Ending;
use super::script::{Stop, Usage};
use super::tools::{Arguments, Call, Input, Tool};

/// Replies carry a fixed date, so that equal scripts give equal replies.
const CREATED: u64 = 1_700_000_000;

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation::default();
    read_tools(&body["tools"], &mut read.tools);
    match &body["input"] {
        Value::Array(items) => items.iter().for_each(|item| read_item(item, &mut read)),
        text => read.push_user(text),
    }
    read.answer_schema = body.pointer("/text/format/schema").cloned();
    read
}

fn read_item(item: &Value, read: &mut Conversation) {
    match item["type"].as_str().unwrap_or("message") {
        "message" if item["role"] == "assistant" => read.turns.push(Turn::Assistant),
        "message" if item["role"] == "user" => read.push_user(&item["content"]),
        "additional_tools" => read_tools(&item["tools"], &mut read.tools),
        "reasoning" => read.turns.push(Turn::Assistant),
        kind if kind.ends_with("_call") => read.turns.push(Turn::Assistant),
        kind if kind.ends_with("_output") => read.push_result(&item["output"]),
        _ => {}
    }
}

/// Tools may be grouped in namespaces; the kinds that are the service's own are not called by a model.
fn read_tools(offers: &Value, tools: &mut Vec<Tool>) {
    for offer in offers.as_array().into_iter().flatten() {
        let input = match offer["type"].as_str() {
            Some("namespace") => {
                read_tools(&offer["tools"], tools);
                continue;
            }
            Some("function") => Input::Schema(offer["parameters"].clone()),
            Some("custom") => Input::Text,
            Some("local_shell") => Input::LocalShell,
            _ => continue,
        };
        let name = offer["name"].as_str().unwrap_or("local_shell").to_owned();
        tools.push(Tool { name, input });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
}

struct OpenItem {
    kind: Kind,
    id: String,
    text: String,
}

pub(super) struct Stream {
    envelope: Envelope,
    sequence: u64,
    output: Vec<Value>,
    open: Option<OpenItem>,
}

impl Stream {
    pub(super) fn new(envelope: Envelope) -> Self {
        Self { envelope, sequence: 0, output: Vec::new(), open: None }
    }

    /// An event says its type twice, and its place in the stream.
    fn event(&mut self, name: &'static str, fields: Value) -> Event {
        let mut data = Map::new();
        data.insert("type".to_owned(), json!(name));
        data.insert("sequence_number".to_owned(), json!(self.sequence));
        if let Value::Object(fields) = fields {
            data.extend(fields);
        }
        self.sequence += 1;
        Event { name: Some(name), data: Data::Json(Value::Object(data)) }
    }

    fn added(&mut self, item: &Value) -> Event {
        let place = self.output.len();
        self.event("response.output_item.added", json!({"output_index": place, "item": item}))
    }

    fn done(&mut self, item: Value) -> Event {
        let place = self.output.len();
        let event = self.event("response.output_item.done", json!({"output_index": place, "item": item}));
        self.output.push(item);
        event
    }

    /// Goes on in an item of this kind, or begins one.
    fn continue_in(&mut self, kind: Kind) -> Vec<Event> {
        if self.open.as_ref().is_some_and(|open| open.kind == kind) {
            return Vec::new();
        }
        let mut events = self.close();
        let place = self.output.len();
        let id = item_id(&self.envelope, kind, place);
        match kind {
            Kind::Message => {
                events.push(self.added(&json!({
                    "type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": [],
                })));
                events.push(self.event(
                    "response.content_part.added",
                    json!({"item_id": id, "output_index": place, "content_index": 0, "part": text_part("")}),
                ));
            }
            Kind::Reasoning => {
                events.push(self.added(&json!({"type": "reasoning", "id": id, "summary": []})));
                events.push(self.event(
                    "response.reasoning_summary_part.added",
                    json!({"item_id": id, "output_index": place, "summary_index": 0, "part": summary_part("")}),
                ));
            }
        }
        self.open = Some(OpenItem { kind, id, text: String::new() });
        events
    }

    fn delta(&mut self, kind: Kind, text: &str) -> Vec<Event> {
        let mut events = self.continue_in(kind);
        let place = self.output.len();
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
        let id = item_id(&self.envelope, kind, place);
        events.push(match kind {
            Kind::Message => self.event(
                "response.output_text.delta",
                json!({"item_id": id, "output_index": place, "content_index": 0, "delta": text}),
            ),
            Kind::Reasoning => self.event(
                "response.reasoning_summary_text.delta",
                json!({"item_id": id, "output_index": place, "summary_index": 0, "delta": text}),
            ),
        });
        events
    }

    fn close(&mut self) -> Vec<Event> {
        let Some(OpenItem { kind, id, text }) = self.open.take() else {
            return Vec::new();
        };
        let place = self.output.len();
        match kind {
            Kind::Message => vec![
                self.event(
                    "response.output_text.done",
                    json!({"item_id": id, "output_index": place, "content_index": 0, "text": text}),
                ),
                self.event(
                    "response.content_part.done",
                    json!({"item_id": id, "output_index": place, "content_index": 0, "part": text_part(&text)}),
                ),
                self.done(message(&id, &text)),
            ],
            Kind::Reasoning => vec![
                self.event(
                    "response.reasoning_summary_text.done",
                    json!({"item_id": id, "output_index": place, "summary_index": 0, "text": text}),
                ),
                self.event(
                    "response.reasoning_summary_part.done",
                    json!({"item_id": id, "output_index": place, "summary_index": 0, "part": summary_part(&text)}),
                ),
                self.done(json!({"type": "reasoning", "id": id, "summary": [summary_part(&text)]})),
            ],
        }
    }
}

impl Writer for Stream {
    fn begin(&mut self) -> Vec<Event> {
        let response = response(&self.envelope, "in_progress", Vec::new());
        vec![
            self.event("response.created", json!({"response": response})),
            self.event("response.in_progress", json!({"response": response})),
        ]
    }

    fn text(&mut self, text: &str) -> Vec<Event> {
        self.delta(Kind::Message, text)
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        self.delta(Kind::Reasoning, text)
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let mut events = self.close();
        let place = self.output.len();
        let item = called(&self.envelope, place, call);
        let mut opened = item.clone();
        opened["status"] = json!("in_progress");
        // The field that is streamed, and the names of its two events.
        let streamed = match &call.arguments {
            Arguments::Json(_) => {
                Some(("arguments", "response.function_call_arguments.delta", "response.function_call_arguments.done"))
            }
            Arguments::Text(_) => {
                Some(("input", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done"))
            }
            Arguments::LocalShell(_) => None,
        };
        if let Some((field, delta, done)) = streamed {
            let text = opened[field].take();
            opened[field] = json!("");
            let id = item["id"].clone();
            events.push(self.added(&opened));
            events.push(self.event(delta, json!({"item_id": id, "output_index": place, "delta": text})));
            events.push(self.event(done, json!({"item_id": id, "output_index": place, field: text})));
        } else {
            events.push(self.added(&opened));
        }
        events.push(self.done(item));
        events
    }

    fn end(&mut self, ending: &Ending) -> Vec<Event> {
        let mut events = self.close();
        let output = std::mem::take(&mut self.output);
        let (name, response) = ended(&self.envelope, output, ending);
        events.push(self.event(name, json!({"response": response})));
        events
    }
}

pub(super) fn whole(envelope: &Envelope, reply: &Whole) -> Value {
    let text = reply.text_part().map(|text| message(&item_id(envelope, Kind::Message, 0), text));
    let mut output: Vec<Value> = text.into_iter().collect();
    for call in &reply.calls {
        output.push(called(envelope, output.len(), call));
    }
    ended(envelope, output, &reply.ending).1
}

/// The last event's name and the response in it. There is no way here to say that the model refused.
fn ended(envelope: &Envelope, output: Vec<Value>, ending: &Ending) -> (&'static str, Value) {
    let cut_short = ending.stop == Some(Stop::Length);
    let (name, status) =
        if cut_short { ("response.incomplete", "incomplete") } else { ("response.completed", "completed") };
    let mut response = response(envelope, status, output);
    response["usage"] = usage(ending.usage);
    if cut_short {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    (name, response)
}

fn response(envelope: &Envelope, status: &str, output: Vec<Value>) -> Value {
    json!({
        "id": format!("resp_{}", envelope.number), "object": "response", "created_at": CREATED, "status": status,
        "model": envelope.model, "output": output, "parallel_tool_calls": true, "tool_choice": "auto",
        "tools": [], "error": null, "incomplete_details": null, "metadata": {},
    })
}

fn item_id(envelope: &Envelope, kind: Kind, place: usize) -> String {
    let prefix = match kind {
        Kind::Message => "msg",
        Kind::Reasoning => "rs",
    };
    format!("{prefix}_{}_{place}", envelope.number)
}

fn message(id: &str, text: &str) -> Value {
    json!({
        "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [text_part(text)],
    })
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

fn called(envelope: &Envelope, place: usize, call: &Call) -> Value {
    let number = envelope.number;
    let call_id = format!("call_{number}_{place}");
    match &call.arguments {
        Arguments::Json(arguments) => json!({
            "type": "function_call", "id": format!("fc_{number}_{place}"), "call_id": call_id, "name": call.tool,
            "status": "completed", "arguments": arguments.to_string(),
        }),
        Arguments::Text(input) => json!({
            "type": "custom_tool_call", "id": format!("ctc_{number}_{place}"), "call_id": call_id,
            "name": call.tool, "status": "completed", "input": input,
        }),
        Arguments::LocalShell(command) => json!({
            "type": "local_shell_call", "id": format!("lsh_{number}_{place}"), "call_id": call_id,
            "status": "completed", "action": {"type": "exec", "command": command, "env": {}},
        }),
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input + usage.output,
    })
}
