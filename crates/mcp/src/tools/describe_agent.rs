//! `describe_agent`: what an agent offers.

use serde_json::Value;

use super::{AGENT, Effect, Tool, WORKSPACE};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "describe_agent",
    title: "Describe an agent",
    description: "Shows which values an agent offers for options.model and options.effort of spawn_task, how each is delivered, and \
        which settings are pinned for every task. Starts the agent briefly (at most 30 seconds), sends no prompt and makes no task. \
        Agents: {agents}.",
    effect: Effect::Asks,
    params: &[AGENT, WORKSPACE],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let agent = args.text("agent")?;
    let workspace = args.text_or_none("workspace")?;
    Ok(wire::description(service.describe_agent(&agent, workspace.as_deref()).await?))
}
