//! The JSON Schema of a flow document, for editors and for people who write documents by hand; kept in
//! `docs/flow.schema.json`. It says what can be said without a catalogue; [`super::compile()`] has the last word.
//!
//! Its bounds are the constants of the rules, so the two cannot differ in numbers; that they agree on examples is
//! tested.

use serde_json::{Value, json};

use super::{
    compile::STEPS_MAX,
    document::{ID_MAX, NAME_MAX},
    fields::Word,
    id::NodeId,
    inputs::{InputType, RESERVED},
    kind::NodeKind,
    node::{SESSION_GROUP_MAX, TITLE_MAX},
    rules::{
        DEADLINE_MAX, FailureClass, OnUncertain, TIMEOUT_MAX,
        expression::EXPRESSION_MAX,
        for_each::PARALLEL_MAX,
        person::{EXPIRY_MAX, OPTIONS_MAX},
        repair::ROUNDS_MAX,
        retry::{ATTEMPTS_MAX, BACKOFF_MAX, FACTOR_MAX},
    },
};

/// Text with something besides white space in it; lengths count what is left after trimming.
fn text(max: usize, description: &str) -> Value {
    json!({ "type": "string", "pattern": "\\S", "maxLength": max, "description": description })
}

fn seconds(min: u32, max: u32, description: &str) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max, "description": description })
}

fn expression(description: &str) -> Value {
    let description = format!("{description} A CEL expression over input, flow_input and nodes.");
    json!({ "type": "string", "minLength": 1, "maxLength": EXPRESSION_MAX, "description": description })
}

/// A word of `T`, or nothing.
fn word<T: Word>(description: &str) -> Value {
    json!({ "enum": T::WORDS, "description": description })
}

fn nullable(mut schema: Value) -> Value {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    schema
}

/// The whole schema, draft 2020-12.
#[must_use]
pub fn document_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Flow document",
        "description": "What Segue saves, exchanges and compiles. Members not named here are kept and mean nothing.",
        "type": "object",
        "required": ["steps"],
        "properties": {
            "schema_version": {
                "description": "1 or absent: a chain of steps. 2: a graph, whose rules are interpreted.",
                "default": 1,
                "anyOf": [{ "const": 2 }, { "not": { "type": "number", "minimum": 2 } }],
                "not": { "type": "string", "pattern": "^([2-9]|[1-9][0-9]+)$" },
            },
            "id": { "type": ["string", "null"], "maxLength": ID_MAX,
                "description": "The portable id. 3 to 128 characters of letters, digits, '.', '_' and '-' to be usable in bundles, history and admission." },
            "name": { "type": ["string", "null"], "maxLength": NAME_MAX, "description": "At most 120 characters to be saved." },
            "description": { "description": "At most 500 characters to be saved." },
            "inputs": inputs(),
            "steps": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/step" } },
            "x_symphlo": { "description": "May hold the granularity of the local task: compact, balanced or fine." },
        },
        "if": { "required": ["schema_version"], "properties": { "schema_version": { "const": 2 } } },
        "then": { "properties": { "steps": { "maxItems": STEPS_MAX, "items": { "$ref": "#/$defs/step_of_a_graph" } } } },
        "else": { "properties": { "steps": { "items": { "$ref": "#/$defs/step_of_a_chain" } } } },
        "$defs": {
            "step": step(),
            "step_of_a_chain": {
                "properties": {
                    "type": { "enum": NodeKind::ALL.iter().filter(|kind| !kind.needs_version_2()).collect::<Vec<_>>() },
                    "from": { "type": ["string", "null"],
                        "description": "Nothing for the first step; for every other the id of the step right before it." },
                },
            },
            "step_of_a_graph": step_of_a_graph(),
        },
    })
}

fn inputs() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "Typed inputs by name.",
        "propertyNames": { "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$", "not": { "enum": RESERVED } },
        "additionalProperties": {
            "type": "object",
            "properties": {
                "type": nullable(word::<InputType>("The default is string.")),
                "required": { "description": "Counts only when it is true." },
                "default": { "description": "Of the declared type." },
                "description": {},
            },
        },
    })
}

