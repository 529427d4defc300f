//! `segue flow save`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use segue_model::flow::Document;

use super::{list, reference};
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
pub struct Save {
    /// The document, JSON or YAML; - for standard input
    file: PathBuf,
    /// Replace this saved flow instead of adding one
    #[arg(long, value_name = "FLOW")]
    replace: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Save {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let document =
            Document::read(document_file::read(&self.file)?).map_err(|why| CommandError::Usage(why.to_string()))?;
        let warning = document.unaddressable();
        flows::with_flows(global, &self.workspace, async |desk| {
            let saved = match &self.replace {
                None => desk.flows.save_flow(document, None).await?,
                Some(text) => {
                    let local_id = reference::find(&desk.flows, text).await?.local_id;
                    desk.flows.update_flow(&local_id, document, None).await?
                }
            };
            if let Some(warning) = &warning {
                output::say(&format!("warning: {}", plain::line(warning)));
            }
            if self.json {
                output::json(&list::shown(&saved));
            } else {
                output::line(&saved.local_id);
            }
            Ok(Exit::Succeeded)
        })
    }
}
