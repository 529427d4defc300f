//! `segue forget`: removes Runs that have ended, with everything that was recorded of them.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{CommandError, run_id};
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Forget {
    /// Ids of runs that have ended, or the beginnings of them
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Forget {
    /// The first that cannot be removed ends the command; those before it are gone.
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let mut forgotten = Vec::with_capacity(self.runs.len());
            for run in &self.runs {
                let id = run_id::resolve(&desk.flows, run).await?;
                forgotten.push(desk.flows.forget(&id).await?);
                if !self.json {
                    output::line(&format!("{id} is forgotten"));
                }
            }
            if self.json {
                output::json(&json!({"forgotten": forgotten}));
            }
            Ok(Exit::Succeeded)
        })
    }
}
