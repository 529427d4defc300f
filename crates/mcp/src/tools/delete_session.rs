//! `delete_session`: removes a session an agent has stored.

use serde_json::Value;

use super::{AGENT, Effect, Kind, Param, Tool, WORKSPACE};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "delete_session",
    title: "Delete a session",
    description: "Asks an agent to delete one stored session. A session that a running task or a kept agent uses is refused with \
        `session_in_use`. Agents: {agents}.",
    effect: Effect::Ends,
    params: &[
        AGENT,
        Param::required("session_id", Kind::Text, "Id of the session, as list_sessions or a task shows it."),
        WORKSPACE,
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let agent = args.text("agent")?;
    let session_id = args.text("session_id")?;
    let workspace = args.text_or_none("workspace")?;
    Ok(wire::deleted(service.delete_session(&agent, &session_id, workspace.as_deref()).await?))
}
