//! `resolve_task`: records a judgment of a finished task.

use segue_channel::api::Resolve;
use segue_model::task::Verdict;
use serde_json::Value;

use super::{Effect, Kind, Param, TASK_ID, Tool};
use crate::{args::Args, dispatch::Dispatch, error::ToolError, wire};

const VERDICTS: [&str; Verdict::ALL.len()] = {
    let mut words = [""; Verdict::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Verdict::ALL[at].as_str();
        at += 1;
    }
    words
};

pub const TOOL: Tool = Tool {
    name: "resolve_task",
    title: "Judge a task",
    description: "Records your judgment of a finished task. It never changes the task's status. May be repeated; the last judgment counts.",
    effect: Effect::Records,
    params: &[
        TASK_ID,
        Param::required("resolution", Kind::Choice(&VERDICTS), "The judgment."),
        Param::optional("note", Kind::Text, "Why, for the record."),
        Param::optional("actor", Kind::Text, "Who judges, for the record."),
    ],
    call: |service, args| Box::pin(call(service, args)),
};

async fn call(service: &dyn Dispatch, mut args: Args) -> Result<Value, ToolError> {
    let resolve = Resolve {
        task_id: args.text("task_id")?,
        verdict: args.choice("resolution", &VERDICTS, Verdict::parse)?,
        note: args.text_or_none("note")?,
        actor: args.text_or_none("actor")?,
    };
    Ok(wire::resolved(&service.resolve_task(resolve).await?))
}
