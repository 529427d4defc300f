//! The server's routes: from an HTTP request to a performance, and the performance onto the connection.
//!
//! Knows status codes and connections; the words on them are the dialects'.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{self, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{any, get, post};
use futures_util::stream;
use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Due};
use super::dialect::{Data, Dialect, Envelope, Event, Whole, Writer};
use super::log::{Entry, Log, Outcome, Request};
use super::performance::{self, Beat, Ending};
use super::script::Step;

/// Conversations with large tool results pass; the default of 2 MB would refuse them.
const BODY_BYTES_MAX: usize = 256 << 20;

/// Models that the server lists. It answers for any other name too.
pub const MODELS: [&str; 2] = ["scripted-model", "scripted-model-2"];

#[derive(Debug)]
pub(super) struct Shared {
    log: Arc<Log>,
    /// Scripts whose `error_once` has been given.
    failed_once: Mutex<HashSet<String>>,
}

impl Shared {
    pub fn new(log: Arc<Log>) -> Self {
        Self { log, failed_once: Mutex::default() }
    }

    /// The HTTP error that the steps ask for.
    fn failure(&self, script: &str, steps: &[Step]) -> Option<(u16, String)> {
        steps.iter().find_map(|step| match step {
            Step::Fail { status, message, once } if !once || self.first_failure(script) => {
                Some((*status, message.clone()))
            }
            _ => None,
        })
    }

    fn first_failure(&self, script: &str) -> bool {
        let mut seen = self.failed_once.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(script.to_owned())
    }
}

/// All routes stand with and without `/v1`, since agents differ in which of the two their base URL holds.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let api = Router::new()
        .route("/chat/completions", post(chat))
        .route("/responses", post(responses))
        .route("/messages", post(messages))
        .route("/messages/count_tokens", post(count_tokens))
        .route("/models", get(models))
        .with_state(shared);
    Router::new()
        .nest("/v1", api.clone())
        .merge(api)
        // Some agents knock here to see whether there is a service at all.
        .route("/", any(async || Json(json!({}))))
        .fallback(async || failed(Dialect::Chat, 404, "no such path"))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

async fn chat(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    answer(&shared, Dialect::Chat, &body).await
}

async fn responses(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    answer(&shared, Dialect::Responses, &body).await
}

async fn messages(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    answer(&shared, Dialect::Anthropic, &body).await
}

async fn count_tokens() -> Json<Value> {
    Json(json!({"input_tokens": 10}))
}

async fn models() -> Json<Value> {
    let model = |name| {
        json!({
            "id": name, "object": "model", "type": "model", "display_name": name, "owned_by": "scripted",
            "created": 1_700_000_000, "created_at": "2023-11-14T22:13:20Z",
        })
    };
    Json(json!({
        "object": "list", "data": MODELS.map(model), "has_more": false, "first_id": MODELS.first(),
        "last_id": MODELS.last(),
    }))
}

async fn answer(shared: &Shared, dialect: Dialect, body: &[u8]) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return failed(dialect, 400, "the body is not JSON");
    };
    let conversation = dialect.read(&body);
    let due = conversation.due();
    let mut entry = shared.log.open(record(dialect, &body, &conversation, due.as_ref().ok()));
    let performance = due.map_err(|error| (400, error.to_string())).and_then(|due| {
        let steps = if conversation.is_aside() { conversation.aside_steps(due.steps) } else { due.steps };
        match shared.failure(&due.script, &steps) {
            Some(failure) => Err(failure),
            None => performance::rehearse(&steps, &conversation.tools, conversation.last_result())
                .map_err(|error| (400, error.to_string())),
        }
    });
    let performance = match performance {
        Ok(performance) => performance,
        Err((status, message)) => {
            entry.ended(Outcome::Error);
            return failed(dialect, status, &message);
        }
    };
    let envelope = Envelope {
        number: entry.number(),
        model: body["model"].as_str().unwrap_or(MODELS[0]).to_owned(),
        thoughts: body["thinking"].is_object(),
    };
    if is_streamed(&body) {
        let mut writer = dialect.writer(envelope);
        let player = Player {
            ready: writer.begin().into(),
            writer,
            beats: performance.beats.into(),
            ending: Some(performance.ending),
            entry,
        };
        Sse::new(stream::unfold(player, Player::step)).into_response()
    } else {
        in_one_piece(dialect, &envelope, performance, entry).await
    }
}

