//! `get_events`: a page of a task's record.

use segue_channel::api::EventsQuery;
use serde_json::Value;

use super::{Effect, Kind, Param, TASK_ID, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

const LIMIT: i64 = 50;
const MAX_CHARS: i64 = 8_000;

pub const TOOL: Tool = Tool {
    name: "get_events",
    title: "Read a task's events",
    description: "Reads the record of a task in order, one page at a time. Pass cursor back as after_seq for the next page while has_more \
        is true. A page ends at limit events or max_chars characters, and always holds at least one event if there is one.",
    effect: Effect::Reads,
    params: &[
        TASK_ID,
        Param::optional("after_seq", Kind::Integer { default: 0 }, "Start after this event; 0 for the beginning."),
        Param::optional(
            "event_types",
            Kind::Texts,
            "Only these types, such as agent_message, tool_call, permission, error, status_changed.",
        ),
        Param::optional("limit", Kind::Integer { default: LIMIT }, "At most this many events (1-500)."),
        Param::optional(
            "max_chars",
            Kind::Integer { default: MAX_CHARS },
            "At most about this many characters of JSON (1000 or more).",
        ),
        Param::optional("include_thoughts", Kind::Flag, "Also agent_thought events."),
        Param::optional("include_raw", Kind::Flag, "Also the raw input and output of tool calls."),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let query = EventsQuery {
        task_id: args.text("task_id")?,
        after_seq: args.integer_or("after_seq", 0)?,
        event_types: args.texts_or_none("event_types")?,
        limit: args.integer_or("limit", LIMIT)?,
        max_chars: args.integer_or("max_chars", MAX_CHARS)?,
        include_thoughts: args.strict_flag("include_thoughts")?,
        include_raw: args.strict_flag("include_raw")?,
    };
    Ok(wire::events(service.get_events(query).await?))
}
