//! A compiled flow (contract §2): what is hashed, stored and executed.

use segue_model::flow::{
    Effect, Flow, Json, NodeKind, Object,
    fields::Word,
    rules::{FailureClass, OnUncertain},
};

use crate::shape::{Named, Shape, has, may};

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);

pub const EXECUTOR: Shape = Shape::Exact(&[has("executor_id", Shape::Text), has("version", Shape::Text)]);

pub const OPTION: Shape = Shape::Exact(&[has("id", Shape::Text), has("label", Shape::Text)]);

pub const NODE: Named = Named {
    name: "RunFlowNode",
    about: "`input_from` is null for a first node, an id, or the ids of several nodes. The rules of schema version 2 are there when they \
        are used.",
    shape: Shape::Exact(&[
        has("node_id", Shape::Text),
        has("title", Shape::Text),
        has("kind", Shape::Words(NodeKind::WORDS)),
        has("executor", EXECUTOR),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("input_from", Shape::OneOf(&[OR_TEXT, Shape::List(&Shape::Text)])),
        has("instruction", OR_TEXT),
        may("session_group", Shape::Text),
        may("when", Shape::Text),
        may("for_each", Shape::Exact(&[has("items", Shape::Text), has("max_parallel", Shape::Integer)])),
        may(
            "retry",
            Shape::Exact(&[
                has("attempts", Shape::Integer),
                has("backoff_seconds", Shape::Integer),
                has("backoff_factor", Shape::Integer),
                has("backoff_max_seconds", Shape::Integer),
                has("on", Shape::List(&Shape::Words(FailureClass::WORDS))),
                has("repeat_writes", Shape::Flag),
            ]),
        ),
        may("timeout_seconds", Shape::Integer),
        may("deadline", Shape::Integer),
        may("repair", Shape::Exact(&[has("from", Shape::Text), has("max_rounds", Shape::Integer)])),
        may("on_uncertain", Shape::Words(OnUncertain::WORDS)),
        may(
            "human",
            Shape::Exact(&[
                has("options", Shape::List(&OPTION)),
                may("form", Shape::Map),
                may("expires_seconds", Shape::Integer),
                may("on_expiry", Shape::Text),
            ]),
        ),
        may(
            "subflow",
            Shape::Exact(&[
                has("flow_id", Shape::Text),
                has("semantic_hash", Shape::Text),
                has("inputs", Shape::MapOf(&Shape::Text)),
            ]),
        ),
    ]),
};

pub const FLOW: Named = Named {
    name: "FlowDefinition",
    about: "`semantic_hash` is the hash of all the rest.",
    shape: Shape::Exact(&[
        has("flow_id", Shape::Text),
        has("version", Shape::Text),
        has("title", Shape::Text),
        has("nodes", Shape::List(&Shape::Named(&NODE))),
        has("semantic_hash", Shape::Text),
    ]),
};

#[must_use]
pub fn written(flow: &Flow) -> Json {
    let mut definition = match flow.definition() {
        Json::Object(members) => members,
        _ => Object::new(),
    };
    definition.insert("semantic_hash".to_owned(), flow.hash().into());
    definition.into()
}
