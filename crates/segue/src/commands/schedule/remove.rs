//! `segue schedule remove`.

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
pub struct Remove {
    /// The schedule's id, or the beginning of it
    schedule: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let id = find(&desk.flows, &self.schedule).await?.id;
            desk.flows.remove_schedule(id.as_str()).await?;
            if self.json {
                output::json(&json!({"removed": true, "schedule_id": id}));
            } else {
                output::line(&format!("removed {id}"));
            }
            Ok(Exit::Succeeded)
        })
    }
}
