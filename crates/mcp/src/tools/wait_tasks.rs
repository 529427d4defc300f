//! `wait_tasks`: waits until any of several tasks is finished.

use serde_json::Value;

use super::{Effect, Kind, Param, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

/// Seconds to wait when nothing is said; also the most.
const WAIT_SECONDS: i64 = 30;

pub const TOOL: Tool = Tool {
    name: "wait_tasks",
    title: "Wait for tasks",
    description: "Waits until at least one of the given tasks is finished and returns all of them that are (reason `terminal`), or nothing \
        after wait_seconds (reason `timeout`: call again) or when the server shuts down (reason `shutdown`). Changes nothing.",
    effect: Effect::Reads,
    params: &[
        Param::required("task_ids", Kind::Texts, "Ids of 1 to 50 tasks."),
        Param::optional(
            "wait_seconds",
            Kind::Number { default: Some(WAIT_SECONDS) },
            "How long to wait; 30 at most, 0 to look once.",
        ),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let task_ids = args.texts("task_ids")?;
    #[expect(clippy::cast_precision_loss, reason = "thirty")]
    let seconds = args.number_or_none("wait_seconds")?.unwrap_or(WAIT_SECONDS as f64);
    Ok(wire::waited(&service.wait_tasks(&task_ids, seconds).await?))
}
