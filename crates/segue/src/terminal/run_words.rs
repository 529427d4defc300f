//! What happened in a Run, in words: one line an event, one line a Run.

use clap::builder::styling::AnsiColor;
use segue_flow::api::{Published, Summary, Unconfirmed, Waiting, Wanted};
use segue_model::{
    Timestamp,
    flow::{Json, Object},
};

use super::{moment, plain, style};

/// How much of what a program or a person said stands on one line.
const WORDS: usize = 200;

/// The colour of a Run's or a node's status.
#[must_use]
pub fn colour(status: &str) -> AnsiColor {
    match status {
        "succeeded" => AnsiColor::Green,
        "failed" => AnsiColor::Red,
        "cancelled" | "cancel_requested" => AnsiColor::Yellow,
        "running" => AnsiColor::Cyan,
        _ => AnsiColor::Blue,
    }
}

/// What a person follows a Run by; `None` for events that say nothing new to them.
#[must_use]
pub fn event(event: &Published) -> Option<String> {
    let payload = &event.payload;
    let text = |name: &str| payload.get(name).and_then(Json::as_str).unwrap_or_default();
    let words = match event.event_type {
        "executor.started" => format!("started ({})", executor(payload)),
        "node.reused" if text("because") == "same_input" => {
            format!("receives what it received in {}: that result is taken over", text("parent_run_id"))
        }
        "node.reused" => format!("result taken over from {}", text("parent_run_id")),
        "executor.session.reused" => "goes on with its session".to_owned(),
        "artifact.created" => format!("made {}", text("name")),
        "node.succeeded" => "succeeded".to_owned(),
        "evaluation.passed" => format!("passed: {}", text("summary")),
        "evaluation.rejected" => format!("rejected: {}", text("summary")),
        "node.failed" => format!("failed: {}", fault(payload)),
        "node.cancelled" | "attempt.ended" if !text("unconfirmed").is_empty() => {
            format!("cancelled; {}", text("unconfirmed"))
        }
        "node.cancelled" => "cancelled".to_owned(),
        "node.skipped" => format!("skipped ({})", text("reason")),
        "node.repeated" => "is done again".to_owned(),
        "node.overdue" => "is over its deadline".to_owned(),
        "attempt.failed" => format!("attempt failed: {}", fault(payload)),
        "attempt.lost" => format!("attempt lost: {}", text("reason")),
        "person.asked" => "asks a person".to_owned(),
        "person.answered" => format!("answered: {}", text("option")),
        "node.uncertain" => "may have written before it was lost".to_owned(),
        "node.decided" => format!("decided: {}", text("decision")),
        "run.cancel_requested" => "is being cancelled".to_owned(),
        "run.interrupted" => "was interrupted".to_owned(),
        "run.left" => "is left for whoever comes next".to_owned(),
        _ => return None,
    };
    Some(plain::first_line(&words, WORDS))
}

/// `node "draft" may still run: the end of writer is not confirmed: its host does not answer`.
#[must_use]
pub fn may_run(of: &Unconfirmed) -> String {
    format!("node \"{}\" may still run: {}", of.node, of.why)
}

/// The command that answers, with all that can be said: `segue answer RUN draft approve | reject`.
#[must_use]
pub fn answer(waiting: &Waiting) -> String {
    let node = plain::argument(waiting.node.id.as_str());
    match &waiting.what {
        Wanted::Answer { .. } => {
            let options = waiting.node.rules.person.iter().flat_map(|person| &person.options);
            let options: Vec<_> = options.map(|option| plain::argument(option.id.as_str())).collect();
            format!("segue answer {} {node} {}", waiting.run_id, options.join(" | "))
        }
        Wanted::Decision { .. } => format!("segue answer {} {node} --decide repeat | fail", waiting.run_id),
    }
}

fn executor(payload: &Object) -> &str {
    payload.get("executor").and_then(|executor| executor.get("executor_id")?.as_str()).unwrap_or_default()
}

fn fault(payload: &Object) -> String {
    let text = |name: &str| payload.get(name).and_then(Json::as_str);
    match (text("error_type"), text("message")) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (None, Some(message)) => message.to_owned(),
        _ => text("reason").unwrap_or_default().to_owned(),
    }
}

/// `c1df9a83… succeeded after 3.2 s, 5 of 5 nodes: article.md`.
#[must_use]
pub fn end_line(run: &Summary, now: Timestamp) -> String {
    let status = if run.waiting { "waiting for a person" } else { run.status.as_str() };
    let took = moment::span(run.finished_at.unwrap_or(now).seconds_since(run.started_at));
    let status = style::coloured(status, colour(&run.status));
    let mut line = format!("{} {status} after {took}, {} of {} nodes", run.run_id, run.settled_nodes, run.nodes.len());
    let made: Vec<String> =
        run.artifacts.iter().map(|artifact| format!("{} ({})", artifact.name, artifact.id)).collect();
    if !made.is_empty() {
        line.push_str(&format!(": {}", plain::line(&made.join(", "))));
    }
    line
}
