//! Capabilities (contract §11, §13). What a definition may say is judged by the model.

use segue_model::flow::{
    Effect, Json, Object,
    capability::{Capability, Kind, ProbeRecord, Saved},
    fields::Word,
    json::object,
};

use crate::shape::{Member, Named, Shape, has, may};

const PROBE: Named = Named {
    name: "ProbeRecord",
    about: "",
    shape: Shape::Exact(&[
        has("ok", Shape::Flag),
        has("checked_at", Shape::Time),
        has("summary", Shape::Text),
        has("details", Shape::Map),
    ]),
};

pub const CAPABILITY: Named = Named {
    name: "Capability",
    about: "",
    shape: Shape::Exact(&[
        has("id", Shape::Text),
        has("version", Shape::Text),
        has("name", Shape::Text),
        has("kind", Shape::Words(Kind::WORDS)),
        has("source", Shape::Words(&["manual", "discovered", "sample"])),
        has("description", Shape::Text),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("timeout_seconds", Shape::Integer),
        has("config", Shape::Map),
        has("fingerprint", Shape::Text),
        has("status", Shape::Words(&["validated", "ready", "unavailable"])),
        has("last_probe", Shape::OrNull(&Shape::Named(&PROBE))),
    ]),
};

const MEMBERS: &[Member] = &[
    has("kind", Shape::Words(Kind::WORDS)),
    has("name", Shape::Text),
    may("id", Shape::Text),
    may("source", Shape::Text),
    may("description", Shape::Text),
    may("timeout_seconds", Shape::Integer),
    may("effects", Shape::List(&Shape::Words(Effect::WORDS))),
    may("config", Shape::Map),
    may("probe", Shape::Flag),
];

/// The bare definition.
pub const DEFINITION: Named = Named { name: "CapabilityDefinition", about: "", shape: Shape::Open(MEMBERS) };

/// The definition as a member.
pub const WRAPPED: Named = Named {
    name: "CapabilityRequest",
    about: "",
    shape: Shape::Open(&[has("capability", Shape::Named(&DEFINITION)), may("probe", Shape::Flag)]),
};

pub const LIST: Shape = Shape::Exact(&[has("items", Shape::List(&Shape::Named(&CAPABILITY)))]);

pub const VALIDATION: Named = Named {
    name: "CapabilityValidation",
    about: "`probe` only when it was asked for.",
    shape: Shape::Exact(&[
        has("valid", Shape::Flag),
        has("capability", Shape::Named(&CAPABILITY)),
        has("problems", Shape::List(&Shape::Text)),
        may("probe", Shape::Named(&PROBE)),
    ]),
};

pub const DELETED: Named = Named {
    name: "DeletedCapability",
    about: "",
    shape: Shape::Exact(&[has("deleted", Shape::Flag), has("capability_id", Shape::Text)]),
};

/// The definition in a body, and whether it is to be tried.
#[must_use]
pub fn read(body: Object) -> (Json, bool) {
    let probe = body.get("probe") == Some(&Json::Bool(true));
    match body.get("capability") {
        Some(definition) => (definition.clone(), probe),
        None => (Json::Object(body), probe),
    }
}

#[must_use]
pub fn unsaved(capability: Capability) -> Json {
    Saved::validated(capability).to_json()
}

#[must_use]
pub fn validation(capability: Capability, probe: Option<&ProbeRecord>) -> Object {
    let mut reply =
        object([("valid", true.into()), ("capability", unsaved(capability)), ("problems", Json::Array(Vec::new()))]);
    if let Some(probe) = probe {
        let seen = object([
            ("ok", probe.ok.into()),
            ("checked_at", probe.checked_at.as_str().into()),
            ("summary", probe.summary.as_str().into()),
            ("details", probe.details.clone()),
        ]);
        reply.insert("probe".to_owned(), seen.into());
    }
    reply
}

#[must_use]
pub fn deleted(id: &str) -> Object {
    object([("deleted", true.into()), ("capability_id", id.into())])
}
