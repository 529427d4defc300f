//! `segue export`: the evidence of Runs as a file that other programs read.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{CommandError, run_id};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output, places,
    wiring::WiringError,
};

#[derive(Debug, Args)]
pub struct Export {
    /// The runs' ids, or the beginnings of them
    #[arg(required = true)]
    runs: Vec<String>,
    /// The SQLite file to write; it must not exist
    #[arg(long, value_name = "FILE", default_value = "evidence.sqlite3")]
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Export {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let file = places::cwd().map_err(WiringError::from)?.join(&self.file);
        flows::with_flows(global, &self.workspace, async |desk| {
            let mut runs = Vec::new();
            for text in &self.runs {
                let id = run_id::resolve(&desk.flows, text).await?;
                if !runs.contains(&id) {
                    runs.push(id);
                }
            }
            desk.flows.export(&runs, &file).await?;
            if self.json {
                output::json(&json!({"file": file, "run_ids": runs}));
            } else {
                output::line(&file.display().to_string());
            }
            Ok(Exit::Succeeded)
        })
    }
}
