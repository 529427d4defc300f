//! `segue flow graph`: a saved flow or a file, drawn.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, ValueEnum};
use segue_model::flow::{Document, Json};
use serde_json::json;

use super::{drawing::Drawing, reference};
use crate::{
    cli::Global,
    commands::CommandError,
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::plain,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Dot,
    Mermaid,
}

#[derive(Debug, Args)]
pub struct Graph {
    /// The flow's portable id, or its local id
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    flow: Option<String>,
    /// Draw this document, JSON or YAML, instead of a saved flow; - for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    workspace: Workspace,
    /// Print the nodes and edges as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Graph {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        if let Some(file) = &self.file {
            let document =
                Document::read(document_file::read(file)?).map_err(|why| CommandError::Usage(why.to_string()))?;
            self.draw(&document);
            return Ok(Exit::Succeeded.into());
        }
        let name = self.flow.clone().unwrap_or_default();
        flows::with_flows(global, &self.workspace, async |desk| {
            self.draw(&reference::find(&desk.flows, &name).await?.document);
            Ok(Exit::Succeeded)
        })
    }

    fn draw(&self, document: &Document) {
        let drawing = Drawing::of(document.members().get("steps").and_then(Json::as_array).unwrap_or_default());
        if self.json {
            output::json(&json!(drawing));
            return;
        }
        let text = match self.format {
            Format::Text => drawing.text(),
            Format::Dot => drawing.dot(),
            Format::Mermaid => drawing.mermaid(),
        };
        output::line(&plain::block(text.trim_end()));
    }
}
