//! Codex as a program that answers one prompt: read-only, with none of its user's settings (contract §14.8).

use segue_model::flow::{
    Json,
    capability::{Capability, Kind, Source},
    json::object,
};

/// The capability that discovery finds.
pub const ID: &str = "agent.codex";
/// The program on PATH.
pub const PROGRAM: &str = "codex";
/// The model unless another is asked for.
pub const MODEL: &str = "gpt-5.4";
/// Seconds.
pub const TIMEOUT: u32 = 300;

/// The fixed arguments; the prompt comes on stdin.
#[must_use]
pub fn arguments(model: &str) -> Vec<String> {
    let words = [
        "exec",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--sandbox",
        "read-only",
        "--skip-git-repo-check",
        "--color",
        "never",
        "-m",
        model,
        "-c",
        "model_reasoning_effort=\"low\"",
        "-",
    ];
    words.map(str::to_owned).to_vec()
}

/// The capability of an installed Codex; `version` is the first line it prints about itself.
#[must_use]
pub fn capability(executable: &str, model: &str, version: &str) -> Option<Capability> {
    let config = object([
        ("executable", executable.into()),
        ("args", arguments(model).into()),
        ("probe_args", vec!["--version"].into()),
        ("version", version.into()),
    ]);
    let definition = object([
        ("id", ID.into()),
        ("kind", Kind::AgentCli.into()),
        ("source", Source::Discovered.into()),
        ("name", "Codex".into()),
        ("description", "Codex answers one prompt; it reads the workspace and writes nothing.".into()),
        ("timeout_seconds", TIMEOUT.into()),
        ("config", config.into()),
    ]);
    Capability::from_saved(&Json::Object(definition)).ok()
}
