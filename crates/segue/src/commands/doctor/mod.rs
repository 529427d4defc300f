//! `segue doctor`: whether everything that Segue needs is there. Looks, and mends nothing.

mod agents;
mod machine;

use std::process::ExitCode;

use clap::{Args, builder::styling::AnsiColor};
use serde_json::{Value, json};

use super::CommandError;
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    flows::Workspace,
    output,
    terminal::{plain, style},
};

#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    workspace: Workspace,
    /// Also start each agent that is found, open a session and end it; sends no prompt and never signs in
    #[arg(long)]
    agents: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub state: State,
    /// What was found, or what is wrong and what to do about it.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Not there, and not needed.
    Missing,
    /// Works only after somebody has signed in.
    SignIn,
    Failed,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Missing => "missing",
            Self::SignIn => "sign_in",
            Self::Failed => "failed",
        }
    }

    /// The word, and whether the thing is needed.
    fn shown(self) -> String {
        match self {
            Self::Ready => style::coloured("ready", AnsiColor::Green),
            Self::Missing => style::coloured("missing (optional)", AnsiColor::Yellow),
            Self::SignIn => style::coloured("sign-in needed", AnsiColor::Yellow),
            Self::Failed => style::coloured("failed", AnsiColor::Red),
        }
    }
}

impl Check {
    fn new(name: impl Into<String>, state: State, detail: impl Into<String>) -> Self {
        Self { name: name.into(), state, detail: detail.into() }
    }

    fn json(&self) -> Value {
        json!({"name": self.name, "state": self.state.as_str(), "detail": self.detail})
    }

    /// `name=state detail`, so that a script can read it too.
    fn line(&self) -> String {
        format!("{}={} {}", plain::line(&self.name), self.state.shown(), plain::line(&self.detail))
    }
}

impl Doctor {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        if self.agents {
            brief::refuse_nested()?;
        }
        let mut checks = machine::checks(global, &self.workspace);
        let trouble = checks.iter().any(|check| check.state == State::Failed);
        checks.extend(agents::found(global));
        // Without a state folder no agent can be started.
        if self.agents && !trouble {
            agents::try_each(global, &mut checks)?;
        }
        let failed: Vec<&str> =
            checks.iter().filter(|check| check.state == State::Failed).map(|check| check.name.as_str()).collect();
        let next = next(&checks, &failed);
        let works = |needs: &[&str]| !failed.iter().any(|failed| needs.contains(failed));
        let parts = [("offline_demo", works(machine::DEMO)), ("local_app", works(machine::APP))];
        if self.json {
            let listed: Vec<Value> = checks.iter().map(Check::json).collect();
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "ok": failed.is_empty(),
                "checks": listed,
                "offline_demo": parts[0].1,
                "local_app": parts[1].1,
                "next": next,
            }));
        } else {
            output::line(&format!("segue={}", env!("CARGO_PKG_VERSION")));
            checks.iter().for_each(|check| output::line(&check.line()));
            for (name, works) in parts {
                output::line(&format!("{name}={}", if works { State::Ready } else { State::Failed }.shown()));
            }
            output::line(&format!("next={next}"));
        }
        Ok(if failed.is_empty() { Exit::Succeeded } else { Exit::Failed }.into())
    }
}

fn next(checks: &[Check], failed: &[&str]) -> String {
    if !failed.is_empty() {
        return format!("mend {}", failed.join(", "));
    }
    let usable = |check: &&Check| check.name.starts_with(agents::PREFIX) && check.state == State::Ready;
    match checks.iter().find(usable) {
        Some(check) => {
            let agent = check.name.trim_start_matches(agents::PREFIX);
            format!("let an MCP client start `segue mcp`, or run `segue task dispatch {agent}`")
        }
        None => "install one of the agents, or name one of your own in the agents file".to_owned(),
    }
}
