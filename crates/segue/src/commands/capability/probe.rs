//! `segue capability probe`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    document_file,
    flows::{self, Workspace},
};

#[derive(Debug, Args)]
pub struct Probe {
    /// The definition, JSON or YAML; - for standard input
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Probe {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let definition = document_file::read(&self.file)?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let capability = desk.flows.check_capability(&definition)?;
            let seen = desk.flows.probe(&capability).await;
            Ok(super::print_probe(seen.ok, &seen.summary, &json!(seen), self.json))
        })
    }
}
