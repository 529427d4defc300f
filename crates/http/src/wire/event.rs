//! Events of Runs (contract §7.4).

use segue_flow::api::{EventsPage, Published};
use segue_model::{
    flow::{Json, Object, canonical::canonical, fields::Word, json::object},
    reading::RunStatus,
    run::Event,
};

use super::{moment, number};
use crate::shape::{Named, Shape, has};

pub const EVENT: Named = Named {
    name: "RunEvent",
    about: "`payload_json` is the canonical text of `payload`.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("sequence", Shape::Integer),
        has("node_id", Shape::OrNull(&Shape::Text)),
        has("event_type", Shape::Words(Event::KINDS)),
        has("payload", Shape::Map),
        has("payload_json", Shape::Text),
        has("recorded_at", Shape::Time),
    ]),
};

pub const PAGE: Named = Named {
    name: "RunEventPage",
    about: "`cursor` is the `after` of the next page, or its `before` when the newest came first. A page of one node's events may hold \
        fewer than there are, even none, with `has_more`. `ended`: the Run has ended and these were its last events. `total` counts \
        all events of the Run.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("status", Shape::Words(RunStatus::WORDS)),
        has("waiting", Shape::Flag),
        has("events", Shape::List(&Shape::Named(&EVENT))),
        has("cursor", Shape::Integer),
        has("has_more", Shape::Flag),
        has("ended", Shape::Flag),
        has("total", Shape::Integer),
    ]),
};

#[must_use]
pub fn written(event: Published) -> Json {
    let payload = Json::Object(event.payload);
    Json::Object(object([
        ("run_id", (&event.run_id).into()),
        ("sequence", number(event.sequence)),
        ("node_id", event.node_id.as_ref().map(Json::from).into()),
        ("event_type", event.event_type.into()),
        ("payload_json", canonical(&payload).into()),
        ("payload", payload),
        ("recorded_at", moment(event.recorded_at)),
    ]))
}

#[must_use]
pub fn page(run: &str, page: EventsPage) -> Object {
    object([
        ("run_id", run.into()),
        ("status", page.status.into()),
        ("waiting", page.waiting.into()),
        ("events", Json::Array(page.events.into_iter().map(written).collect())),
        ("cursor", number(page.cursor)),
        ("has_more", page.has_more.into()),
        ("ended", page.ended.into()),
        ("total", number(page.total)),
    ])
}
