//! Who the scripted agent says it is: names, capabilities, the settings it offers, the words of its permission
//! questions, and when it asks at all.
//!
//! Pure tables. They follow what the real agents were seen to offer, as far as a client can tell the
//! difference; model names are examples. Refuses to know the wire and the session.

use serde_json::{Value, json};

/// The agents the program can stand in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persona {
    /// No agent in particular: `mode` decides whether it asks, `effort` appears with some models only.
    Generic,
    ClaudeCode,
    Codex,
    Copilot,
    Cline,
    Cursor,
    Opencode,
}

/// What an option set holds for one setting.
#[derive(Debug)]
pub struct Setting {
    pub id: &'static str,
    pub name: &'static str,
    pub category: Option<&'static str>,
    pub values: Values,
    /// The models with which the setting is offered; empty means all.
    pub models: &'static [&'static str],
}

#[derive(Debug)]
pub enum Values {
    /// The initial value, then the offer in order.
    Select(&'static str, &'static [&'static str]),
    Boolean(bool),
}

/// The ids of an agent's permission options. They differ from the kinds, so that choosing by id fails.
#[derive(Debug, Clone, Copy)]
pub struct PermissionOptions {
    pub allow_once: &'static str,
    pub allow_always: &'static str,
    pub reject_once: &'static str,
    pub reject_always: &'static str,
}

/// What an agent does before it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    Ask,
    /// Acts without a question.
    Act,
    /// Neither asks nor acts.
    Refuse,
}

impl Persona {
    pub const ALL: [Persona; 7] = [
        Persona::Generic,
        Persona::ClaudeCode,
        Persona::Codex,
        Persona::Copilot,
        Persona::Cline,
        Persona::Cursor,
        Persona::Opencode,
    ];

    /// The name of the adapter that drives this agent, as `SCRIPTED_AS` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Persona::Generic => "generic",
            Persona::ClaudeCode => "claude_code",
            Persona::Codex => "codex",
            Persona::Copilot => "copilot",
            Persona::Cline => "cline",
            Persona::Cursor => "cursor",
            Persona::Opencode => "opencode",
        }
    }

    /// The bare name of the executable that this agent is installed under.
    pub const fn executable(self) -> &'static str {
        match self {
            Persona::Generic => "segue-scripted-agent",
            Persona::ClaudeCode => "claude-agent-acp",
            Persona::Codex => "codex-acp",
            Persona::Copilot => "copilot",
            Persona::Cline => "cline",
            Persona::Cursor => "cursor-agent",
            Persona::Opencode => "opencode",
        }
    }

    /// The argument without which the real program does not speak the protocol.
    pub const fn required_argument(self) -> Option<&'static str> {
        match self {
            Persona::Generic | Persona::ClaudeCode | Persona::Codex => None,
            Persona::Copilot | Persona::Cline => Some("--acp"),
            Persona::Cursor | Persona::Opencode => Some("acp"),
        }
    }

    pub fn from_name(name: &str) -> Option<Persona> {
        Persona::ALL.into_iter().find(|p| p.name() == name)
    }

    pub fn from_executable(name: &str) -> Option<Persona> {
        Persona::ALL.into_iter().find(|p| p.executable() == name)
    }

    /// The session requests beyond new, load and prompt that it advertises.
    pub const fn session_capabilities(self) -> &'static [&'static str] {
        match self {
            Persona::Generic | Persona::ClaudeCode | Persona::Codex => &["list", "delete", "close"],
            Persona::Copilot | Persona::Opencode => &["list", "close"],
            Persona::Cline => &[],
            Persona::Cursor => &["list"],
        }
    }

    pub const fn permission_options(self) -> PermissionOptions {
        let (allow_once, allow_always, reject_once) = match self {
            Persona::Generic => ("yes-this-time", "yes-for-good", "no-this-time"),
            Persona::ClaudeCode => ("allow-once", "allow-with-updates", "reject"),
            Persona::Codex => ("allow_once", "allow_for_session", "cancel"),
            Persona::Copilot | Persona::Cline => ("allow_once", "allow_always", "reject_once"),
            Persona::Cursor => ("allow-once", "allow-always", "reject-once"),
            Persona::Opencode => ("once", "always", "reject"),
        };
        PermissionOptions { allow_once, allow_always, reject_once, reject_always: "no-for-good" }
    }

    /// Whether a cancelled turn still waits for the answer to its permission question.
    pub const fn cancel_waits_for_permission(self) -> bool {
        matches!(self, Persona::Cline)
    }

    /// What it does before an action of kind `edit` or `execute`.
    ///
    /// `current` reads the value in force of a setting; `opencode_config` is `OPENCODE_CONFIG_CONTENT` of its
    /// environment, the only place where that agent learns to ask.
    pub fn gate(self, kind: &str, current: impl Fn(&str) -> Option<String>, opencode_config: &Value) -> Gate {
        let mode = current("mode").unwrap_or_default();
        let edit = kind == "edit";
        let planning = mode == "plan" || mode.ends_with("#plan");
        if planning {
            return if edit { Gate::Refuse } else { Gate::Ask };
        }
        match self {
            Persona::Generic if mode == "auto" => Gate::Act,
            Persona::ClaudeCode if mode == "auto" || (edit && mode == "acceptEdits") => Gate::Act,
            Persona::Codex if mode != "read-only" && !mode.is_empty() => Gate::Act,
            Persona::Copilot if mode.ends_with("#autopilot") || current("allow_all").as_deref() == Some("on") => {
                Gate::Act
            }
            Persona::Cline if current("auto_approve").as_deref() == Some("true") => Gate::Act,
            Persona::Cursor if edit && mode == "ask" => Gate::Refuse,
            Persona::Opencode => {
                let rule = if edit { "edit" } else { "bash" };
                match opencode_config["permission"][rule].as_str() {
                    Some("ask") => Gate::Ask,
                    Some("deny") => Gate::Refuse,
                    _ => Gate::Act,
                }
            }
            _ => Gate::Ask,
        }
    }

    pub const fn settings(self) -> &'static [Setting] {
        match self {
            Persona::Generic => GENERIC,
            Persona::ClaudeCode => CLAUDE_CODE,
            Persona::Codex => CODEX,
            Persona::Copilot => COPILOT,
            Persona::Cline => CLINE,
            Persona::Cursor => CURSOR,
            Persona::Opencode => OPENCODE,
        }
    }

    /// The ways to sign in that it lists.
    pub fn auth_methods(self) -> Value {
        json!([
            {"id": "browser", "name": "Sign in with a browser", "description": "Opens the sign-in page"},
            {"id": "api-key", "name": "Use an API key", "description": "Reads it from the environment"},
            {"id": "device-code", "name": "Enter a device code", "description": null},
        ])
    }
}

