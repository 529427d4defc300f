//! `segue capability list`.

use std::process::ExitCode;

use clap::Args;

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            super::print_all(&desk.flows.capabilities().await?, self.json);
            Ok(Exit::Succeeded)
        })
    }
}
