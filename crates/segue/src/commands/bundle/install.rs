//! `segue bundle install`: after a look at the plan, on a terminal or beforehand by its confirmation phrase.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use crate::{
    cli::Global,
    commands::{CommandError, asking},
    document_file,
    exit::Exit,
    flows::{self, Workspace},
    output,
};

#[derive(Debug, Args)]
pub struct Install {
    /// The bundle, JSON or YAML; - for standard input
    file: PathBuf,
    /// The confirmation phrase of the preview; without it a terminal is asked
    #[arg(long, value_name = "PHRASE")]
    confirm: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Install {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let bundle = document_file::read(&self.file)?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let plan = desk.flows.preview_bundle(&bundle).await?;
            let phrase = match self.confirm {
                Some(phrase) => phrase,
                None if !asking::can_ask() => {
                    return Err(CommandError::Usage(
                        "installing needs the phrase of `segue bundle preview`: give it with --confirm".to_owned(),
                    ));
                }
                None => {
                    super::print_plan(&plan);
                    if !asking::yes("install it?").await {
                        return Err(CommandError::Usage("nothing was installed".to_owned()));
                    }
                    super::word(&plan, "confirmation_phrase").to_owned()
                }
            };
            let done = desk.flows.install_bundle(&bundle, super::word(&plan, "bundle_hash"), &phrase).await?;
            if self.json {
                output::json(&json!({
                    "contract_version": "symphlo.integration-bundle-installation.v1",
                    "bundle_id": done.bundle_id,
                    "bundle_version": done.bundle_version,
                    "bundle_hash": done.bundle_hash,
                    "created_capability_ids": done.created_capability_ids,
                    "reused_capability_ids": done.reused_capability_ids,
                    "created_flow_ids": done.created_flow_ids,
                    "reused_flow_ids": done.reused_flow_ids,
                }));
            } else {
                let created = done.created_capability_ids.len() + done.created_flow_ids.len();
                let reused = done.reused_capability_ids.len() + done.reused_flow_ids.len();
                output::line(&format!(
                    "{} {}: {created} created, {reused} reused",
                    done.bundle_id, done.bundle_version
                ));
            }
            Ok(Exit::Succeeded)
        })
    }
}
