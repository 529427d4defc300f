//! `get_task`: the state of one task.

use serde_json::Value;

use super::{Effect, Kind, Param, TASK_ID, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "get_task",
    title: "Read a task",
    description: "Reads one task: status, final message, error, session, usage, your judgment, and a receipt of what the agent was seen \
        to do. While it runs, live says when it was last heard of and what it waits for.",
    effect: Effect::Reads,
    params: &[TASK_ID, Param::optional("include_prompt", Kind::Flag, "Also return the prompt.")],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let task_id = args.text("task_id")?;
    let include_prompt = args.strict_flag("include_prompt")?;
    let view = service.get_task(&task_id).await?;
    let prompt = if include_prompt { Some(service.prompt(&task_id).await?) } else { None };
    Ok(wire::task(&view, prompt))
}
