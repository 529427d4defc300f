//! `segue capability test`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    flows::{self, Workspace},
};

#[derive(Debug, Args)]
pub struct Test {
    /// The capability's id
    id: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Test {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let saved = desk.flows.test_connection(&self.id).await?;
            let (ok, summary) = saved.last_probe.as_ref().map_or((false, ""), |seen| (seen.ok, seen.summary.as_str()));
            Ok(super::print_probe(ok, summary, &json!(saved.to_json()), self.json))
        })
    }
}