const fn select(
    id: &'static str,
    name: &'static str,
    category: &'static str,
    initial: &'static str,
    values: &'static [&'static str],
) -> Setting {
    Setting { id, name, category: Some(category), values: Values::Select(initial, values), models: &[] }
}

impl Setting {
    const fn with_models(mut self, models: &'static [&'static str]) -> Setting {
        self.models = models;
        self
    }
}

/// `quick` offers no effort, `deep` and `broad` offer different ones, and `quick` is the start: an effort can
/// only be set after the model.
const GENERIC: &[Setting] = &[
    select("mode", "Mode", "mode", "ask", &["ask", "auto", "plan"]),
    select("model", "Model", "model", "quick", &["quick", "deep", "broad"]),
    select("effort", "Effort", "thought_level", "medium", &["low", "medium", "high"]).with_models(&["deep"]),
    select("effort", "Effort", "thought_level", "low", &["low", "max"]).with_models(&["broad"]),
];

const CLAUDE_CODE: &[Setting] = &[
    select("mode", "Mode", "mode", "auto", &["default", "acceptEdits", "plan", "auto"]),
    select("model", "Model", "model", "default", &["default", "opus", "fable", "sonnet", "haiku", "claude-sonnet-4-5"]),
    select("effort", "Effort", "thought_level", "default", &["default", "low", "medium", "high", "xhigh", "max"])
        .with_models(&["default", "opus", "fable", "sonnet"]),
    select("fast", "Fast", "model_config", "off", &["on", "off"]).with_models(&["default", "opus", "fable", "sonnet"]),
];

const CODEX: &[Setting] = &[
    select("mode", "Mode", "mode", "agent", &["read-only", "workspace-write", "agent", "agent-full-access"]),
    select("collaboration_mode", "Collaboration mode", "collaboration_mode", "default", &["default", "plan"]),
    select("model", "Model", "model", "gpt-5.5", &["gpt-6.1-sol", "gpt-6-luna", "gpt-5.5"]),
    select("reasoning_effort", "Reasoning effort", "thought_level", "medium", &["low", "medium", "high", "xhigh"]),
    select("fast-mode", "Fast mode", "model_config", "off", &["off", "on"]),
];

pub(super) const COPILOT_AUTOPILOT: &str = "https://agentclientprotocol.com/protocol/session-modes#autopilot";

const COPILOT: &[Setting] = &[
    select(
        "mode",
        "Mode",
        "mode",
        "https://agentclientprotocol.com/protocol/session-modes#agent",
        &[
            "https://agentclientprotocol.com/protocol/session-modes#agent",
            "https://agentclientprotocol.com/protocol/session-modes#plan",
            COPILOT_AUTOPILOT,
        ],
    ),
    select("allow_all", "Allow all", "permissions", "off", &["on", "off"]),
    select("model", "Model", "model", "gpt-5.5", &["gpt-5.5", "claude-sonnet-4.5"]),
    select("reasoning_effort", "Reasoning effort", "thought_level", "medium", &["low", "medium", "high"]),
];

const CLINE: &[Setting] = &[
    select("provider", "Provider", "model", "cline", &["cline", "cline-pass", "openai-codex"]),
    select("model", "Model", "model", "gpt-4o", &["gpt-4o", "claude-sonnet-4-5"]),
    select("mode", "Mode", "mode", "act", &["plan", "act"]),
    Setting { id: "auto_approve", name: "Auto-approve", category: None, values: Values::Boolean(false), models: &[] },
];

const CURSOR: &[Setting] = &[
    select("mode", "Mode", "mode", "agent", &["agent", "plan", "ask"]),
    select("model", "Model", "model", "auto", &["auto", "gpt-5.5", "sonnet-4.5"]),
];

const OPENCODE: &[Setting] = &[
    select(
        "model",
        "Model",
        "model",
        "fake/fake-model",
        &["opencode/big-pickle", "fake/fake-model", "fake/fake-model-2"],
    ),
    select("mode", "Mode", "mode", "build", &["build", "plan"]),
];
