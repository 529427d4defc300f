//! `segue bundle preview`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use crate::{
    cli::Global,
    commands::CommandError,
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Preview {
    /// The bundle, JSON or YAML; - for standard input
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Preview {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let bundle = document_file::read(&self.file)?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let plan = desk.flows.preview_bundle(&bundle).await?;
            if self.json {
                output::json(&json!(plan));
            } else {
                super::print_plan(&plan);
                let phrase = super::word(&plan, "confirmation_phrase");
                if !phrase.is_empty() {
                    output::say(&format!("to install it: segue bundle install FILE --confirm {phrase:?}"));
                }
            }
            Ok(Exit::Succeeded)
        })
    }
}
