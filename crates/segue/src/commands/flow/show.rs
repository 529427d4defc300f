//! `segue flow show`: the document, so that it can be changed and saved again.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{list, reference};
use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Show {
    /// The flow's portable id, or its local id
    flow: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print what is saved beside the document as well
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let saved = reference::find(&desk.flows, &self.flow).await?;
            output::json(&if self.json { list::shown(&saved) } else { json!(saved.document) });
            Ok(Exit::Succeeded)
        })
    }
}
