//! `segue flow delete`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::reference;
use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Delete {
    /// The flow's portable id, or its local id
    flow: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Delete {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let local_id = reference::find(&desk.flows, &self.flow).await?.local_id;
            desk.flows.delete_flow(&local_id).await?;
            if self.json {
                output::json(&json!({"deleted": true, "flow_id": local_id}));
            } else {
                output::line(&format!("deleted {local_id}"));
            }
            Ok(Exit::Succeeded)
        })
    }
}
