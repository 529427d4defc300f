//! Templates, cards of node types, and drafts (contract §20).

use segue_model::flow::{
    Effect, Granularity, Json, NodeKind, Object, Problem,
    capability::Kind,
    executor,
    fields::{Fields, Word},
    inputs::REPORT_FOCUS,
    json::object,
    template::{self, Draft, FOCUS_MAX, Mode, REQUEST_MAX},
};

use super::{plan, saved_flow};
use crate::shape::{Named, Shape, has, may};

const SLOT: Named = Named {
    name: "FlowTemplateSlot",
    about: "A blank of a template.",
    shape: Shape::Exact(&[
        has("id", Shape::Text),
        has("name", Shape::Text),
        has("type", Shape::Text),
        has("required", Shape::Flag),
        has("default", Shape::Text),
        has("description", Shape::Text),
    ]),
};

pub const TEMPLATE: Named = Named {
    name: "FlowTemplate",
    about: "A built-in writing flow to begin with. Its id is its granularity.",
    shape: Shape::Exact(&[
        has("template_id", Shape::Words(Granularity::WORDS)),
        has("name", Shape::Text),
        has("description", Shape::Text),
        has("intent_tags", Shape::List(&Shape::Text)),
        has("slots", Shape::List(&Shape::Named(&SLOT))),
        has("default_mode", Shape::Words(Mode::WORDS)),
        has("supported_modes", Shape::List(&Shape::Words(Mode::WORDS))),
    ]),
};

pub const NODE_CARD: Named = Named {
    name: "NodeTypeCard",
    about: "A type of node: what it is, and what it can be bound to. `effects` are those of the built-in executor; a capability brings \
        its own.",
    shape: Shape::Exact(&[
        has("node_type", Shape::Words(NodeKind::WORDS)),
        has("name", Shape::Text),
        has("description", Shape::Text),
        has("capability_kinds", Shape::List(&Shape::Words(Kind::WORDS))),
        has("needs_capability", Shape::Flag),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("schema_version", Shape::Integer),
    ]),
};

pub const DRAFT_REQUEST: Named = Named {
    name: "FlowDraftRequest",
    about: "A template that is not known means `balanced`. `report_focus` fills the blank; `user_request` describes the work, and fills \
        the blank if nothing else does.",
    shape: Shape::Open(&[
        may("template_id", Shape::OrNull(&Shape::Text)),
        may("report_focus", Shape::OrNull(&Shape::Text)),
        may("user_request", Shape::OrNull(&Shape::Text)),
    ]),
};

pub const DRAFT: Named = Named {
    name: "FlowDraft",
    about: "A document that is not saved yet, with what it was made from.",
    shape: Shape::Exact(&[
        has("template_id", Shape::Words(Granularity::WORDS)),
        has("template_name", Shape::Text),
        has("filled_slots", Shape::MapOf(&Shape::Text)),
        has("missing_slots", Shape::List(&Shape::Text)),
        has("patches_applied", Shape::List(&Shape::Exact(&[has("path", Shape::Text), has("value", Shape::Any)]))),
        has("flow_dsl", Shape::Map),
        has("missing_inputs", Shape::List(&Shape::Text)),
        has("assumptions", Shape::List(&Shape::Text)),
        has("explanation", Shape::Text),
        has("validation", Shape::Named(&saved_flow::VALIDATION)),
        has("plan", Shape::Named(&plan::PLAN)),
    ]),
};

#[must_use]
pub fn template(granularity: Granularity) -> Json {
    Json::Object(object([
        ("template_id", granularity.into()),
        ("name", granularity.template_name().into()),
        ("description", granularity.template_description().into()),
        ("intent_tags", granularity.intent_tags().to_vec().into()),
        ("slots", Json::Array(vec![template::slot().into()])),
        ("default_mode", Mode::SemiAuto.into()),
        ("supported_modes", Mode::ALL.to_vec().into()),
    ]))
}

/// The cards that the contract has.
pub const CARDS: [NodeKind; 3] = [NodeKind::Agent, NodeKind::Artifact, NodeKind::Tool];

const fn words_of(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Agent => ("Agent", "Work for an agent: it receives what was accepted before, and an instruction."),
        NodeKind::Model => ("Model", "One call of a model, without tools."),
        NodeKind::Evaluation => {
            ("Evaluation", "Judges what the step before returned; a negative verdict ends the run or asks for repair.")
        }
        NodeKind::Tool => ("Tool", "A command, an MCP tool or an HTTP endpoint."),
        NodeKind::Capability => ("Capability", "Another name for a tool, for old documents."),
        NodeKind::Artifact => ("End", "Publishes the result as a file."),
        NodeKind::Human => ("Person", "Asks a person and waits for the answer."),
        NodeKind::Flow => ("Flow", "Runs another saved flow as one step."),
    }
}

#[must_use]
pub fn card(kind: NodeKind) -> Json {
    let (name, description) = words_of(kind);
    let effects = match kind {
        NodeKind::Artifact => executor::publisher().effects,
        NodeKind::Human => executor::person().effects,
        _ => Vec::new(),
    };
    let version: i64 = if kind.needs_version_2() { 2 } else { 1 };
    Json::Object(object([
        ("node_type", kind.into()),
        ("name", name.into()),
        ("description", description.into()),
        ("capability_kinds", kind.accepts().to_vec().into()),
        ("needs_capability", kind.needs_capability().into()),
        ("effects", effects.into()),
        ("schema_version", version.into()),
    ]))
}

/// # Errors
/// A text is too long or none.
pub fn read_draft(body: &Object) -> Result<Draft, Problem> {
    let fields = Fields::new(body, "");
    let named = fields.get("template_id").and_then(Json::as_str).and_then(Granularity::parse);
    let text = |name: &str, max: usize| match fields.get(name) {
        Some(Json::String(text)) if text.trim().is_empty() => Ok(None),
        _ => fields.optional_text(name, max),
    };
    let (focus, request) = (text(REPORT_FOCUS, FOCUS_MAX)?, text("user_request", REQUEST_MAX)?);
    Ok(template::draft(named.unwrap_or(Granularity::Balanced), focus, request))
}

#[must_use]
pub fn draft(draft: Draft, validation: Json, plan: Object) -> Object {
    let missing: Vec<&str> = if draft.focus.is_none() { vec![REPORT_FOCUS] } else { Vec::new() };
    let filled = draft.focus.map(|focus| (REPORT_FOCUS.to_owned(), focus.into())).into_iter().collect();
    let patch = |(path, value): (String, Json)| Json::Object(object([("path", path.into()), ("value", value)]));
    object([
        ("template_id", draft.granularity.into()),
        ("template_name", draft.granularity.template_name().into()),
        ("filled_slots", Json::Object(filled)),
        ("missing_slots", missing.clone().into()),
        ("patches_applied", Json::Array(draft.patches.into_iter().map(patch).collect())),
        ("flow_dsl", draft.document.into()),
        ("missing_inputs", missing.into()),
        ("assumptions", draft.assumptions.into()),
        ("explanation", draft.explanation.into()),
        ("validation", validation),
        ("plan", plan.into()),
    ])
}
