//! Who writes in the demo, if not the built-in roles: any command that takes a prompt on standard input and answers on
//! standard output, or an agent that is installed.

use clap::{Args, ValueEnum};
use segue_flow::{
    Flows,
    executors::{codex, opencode_server},
};
use segue_model::flow::{
    Document, Granularity, Json, Profile,
    capability::{Capability, Config, Saved},
    json::object,
};

use super::GOAL;
use crate::commands::CommandError;

/// Hexadecimal digits of the agent's fingerprint in the flow's id. Fixed by the contract.
const DIGITS: usize = 16;
/// The id of the capability that a command becomes.
const COMMAND_ID: &str = "agent.demo-command";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Installed {
    Codex,
    Opencode,
}

#[derive(Debug, Clone, Args)]
pub struct Choice {
    /// A command that does every writing step: a prompt on its standard input, text on its standard output
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    agent_command: Option<String>,
    /// An installed agent that does every writing step
    #[arg(long, value_enum)]
    agent: Option<Installed>,
    /// The model of codex
    #[arg(long, value_name = "MODEL", requires = "agent")]
    agent_model: Option<String>,
    /// Seconds that one step may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=3600))]
    agent_timeout: u32,
}

impl Choice {
    /// Who executes, in a word.
    #[must_use]
    pub const fn profile(&self) -> &'static str {
        match (&self.agent_command, self.agent) {
            (Some(_), _) => "command",
            (None, Some(Installed::Codex)) => "codex",
            (None, Some(Installed::Opencode)) => "opencode",
            (None, None) => "deterministic",
        }
    }

    /// As which profile's agent nodes name it; the deterministic one for a command that is none.
    #[must_use]
    pub const fn named_as(&self) -> Profile {
        match self.agent {
            Some(Installed::Codex) => Profile::Codex,
            Some(Installed::Opencode) => Profile::Opencode,
            None => Profile::Deterministic,
        }
    }

    /// The definition of the agent; `None` for the built-in roles.
    ///
    /// # Errors
    /// The command cannot be split, the agent is not installed, or it takes no model.
    pub async fn capability(&self, flows: &Flows) -> Result<Option<Json>, CommandError> {
        if let Some(command) = &self.agent_command {
            return self.of_command(command).map(Some);
        }
        let (id, name) = match self.agent {
            None => return Ok(None),
            Some(Installed::Codex) => (codex::ID, codex::PROGRAM),
            Some(Installed::Opencode) => (opencode_server::ID, opencode_server::PROGRAM),
        };
        let found = flows.discover().await?.into_iter().find(|found| found.id.as_str() == id);
        let mut found = found.ok_or_else(|| CommandError::Usage(format!("{name} is not installed")))?;
        found.timeout_seconds = self.agent_timeout;
        if let Some(model) = &self.agent_model {
            match &mut found.config {
                Config::AgentCli { command, .. } if id == codex::ID => command.args = codex::arguments(model),
                _ => return Err(CommandError::Usage(format!("{name} takes no --agent-model here"))),
            }
        }
        Ok(Some(Saved::validated(found).to_json()))
    }

    fn of_command(&self, command: &str) -> Result<Json, CommandError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let mut words = words.ok_or_else(|| CommandError::Usage(format!("{command:?} is no command")))?;
        let executable = words.remove(0);
        Ok(Json::Object(object([
            ("kind", "agent_cli".into()),
            ("id", COMMAND_ID.into()),
            ("name", "Command of the demo".into()),
            ("timeout_seconds", self.agent_timeout.into()),
            ("config", Json::Object(object([("executable", executable.into()), ("args", words.into())]))),
        ])))
    }
}

/// The built-in flow of a granularity with every writing step bound to an agent.
///
/// # Errors
/// Never for the flows that are built in.
pub fn document(granularity: Granularity, topic: &str, agent: &Capability) -> Result<Document, CommandError> {
    let flow = granularity.flow();
    let steps = flow.nodes().iter().map(|node| {
        let mut params = object([("title", node.title.as_str().into())]);
        if granularity.agents().iter().any(|(id, _)| *id == node.id.as_str()) {
            params.insert("capability_id".to_owned(), (&agent.id).into());
        }
        let from = node.upstream.ids().first().map_or(Json::Null, Json::from);
        Json::Object(object([
            ("id", (&node.id).into()),
            ("type", node.kind.into()),
            ("from", from),
            ("params", Json::Object(params)),
        ]))
    });
    let focus = object([("type", "string".into()), ("required", true.into()), ("default", topic.into())]);
    let fingerprint = agent.fingerprint();
    let id = format!("{}-command-{}", flow.flow_id(), fingerprint.prefix(DIGITS));
    Document::read(Json::Object(object([
        ("schema_version", 1_i64.into()),
        ("id", id.into()),
        ("name", flow.title().into()),
        ("description", GOAL.into()),
        ("inputs", Json::Object(object([("report_focus", Json::Object(focus))]))),
        ("steps", Json::Array(steps.collect())),
    ])))
    .map_err(|problem| CommandError::Internal(problem.to_string()))
}
