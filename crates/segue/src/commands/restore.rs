//! `segue restore`: loads a Run again that was set aside because it could not be loaded.

use std::process::ExitCode;

use clap::Args;

use super::{CommandError, run_id, run_json};
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Restore {
    /// The run's id, or the beginning of it
    run: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// One that was active is left for a server to go on with.
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let id = run_id::resolve(&desk.flows, &self.run).await?;
            desk.flows.restore(&id).await?;
            let run = desk.flows.run(&id).await?;
            if self.json {
                output::json(&run_json::summary(&run));
            } else {
                output::line(&format!("{id} is loaded again: {}", run.status));
            }
            Ok(Exit::Succeeded)
        })
    }
}
