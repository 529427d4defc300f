//! `segue flow validate`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use segue_model::flow::{Document, Json};
use serde_json::json;

use crate::{
    cli::Global,
    commands::CommandError,
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::plain,
};

#[derive(Debug, Args)]
pub struct Validate {
    /// The document, JSON or YAML; - for standard input
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Validate {
    /// A document with a fault is a refused request, whichever way it is printed.
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let document =
            Document::read(document_file::read(&self.file)?).map_err(|why| CommandError::Usage(why.to_string()))?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let result = desk.flows.validate_flow(document).await?;
            let valid = result.get("valid") == Some(&Json::Bool(true));
            if self.json {
                output::json(&json!(result));
            } else if valid {
                output::line("valid");
            } else {
                for error in result.get("errors").and_then(Json::as_array).unwrap_or_default() {
                    output::error(&plain::block(error.get("message").and_then(Json::as_str).unwrap_or_default()));
                }
            }
            if !self.json {
                // What is accepted for the sake of documents that others wrote.
                for warning in result.get("warnings").and_then(Json::as_array).unwrap_or_default() {
                    let message = warning.get("message").and_then(Json::as_str).unwrap_or_default();
                    output::say(&format!("warning: {}", plain::line(message)));
                }
            }
            Ok(if valid { Exit::Succeeded } else { Exit::Refused })
        })
    }
}
