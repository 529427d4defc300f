//! Executors of agent nodes that name no capability: the profiles of a Run, and the command of a demo (contract
//! §14.8). Each is a capability of kind `agent_cli` under another executor id.

use segue_model::flow::{
    Binding, ExecutorRef, Profile,
    capability::{Capability, Config},
};

use super::agent_text::Identity;

const STDIO: &str = "command.stdio-agent.";
const STDIO_VERSION: &str = "0.1.0";
const SERVER: &str = "opencode.server-agent.";
const SERVER_VERSION: &str = "1.0.0";
/// Digits of the fingerprint in an executor id.
const DIGITS: usize = 16;

/// What an agent is called that no profile names.
const COMMAND: &str = "command";

/// What nodes name as their executor when `capability` does what `profile` promises; `None` for the deterministic one,
/// whose executors are built in.
#[must_use]
pub fn of_profile(profile: Profile, capability: &Capability) -> Option<Binding> {
    (profile != Profile::Deterministic).then(|| binding(profile.as_str(), capability))
}

/// The same for any command that takes a prompt on stdin and answers on stdout.
#[must_use]
pub fn of_command(capability: &Capability) -> Binding {
    binding(COMMAND, capability)
}

fn binding(label: &str, capability: &Capability) -> Binding {
    let fingerprint = Identity::of_capability(label, capability).fingerprint;
    let (prefix, version) = match capability.config {
        Config::AgentServer { .. } => (SERVER, SERVER_VERSION),
        _ => (STDIO, STDIO_VERSION),
    };
    let executor = ExecutorRef::new(format!("{prefix}{}", fingerprint.prefix(DIGITS)), version);
    Binding { executor, effects: capability.effects.clone() }
}

/// What outputs call the agent behind an executor: the profile, or the capability's id.
#[must_use]
pub fn label(executor: &ExecutorRef, capability: &Capability) -> String {
    let labels = [Profile::Codex.as_str(), Profile::Opencode.as_str(), COMMAND];
    let preset = labels.into_iter().find(|label| binding(label, capability).executor == *executor);
    preset.map_or_else(|| capability.id.as_str().to_owned(), str::to_owned)
}

/// The executor is `capability` under one of its names.
#[must_use]
pub fn is_of(executor: &ExecutorRef, capability: &Capability) -> bool {
    capability.executor() == *executor || label(executor, capability) != capability.id.as_str()
}
