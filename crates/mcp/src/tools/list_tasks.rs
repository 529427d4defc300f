//! `list_tasks`: the tasks there are, newest first.

use segue_channel::api::List;
use segue_model::task::Status;
use serde_json::Value;

use super::{Effect, Kind, Param, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

const LIMIT: i64 = 20;

const STATUSES: [&str; Status::ALL.len()] = {
    let mut words = [""; Status::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Status::ALL[at].as_str();
        at += 1;
    }
    words
};

pub const TOOL: Tool = Tool {
    name: "list_tasks",
    title: "List tasks",
    description: "Lists tasks, the newest first. Pass next back as after for older ones. Shows the tasks of this server; with all, those of \
        every server that shares its record.",
    effect: Effect::Reads,
    params: &[
        Param::optional("limit", Kind::Integer { default: LIMIT }, "At most this many (1-100)."),
        Param::optional("after", Kind::Text, "Only tasks created before this one (its id)."),
        Param::optional("all", Kind::Flag, "Also tasks of other servers and of earlier ones."),
        Param::optional("status", Kind::Choice(&STATUSES), "Only tasks with this status."),
        Param::optional("agent", Kind::Text, "Only tasks of this agent: {agents}."),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let list = List {
        limit: args.integer_or("limit", LIMIT)?,
        after: args.text_or_none("after")?,
        status: args.choice_or_none("status", &STATUSES, Status::parse)?.map(|status| status.as_str().to_owned()),
        agent: args.text_or_none("agent")?,
        all: args.strict_flag("all")?,
    };
    Ok(wire::listed(&service.list_tasks(list).await?))
}
