//! `segue capability`: what nodes can be bound to.

mod add;
mod delete;
mod discover;
mod list;
mod probe;
mod show;
mod test;
mod validate;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use segue_model::flow::{Json, capability::Saved};
use serde_json::json;

use super::CommandError;
use crate::{
    cli::Global,
    exit::Exit,
    output,
    terminal::{
        plain,
        table::{self, Field},
    },
};

#[derive(Debug, Args)]
pub struct Capability {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List capabilities, those that Segue brings first
    List(list::List),
    /// Print a capability
    Show(show::Show),
    /// Save a definition
    Add(add::Add),
    /// Check a definition by the rules; nothing is saved
    Validate(validate::Validate),
    /// Try a definition; nothing is saved. A tool or an HTTP service is really called
    Probe(probe::Probe),
    /// Try a saved capability and keep what was seen. A tool or an HTTP service is really called
    Test(test::Test),
    /// Look for agents on this machine; nothing is saved
    Discover(discover::Discover),
    /// Delete a capability that no saved flow uses
    Delete(delete::Delete),
}

impl Capability {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::List(action) => action.run(global),
            Action::Show(action) => action.run(global),
            Action::Add(action) => action.run(global),
            Action::Validate(action) => action.run(global),
            Action::Probe(action) => action.run(global),
            Action::Test(action) => action.run(global),
            Action::Discover(action) => action.run(global),
            Action::Delete(action) => action.run(global),
        }
    }
}

/// The columns that are never cut.
const WHOLE: usize = 3;

/// Prints several: as JSON in the reply shape, or as a table.
fn print_all(saved: &[Saved], json: bool) {
    if json {
        let all: Vec<Json> = saved.iter().map(Saved::to_json).collect();
        output::json(&json!({"items": all}));
        return;
    }
    if saved.is_empty() {
        output::say("no capabilities");
        return;
    }
    let rows = saved.iter().map(|saved| {
        let capability = &saved.capability;
        let effects: Vec<&str> = capability.effects.iter().map(|effect| effect.as_str()).collect();
        [
            Field::from(capability.id.as_str()),
            Field::from(capability.kind().as_str()),
            Field::from(saved.status.as_str()),
            Field::from(effects.join(", ")),
            Field::from(&capability.name),
        ]
    });
    output::line(&table::render(["CAPABILITY", "KIND", "STATUS", "EFFECTS", "NAME"], WHOLE, rows.collect()));
}

/// Prints one, in the reply shape: it is a definition that can be changed and saved elsewhere.
fn print(saved: &Saved) {
    output::json(&json!(saved.to_json()));
}

/// What a probe saw: its summary, or all of it. A failed probe is failed work.
fn print_probe(ok: bool, summary: &str, record: &serde_json::Value, json: bool) -> Exit {
    if json {
        output::json(record);
    } else if ok {
        output::line(&format!("ok: {}", plain::line(summary)));
    } else {
        output::error(&format!("failed: {}", plain::line(summary)));
    }
    if ok { Exit::Succeeded } else { Exit::Failed }
}
