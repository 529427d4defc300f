//! Which executor a node has.

use segue_model::{
    flow::{
        Node, NodeKind,
        capability::{Capability, Config, config::InputMode},
        executor::PUBLISHER_ID,
    },
    run::Outcome,
};

use super::{
    Answer, Call, Executor, Surroundings, acp_agent::AcpAgent, agent_cli::AgentCli, agent_session::AgentSession,
    cli::Cli, evaluator_cli::EvaluatorCli, failure, http::Http, mcp_http::McpHttp, mcp_stdio::McpStdio,
    model_cli::ModelCli, opencode_server::OpencodeServer, presets, publisher::Publisher, roles, roles::Roles,
    subflow::Subflow,
};

/// The executor of a node, with what it is bound to. For a node that is bound to nothing and is none of the built-in
/// ones (people are no executors) it is one that fails.
#[must_use]
pub fn executor_for(node: &Node, capability: Option<&Capability>) -> &'static dyn Executor {
    let Some(capability) = capability else { return built_in(node) };
    match &capability.config {
        Config::AgentCli { input: InputMode::SessionJson, .. } => &AgentSession,
        Config::AgentCli { .. } => &AgentCli,
        Config::AgentServer { .. } => &OpencodeServer,
        Config::ModelCli { .. } => &ModelCli,
        Config::EvaluatorCli { .. } => &EvaluatorCli,
        Config::Cli { .. } => &Cli,
        Config::McpStdio { .. } => &McpStdio,
        Config::Http { .. } => &Http,
        Config::AcpAgent(_) => &AcpAgent,
        Config::McpHttp { .. } => &McpHttp,
    }
}

fn built_in(node: &Node) -> &'static dyn Executor {
    match node.kind {
        NodeKind::Artifact if node.executor.executor_id == PUBLISHER_ID => &Publisher,
        NodeKind::Flow => &Subflow,
        NodeKind::Agent if roles::knows(&node.executor.executor_id) => &Roles,
        _ => &Unbound,
    }
}

/// Does an attempt with its node's executor, after a look that the two still belong together.
pub async fn execute(call: &Call, around: &dyn Surroundings) -> Outcome {
    let capability = call.capability.as_deref();
    let belongs = capability.is_none_or(|capability| {
        presets::is_of(&call.node.executor, capability) && capability.effects == call.node.effects
    });
    if !belongs {
        return failure(None, "ExecutorChanged", "the capability is not the one that the flow was admitted with");
    }
    executor_for(&call.node, capability).execute(call, around).await
}

#[derive(Debug)]
struct Unbound;

impl Executor for Unbound {
    fn needs_host(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, _: &'a Call, _: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async { unbound() })
    }
}

/// The outcome of a node that is not bound to what its executor needs.
pub(super) fn unbound() -> Outcome {
    failure(None, "NoExecutor", "the node is bound to nothing that can execute it")
}
