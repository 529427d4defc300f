//! The six built-in agents. Names, commands, pins and choices are the channel's published contract.

use std::time::Duration;

use super::adapter::{Adapter, Amend, Choice, Pin};
use crate::acp::SettingValue;

/// For agents that were seen to exit within two and a half seconds of the end of their standard
/// input, even with a command running.
const EOF_GRACE: Duration = Duration::from_secs(5);

/// Codex was seen to take 2 to 5 s, longest when idle.
const EOF_GRACE_CODEX: Duration = Duration::from_secs(8);

/// Cline ignores SIGTERM: the end of its input is the only way to an orderly exit.
const EOF_GRACE_CLINE: Duration = Duration::from_secs(8);

fn pin(name: &str, value: &str) -> Pin {
    Pin { name: name.to_owned(), value: SettingValue::Str(value.to_owned()), with_edit: None }
}

fn setting(name: &str) -> Option<Choice> {
    Some(Choice::Setting(name.to_owned()))
}

/// The row that the others differ from.
fn row(name: &str, program: &str, args: &[&str], pins: Vec<Pin>) -> Adapter {
    Adapter {
        name: name.to_owned(),
        program: program.to_owned(),
        args: args.iter().map(ToString::to_string).collect(),
        pins,
        model: setting("model"),
        effort: None,
        environment: Vec::new(),
        eof_grace: EOF_GRACE,
        source: None,
        amend: None,
    }
}

pub(super) fn adapters() -> Vec<Adapter> {
    vec![
        Adapter {
            effort: setting("effort"),
            ..row("claude_code", "claude-agent-acp", &[], vec![pin("mode", "default")])
        },
        Adapter {
            effort: Some(Choice::LaunchFlag {
                flag: "--thinking".to_owned(),
                values: ["none", "low", "medium", "high", "xhigh"].map(str::to_owned).to_vec(),
            }),
            // Without it the first cline starts a daemon that runs the sessions of every later one
            // and outlives them all; ending one tree would then end another's work.
            environment: vec![("CLINE_SESSION_BACKEND_MODE".to_owned(), "local".to_owned())],
            eof_grace: EOF_GRACE_CLINE,
            ..row(
                "cline",
                "cline",
                &["--acp"],
                vec![Pin { name: "auto_approve".to_owned(), value: SettingValue::Bool(false), with_edit: None }],
            )
        },
        Adapter {
            effort: setting("reasoning_effort"),
            eof_grace: EOF_GRACE_CODEX,
            ..row("codex", "codex-acp", &[], vec![pin("mode", "read-only")])
        },
        Adapter {
            effort: setting("reasoning_effort"),
            ..row(
                "copilot",
                "copilot",
                &["--acp"],
                // The mode first: "autopilot" turns allow_all on, and leaving it is not known to
                // turn it off.
                vec![
                    pin("mode", "https://agentclientprotocol.com/protocol/session-modes#agent"),
                    pin("allow_all", "off"),
                ],
            )
        },
        row(
            "cursor",
            "cursor-agent",
            &["acp"],
            vec![Pin { with_edit: Some(SettingValue::Str("agent".to_owned())), ..pin("mode", "plan") }],
        ),
        // The mode alone does not make it ask.
        Adapter {
            amend: Some(Amend::OpencodeAsks),
            ..row("opencode", "opencode", &["acp"], vec![pin("mode", "build")])
        },
    ]
}

#[cfg(test)]
mod tests {
    use crate::adapters::{Options, Registry};
    use serde_json::{Value, json};

    /// The table of the contract: name, command line, pins, pins with edit, delivery.
    #[test]
    fn the_table() {
        let rows: Vec<Value> = Registry::builtin()
            .names()
            .map(|name| {
                let registry = Registry::builtin();
                let adapter = registry.get(name).unwrap();
                let command: Vec<String> =
                    [adapter.program.clone()].into_iter().chain(adapter.arguments(&Options::default())).collect();
                let delivery: serde_json::Map<String, Value> =
                    adapter.delivery().into_iter().map(|(choice, how)| (choice.into(), how.as_str().into())).collect();
                json!([name, command.join(" "), adapter.pinned(false), adapter.pinned(true), delivery])
            })
            .collect();
        let setting = "session_setting";
        let copilot =
            json!({"mode": "https://agentclientprotocol.com/protocol/session-modes#agent", "allow_all": "off"});
        assert_eq!(
            Value::Array(rows),
            json!([
                ["claude_code", "claude-agent-acp", {"mode": "default"}, {"mode": "default"}, {"model": setting, "effort": setting}],
                ["cline", "cline --acp", {"auto_approve": false}, {"auto_approve": false}, {"model": setting, "effort": "launch_flag"}],
                ["codex", "codex-acp", {"mode": "read-only"}, {"mode": "read-only"}, {"model": setting, "effort": setting}],
                ["copilot", "copilot --acp", copilot, copilot, {"model": setting, "effort": setting}],
                ["cursor", "cursor-agent acp", {"mode": "plan"}, {"mode": "agent"}, {"model": setting}],
                ["opencode", "opencode acp", {"mode": "build"}, {"mode": "build"}, {"model": setting}],
            ])
        );
    }
}
