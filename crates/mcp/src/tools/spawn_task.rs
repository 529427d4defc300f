//! `spawn_task`: hands a prompt to an agent.

use segue_channel::api::Spawn;
use segue_model::lease::{IDLE_RANGE, TURNS_RANGE};
use serde_json::Value;

use super::{AGENT, Effect, Kind, Param, Tool, WORKSPACE};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

/// Bounds of a kept agent, as published.
pub(super) const KEEP_IDLE: Kind = Kind::Bound { min: *IDLE_RANGE.start(), max: *IDLE_RANGE.end() };
pub(super) const KEEP_TURNS: Kind = Kind::Bound { min: *TURNS_RANGE.start(), max: *TURNS_RANGE.end() };

pub const TOOL: Tool = Tool {
    name: "spawn_task",
    title: "Start a task",
    description: "Starts one turn of a coding agent in a workspace and returns at once with the task's id; it does not wait for the \
        work. By default every action the agent asks about is refused: list in options.allow what it may do. A task that could not \
        be started is returned with status `failed` and the reason in error. Agents: {agents}.",
    effect: Effect::Works,
    params: &[
        AGENT,
        Param::required("prompt", Kind::Text, "What the agent is to do."),
        WORKSPACE,
        Param::optional("initiator_id", Kind::Text, "Who asks, for the record."),
        Param::optional("executor_id", Kind::Text, "Who is to do it, for the record."),
        Param::optional(
            "session_id",
            Kind::Text,
            "Session to continue; use the agent and workspace it was made with. Not with on_agent.",
        ),
        Param::optional(
            "keep_idle",
            KEEP_IDLE,
            "Keep the agent after a successful turn, for at most this many seconds without a turn (1-600; 300 when only keep_turns is given).",
        ),
        Param::optional(
            "keep_turns",
            KEEP_TURNS,
            "Keep the agent after a successful turn, for at most this many further turns (1-20; 1 when only keep_idle is given).",
        ),
        Param::optional(
            "on_agent",
            Kind::Text,
            "Handle of a kept agent to run this turn on, with the same agent and workspace.",
        ),
        Param::optional(
            "options",
            Kind::Object,
            "allow: array of what the agent may do without a person (read, edit, delete, move, search, execute, think, fetch, other); \
             model and effort: values that describe_agent shows.",
        ),
        Param::optional(
            "client_key",
            Kind::Text,
            "A key of your own (1-200 characters). Calling again with the same key returns the same task instead of a second one.",
        ),
        Param::optional(
            "deadline_seconds",
            Kind::Number { default: None },
            "End the task as failed after this many seconds (above 0, at most a week). Without it nothing ends a task but its agent or you.",
        ),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let spawn = Spawn {
        agent: args.text("agent")?,
        prompt: args.text("prompt")?,
        workspace: args.text_or_none("workspace")?,
        initiator_id: args.text_or_none("initiator_id")?,
        executor_id: args.text_or_none("executor_id")?,
        session_id: args.text_or_none("session_id")?,
        on_agent: args.text_or_none("on_agent")?,
        options: args.object_or_none("options")?,
        client_key: args.text_or_none("client_key")?,
        deadline_seconds: args.number_or_none("deadline_seconds")?,
        // Last: what is wrong with these has a code, and the schema is judged first.
        keep_idle: args.strict_integer_or_none("keep_idle")?,
        keep_turns: args.strict_integer_or_none("keep_turns")?,
    };
    Ok(wire::spawned(&service.spawn_task(spawn, args.caller()).await?))
}
