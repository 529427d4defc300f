//! `segue capability delete`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Delete {
    /// The capability's id
    id: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Delete {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            desk.flows.delete_capability(&self.id).await?;
            if self.json {
                output::json(&json!({"deleted": true, "capability_id": self.id}));
            } else {
                output::line(&format!("deleted {}", self.id));
            }
            Ok(Exit::Succeeded)
        })
    }
}
