//! `segue flow save`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use segue_flow::{Flows, api::SavedFlow, error::FlowError};
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
    /// Save it as the new version of this saved flow
    #[arg(long, value_name = "FLOW")]
    replace: Option<String>,
    /// Add a flow even though one of the same id is saved; each is then named by its local id
    #[arg(long, conflicts_with = "replace")]
    another: bool,
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
            let replaced = match &self.replace {
                Some(text) => Some(reference::find(&desk.flows, text).await?),
                None => None,
            };
            if !self.another {
                refuse_second(&desk.flows, &document, replaced.as_ref()).await?;
            }
            let saved = match replaced {
                None if self.another => desk.flows.save_flow(document, None).await?,
                None => match desk.flows.save_only_flow(document.clone(), None).await {
                    // Somebody was faster since the look.
                    Err(taken @ FlowError::Taken { .. }) => {
                        refuse_second(&desk.flows, &document, None).await?;
                        return Err(taken.into());
                    }
                    saved => saved?,
                },
                Some(replaced) => desk.flows.update_flow(&replaced.local_id, document, None).await?,
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

/// An id that two saved flows have names neither of them any more, and who saves a file again means the flow that is there.
///
/// # Errors
/// Another saved flow has the document's id. The one that is replaced may have shared it before.
async fn refuse_second(flows: &Flows, document: &Document, replaced: Option<&SavedFlow>) -> Result<(), CommandError> {
    let Some(id) = document.portable_id() else { return Ok(()) };
    if replaced.is_some_and(|replaced| replaced.document.portable_id().as_ref() == Some(&id)) {
        return Ok(());
    }
    let there = reference::with_id(flows, id.as_str()).await?;
    let Some(newest) = there.first() else { return Ok(()) };
    let name = if there.len() == 1 { id.as_str() } else { &newest.local_id };
    let ways = match replaced {
        None => format!(
            "save this as its new version with --replace {name}, or beside it with --another (each is then named by its \
             local id)"
        ),
        Some(_) => "give the document another id".to_owned(),
    };
    Err(CommandError::Usage(format!(
        "a flow with the id {:?} is saved already ({}): {ways}",
        id.as_str(),
        newest.local_id
    )))
}
