//! The environment that an agent starts with.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::adapter::{Adapter, Amend};
use super::opencode;

/// Variables by name.
pub type Environment = BTreeMap<OsString, OsString>;

/// How many launches lie between the person and a process; its presence is what a server that runs
/// inside an agent is recognised by.
pub const DEPTH: &str = "SYMM_MCP_DEPTH";

/// The most that the form of [`DEPTH`] can hold: nine digits.
const MAX_DEPTH: u32 = 999_999_999;

/// Marks that a hosting session leaves in the environment of what it starts, and that would make an
/// agent take itself for a part of that session: refuse to start, not keep its session, attach to an
/// editor, or wait on a channel that is not there. They are removed for every agent. What a person
/// configures (keys, homes, endpoints, models) is not among them.
pub const HOSTING_MARKERS: [(&str, &str); 29] = [
    // Claude Code refuses to start inside itself, and a "child session" is not stored.
    ("CLAUDECODE", "Claude Code"),
    ("CLAUDE_CODE_CHILD_SESSION", "Claude Code"),
    ("CLAUDE_CODE_ENTRYPOINT", "Claude Code"),
    ("CLAUDE_CODE_EXECPATH", "Claude Code"),
    ("CLAUDE_CODE_INVOKED_SKILLS", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ATTENDED", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    // The editor extension of the hosting session listens there.
    ("CLAUDE_CODE_SSE_PORT", "Claude Code"),
    ("CLAUDE_EFFORT", "Claude Code"),
    ("CLAUDE_ENV_FILE", "Claude Code"),
    ("CLAUDE_PID", "Claude Code"),
    ("AI_AGENT", "Claude Code"),
    // Codex behaves as if confined while these say so.
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_CI", "Codex"),
    ("CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "Codex"),
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_TOOL_CALL_ID", "Codex"),
    ("COPILOT_CLI", "GitHub Copilot"),
    ("COPILOT_AGENT_SESSION_ID", "GitHub Copilot"),
    ("CURSOR_AGENT", "Cursor"),
    ("CURSOR_TRACE_ID", "Cursor"),
    ("CLINE_ACTIVE", "Cline"),
    // Would turn the agent into a daemon.
    ("CLINE_RUN_AS_HUB_DAEMON", "Cline"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_PID", "opencode"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("QWEN_CODE", "Qwen Code"),
    // A Node.js program that inherits the number of a channel, but not the channel, dies at start.
    ("NODE_CHANNEL_FD", "Node.js parents"),
];

/// An environment in which an agent cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    #[error("{variable} must hold a JSON object")]
    NotAnObject { variable: &'static str },
}

impl Adapter {
    /// The server's environment without the marks of its own host, overlaid by the agent's values
    /// and by the depth.
    ///
    /// # Errors
    /// When a variable that the agent's values are merged into does not have the form for it.
    pub fn environment(&self, server: &Environment) -> Result<Environment, EnvironmentError> {
        let mut environment = server.clone();
        for (marker, _) in HOSTING_MARKERS {
            environment.remove(OsStr::new(marker));
        }
        environment.extend(self.environment.iter().map(|(name, value)| (name.into(), value.into())));
        match self.amend {
            Some(Amend::OpencodeAsks) => opencode::ask(&mut environment)?,
            None => {}
        }
        let inner = depth(server.get(OsStr::new(DEPTH)).map(OsString::as_os_str)).saturating_add(1).min(MAX_DEPTH);
        environment.insert(DEPTH.into(), inner.to_string().into());
        Ok(environment)
    }
}

/// What [`DEPTH`] says; 0 when it is absent or not 1 to 9 ASCII digits.
#[must_use]
pub fn depth(value: Option<&OsStr>) -> u32 {
    value
        .and_then(OsStr::to_str)
        .filter(|text| (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::Registry;

    fn environment(agent: &str, server: &[(&str, &str)]) -> Vec<(String, String)> {
        let server = server.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let made = Registry::builtin().get(agent).unwrap().environment(&server).unwrap();
        made.into_iter().map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn the_agents_values_lie_over_the_servers() {
        assert_eq!(
            environment("cline", &[("CLINE_SESSION_BACKEND_MODE", "hub"), ("HOME", "/h"), (DEPTH, "4")]),
            pairs(&[("CLINE_SESSION_BACKEND_MODE", "local"), ("HOME", "/h"), (DEPTH, "5")])
        );
    }

    #[test]
    fn marks_of_hosting_sessions_go_and_configuration_stays() {
        let kept = [
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "/x"),
            ("COPILOT_HOME", "/p"),
            ("CURSOR_API_KEY", "k"),
            (DEPTH, "1"),
        ];
        let marks = HOSTING_MARKERS.map(|(name, _)| (name, "1"));
        for agent in Registry::builtin().names().filter(|name| !matches!(*name, "cline" | "opencode")) {
            assert_eq!(environment(agent, &[&kept[..6], &marks].concat()), pairs(&kept));
        }
    }

    #[test]
    fn depth_is_one_more() {
        for (given, inner) in [
            (None, "1"),
            (Some("0"), "1"),
            (Some("007"), "8"),
            (Some("x"), "1"),
            (Some("-3"), "1"),
            (Some("+3"), "1"),
            (Some(""), "1"),
            (Some("999999999"), "999999999"),
            (Some("1000000000"), "1"),
        ] {
            let server: Vec<(&str, &str)> = given.map(|value| (DEPTH, value)).into_iter().collect();
            assert_eq!(environment("codex", &server), pairs(&[(DEPTH, inner)]), "{given:?}");
        }
    }
}
