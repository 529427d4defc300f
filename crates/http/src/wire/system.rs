//! The status of the runtime (contract §11).

use std::path::Path;

use segue_flow::Flows;
use segue_model::flow::{Json, Object, Profile, fields::Word, json::object};

use crate::shape::{Named, Shape, has};

const DETERMINISTIC: &str = "E1_DETERMINISTIC";
const REAL: &str = "E2_REAL_EXECUTOR";

pub const STATUS: Named = Named {
    name: "SystemStatus",
    about: "",
    shape: Shape::Exact(&[
        has("status", Shape::Const("ready")),
        has("workspace_id", Shape::Text),
        has("workspace_name", Shape::Text),
        has("state_root", Shape::Text),
        has(
            "executors",
            Shape::List(&Shape::Exact(&[
                has("id", Shape::Words(Profile::WORDS)),
                has("label", Shape::Text),
                has("available", Shape::Flag),
                has("evidence_level", Shape::Words(&[DETERMINISTIC, REAL])),
            ])),
        ),
    ]),
};

const fn label(profile: Profile) -> &'static str {
    match profile {
        Profile::Deterministic => "Deterministic",
        Profile::Codex => "Codex",
        Profile::Opencode => "OpenCode",
    }
}

#[must_use]
pub fn written(flows: &Flows, state_root: &Path) -> Object {
    let executor = |profile: &Profile| {
        let level = if *profile == Profile::Deterministic { DETERMINISTIC } else { REAL };
        Json::Object(object([
            ("id", (*profile).into()),
            ("label", label(*profile).into()),
            ("available", flows.is_available(*profile).into()),
            ("evidence_level", level.into()),
        ]))
    };
    object([
        ("status", "ready".into()),
        ("workspace_id", flows.workspace().key().into()),
        ("workspace_name", flows.workspace().name().into()),
        ("state_root", state_root.to_string_lossy().into_owned().into()),
        ("executors", Json::Array(Profile::ALL.iter().map(executor).collect())),
    ])
}
