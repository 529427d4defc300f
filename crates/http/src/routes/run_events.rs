//! Events of Runs: by pages, and live.

use axum::{http::StatusCode, response::Response};
use segue_flow::api::{EventsQuery, Watch};
use segue_model::{flow::Json, run::Event};
use serde_json::Value;

use super::json;
use crate::{
    app::App,
    call::Call,
    error::{ApiError, RequestError},
    live::{self, Frame, Next, Source},
    reply,
    shape::Shape,
    table::{self, Content, Method, Parameter, Query, Reply, Route},
    wire::{event, evidence},
};

/// Events of a page.
const LIMIT: usize = 100;
const LIMIT_MAX: u64 = 500;

const AFTER: Parameter = Parameter::optional("after", Shape::Integer, "Only events behind this number; 0 for all.");
/// The directions of a page.
const OLDEST: &str = "oldest";
const NEWEST: &str = "newest";
const PAGE: &[Parameter] = &[
    AFTER,
    Parameter::optional("before", Shape::Integer, "Only events before this number."),
    Parameter::optional("first", Shape::Words(&[OLDEST, NEWEST]), "Which events come first; `oldest` by default."),
    Parameter::optional("node_id", Shape::Text, "Only events of this node."),
    Parameter::optional("event_type", Shape::Words(Event::KINDS), "Only events of this type.").repeated(),
    Parameter::optional("limit", Shape::Integer, "At most this many (1-500, 100 by default)."),
];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/events",
        name: "listRunEvents",
        about: "The events of a Run, one page at a time: upwards or downwards, of some types or of one node.",
        query: Query::Only(PAGE),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&event::PAGE))],
        call: |call| Box::pin(page(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/events/stream",
        name: "streamRunEvents",
        about: "The events of a Run as they are recorded, each once and in order. `Last-Event-ID` or `after` says where to go on; \
            the event `end` is the last one.",
        query: Query::Only(&[AFTER]),
        body: None,
        replies: &[
            Reply { status: StatusCode::OK, content: Content::Events(Shape::Named(&event::EVENT)) },
            Reply { status: StatusCode::NO_CONTENT, content: Content::Nothing },
        ],
        call: |call| Box::pin(stream(call)),
    },
];

async fn page(call: Call) -> Result<Response, ApiError> {
    let newest_first = match call.one("first")? {
        None | Some(OLDEST) => false,
        Some(NEWEST) => true,
        Some(_) => return Err(RequestError::Query(format!("first must be {OLDEST} or {NEWEST}")).into()),
    };
    let types: Vec<String> = call.all("event_type").map(str::to_owned).collect();
    if let Some(odd) = types.iter().find(|kind| !Event::KINDS.contains(&kind.as_str())) {
        let odd: String = odd.chars().take(80).collect();
        return Err(RequestError::Query(format!("event_type {odd:?} is none that there is")).into());
    }
    let query = EventsQuery {
        after: call.number("after", 0..=u64::MAX)?.unwrap_or(0),
        before: call.number("before", 0..=u64::MAX)?,
        newest_first,
        types,
        node: call.one("node_id")?.map(str::to_owned),
        limit: call.number("limit", 1..=LIMIT_MAX)?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT),
    };
    let run = call.id("run_id");
    let page = call.app.flows().events_page(run, query).await?;
    reply::json(StatusCode::OK, &json(event::page(run, page)))
}

async fn stream(call: Call) -> Result<Response, ApiError> {
    let after = live::after(&call)?;
    let (app, run) = (call.app.clone(), call.id("run_id").to_owned());
    let watch = app.flows().watch(&run, after).await?;
    // Only who was here before can have seen the end.
    let over = live::comes_back(&call) && {
        let page = app.flows().events(&run, after).await?;
        page.ended && page.events.is_empty()
    };
    Ok(live::respond(Follower { app, run, watch }, (!over).then(Vec::new), &call))
}

struct Follower {
    app: App,
    run: String,
    watch: Watch,
}

fn frames(events: Vec<segue_flow::api::Published>) -> Result<Vec<Frame>, ApiError> {
    let frame = |published: segue_flow::api::Published| {
        let id = published.sequence;
        let data = serde_json::to_string(&event::written(published));
        data.map(|data| Frame { id, data }).map_err(|error| RequestError::Unwritable(error.to_string()).into())
    };
    events.into_iter().map(frame).collect()
}

impl Source for Follower {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async move {
            match self.watch.next().await? {
                Some(page) => frames(page.events).map(Some),
                None => Ok(None),
            }
        })
    }

    fn end(&mut self) -> live::End<'_> {
        Box::pin(async move {
            let run = self.app.flows().run(&self.run).await?;
            let end = serde_json::to_value(Json::Object(evidence::end(&run)));
            Ok(end.unwrap_or(Value::Null))
        })
    }
}
