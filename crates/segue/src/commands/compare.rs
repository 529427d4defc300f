//! `segue compare`: two Runs of the same flow, node by node.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{CommandError, run_id};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::table::{self, Field},
};

#[derive(Debug, Args)]
pub struct Compare {
    /// A run's id, or the beginning of it
    left: String,
    /// The other run
    right: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let left = run_id::resolve(&desk.flows, &self.left).await?;
            let right = run_id::resolve(&desk.flows, &self.right).await?;
            let report = desk.flows.compare(&left, &right).await?;
            if self.json {
                output::json(&json!(report));
                return Ok(Exit::Succeeded);
            }
            let first = report.first_divergent_node_id.as_ref().map(|node| format!(", first at {node}"));
            output::line(&format!("{}{}", report.overall, first.unwrap_or_default()));
            let rows = report.nodes.iter().map(|node| {
                let differences: Vec<&str> = node.differences.iter().map(|difference| difference.as_str()).collect();
                [
                    Field::from(node.node_id.as_str()),
                    Field::from(node.comparison.as_str()),
                    Field::from(differences.join(", ")),
                ]
            });
            output::line(&table::render(["NODE", "COMPARISON", "DIFFERENCES"], 2, rows.collect()));
            Ok(Exit::Succeeded)
        })
    }
}
