//! `extend_agent`: renews the bounds of a kept agent.

use serde_json::Value;

use super::{
    Effect, Kind, Param, Tool,
    spawn_task::{KEEP_IDLE, KEEP_TURNS},
};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

pub(super) const HANDLE: Param = Param::required("handle", Kind::Text, "Handle of the kept agent, from kept_agent.");

pub const TOOL: Tool = Tool {
    name: "extend_agent",
    title: "Extend a kept agent",
    description: "Restarts the idle clock of a kept agent and replaces the bounds that are given.",
    effect: Effect::Records,
    params: &[
        HANDLE,
        Param::optional("keep_idle", KEEP_IDLE, "New idle bound in seconds (1-600); without it the old one."),
        Param::optional("keep_turns", KEEP_TURNS, "New number of further turns (1-20); without it those left."),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let handle = args.text("handle")?;
    let keep_idle = args.strict_integer_or_none("keep_idle")?;
    let keep_turns = args.strict_integer_or_none("keep_turns")?;
    Ok(wire::extended(service.extend_agent(&handle, keep_idle, keep_turns).await?))
}
