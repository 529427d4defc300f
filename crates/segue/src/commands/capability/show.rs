//! `segue capability show`.

use std::process::ExitCode;

use clap::Args;

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
};

#[derive(Debug, Args)]
pub struct Show {
    /// The capability's id
    id: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON, which is the only form there is
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let Self { id, workspace, json: _ } = self;
        flows::with_flows(global, &workspace, async |desk| {
            super::print(&desk.flows.capability(&id).await?);
            Ok(Exit::Succeeded)
        })
    }
}
