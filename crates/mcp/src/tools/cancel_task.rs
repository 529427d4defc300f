//! `cancel_task`: stops a task.

use serde_json::Value;

use super::{Effect, Kind, Param, TASK_ID, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "cancel_task",
    title: "Stop a task",
    description: "Stops a task and returns once it has ended, with its processes. A finished task is returned as it is.",
    effect: Effect::Ends,
    params: &[TASK_ID, Param::optional("actor", Kind::Text, "Who stops it, for the record.")],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let task_id = args.text("task_id")?;
    let actor = args.text_or_none("actor")?;
    Ok(wire::cancelled(&service.cancel_task(&task_id, actor).await?))
}
