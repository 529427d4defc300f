//! The status of the runtime (contract §11).

use std::path::Path;

use segue_flow::Flows;
use segue_model::flow::{Json, Object, Profile, fields::Word, json::object};

use crate::{
    app::App,
    shape::{Named, Shape, has},
    token::Token,
};

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

pub const SETTINGS: Named = Named {
    name: "SystemSettings",
    about: "Where this server keeps things and what it works in. `token_file` holds the bearer token for clients that cannot be seen to \
        be the user's; the token itself is nowhere else. `state_is_usual`: commands find the state folder without `--state-dir`.",
    shape: Shape::Exact(&[
        has("version", Shape::Text),
        has("workspace", Shape::Text),
        has("workspace_id", Shape::Text),
        has("workspace_name", Shape::Text),
        has("state_root", Shape::Text),
        has("state_is_usual", Shape::Flag),
        has("token_file", Shape::OrNull(&Shape::Text)),
        has("agents", Shape::List(&Shape::Text)),
        has("nested", Shape::Flag),
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

#[must_use]
pub fn settings(app: &App) -> Object {
    let (flows, channel) = (app.flows(), app.channel());
    let token = app.token().map(|_| Token::path(app.state_root()).to_string_lossy().into_owned());
    object([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("workspace", flows.workspace().path().to_string_lossy().into_owned().into()),
        ("workspace_id", flows.workspace().key().into()),
        ("workspace_name", flows.workspace().name().into()),
        ("state_root", app.state_root().to_string_lossy().into_owned().into()),
        ("state_is_usual", app.state_is_usual().into()),
        ("token_file", token.into()),
        ("agents", Json::Array(channel.agents().into_iter().map(Json::from).collect())),
        ("nested", channel.nested().into()),
    ])
}
