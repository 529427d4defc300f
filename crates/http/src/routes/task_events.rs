//! Events of channel tasks: by pages, and live.

use axum::{http::StatusCode, response::Response};
use segue_channel::api::{Events, EventsQuery};
use serde_json::json;
use tokio::sync::watch;

use crate::{
    app::App,
    call::Call,
    error::ApiError,
    live::{self, Frame, Next, Source},
    reply,
    shape::Shape,
    table::{self, Content, Method, Parameter, Query, Reply, Route},
    wire::channel_task,
};

/// Events of a page, and characters.
const LIMIT: u64 = 100;
const LIMIT_MAX: u64 = 500;
const CHARS: u64 = 200_000;
const CHARS_MAX: u64 = 4_000_000;
/// How often a busy journal is looked at, at most.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(20);

const AFTER: Parameter = Parameter::optional("after", Shape::Integer, "Only events behind this number; 0 for all.");
const THOUGHTS: Parameter = Parameter::optional("include_thoughts", Shape::Flag, "Also the agent's thoughts.");
const RAW: Parameter = Parameter::optional("include_raw", Shape::Flag, "Also raw input and output of tool calls.");
const PAGE: &[Parameter] = &[
    AFTER,
    Parameter::optional("limit", Shape::Integer, "At most this many (1-500, 100 by default)."),
    Parameter::optional("max_chars", Shape::Integer, "At most about this many characters (1000-4000000)."),
    Parameter::optional("event_type", Shape::Text, "Only this type.").repeated(),
    THOUGHTS,
    RAW,
];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/channel/tasks/{task_id}/events",
        name: "listTaskEvents",
        about: "The events of a task in order, one page at a time.",
        query: Query::Only(PAGE),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_task::PAGE))],
        call: |call| Box::pin(page(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/channel/tasks/{task_id}/events/stream",
        name: "streamTaskEvents",
        about: "The events of a task as they are recorded, each once and in order. `Last-Event-ID` or `after` says where to go on; \
            the event `end` is the last one.",
        query: Query::Only(&[AFTER, THOUGHTS, RAW]),
        body: None,
        replies: &[
            Reply { status: StatusCode::OK, content: Content::Events(Shape::Named(&channel_task::EVENT)) },
            Reply { status: StatusCode::NO_CONTENT, content: Content::Nothing },
        ],
        call: |call| Box::pin(stream(call)),
    },
];

fn query(call: &Call, after: u64) -> Result<EventsQuery, ApiError> {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let kinds: Vec<String> = call.all("event_type").map(str::to_owned).collect();
    Ok(EventsQuery {
        task_id: call.id("task_id").to_owned(),
        after_seq: signed(after),
        event_types: (!kinds.is_empty()).then_some(kinds),
        limit: signed(call.number("limit", 1..=LIMIT_MAX)?.unwrap_or(LIMIT)),
        max_chars: signed(call.number("max_chars", 1000..=CHARS_MAX)?.unwrap_or(CHARS)),
        include_thoughts: call.flag("include_thoughts")?,
        include_raw: call.flag("include_raw")?,
    })
}

async fn page(call: Call) -> Result<Response, ApiError> {
    let after = call.number("after", 0..=u64::MAX)?.unwrap_or(0);
    let page = call.app.channel().get_events(query(&call, after)?).await?;
    reply::json(StatusCode::OK, &channel_task::page(page))
}

async fn stream(call: Call) -> Result<Response, ApiError> {
    let query = query(&call, live::after(&call)?)?;
    let changes = call.app.flows().changes();
    let mut follower = Follower { app: call.app.clone(), query, changes, over: false };
    let (frames, over) = follower.look().await?;
    follower.over = over;
    Ok(live::respond(follower, (!over || !frames.is_empty()).then_some(frames), &call))
}

/// `P` is the journal's word for how far it is, which nobody here needs to know.
struct Follower<P> {
    app: App,
    query: EventsQuery,
    changes: watch::Receiver<P>,
    over: bool,
}

impl<P: Send + Sync + 'static> Follower<P> {
    /// What is there now; the cursor moves on.
    async fn look(&mut self) -> Result<(Vec<Frame>, bool), ApiError> {
        let Events { task_id, status, cursor, has_more, events } =
            self.app.channel().get_events(self.query.clone()).await?;
        // A cursor beyond the last event is kept as it is.
        self.query.after_seq = self.query.after_seq.max(i64::try_from(cursor).unwrap_or(i64::MAX));
        let frame = |event: segue_channel::api::EventView| Frame {
            id: event.seq,
            data: channel_task::event(&task_id, event).to_string(),
        };
        let frames: Vec<Frame> = events.into_iter().map(frame).collect();
        // The status was read with the events, so behind the last event of an ended task there is nothing.
        Ok((frames, status.is_final() && !has_more))
    }
}

impl<P: Send + Sync + 'static> Source for Follower<P> {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async move {
            while !self.over {
                self.changes.mark_unchanged();
                let (frames, over) = self.look().await?;
                self.over = over;
                if !frames.is_empty() {
                    return Ok(Some(frames));
                }
                if !over {
                    if self.changes.changed().await.is_err() {
                        return Ok(None);
                    }
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
            Ok(None)
        })
    }

    fn end(&mut self) -> live::End<'_> {
        Box::pin(async move {
            let view = self.app.channel().get_task(&self.query.task_id).await?;
            Ok(json!({"status": view.task.status().as_str()}))
        })
    }
}
