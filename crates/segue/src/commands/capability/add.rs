//! `segue capability add`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use crate::{
    cli::Global,
    commands::CommandError,
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Add {
    /// The definition, JSON or YAML; - for standard input
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let definition = document_file::read(&self.file)?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let saved = desk.flows.save_capability(&definition).await?;
            if self.json {
                super::print(&saved);
            } else {
                output::line(saved.capability.id.as_str());
            }
            Ok(Exit::Succeeded)
        })
    }
}
