//! Why a Run is not further than it is, or ended as it did.

use segue_flow::api::Why;
use segue_model::flow::{Json, Object, json::object};

use super::number;
use crate::shape::{Named, Shape, has};

pub const WHY: Named = Named {
    name: "Why",
    about: "One screen. `more` counts the lines that did not fit. `fork_from` is the node from which a fork would go on, of a Run that ended \
        without success.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("status", Shape::Text),
        has("headline", Shape::Text),
        has("lines", Shape::List(&Shape::Exact(&[has("node_id", Shape::Text), has("text", Shape::Text)]))),
        has("more", Shape::Integer),
        has("ways_on", Shape::List(&Shape::Text)),
        has("fork_from", Shape::OrNull(&Shape::Text)),
    ]),
};

#[must_use]
pub fn written(run: &str, why: Why) -> Object {
    let line = |line: segue_flow::api::Line| {
        Json::Object(object([("node_id", (&line.node).into()), ("text", line.text.into())]))
    };
    object([
        ("run_id", run.into()),
        ("status", why.status.as_str().into()),
        ("headline", why.headline.into()),
        ("lines", Json::Array(why.lines.into_iter().map(line).collect())),
        ("more", number(why.more)),
        ("ways_on", why.ways_on.into()),
        ("fork_from", why.fork_from.as_ref().map(|node| node.as_str()).into()),
    ])
}
