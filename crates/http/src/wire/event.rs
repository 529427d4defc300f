//! Events of Runs (contract §7.4).

use segue_flow::api::{Page, Published};
use segue_model::flow::{Json, Object, canonical::canonical, json::object};

use super::{moment, number};
use crate::shape::{Named, Shape, has};

pub const EVENT: Named = Named {
    name: "RunEvent",
    about: "`payload_json` is the canonical text of `payload`.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("sequence", Shape::Integer),
        has("node_id", Shape::OrNull(&Shape::Text)),
        has("event_type", Shape::Text),
        has("payload", Shape::Map),
        has("payload_json", Shape::Text),
        has("recorded_at", Shape::Time),
    ]),
};

pub const PAGE: Named = Named {
    name: "RunEventPage",
    about: "`cursor` is the `after` of the next page. `ended`: the Run has ended and these were its last events.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("status", Shape::Text),
        has("waiting", Shape::Flag),
        has("events", Shape::List(&Shape::Named(&EVENT))),
        has("cursor", Shape::Integer),
        has("has_more", Shape::Flag),
        has("ended", Shape::Flag),
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

/// The first `limit` events of a page.
#[must_use]
pub fn page(run: &str, mut page: Page, limit: usize, more: bool) -> Object {
    let cut = page.events.len() > limit;
    page.events.truncate(limit);
    let last = page.events.last().map_or(page.last, |event| event.sequence);
    object([
        ("run_id", run.into()),
        ("status", page.status.into()),
        ("waiting", page.waiting.into()),
        ("events", Json::Array(page.events.into_iter().map(written).collect())),
        ("cursor", number(last)),
        ("has_more", (cut || more).into()),
        ("ended", (page.ended && !cut).into()),
    ])
}
