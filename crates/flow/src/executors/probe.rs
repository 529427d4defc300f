//! "Test connection": whether a capability can be used (contract §13). A probe never fails; what it saw is a record.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use segue_channel::api::Checked;
use segue_host::{adapters::locate, mcp_client::Ask, mcp_client::Reply};
use segue_model::{
    flow::{
        Json, Object,
        capability::{Capability, Config, ProbeRecord, config::ToolCall},
        json::object,
    },
    run::Outcome,
};

use super::{
    Surroundings, Terms, cli, http, mcp_http, mcp_stdio,
    process::{self, Program},
    request::{PROBE_ID, Request},
};

/// An agent, a model and an evaluator say whether they work at once; no Run input is sent.
const QUICK: Duration = Duration::from_secs(10);

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub ok: bool,
    pub summary: String,
    pub details: Object,
}

impl Seen {
    fn good(summary: impl Into<String>, details: Object) -> Self {
        Self { ok: true, summary: summary.into(), details }
    }

    fn bad(error_type: &str, summary: impl Into<String>) -> Self {
        Self { ok: false, summary: summary.into(), details: object([("error_type", error_type.into())]) }
    }

    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Returned { output, .. } => {
                let mut keys: Vec<String> = output.as_object().into_iter().flat_map(Object::keys).cloned().collect();
                keys.sort_unstable();
                Self::good("the call succeeded", object([("output_keys", keys.into())]))
            }
            Outcome::Failed { error_type, message, .. } => Self::bad(&error_type, message),
            Outcome::Aborted => Self::bad("Aborted", "the probe was stopped"),
            Outcome::Lost(_) => Self::bad("Lost", "nobody knows how the probe came out"),
        }
    }

    /// With the moment, as the catalogue keeps it.
    #[must_use]
    pub fn at(self, checked_at: String) -> ProbeRecord {
        ProbeRecord::new(self.ok, checked_at, &self.summary, self.details)
    }
}

/// Looks whether `capability` can be used. `terms` names a host that was drawn for this; its timeout is replaced by
/// that of the capability. A tool is really called, with a context that says that it is a probe.
pub async fn probe(capability: &Capability, terms: &Terms, around: &dyn Surroundings) -> Seen {
    let timeout = Duration::from_secs(u64::from(capability.timeout_seconds));
    let terms = Terms { timeout, ..terms.clone() };
    let context = object([("probe", true.into())]);
    let none = Object::new();
    let request =
        Request { run_id: PROBE_ID, node_id: PROBE_ID, instruction: None, input: &context, flow_input: &none };
    match &capability.config {
        Config::AgentCli { command, probe, .. }
        | Config::ModelCli { command, probe }
        | Config::EvaluatorCli { command, probe } => {
            program(&command.executable, probe.args.as_deref(), &terms, around).await
        }
        Config::AgentServer { executable, probe_args, .. } => {
            program(executable, probe_args.as_deref(), &terms, around).await
        }
        Config::Cli { .. } => Seen::of(cli::run(capability, request, &terms, around).await),
        Config::Http { .. } => Seen::of(http::run(capability, request, &terms).await),
        Config::McpStdio { command, call } => {
            listed(call, mcp_stdio::converse(command, Ask::List, &terms, around).await)
        }
        Config::McpHttp { url, call, token_env } => {
            listed(call, mcp_http::converse(url, token_env.as_deref(), Ask::List, &terms, around).await)
        }
        Config::AcpAgent(agent) => {
            let workspace = terms.workspace.to_string_lossy();
            match around.channel().check_agent(&agent.agent, Some(&workspace)).await {
                Ok(Checked::Ready(about)) => Seen::good(
                    "the agent opened a session",
                    object([("agent_name", about.agent_name.into()), ("agent_version", about.agent_version.into())]),
                ),
                Ok(Checked::SignIn { message, .. }) => Seen::bad("SignIn", message),
                Err(refusal) => Seen::bad(refusal.code.as_str(), refusal.message),
            }
        }
    }
}

/// The program is there, and says so itself if it was said how to ask it.
async fn program(executable: &str, args: Option<&[String]>, terms: &Terms, around: &dyn Surroundings) -> Seen {
    let path = PathBuf::from(executable);
    if locate(executable, None).is_err() || !path.is_absolute() {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        return Seen::bad("ExecutableMissing", format!("{name} is not an executable file"));
    }
    let Some(args) = args else { return Seen::good("the executable is there", Object::new()) };
    match ask(&path, args, QUICK.min(terms.timeout), terms, around).await {
        Ok(_) => Seen::good("the executable is there and answers", Object::new()),
        Err(outcome) => Seen::of(outcome),
    }
}

/// Runs a program that says something about itself; gives what it wrote.
pub(super) async fn ask(
    executable: &Path,
    args: &[String],
    timeout: Duration,
    terms: &Terms,
    around: &dyn Surroundings,
) -> Result<String, Outcome> {
    let program =
        Program { executable: executable.to_string_lossy().into_owned(), args: args.to_vec(), input: Vec::new() };
    let finished = process::run(&Terms { timeout, ..terms.clone() }, around, program).await?;
    match finished.text() {
        // Some say nothing and mean yes.
        Err(Outcome::Failed { error_type, .. }) if error_type == process::EMPTY => Ok(String::new()),
        said => said,
    }
}

fn listed(call: &ToolCall, reply: Result<Reply, Outcome>) -> Seen {
    let tools = match reply {
        Ok(Reply::Listed(tools)) => tools,
        Ok(Reply::Called(_)) => return Seen::bad("Unexpected", "the server answered another question"),
        Err(outcome) => return Seen::of(outcome),
    };
    let found = tools.contains(&call.tool);
    let details = object([("tools", Json::from(tools))]);
    if found {
        return Seen::good(format!("the server offers {}", call.tool), details);
    }
    let mut seen = Seen::bad("ToolMissing", format!("the server does not offer {}", call.tool));
    seen.details.extend(details);
    seen
}
