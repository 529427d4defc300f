//! Live events: server-sent events that are read from the record, so that a client which was cut off goes on after
//! the last one it saw and misses none.
//!
//! The id of an event is its number. A stream ends with an event named `end`, without an id; a client that comes back
//! after that, as browsers do, is told with 204 not to come again. A fault in the middle is an event named `fault`.

use std::{collections::VecDeque, convert::Infallible, pin::Pin, time::Duration};

use axum::{
    http::StatusCode,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    call::Call,
    error::{ApiError, RequestError},
    reply,
};

/// How often a comment is sent over a stream on which nothing happens: proxies and clients give up after half a minute
/// or more.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a client waits before it comes back.
const RETRY: Duration = Duration::from_secs(1);
/// What a browser says after which event it goes on.
const LAST_EVENT_ID: &str = "last-event-id";

/// One event of a stream.
#[derive(Debug)]
pub struct Frame {
    pub id: u64,
    pub data: String,
}

/// The next events as soon as there are any; `None` when there will be no more.
pub type Next<'a> = Pin<Box<dyn Future<Output = Result<Option<Vec<Frame>>, ApiError>> + Send + 'a>>;

/// What the event `end` says.
pub type End<'a> = Pin<Box<dyn Future<Output = Result<Value, ApiError>> + Send + 'a>>;

/// Where the events of a stream come from.
pub trait Source: Send + 'static {
    fn next(&mut self) -> Next<'_>;

    /// What the event `end` says.
    fn end(&mut self) -> End<'_>;
}

/// The number after which a client wants to go on: what it saw last, or the parameter `after`.
///
/// # Errors
/// It is no number.
pub fn after(call: &Call) -> Result<u64, RequestError> {
    match call.one_header(LAST_EVENT_ID).map_err(|_| RequestError::EventId)? {
        // A number that is parsed may have a sign.
        Some(text) if text.starts_with('+') => Err(RequestError::EventId),
        Some(text) if !text.is_empty() => text.parse().map_err(|_| RequestError::EventId),
        _ => Ok(call.number("after", 0..=u64::MAX)?.unwrap_or(0)),
    }
}

/// Whether the client says which event it saw last.
#[must_use]
pub fn comes_back(call: &Call) -> bool {
    call.header(LAST_EVENT_ID).is_some_and(|text| !text.is_empty())
}

/// Streams what is there already and then the source, until its end or until the server stops. `None`: there will be
/// nothing.
#[must_use]
pub fn respond(source: impl Source, first: Option<Vec<Frame>>, call: &Call) -> Response {
    if first.is_none() && comes_back(call) {
        return reply::kept_by_nobody(StatusCode::NO_CONTENT.into_response());
    }
    let events = stream::unfold(State::new(source, first, call.app.stopping()), State::step);
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    reply::kept_by_nobody(events.into_response())
}

struct State<S> {
    source: S,
    waiting: VecDeque<Frame>,
    /// There will be no more behind what is waiting.
    over: bool,
    /// The last event was sent.
    closed: bool,
    greeted: bool,
    stopping: watch::Receiver<bool>,
}

impl<S: Source> State<S> {
    fn new(source: S, first: Option<Vec<Frame>>, stopping: watch::Receiver<bool>) -> Self {
        let over = first.is_none();
        let waiting = first.unwrap_or_default().into();
        Self { source, waiting, over, closed: false, greeted: false, stopping }
    }

    async fn step(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.closed {
            return None;
        }
        if !self.greeted {
            // At once, so that the client sees that it is connected.
            self.greeted = true;
            return Some((Ok(Event::default().retry(RETRY)), self));
        }
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                let event = Event::default().id(frame.id.to_string()).data(frame.data);
                return Some((Ok(event), self));
            }
            if self.over {
                self.closed = true;
                let end = self.source.end().await;
                return Some((Ok(last(end)), self));
            }
            let next = tokio::select! {
                next = self.source.next() => next,
                // Without an end: the client comes back, and goes on with the next runtime.
                () = async { drop(self.stopping.wait_for(|stopping| *stopping).await) } => return None,
            };
            match next {
                Ok(Some(frames)) => self.waiting.extend(frames),
                Ok(None) => self.over = true,
                Err(error) => {
                    self.closed = true;
                    return Some((Ok(last(Err(error))), self));
                }
            }
        }
    }
}

fn last(end: Result<Value, ApiError>) -> Event {
    match end {
        Ok(end) => Event::default().event("end").data(end.to_string()),
        Err(error) => Event::default().event("fault").data(json!({"error": error.text()}).to_string()),
    }
}
