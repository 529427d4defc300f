//! `list_sessions`: the sessions an agent has stored.

use serde_json::Value;

use super::{AGENT, Effect, Kind, Param, Tool, WORKSPACE};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "list_sessions",
    title: "List an agent's sessions",
    description: "Lists the sessions an agent has stored for a workspace, one page at a time. Starts the agent briefly (at most 30 \
        seconds). Agents that do not offer this are refused with `unsupported`. Agents: {agents}.",
    effect: Effect::Asks,
    params: &[AGENT, WORKSPACE, Param::optional("cursor", Kind::Text, "next_cursor of the page before.")],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let agent = args.text("agent")?;
    let workspace = args.text_or_none("workspace")?;
    let cursor = args.text_or_none("cursor")?;
    Ok(wire::sessions(service.list_sessions(&agent, workspace.as_deref(), cursor).await?))
}
