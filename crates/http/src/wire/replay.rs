//! Replays with the flow as it is saved now.

use segue_flow::api::{Replay, ReplayPlan};
use segue_model::flow::{Json, Object, Problem, fields::Fields, json::object};

use super::authorization::AUTHORIZATION;
use crate::shape::{Named, Shape, has, may};

pub const PLAN_REQUEST: Named = Named {
    name: "ReplayPlanRequest",
    about: "Inputs that are to be others than the parent's; null takes one away.",
    shape: Shape::Exact(&[may("inputs", Shape::OrNull(&Shape::Map))]),
};

pub const REQUEST: Named = Named {
    name: "ReplayRequest",
    about: "Inputs that are to be others than the parent's; null takes one away.",
    shape: Shape::Exact(&[
        may("inputs", Shape::OrNull(&Shape::Map)),
        may("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

pub const PLAN: Named = Named {
    name: "ReplayPlan",
    about: "What becomes of each node. `because` is null for one whose result is taken over.",
    shape: Shape::Exact(&[
        has("parent_run_id", Shape::Text),
        has("parent_flow_hash", Shape::Text),
        has("flow_hash", Shape::Text),
        has(
            "nodes",
            Shape::List(&Shape::Exact(&[
                has("node_id", Shape::Text),
                has("reused", Shape::Flag),
                has("because", Shape::OrNull(&Shape::Exact(&[has("code", Shape::Text), has("text", Shape::Text)]))),
            ])),
        ),
    ]),
};

/// # Errors
/// A member is unknown or of another kind.
pub fn read(parent: &str, body: &Object, key: Option<String>) -> Result<Replay, Problem> {
    let fields = Fields::new(body, "");
    fields.only(&["inputs", "effect_authorization"])?;
    Ok(Replay {
        parent: parent.to_owned(),
        inputs: fields.object("inputs")?.map(|inputs| inputs.members().clone()),
        authorization: fields.get("effect_authorization").cloned(),
        key,
    })
}

#[must_use]
pub fn plan(plan: &ReplayPlan) -> Object {
    let nodes = plan.nodes.iter().map(|(id, because)| {
        let why = because.as_ref().map(|because| {
            Json::Object(object([("code", because.code().into()), ("text", because.to_string().into())]))
        });
        Json::Object(object([("node_id", id.into()), ("reused", because.is_none().into()), ("because", why.into())]))
    });
    object([
        ("parent_run_id", plan.parent.as_str().into()),
        ("parent_flow_hash", plan.parent_flow_hash.as_str().into()),
        ("flow_hash", plan.flow_hash.as_str().into()),
        ("nodes", Json::Array(nodes.collect())),
    ])
}
