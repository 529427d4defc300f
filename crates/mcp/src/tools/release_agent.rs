//! `release_agent`: ends a kept agent.

use serde_json::Value;

use super::{Effect, Tool, extend_agent::HANDLE};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "release_agent",
    title: "Release a kept agent",
    description: "Ends a kept agent and returns once its processes are gone. Its session can be continued later by its id.",
    effect: Effect::Ends,
    params: &[HANDLE],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let handle = args.text("handle")?;
    Ok(wire::released(service.release_agent(&handle).await?))
}
