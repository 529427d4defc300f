//! Versions of saved flows, and what is different between two.

use segue_flow::api::{Comparison, Version};
use segue_model::flow::{Json, Object, difference::Change, json::object};

use super::{moment, number};
use crate::shape::{Named, Shape, has, may};

pub const VERSION: Named = Named {
    name: "FlowVersion",
    about: "`flow_hash` is that of the flow that it would be as things are now, null if it cannot be compiled.",
    shape: Shape::Exact(&[
        has("task_id", Shape::Text),
        has("version", Shape::Integer),
        has("current", Shape::Flag),
        has("name", Shape::Text),
        has("description", Shape::Text),
        has("saved_at", Shape::Time),
        has("flow_hash", Shape::OrNull(&Shape::Text)),
        has("step_count", Shape::Integer),
        may("flow", Shape::Map),
    ]),
};

pub const LIST: Named = Named {
    name: "FlowVersionList",
    about: "Newest first, without the documents. `next` is the `before` of the next page; null on the last one.",
    shape: Shape::Exact(&[
        has("items", Shape::List(&Shape::Named(&VERSION))),
        has("next", Shape::OrNull(&Shape::Integer)),
    ]),
};

const CHANGE: Named = Named {
    name: "FlowChange",
    about: "A value that is another one. `path` is a JSON pointer; what is not there is left out; `layout`: it only moves something on \
        the screen.",
    shape: Shape::Exact(&[
        has("path", Shape::Text),
        may("before", Shape::Any),
        may("after", Shape::Any),
        has("layout", Shape::Flag),
    ]),
};

pub const DIFFERENCE: Named = Named {
    name: "FlowDifference",
    about: "Steps are told apart by their ids. `same_flow`: both compile to the same flow, so that Runs of the one count for the other.",
    shape: Shape::Exact(&[
        has("before", Shape::Named(&VERSION)),
        has("after", Shape::Named(&VERSION)),
        has("same_flow", Shape::Flag),
        has("fields", Shape::List(&Shape::Named(&CHANGE))),
        has("added", Shape::List(&Shape::Text)),
        has("removed", Shape::List(&Shape::Text)),
        has(
            "changed",
            Shape::List(&Shape::Exact(&[
                has("step_id", Shape::Text),
                has("fields", Shape::List(&Shape::Named(&CHANGE))),
            ])),
        ),
        has("reordered", Shape::Flag),
    ]),
};

fn members(version: &Version) -> Object {
    let steps = version.document.members().get("steps").and_then(Json::as_array).unwrap_or_default();
    object([
        ("task_id", version.local_id.as_str().into()),
        ("version", number(version.version)),
        ("current", version.is_current.into()),
        ("name", version.name.as_str().into()),
        ("description", version.description.as_str().into()),
        ("saved_at", moment(version.saved_at)),
        ("flow_hash", version.flow_hash.as_ref().map(Json::from).into()),
        ("step_count", number(steps.len())),
    ])
}

#[must_use]
pub fn list(versions: &[Version], more: bool) -> Object {
    let next = versions.last().filter(|_| more).map(|version| number(version.version));
    object([
        ("items", Json::Array(versions.iter().map(|version| members(version).into()).collect())),
        ("next", next.into()),
    ])
}

#[must_use]
pub fn written(version: Version) -> Object {
    let mut members = members(&version);
    members.insert("flow".to_owned(), version.document.into());
    members
}

fn change(change: &Change) -> Json {
    let mut members = object([("path", change.path.as_str().into())]);
    members.extend(change.before.clone().map(|value| ("before".to_owned(), value)));
    members.extend(change.after.clone().map(|value| ("after".to_owned(), value)));
    members.insert("layout".to_owned(), change.is_layout().into());
    members.into()
}

fn changes(changes: &[Change]) -> Json {
    Json::Array(changes.iter().map(change).collect())
}

#[must_use]
pub fn difference(found: &Comparison) -> Object {
    let difference = &found.difference;
    let same = found.before.flow_hash.is_some() && found.before.flow_hash == found.after.flow_hash;
    let changed = difference
        .changed
        .iter()
        .map(|(id, fields)| Json::Object(object([("step_id", id.as_str().into()), ("fields", changes(fields))])));
    object([
        ("before", members(&found.before).into()),
        ("after", members(&found.after).into()),
        ("same_flow", same.into()),
        ("fields", changes(&difference.fields)),
        ("added", difference.added.clone().into()),
        ("removed", difference.removed.clone().into()),
        ("changed", Json::Array(changed.collect())),
        ("reordered", difference.reordered.into()),
    ])
}
