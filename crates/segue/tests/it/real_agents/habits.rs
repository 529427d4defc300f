//! What differs between the agents. Everything here was seen; after a change of version, look again.

use segue_testkit::real_agents::Agent;
use serde_json::{Value, json};

use super::world::World;

/// One agent.
pub struct Habits {
    /// The name of its adapter.
    pub adapter: &'static str,
    /// `None` for a stand-in: the scripted agent, which takes its script itself.
    pub real: Option<Agent>,
    /// `describe_agent`'s answer without `agent` and `pins`.
    pub describes: fn() -> Value,
    /// The settings that are pinned, as they are in force.
    pub pins: fn() -> Value,
    /// `options.allow` for writing a file and running a command, and the kind under which it asks for the former.
    pub allow: &'static [&'static str],
    pub write_kind: &'static str,
    /// Without leave to edit it is pinned to a mode in which it does not even ask to write.
    pub only_plans: bool,
    /// What it calls a command, when that is not the command.
    pub command_title: fn(&str) -> String,
    /// The status with which it reports a command that ended with another exit status than 0.
    pub failed_command: &'static str,
    /// What follows a refusal.
    pub refused: Refused,
    /// `options` for a model and an effort, and what is in force with them beyond the pins; or the error.
    pub choice: fn() -> Value,
    pub chosen: Result<fn() -> Value, &'static str>,
    pub lists_sessions: bool,
    pub deletes_sessions: bool,
    /// A session that was deleted, or is said to be, can be loaded.
    pub forgets_deleted: bool,
    /// Script of an error, and how the task ends then: status, why, and a part of the error or final message.
    pub errors: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

/// How a turn ends whose question was refused, when the script says "Noted." afterwards.
pub struct Refused {
    pub status: &'static str,
    pub stop_reason: &'static str,
    pub because: &'static str,
    pub final_message: Option<&'static str>,
}

/// The agent tells its model, and the turn goes on.
const TOLD: Refused =
    Refused { status: "succeeded", stop_reason: "end_turn", because: "completed", final_message: Some("Noted.") };

fn as_it_is(command: &str) -> String {
    command.to_owned()
}

fn in_force(settings: &[(&str, Value)]) -> Value {
    settings.iter().map(|(name, value)| json!({"name": name, "asked": value, "in_force": value})).collect()
}

pub const CLAUDE: Habits = Habits {
    adapter: "claude_code",
    real: Some(Agent::Claude),
    describes: || {
        json!({
            "model": {"current": "default", "values": ["default", "opus", "fable", "sonnet", "haiku"]},
            "effort": {"current": "default", "values": ["default", "low", "medium", "high", "xhigh", "max"]},
            "delivery": {"model": "session_setting", "effort": "session_setting"},
        })
    },
    pins: || in_force(&[("mode", json!("default"))]),
    allow: &["edit", "execute"],
    write_kind: "edit",
    only_plans: false,
    command_title: as_it_is,
    failed_command: "failed",
    refused: TOLD,
    choice: || json!({"model": "sonnet", "effort": "high"}),
    chosen: Ok(|| in_force(&[("model", json!("sonnet")), ("effort", json!("high"))])),
    lists_sessions: true,
    deletes_sessions: true,
    forgets_deleted: true,
    // After 429 it tries again for minutes, in silence.
    errors: &[("[[error:400:bad thing]]", "failed", "agent_error", "API Error: 400 bad thing")],
};

pub const CODEX: Habits = Habits {
    adapter: "codex",
    real: Some(Agent::Codex),
    describes: || {
        json!({
            "model": {"current": "gpt-5.5", "values": [
                "gpt-6.1-sol", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-6.1-terra",
                "gpt-5.6-terra", "gpt-5.6-luna", "gpt-5.5",
            ]},
            "effort": {"current": "medium", "values": ["low", "medium", "high", "xhigh"]},
            "delivery": {"model": "session_setting", "effort": "session_setting"},
        })
    },
    pins: || in_force(&[("mode", json!("read-only"))]),
    allow: &["edit", "execute"],
    write_kind: "edit",
    only_plans: false,
    command_title: as_it_is,
    failed_command: "failed",
    // It ends its turn as if somebody had cancelled it.
    refused: Refused { status: "failed", stop_reason: "cancelled", because: "permission_refused", final_message: None },
    choice: || json!({"model": "gpt-5.5", "effort": "high"}),
    chosen: Ok(|| in_force(&[("model", json!("gpt-5.5")), ("reasoning_effort", json!("high"))])),
    lists_sessions: true,
    deletes_sessions: true,
    forgets_deleted: true,
    errors: &[
        ("[[error:400:bad thing]]", "succeeded", "upstream_error", "bad thing"),
        ("[[error:429:slow down]]", "succeeded", "usage_limit", "429 Too Many Requests"),
        ("[[error:401:no key]]", "failed", "sign_in", "authentication is required"),
    ],
};

const COPILOT_MODE: &str = "https://agentclientprotocol.com/protocol/session-modes#agent";