fn step() -> Value {
    json!({
        "type": "object",
        "required": ["id", "type"],
        "properties": {
            "id": text(NodeId::MAX, "Unique in the flow."),
            "type": word::<NodeKind>("What executes the step."),
            "prompt": { "description": "The instruction, if it is a string." },
            "session_group": { "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]*$", "maxLength": SESSION_GROUP_MAX,
                "description": "Steps of one group share a conversation. Only for agents that keep sessions." },
            "params": {
                "description": "Counts as empty if it is no object.",
                "properties": {
                    "title": nullable(text(TITLE_MAX, "The default is the prompt, else the id.")),
                    "capability_id": { "type": ["string", "null"], "description": "The saved capability that executes the step." },
                    "capability_fingerprint": { "description": "A pin; written when the document is saved." },
                },
            },
        },
    })
}

fn step_of_a_graph() -> Value {
    let ids = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true });
    json!({
        "properties": {
            "from": { "anyOf": [{ "type": ["string", "null"] }, ids],
                "description": "Nothing: the step receives the Flow input. An id: exactly that step's output. A list: {id: output, ...}." },
            "when": nullable(expression("Not met: the step is skipped, and what depends only on it too.")),
            "for_each": { "type": ["object", "null"], "required": ["items"], "additionalProperties": false, "properties": {
                "items": expression("The list. The executor receives {item, index, input} for each."),
                "max_parallel": nullable(seconds(1, PARALLEL_MAX, "Items under way at once. The default is 4.")),
            } },
            "retry": { "type": ["object", "null"], "required": ["attempts"], "additionalProperties": false, "properties": {
                "attempts": seconds(2, ATTEMPTS_MAX, "In all, the first included."),
                "backoff_seconds": nullable(seconds(0, BACKOFF_MAX, "Before the second attempt. The default is 1.")),
                "backoff_factor": nullable(seconds(1, FACTOR_MAX, "Each wait is the one before times this. The default is 2.")),
                "backoff_max_seconds": nullable(seconds(0, BACKOFF_MAX, "No wait is longer. The default is 60.")),
                "on": { "type": ["array", "null"], "minItems": 1, "uniqueItems": true,
                    "items": word::<FailureClass>("A class of failure."), "description": "The default is every class." },
                "repeat_writes": { "type": ["boolean", "null"], "description": "Must be true for a step that may write." },
            } },
            "timeout_seconds": nullable(seconds(1, TIMEOUT_MAX, "For each attempt.")),
            "deadline": nullable(seconds(1, DEADLINE_MAX, "Seconds for the step with all its attempts, from when it is ready.")),
            "repair": { "type": ["object", "null"], "required": ["from", "max_rounds"], "additionalProperties": false,
                "description": "Only for evaluations: a fail goes back to that step with the findings.",
                "properties": {
                    "from": text(NodeId::MAX, "A step before this one. What lies between must be left through this step only."),
                    "max_rounds": { "type": "integer", "minimum": 1, "maximum": ROUNDS_MAX, "description": "How often a fail goes back." },
            } },
            "on_uncertain": nullable(word::<OnUncertain>("When the step may have written and its process was lost: fail (default), or ask.")),
        },
        "allOf": [
            kind_params("human.task", &json!({
                "form": { "type": ["object", "null"], "required": ["type", "properties"],
                    "properties": { "type": { "const": "object" }, "properties": { "type": "object" } },
                    "description": "A JSON Schema that the filled-in form must follow." },
                "options": { "type": ["array", "null"], "minItems": 1, "maxItems": OPTIONS_MAX, "items": {
                    "type": "object", "required": ["id"], "additionalProperties": false, "properties": {
                        "id": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" },
                        "label": nullable(text(120, "What is shown.")),
                    } }, "description": "The default is approve and reject." },
                "expires_seconds": nullable(seconds(1, EXPIRY_MAX, "The default is to wait for ever.")),
                "on_expiry": { "type": ["string", "null"], "description": "The option taken on expiry; without it the step fails." },
            }), &["prompt"]),
            kind_params("flow.task", &json!({
                "flow_id": text(ID_MAX, "The portable id of a saved flow."),
                "flow_hash": { "description": "A pin; written when the document is saved." },
                "inputs": { "type": ["object", "null"], "additionalProperties": expression("The value of one input of that flow.") },
            }), &["params"]),
        ],
    })
}

/// What steps of one kind have in their params, and which members they must have.
fn kind_params(kind: &str, params: &Value, required: &[&str]) -> Value {
    json!({
        "if": { "required": ["type"], "properties": { "type": { "const": kind } } },
        "then": { "required": required, "properties": { "params": { "properties": params } } },
    })
}
