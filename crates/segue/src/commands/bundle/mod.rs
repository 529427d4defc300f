//! `segue bundle`: integration bundles, previewed and installed whole or not at all.

mod install;
mod preview;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use segue_model::flow::Json;

use super::CommandError;
use crate::{
    cli::Global,
    output,
    terminal::{
        plain,
        table::{self, Field},
    },
};

#[derive(Debug, Args)]
pub struct Bundle {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say what installing a bundle would do
    Preview(preview::Preview),
    /// Install a bundle: all of it, or nothing
    Install(install::Install),
}

impl Bundle {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::Preview(action) => action.run(global),
            Action::Install(action) => action.run(global),
        }
    }
}

fn word<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The plan as a person reads it.
fn print_plan(plan: &Json) {
    let heading = format!("{} {}: {}", word(plan, "bundle_id"), word(plan, "bundle_version"), word(plan, "status"));
    output::line(&plain::line(&heading));
    let parts = |name: &str| plan.get(name).and_then(Json::as_array).unwrap_or_default().iter();
    let row = |what: &str, part: &Json| {
        [
            Field::from(word(part, "action")),
            Field::from(what),
            Field::from(word(part, "id")),
            Field::from(word(part, "reason")),
        ]
    };
    let capabilities = parts("capabilities").map(|part| row("capability", part));
    let rows: Vec<[Field; 4]> = capabilities.chain(parts("flows").map(|part| row("flow", part))).collect();
    output::line(&table::render(["ACTION", "WHAT", "ID", "BECAUSE"], 2, rows));
}
