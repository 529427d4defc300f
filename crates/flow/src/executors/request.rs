//! What every executor's request is made of, and what every bound output carries.

use segue_model::flow::{
    Json, Object,
    canonical::{canonical, canonical_with},
    capability::Capability,
    json::object,
};

use super::Call;

/// The id of the Run and of the node when a capability is only tried.
pub const PROBE_ID: &str = "capability-probe";
/// The contract of the evidence that a tool was called.
const TOOL_CALL: &str = "symphlo.tool-call-evidence.v1";

/// The facts that requests are made of.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub run_id: &'a str,
    pub node_id: &'a str,
    pub instruction: Option<&'a str>,
    pub input: &'a Object,
    pub flow_input: &'a Object,
}

impl<'a> Request<'a> {
    #[must_use]
    pub fn of(call: &'a Call) -> Self {
        Self {
            run_id: call.run_id.as_str(),
            node_id: call.node.id.as_str(),
            instruction: call.node.instruction.as_deref(),
            input: &call.input,
            flow_input: &call.flow_input,
        }
    }
}

/// The bytes of a request: canonical JSON.
#[must_use]
pub fn bytes(request: Object) -> Vec<u8> {
    canonical(&Json::Object(request)).into_bytes()
}

/// The same of a request with an input under `key`, which may be large and is not copied.
#[must_use]
pub fn bytes_with(request: &Object, key: &str, input: &Object) -> Vec<u8> {
    canonical_with(request, key, input).into_bytes()
}

/// What says which capability an output came from.
#[must_use]
pub fn bound_to(capability: &Capability) -> Object {
    object([("capability_id", (&capability.id).into()), ("capability_fingerprint", (&capability.fingerprint()).into())])
}

/// The same for a tool, with the evidence of its call. It overrides what the tool said.
#[must_use]
pub fn called(capability: &Capability) -> Object {
    let mut members = bound_to(capability);
    let mut evidence = members.clone();
    evidence.extend(object([
        ("contract_version", TOOL_CALL.into()),
        ("transport", capability.kind().into()),
        ("operation", (&capability.id).into()),
    ]));
    members.insert("tool_call".to_owned(), evidence.into());
    members
}

/// What a tool said, as an object: an object as it is, another value as `value`, what is no JSON as `text`.
#[must_use]
pub fn said(text: &str) -> Object {
    match Json::parse(text) {
        Ok(Json::Object(members)) => members,
        Ok(value) => object([("value", value)]),
        Err(_) => object([("text", text.into())]),
    }
}

/// The accepted input under the capability's context key, beside what is fixed.
#[must_use]
pub fn with_context(fixed: &Object, context_key: Option<&str>, input: &Object) -> Object {
    let mut members = fixed.clone();
    if let Some(key) = context_key {
        members.insert(key.to_owned(), input.clone().into());
    }
    members
}
