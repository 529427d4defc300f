//! `segue why`: what blocks a Run, or why it ended as it did, on one screen.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{CommandError, run_id};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::{plain, style},
};

#[derive(Debug, Args)]
pub struct Why {
    /// The run's id, or the beginning of it
    run: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Why {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let id = run_id::resolve(&desk.flows, &self.run).await?;
            let why = desk.flows.why(&id).await?;
            if self.json {
                let nodes: Vec<_> =
                    why.lines.iter().map(|line| json!({"node_id": line.node, "text": line.text})).collect();
                output::json(&json!({
                    "run_id": id,
                    "status": why.status.as_str(),
                    "headline": why.headline,
                    "nodes": nodes,
                    "more": why.more,
                    "ways_on": why.ways_on,
                    "fork_from": why.fork_from,
                }));
                return Ok(Exit::Succeeded);
            }
            output::line(&format!("{id}: {}", plain::line(&why.headline)));
            for line in &why.lines {
                output::line(&format!(
                    "  {} {}",
                    style::bold(&plain::line(line.node.as_str())),
                    plain::line(&line.text)
                ));
            }
            if why.more > 0 {
                output::line(&format!("  and {} more", why.more));
            }
            for way in &why.ways_on {
                output::line(&format!("  → {}", plain::line(way)));
            }
            Ok(Exit::Succeeded)
        })
    }
}
