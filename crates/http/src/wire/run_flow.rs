//! The frozen flow of a Run: its definition with the hash that stands for it.

use segue_model::flow::{Effect, Flow, Object, fields::Word, json::object};

use crate::shape::{Named, Shape, has, may};

const EXECUTOR: Shape = Shape::Exact(&[has("executor_id", Shape::Text), has("version", Shape::Text)]);

const PERSON: Shape = Shape::Exact(&[
    has("options", Shape::List(&Shape::Exact(&[has("id", Shape::Text), has("label", Shape::Text)]))),
    may("form", Shape::Map),
    may("expires_seconds", Shape::Integer),
    may("on_expiry", Shape::Text),
]);

const NODE: Named = Named {
    name: "RunFlowNode",
    about: "One node of a frozen flow. `input_from` is null for the Flow input, an id, or several ids.",
    shape: Shape::Open(&[
        has("node_id", Shape::Text),
        has("kind", Shape::Text),
        has("title", Shape::Text),
        has("instruction", Shape::OrNull(&Shape::Text)),
        has("input_from", Shape::Any),
        has("executor", EXECUTOR),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        may("session_group", Shape::Text),
        may("when", Shape::Text),
        may("for_each", Shape::Map),
        may("retry", Shape::Map),
        may("timeout_seconds", Shape::Integer),
        may("deadline", Shape::Integer),
        may("repair", Shape::Map),
        may("on_uncertain", Shape::Text),
        may("human", PERSON),
        may("subflow", Shape::Map),
    ]),
};

pub const FLOW: Named = Named {
    name: "RunFlow",
    about: "What a Run executes. Its members but the first and the last are what the hash stands for.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("version", Shape::Text),
        has("title", Shape::Text),
        has("nodes", Shape::List(&Shape::Named(&NODE))),
        has("semantic_hash", Shape::Text),
    ]),
};

#[must_use]
pub fn written(run: &str, flow: &Flow) -> Object {
    let mut members = object([("run_id", run.into())]);
    if let Some(definition) = flow.definition().as_object() {
        members.extend(definition.clone());
    }
    members.insert("semantic_hash".to_owned(), flow.hash().as_str().into());
    members
}
