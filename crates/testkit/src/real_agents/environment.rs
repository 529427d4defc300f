//! The environment and the configuration files with which each agent uses the scripted model server, keeps to a
//! home of its own, and neither updates itself nor reports anything.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::Agent;
use crate::model_server::MODELS;

/// The API key that the agents send. The server takes any.
pub const MODEL_KEY: &str = "scripted-key";

/// Writes what the agent wants to find below `home` and returns the variables to start it with.
///
/// `model_url` is [`ModelServer::url`](crate::model_server::ModelServer::url) and `home` an absolute path; give
/// each test its own, since agents keep sessions and locks there. `PATH` is the caller's to set, and keys of real
/// services are the caller's to leave out. The variables of different agents do not clash, so one environment may
/// hold several. They say nothing about permissions: opencode, for one, asks for nothing unless told to.
///
/// # Errors
/// When a file cannot be written.
pub fn environment(agent: Agent, model_url: &str, home: &Path) -> io::Result<Vec<(String, String)>> {
    fs::create_dir_all(home)?;
    let mut variables = vec![
        ("HOME", text(home)?),
        ("XDG_CONFIG_HOME", text(&home.join(".config"))?),
        ("XDG_DATA_HOME", text(&home.join(".local/share"))?),
        ("XDG_CACHE_HOME", text(&home.join(".cache"))?),
        ("XDG_STATE_HOME", text(&home.join(".local/state"))?),
        ("NO_COLOR", "1".to_owned()),
    ];
    variables.extend(match agent {
        Agent::Claude => claude(model_url, home)?,
        Agent::Codex => codex(model_url, home)?,
        Agent::Copilot => copilot(model_url, home)?,
        Agent::Cline => cline(model_url, home)?,
        Agent::Opencode => opencode(model_url, home)?,
    });
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    Ok(variables.into_iter().map(owned).collect())
}

type Variables = Vec<(&'static str, String)>;

fn claude(model_url: &str, home: &Path) -> io::Result<Variables> {
    Ok(vec![
        // Claude adds `/v1` itself.
        ("ANTHROPIC_BASE_URL", model_url.to_owned()),
        ("ANTHROPIC_API_KEY", MODEL_KEY.to_owned()),
        ("CLAUDE_CONFIG_DIR", text(&home.join(".claude"))?),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ])
}

fn codex(model_url: &str, home: &Path) -> io::Result<Variables> {
    let folder = home.join(".codex");
    // The model is one that Codex knows: about others it warns in the agent's own words, and offers no effort.
    // One retry each, so that a scripted failure ends in a second.
    let config = format!(
        r#"model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{model_url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"#
    );
    write(&folder.join("config.toml"), &config)?;
    Ok(vec![("CODEX_HOME", text(&folder)?), ("SCRIPTED_MODEL_KEY", MODEL_KEY.to_owned())])
}

fn copilot(model_url: &str, home: &Path) -> io::Result<Variables> {
    Ok(vec![
        ("COPILOT_HOME", text(&home.join(".copilot"))?),
        ("COPILOT_PROVIDER_BASE_URL", format!("{model_url}/v1")),
        ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
        ("COPILOT_PROVIDER_API_KEY", MODEL_KEY.to_owned()),
        ("COPILOT_MODEL", MODELS[0].to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_AUTO_UPDATE", "false".to_owned()),
    ])
}

fn cline(model_url: &str, home: &Path) -> io::Result<Variables> {
    let provider = "openai-compatible";
    let settings = json!({
        "version": 1,
        "lastUsedProvider": provider,
        "modes": {},
        "providers": {provider: {
            "settings": {
                "provider": provider, "apiKey": MODEL_KEY, "model": MODELS[0], "baseUrl": format!("{model_url}/v1"),
            },
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        }},
    });
    write(&home.join(".cline/data/settings/providers.json"), &settings.to_string())?;
    Ok(vec![
        // With the file alone Cline wants its user to sign in.
        ("CLINE_API_KEY", MODEL_KEY.to_owned()),
        ("CLINE_PROVIDER", provider.to_owned()),
        // Else it starts a daemon on a fixed port, in whose environment all later sessions run, and leaves it.
        ("CLINE_SESSION_BACKEND_MODE", "local".to_owned()),
    ])
}

fn opencode(model_url: &str, home: &Path) -> io::Result<Variables> {
    let provider = "scripted";
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        // Else every API key in the environment brings its provider's models along.
        "enabled_providers": [provider],
        "model": format!("{provider}/{}", MODELS[0]),
        "small_model": format!("{provider}/{}", MODELS[0]),
        "provider": {provider: {
            // Built into opencode: nothing is fetched.
            "npm": "@ai-sdk/openai-compatible",
            "name": provider,
            "options": {"baseURL": format!("{model_url}/v1"), "apiKey": MODEL_KEY},
            "models": {MODELS[0]: {"name": "Scripted one"}, MODELS[1]: {"name": "Scripted two"}},
        }},
    });
    write(&home.join(".config/opencode/opencode.json"), &config.to_string())?;
    Ok(vec![
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
    ])
}

fn write(file: &Path, content: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, content)
}

fn text(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some(text) if path.is_absolute() => Ok(text.to_owned()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("not an absolute path in UTF-8: {}", path.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_share_an_environment_without_clashing() {
        let home = tempfile::tempdir().expect("a folder");
        let mut all: Vec<(String, String)> = Vec::new();
        for agent in Agent::ALL {
            all.extend(environment(agent, "http://127.0.0.1:1", home.path()).expect("written"));
        }
        all.sort();
        all.dedup();
        let mut names: Vec<_> = all.iter().map(|(name, _)| name).collect();
        names.dedup();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn a_relative_home_is_refused() {
        let parent = tempfile::tempdir_in(".").expect("a folder");
        let name = Path::new(parent.path().file_name().expect("a name"));
        let error = environment(Agent::Copilot, "http://127.0.0.1:1", name).expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
