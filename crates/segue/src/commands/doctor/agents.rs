//! The agents of this machine: which are found, and with `--agents` which of them work.

use std::process::ExitCode;

use segue_channel::api::{Checked, Choice};

use super::{Check, State};
use crate::{
    agents_file, brief,
    cli::Global,
    commands::{CommandError, agents::list},
    exit::Exit,
    wiring::Wanted,
};

/// What stands before an agent's name in a check's.
pub const PREFIX: &str = "agent.";
/// How many models are named.
const MODELS: usize = 8;

/// Which agents are there. None of them is needed. A broken agents file is told elsewhere.
pub fn found(global: &Global) -> Vec<Check> {
    let Ok((registry, _)) = agents_file::registry(global.agents_file.as_deref()) else { return Vec::new() };
    let check = |listed: list::Listed| {
        let name = format!("{PREFIX}{}", listed.adapter.name);
        match listed.found {
            Ok(path) => Check::new(name, State::Ready, path),
            Err(problem) => Check::new(name, State::Missing, problem),
        }
    };
    list::listed(&registry).into_iter().map(check).collect()
}

/// Starts each agent that was found, all at once, and adds to its check what came of it.
///
/// # Errors
/// When the channel cannot be set up.
pub fn try_each(global: &Global, checks: &mut [Check]) -> Result<ExitCode, CommandError> {
    let wanted = Wanted { orphan_grace: Some(brief::PROBE_GRACE), ..Wanted::default() };
    brief::with_channel(global, wanted, async |wired| {
        let mut trials = Vec::new();
        for check in checks.iter_mut().filter(|check| check.state == State::Ready) {
            let Some(agent) = check.name.strip_prefix(PREFIX).map(str::to_owned) else { continue };
            let channel = wired.channel.clone();
            let trial = tokio::spawn(async move { channel.check_agent(&agent, None).await });
            trials.push((check, trial));
        }
        for (check, trial) in trials {
            let (state, found) = match trial.await {
                Ok(Ok(Checked::Ready(description))) => {
                    let said = named(description.agent_name.as_deref(), description.agent_version.as_deref());
                    (State::Ready, format!("{said}{}", models(description.model.as_ref())))
                }
                Ok(Ok(Checked::SignIn { agent_name, agent_version, message })) => {
                    (State::SignIn, format!("{}; {message}", named(agent_name.as_deref(), agent_version.as_deref())))
                }
                Ok(Err(refusal)) => (State::Failed, refusal.message),
                Err(error) => (State::Failed, error.to_string()),
            };
            check.state = state;
            check.detail = format!("{}: {found}", check.detail);
        }
        Ok(Exit::Succeeded)
    })
}

fn named(name: Option<&str>, version: Option<&str>) -> String {
    let words: Vec<&str> = name.into_iter().chain(version).collect();
    if words.is_empty() { "says neither name nor version".to_owned() } else { words.join(" ") }
}

fn models(offered: Option<&Choice>) -> String {
    let Some(Choice { current, values }) = offered else { return ", offers no models".to_owned() };
    let named = values.iter().take(MODELS).cloned().collect::<Vec<_>>().join(", ");
    let more = if values.len() > MODELS { format!(" and {} more", values.len() - MODELS) } else { String::new() };
    let current = current.as_ref().map(|current| format!(" (now {current})")).unwrap_or_default();
    format!(", models {named}{more}{current}")
}
