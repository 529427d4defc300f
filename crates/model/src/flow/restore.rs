//! From a compiled flow back to a document of it: what is kept of a Run is the flow, and people read documents.

use super::{
    definition::Flow,
    document::Document,
    json::{Json, Object, object},
    node::{Node, Upstream},
};

/// What executors of capabilities are called; the fingerprint's digits stand behind the id.
const CAPABILITY_PREFIX: &str = "capability.";
/// Members of a node's definition that stand in a step as they are.
const RULES: [&str; 7] = ["when", "for_each", "retry", "timeout_seconds", "deadline", "repair", "on_uncertain"];

/// A document that says what the flow does. Inputs, descriptions and layout are not part of a flow, so they are not in
/// it.
#[must_use]
pub fn document(flow: &Flow) -> Document {
    let is_chain = flow.is_chain();
    let version: i64 = if is_chain { 1 } else { 2 };
    Document::from(object([
        ("schema_version", version.into()),
        ("id", flow.flow_id().into()),
        ("name", flow.title().into()),
        ("steps", Json::Array(flow.nodes().iter().map(step).collect())),
    ]))
}

/// The capability that an executor is of.
#[must_use]
pub fn capability_of(executor_id: &str) -> Option<&str> {
    let (id, _digits) = executor_id.strip_prefix(CAPABILITY_PREFIX)?.rsplit_once('.')?;
    Some(id)
}

fn step(node: &Node) -> Json {
    let mut definition = match node.definition() {
        Json::Object(members) => members,
        _ => Object::new(),
    };
    let from = match &node.upstream {
        Upstream::FlowInput => Json::Null,
        Upstream::Output(id) => id.into(),
        Upstream::Gathered(ids) => Json::Array(ids.iter().map(Json::from).collect()),
    };
    let mut params = object([("title", node.title.as_str().into())]);
    if let Some(id) = capability_of(&node.executor.executor_id) {
        params.insert("capability_id".to_owned(), id.into());
    }
    if let Some(Json::Object(person)) = definition.shift_remove("human") {
        params.extend(person);
    }
    if let Some(Json::Object(mut subflow)) = definition.shift_remove("subflow") {
        if let Some(hash) = subflow.shift_remove("semantic_hash") {
            subflow.insert("flow_hash".to_owned(), hash);
        }
        params.extend(subflow);
    }
    let mut step = object([("id", (&node.id).into()), ("type", node.kind.into()), ("from", from)]);
    step.extend(node.instruction.as_ref().map(|text| ("prompt".to_owned(), text.as_str().into())));
    step.extend(node.session_group.as_ref().map(|group| ("session_group".to_owned(), group.as_str().into())));
    step.extend(RULES.iter().filter_map(|name| Some(((*name).to_owned(), definition.shift_remove(*name)?))));
    step.insert("params".to_owned(), params.into());
    step.into()
}
