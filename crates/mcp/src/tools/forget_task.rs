//! `forget_task`: drops the record of a task.

use serde_json::Value;

use super::{Effect, TASK_ID, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub const TOOL: Tool = Tool {
    name: "forget_task",
    title: "Forget a task",
    description: "Drops the record and events of a task that is finished and resolved and whose agent is not kept. Its id is unknown \
        afterwards.",
    effect: Effect::Ends,
    params: &[TASK_ID],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let task_id = args.text("task_id")?;
    service.forget_task(&task_id).await?;
    Ok(wire::forgotten(&task_id))
}
