//! `segue capability discover`.

use std::process::ExitCode;

use clap::Args;
use segue_model::flow::capability::Saved;

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
};

#[derive(Debug, Args)]
pub struct Discover {
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Discover {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let found = desk.flows.discover().await?;
            super::print_all(&found.into_iter().map(Saved::validated).collect::<Vec<_>>(), self.json);
            Ok(Exit::Succeeded)
        })
    }
}