pub const COPILOT: Habits = Habits {
    adapter: "copilot",
    real: Some(Agent::Copilot),
    // With a model provider of one's own it offers neither.
    describes: || json!({"delivery": {"model": "session_setting", "effort": "session_setting"}}),
    pins: || in_force(&[("mode", json!(COPILOT_MODE)), ("allow_all", json!("off"))]),
    allow: &["edit", "execute"],
    write_kind: "edit",
    only_plans: false,
    command_title: |_| "scripted description".to_owned(),
    failed_command: "completed",
    refused: Refused {
        status: "succeeded",
        stop_reason: "end_turn",
        because: "permission_refused",
        final_message: Some("Info: Operation cancelled by user"),
    },
    choice: || json!({"model": "gpt-5.5"}),
    chosen: Err("copilot does not offer the session setting 'model'"),
    lists_sessions: true,
    deletes_sessions: false,
    forgets_deleted: false,
    errors: &[
        ("[[error:400:bad thing]]", "succeeded", "upstream_error", "Error: 400 bad thing"),
        ("[[error:429:slow down]]", "succeeded", "usage_limit", "429 slow down"),
        ("[[error:401:no key]]", "succeeded", "sign_in", "HTTP 401"),
    ],
};

pub const CLINE: Habits = Habits {
    adapter: "cline",
    real: Some(Agent::Cline),
    describes: || {
        json!({
            "model": {"current": "gpt-4o", "values": ["gpt-4o"]},
            "effort": {"current": null, "values": ["none", "low", "medium", "high", "xhigh"]},
            "delivery": {"model": "session_setting", "effort": "launch_flag"},
        })
    },
    pins: || in_force(&[("auto_approve", json!(false))]),
    allow: &["edit", "execute", "other"],
    // With this model it writes files through `apply_patch`.
    write_kind: "other",
    only_plans: false,
    command_title: |command| format!("run_commands: {command}"),
    failed_command: "completed",
    refused: TOLD,
    choice: || json!({"model": "gpt-4o", "effort": "high"}),
    chosen: Ok(|| in_force(&[("model", json!("gpt-4o"))])),
    lists_sessions: false,
    deletes_sessions: false,
    forgets_deleted: false,
    errors: &[
        ("[[error:400:bad thing]]", "failed", "agent_error", "Internal error: bad thing"),
        ("[[error:429:slow down]]", "failed", "agent_error", "Internal error: slow down"),
    ],
};

pub const OPENCODE: Habits = Habits {
    adapter: "opencode",
    real: Some(Agent::Opencode),
    describes: || {
        json!({
            "model": {"current": "scripted/scripted-model", "values": ["scripted/scripted-model", "scripted/scripted-model-2"]},
            "delivery": {"model": "session_setting"},
        })
    },
    pins: || in_force(&[("mode", json!("build"))]),
    allow: &["edit", "execute"],
    write_kind: "edit",
    only_plans: false,
    command_title: as_it_is,
    failed_command: "completed",
    refused: Refused {
        status: "succeeded",
        stop_reason: "end_turn",
        because: "permission_refused",
        final_message: None,
    },
    choice: || json!({"model": "scripted/scripted-model-2"}),
    chosen: Ok(|| in_force(&[("model", json!("scripted/scripted-model-2"))])),
    lists_sessions: true,
    deletes_sessions: false,
    forgets_deleted: false,
    errors: &[
        ("[[error:400:bad thing]]", "failed", "agent_error", "Internal error: bad thing"),
        ("[[error:429:slow down]]", "failed", "agent_error", "Internal error: slow down"),
    ],
};

pub const CURSOR_STAND_IN: Habits = Habits {
    adapter: "cursor",
    real: None,
    describes: || {
        json!({
            "model": {"current": "auto", "values": ["auto", "gpt-5.5", "sonnet-4.5"]},
            "delivery": {"model": "session_setting"},
        })
    },
    pins: || in_force(&[("mode", json!("plan"))]),
    allow: &["edit", "execute"],
    write_kind: "edit",
    only_plans: true,
    command_title: as_it_is,
    failed_command: "failed",
    refused: TOLD,
    choice: || json!({"model": "gpt-5.5"}),
    chosen: Ok(|| in_force(&[("model", json!("gpt-5.5"))])),
    lists_sessions: true,
    deletes_sessions: false,
    forgets_deleted: false,
    errors: &[
        ("[[say:Error\\: 400 bad thing]] [[usage_null]]", "succeeded", "upstream_error", "Error: 400 bad thing"),
        ("[[error:-32603:429 Too Many Requests]]", "failed", "usage_limit", "429 Too Many Requests"),
    ],
};

/// Scripts, in the words of the model or of the stand-in.
impl Habits {
    pub fn write(&self, world: &World, file: &str, text: &str) -> String {
        let path = world.program.workspace().join(file).display().to_string();
        match self.real {
            Some(_) => format!("[[tool:write:{path}:{text}]]"),
            None => format!("[[write:{path}:{text}]]"),
        }
    }

    /// A command outside of the agent's own sandbox: only for those every agent asks.
    pub fn shell(&self, command: &str) -> String {
        match self.real {
            Some(_) => format!("[[tool:shell-ask:{command}]]"),
            None => format!("[[run:{command}]]"),
        }
    }

    /// A minute of short pieces.
    pub fn speech(&self) -> &'static str {
        match self.real {
            Some(_) => "[[delay:0.1]] [[chunks:600]]",
            None => "[[stream:600:100]]",
        }
    }
}
