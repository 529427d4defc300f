//! `segue capability validate`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use segue_model::flow::capability::Saved;

use crate::{
    cli::Global,
    commands::CommandError,
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Validate {
    /// The definition, JSON or YAML; - for standard input
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print the definition in normal form
    #[arg(long)]
    json: bool,
}

impl Validate {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let definition = document_file::read(&self.file)?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let capability = desk.flows.check_capability(&definition)?;
            if self.json {
                super::print(&Saved::validated(capability));
            } else {
                output::line(&format!("valid: {}", capability.id));
            }
            Ok(Exit::Succeeded)
        })
    }
}