fn record(dialect: Dialect, body: &Value, conversation: &Conversation, due: Option<&Due>) -> Request {
    Request {
        number: 0,
        dialect,
        model: body["model"].as_str().map(str::to_owned),
        effort: effort(body),
        streamed: is_streamed(body),
        aside: conversation.is_aside(),
        tools: conversation.tools.iter().map(|tool| tool.name.clone()).collect(),
        script: due.map_or_else(String::new, |due| due.script.clone()),
        reply: due.map_or(0, |due| due.index),
        last_user: conversation.last_user().map(str::to_owned),
        last_result: conversation.last_result().map(str::to_owned),
        said: String::new(),
        called: Vec::new(),
        outcome: None,
    }
}

fn is_streamed(body: &Value) -> bool {
    body["stream"] == true
}

fn effort(body: &Value) -> Value {
    let found: Map<String, Value> = ["reasoning_effort", "reasoning", "thinking", "output_config"]
        .into_iter()
        .filter_map(|key| body.get(key).map(|value| (key.to_owned(), value.clone())))
        .collect();
    Value::Object(found)
}

fn failed(dialect: Dialect, status: u16, message: &str) -> Response {
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = Json(dialect.error(status, message));
    if matches!(status, 429 | 503 | 529) {
        // The shortest wait that clients understand: tests are not slowed by their courtesy.
        (code, [(header::RETRY_AFTER, "1")], body).into_response()
    } else {
        (code, body).into_response()
    }
}

/// Plays a performance to its end and sends the reply then. A client that leaves meanwhile has this future
/// dropped, and the entry with it.
async fn in_one_piece(
    dialect: Dialect,
    envelope: &Envelope,
    performance: performance::Performance,
    mut entry: Entry,
) -> Response {
    let mut reply = Whole { ending: performance.ending, ..Whole::default() };
    for beat in performance.beats {
        match beat {
            Beat::Text(text) => {
                entry.say(&text);
                reply.text.push_str(&text);
            }
            Beat::Thought(_) => {}
            Beat::Call(call) => {
                entry.call(&call);
                reply.calls.push(call);
            }
            Beat::Wait(time) | Beat::Pause(time) => tokio::time::sleep(time).await,
            Beat::Hang => std::future::pending().await,
            Beat::Cut => {
                entry.ended(Outcome::Dropped);
                return Body::from_stream(stream::iter([Err::<Bytes, _>(cut())])).into_response();
            }
        }
    }
    entry.ended(Outcome::Ok);
    Json(dialect.whole(envelope, &reply)).into_response()
}

/// Hyper closes the connection without the end mark when a body fails.
fn cut() -> io::Error {
    io::Error::other("the script cuts the connection")
}

/// A streamed reply under way. It waits inside the response's body, so that hyper, which watches for the
/// client's leaving, drops it then.
struct Player {
    writer: Box<dyn Writer>,
    ready: VecDeque<Event>,
    beats: VecDeque<Beat>,
    /// Taken when the end is written.
    ending: Option<Ending>,
    entry: Entry,
}

impl Player {
    async fn step(mut self) -> Option<(Result<sse::Event, io::Error>, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(encoded(&event)), self));
            }
            let Some(beat) = self.beats.pop_front() else {
                let Some(ending) = self.ending.take() else {
                    self.entry.ended(Outcome::Ok);
                    return None;
                };
                self.ready.extend(self.writer.end(&ending));
                continue;
            };
            match beat {
                Beat::Text(text) => {
                    self.entry.say(&text);
                    self.ready.extend(self.writer.text(&text));
                }
                Beat::Thought(text) => self.ready.extend(self.writer.thought(&text)),
                Beat::Call(call) => {
                    self.entry.call(&call);
                    self.ready.extend(self.writer.call(&call));
                }
                Beat::Wait(time) => tokio::time::sleep(time).await,
                Beat::Pause(time) => {
                    self.ready.extend(self.writer.pause());
                    self.beats.push_front(Beat::Wait(time));
                }
                Beat::Hang => std::future::pending().await,
                Beat::Cut => {
                    self.entry.ended(Outcome::Dropped);
                    // Hyper writes out what it has when a body is not ready, and only then sees the failure.
                    tokio::task::yield_now().await;
                    return Some((Err(cut()), self));
                }
            }
        }
    }
}

fn encoded(event: &Event) -> sse::Event {
    let data = match &event.data {
        Data::Json(value) => value.to_string(),
        Data::Done => "[DONE]".to_owned(),
    };
    let encoded = sse::Event::default();
    match event.name {
        Some(name) => encoded.event(name).data(data),
        None => encoded.data(data),
    }
}
