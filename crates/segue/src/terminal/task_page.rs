//! A task as a person reads it: a page, a row, a line.

use std::collections::BTreeMap;

use segue_channel::api::{Live, TaskView};
use segue_model::{
    Timestamp,
    task::{Facts, Task},
};

use super::{moment, page::Page, plain, style};

/// How much of a task's last words stands on one line.
const WORDS: usize = 200;

/// The page of `segue task show`.
#[must_use]
pub fn page(view: &TaskView, prompt: Option<&str>, server_lives: bool, now: Timestamp) -> String {
    let task = &view.task;
    let mut page = Page::default();
    page.own("task", &format!("{} {}", task.id, ending(task)));
    page.add_some("error", task.error.as_deref());
    page.add("agent", &agent(task));
    page.add("workspace", &task.request.workspace);
    page.add_some("session", task.session_id.as_deref());
    page.own("created", &moment::both(task.created_at, now));
    if let Some(at) = task.finished_at() {
        let took = task.started_at().map(|start| format!(", took {}", moment::span(at.seconds_since(start))));
        page.own("finished", &format!("{}{}", moment::both(at, now), took.unwrap_or_default()));
    }
    if let Some(live) = &view.live {
        page.add("now", &now_doing(live));
        let lives = if server_lives { "" } else { " (gone; its agent may go on for a while)" };
        page.own("server", &format!("{}{lives}", view.server));
    }
    receipt(&mut page, task);
    if let Some(lease) = &view.kept_agent {
        let reason = lease.state.reason().map(|reason| format!(": {reason}")).unwrap_or_default();
        page.own("kept agent", &format!("{} {}{reason}", lease.handle, lease.state.label()));
    }
    if let Some(facts) = task.exit().map(|exit| &exit.facts) {
        settled(&mut page, facts);
    }
    if let Some(resolution) = &task.resolution {
        let by = resolution.actor.as_deref().map(|actor| format!(" by {actor}")).unwrap_or_default();
        let note = resolution.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        page.add("judged", &format!("{}{by}, {}{note}", resolution.verdict.as_str(), moment::both(resolution.at, now)));
    }
    if let Some(prompt) = prompt {
        page.section("Prompt", prompt);
    }
    if let Some(text) = task.final_message.text() {
        let cut = if task.final_message.truncated() { " (its end)" } else { "" };
        let heading = if task.status().is_final() { "Final message" } else { "So far" };
        page.section(&format!("{heading}{cut}"), text);
    }
    page.finish()
}

/// The status in its colour, and why it ended.
fn ending(task: &Task) -> String {
    let because = task.because();
    let word = because.and_then(|because| serde_json::to_value(because).ok());
    let word = word.as_ref().and_then(|word| word.as_str()).filter(|word| !matches!(*word, "completed" | "cancelled"));
    let word = word.map(|word| format!(" ({})", word.replace('_', " "))).unwrap_or_default();
    format!("{}{word}", style::status(task.status()))
}

fn agent(task: &Task) -> String {
    let facts = task.exit().map(|exit| &exit.facts);
    let name = facts.and_then(|facts| facts.agent_name.as_deref());
    let version = facts.and_then(|facts| facts.agent_version.as_deref());
    let known: Vec<&str> = name.into_iter().chain(version).collect();
    if known.is_empty() { task.request.agent.clone() } else { format!("{} ({})", task.request.agent, known.join(" ")) }
}

fn now_doing(live: &Live) -> String {
    let what = match &live.open_tool_call {
        Some((_, kind, title)) => format!("{kind}: {title}"),
        None if live.waiting_for == "owner" => "run by another server".to_owned(),
        None => format!("waits for {}", live.waiting_for),
    };
    format!("{what}, quiet for {}", moment::span(live.quiet_seconds))
}

/// What the agent was seen to do.
fn receipt(page: &mut Page, task: &Task) {
    let receipt = &task.receipt;
    page.add("tool calls", &counts(&receipt.tool_calls));
    for (number, command) in receipt.commands.iter().enumerate() {
        let status = command.exit_status.map(|status| format!("exit {status}")).or_else(|| command.status.clone());
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        page.add(if number == 0 { "commands" } else { "" }, &plain::line(&format!("{}{status}", command.title)));
    }
    let unlisted = receipt.commands_total.saturating_sub(receipt.commands.len() as u64);
    if unlisted > 0 {
        page.own("", &format!("and {unlisted} more"));
    }
    if receipt.permissions_asked > 0 {
        page.own(
            "permissions",
            &format!("{} asked, {} refused", receipt.permissions_asked, receipt.permissions_refused),
        );
    }
    page.add("unasked", &counts(&receipt.unasked));
}

fn counts(by_kind: &BTreeMap<String, u64>) -> String {
    by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

/// What is known since the turn's end.
fn settled(page: &mut Page, facts: &Facts) {
    if let Some(files) = &facts.files_changed {
        page.add("changed", &if files.is_empty() { "no files".to_owned() } else { files.join("\n") });
    }
    if let Some(usage) = &facts.usage {
        page.own("tokens", &format!("{} in, {} out", usage.input_tokens, usage.output_tokens));
    }
    let settings = facts.settings.iter().map(|setting| {
        let in_force = setting.in_force.as_ref().unwrap_or(&setting.asked);
        format!("{} = {}", setting.name, in_force.as_str().map_or_else(|| in_force.to_string(), str::to_owned))
    });
    page.add("settings", &settings.collect::<Vec<_>>().join("\n"));
    if let Some(stop) = &facts.stop {
        page.add_some("not ended", stop.unconfirmed.as_deref());
        let escaped = stop.escaped.iter().map(|process| format!("{} {}", process.pid, process.name));
        page.add("escaped", &escaped.collect::<Vec<_>>().join("\n"));
    }
}

/// The last thing that is known, on one line: why it failed, what it said, what it does.
#[must_use]
pub fn last_words(view: &TaskView) -> String {
    let task = &view.task;
    let said = match (&view.live, &task.error) {
        (Some(live), _) => return plain::cut(&plain::line(&now_doing(live)), WORDS, false),
        (None, Some(error)) => error.as_str(),
        (None, None) => task.final_message.text().unwrap_or_default(),
    };
    plain::first_line(said, WORDS)
}

/// How long the turn took, or has taken so far.
#[must_use]
pub fn took(task: &Task, now: Timestamp) -> String {
    let start = task.started_at();
    start.map_or_else(String::new, |start| moment::span(task.finished_at().unwrap_or(now).seconds_since(start)))
}

/// `succeeded after 3.2 s: …`, with what the receipt counted.
#[must_use]
pub fn end_line(view: &TaskView, now: Timestamp) -> String {
    let task = &view.task;
    let mut words = format!("{} {}", task.id, ending(task));
    let took = took(task, now);
    if !took.is_empty() {
        words.push_str(&format!(" after {took}"));
    }
    let calls = task.receipt.tool_calls_total();
    if calls > 0 {
        words.push_str(&format!(", {calls} tool calls"));
    }
    if task.permissions_refused() > 0 {
        words.push_str(&format!(", {} permissions refused", task.permissions_refused()));
    }
    if let Some(files) = task.exit().and_then(|exit| exit.facts.files_changed.as_ref()) {
        words.push_str(&format!(", {} files changed", files.len()));
    }
    if let Some(error) = &task.error {
        words.push_str(&format!(": {}", plain::first_line(error, WORDS)));
    }
    words
}
