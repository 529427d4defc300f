//! `/api/v1/events/stream`: which Runs and tasks changed, live, so that nobody has to ask again and again.

use std::time::Duration;

use axum::{http::StatusCode, response::Response};
use segue_model::flow::Json;
use serde_json::Value;
use tokio::{sync::watch, time::Instant};

use crate::{
    app::App,
    call::Call,
    error::{ApiError, RequestError},
    live::{self, Frame, Next, Source},
    shape::Shape,
    table::{Content, Method, Parameter, Query, Reply, Route},
    wire::change,
};

/// How often a busy record is looked at, at most. Lists need no more.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

const AFTER: Parameter = Parameter::optional(
    "after",
    Shape::Integer,
    "Only changes behind this position of the record; without it those from now on.",
);

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/events/stream",
    name: "streamChanges",
    about: "Which Runs and tasks changed, as it happens, each once and as it is by then. `Last-Event-ID` or `after` says where to go on; \
        the first event says where the stream begins.",
    query: Query::Only(&[AFTER]),
    body: None,
    replies: &[Reply { status: StatusCode::OK, content: Content::Events(Shape::Named(&change::CHANGE)) }],
    call: |call| Box::pin(stream(call)),
}];

async fn stream(call: Call) -> Result<Response, ApiError> {
    let mut changes = call.app.flows().changes();
    let given = live::comes_back(&call) || call.one("after")?.is_some();
    let now = *changes.borrow_and_update();
    // A position that is not there yet is of another record: then nothing would ever come.
    let position = if given { live::after(&call)?.min(now) } else { now };
    let first = frame(position, &change::position(position))?;
    // It may have changed before it was looked at.
    changes.mark_changed();
    let follower = Follower { app: call.app.clone(), position, changes, not_before: Instant::now() };
    Ok(live::respond(follower, Some(vec![first]), &call))
}

struct Follower {
    app: App,
    position: u64,
    changes: watch::Receiver<u64>,
    /// When to look again at the earliest.
    not_before: Instant,
}

fn frame(id: u64, data: &Json) -> Result<Frame, ApiError> {
    let data = serde_json::to_string(data).map_err(|error| RequestError::Unwritable(error.to_string()))?;
    Ok(Frame { id, data })
}

impl Source for Follower {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async move {
            loop {
                if self.changes.changed().await.is_err() {
                    return Ok(None);
                }
                tokio::time::sleep_until(self.not_before).await;
                self.not_before = Instant::now() + LOOK_AGAIN;
                self.changes.mark_unchanged();
                let (changes, upto) = self.app.flows().changes_since(self.position).await?;
                let before = std::mem::replace(&mut self.position, upto);
                let runs = changes.runs.iter().map(change::run);
                let tasks = changes.tasks.iter().map(|(id, status, last)| change::task(id, status, *last));
                let mut frames: Vec<Frame> = Vec::new();
                for told in runs.chain(tasks) {
                    // Who is cut off in the middle hears all of them again.
                    frames.push(frame(before, &told)?);
                }
                if upto < *self.changes.borrow() {
                    self.changes.mark_changed();
                }
                if let Some(last) = frames.last_mut() {
                    last.id = upto;
                    return Ok(Some(frames));
                }
            }
        })
    }

    fn end(&mut self) -> live::End<'_> {
        Box::pin(async move { Ok(Value::Null) })
    }
}
