//! Saved flows (contract §4, §20).

use segue_flow::api::SavedFlow;
use segue_model::flow::{
    Document, Granularity, Json, Object, Problem,
    fields::{Fields, Word},
    json::object,
};

use super::moment;
use crate::shape::{Named, Shape, has, may};

pub const SAVED_FLOW: Named = Named {
    name: "SavedFlow",
    about: "`flow_id` is the local id; the portable one is `flow.id`.",
    shape: Shape::Exact(&[
        has("flow_id", Shape::Text),
        has("name", Shape::Text),
        has("description", Shape::Text),
        has("template_id", Shape::Words(Granularity::WORDS)),
        has("flow", Shape::Map),
        has("created_at", Shape::Time),
        has("updated_at", Shape::Time),
    ]),
};

pub const SAVE_REQUEST: Named = Named {
    name: "SaveFlowRequest",
    about: "",
    shape: Shape::Open(&[
        has("flow", Shape::Map),
        may("template_id", Shape::OrNull(&Shape::Words(Granularity::WORDS))),
    ]),
};

pub const DELETED: Named = Named {
    name: "DeletedFlow",
    about: "",
    shape: Shape::Exact(&[has("deleted", Shape::Flag), has("flow_id", Shape::Text)]),
};

pub const VALIDATION: Named = Named {
    name: "FlowValidation",
    about: "At most one error, the first.",
    shape: Shape::Exact(&[
        has("valid", Shape::Flag),
        has(
            "errors",
            Shape::List(&Shape::Exact(&[
                has("severity", Shape::Const("error")),
                has("code", Shape::Text),
                has("message", Shape::Text),
            ])),
        ),
        has("warnings", Shape::List(&Shape::Any)),
    ]),
};

/// The document to be saved, and the granularity that the caller names.
///
/// # Errors
/// There is no document, or no such template.
pub fn read(body: &Object) -> Result<(Document, Option<Granularity>), Problem> {
    let fields = Fields::new(body, "");
    let flow = fields.object("flow")?.ok_or_else(|| fields.problem("flow", "must be an object"))?;
    Ok((Document::from(flow.members().clone()), fields.word("template_id")?))
}

#[must_use]
pub fn written(saved: SavedFlow) -> Json {
    Json::Object(object([
        ("flow_id", saved.local_id.into()),
        ("name", saved.name.into()),
        ("description", saved.description.into()),
        ("template_id", saved.granularity.into()),
        ("flow", saved.document.into()),
        ("created_at", moment(saved.created_at)),
        ("updated_at", moment(saved.updated_at)),
    ]))
}

#[must_use]
pub fn deleted(id: &str) -> Object {
    object([("deleted", true.into()), ("flow_id", id.into())])
}
