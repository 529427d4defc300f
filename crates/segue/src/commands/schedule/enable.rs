//! `segue schedule enable` and `disable`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::find;
use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Enable {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
pub struct Disable {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// The schedule's id, or the beginning of it
    schedule: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Enable {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        self.which.set(global, true)
    }
}

impl Disable {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        self.which.set(global, false)
    }
}

impl Which {
    fn set(self, global: &Global, enabled: bool) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let id = find(&desk.flows, &self.schedule).await?.id;
            let schedule = desk.flows.enable_schedule(id.as_str(), enabled).await?;
            if self.json {
                output::json(&json!(schedule.to_json()));
            } else {
                let next = schedule.next_local.map(|next| format!(", next at {next}")).unwrap_or_default();
                output::line(&format!("{} {id}{next}", if enabled { "enabled" } else { "disabled" }));
            }
            Ok(Exit::Succeeded)
        })
    }
}
