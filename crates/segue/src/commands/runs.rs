//! `segue runs`: the Runs of a workspace, newest first.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{LIST_MAX, List, Summary};
use segue_model::{Timestamp, run::Status};
use serde_json::json;

use super::{CommandError, run_id, run_json};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Desk, Workspace},
    output,
    terminal::{
        moment, run_words, style,
        table::{self, Field},
    },
    world::Machine,
};

/// A screen.
const LIMIT: u64 = 20;
/// The columns that are never cut.
const WHOLE: usize = 5;

#[derive(Debug, Args)]
pub struct Runs {
    /// Only runs of the flow with this portable id
    #[arg(long, value_name = "FLOW")]
    flow: Option<String>,
    /// Only runs with this status
    #[arg(long, value_parser = Status::ALL.map(Status::as_str))]
    status: Option<String>,
    /// Only runs whose id, flow or task has this text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = clap::value_parser!(u64).range(1..=LIST_MAX as u64))]
    limit: u64,
    /// Only runs started before this one
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Runs {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| self.list(desk).await)
    }

    async fn list(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let before = match &self.after {
            Some(text) => {
                let last = desk.flows.run(&run_id::resolve(&desk.flows, text).await?).await?;
                Some((last.started_at.0, last.run_id.as_str().to_owned()))
            }
            None => None,
        };
        let limit = usize::try_from(self.limit).unwrap_or(LIST_MAX);
        let list = List {
            flow_ids: self.flow.iter().cloned().collect(),
            status: self.status.iter().cloned().collect(),
            text: self.text.clone(),
            before,
            limit,
            ..List::default()
        };
        let runs = desk.flows.runs(list).await?;
        if self.json {
            output::json(&json!({"runs": runs.iter().map(run_json::summary).collect::<Vec<_>>()}));
            return Ok(Exit::Succeeded);
        }
        if runs.is_empty() {
            output::say("no runs");
            return Ok(Exit::Succeeded);
        }
        let now = Machine.now();
        let rows = runs.iter().map(|run| row(run, now)).collect();
        output::line(&table::render(["RUN", "STATUS", "STARTED", "TOOK", "NODES", "FLOW", "TITLE"], WHOLE, rows));
        if let Some(last) = runs.last().filter(|_| runs.len() == limit) {
            output::say(&style::dim(&format!("older ones: segue runs --after {}", last.run_id)));
        }
        Ok(Exit::Succeeded)
    }
}

fn row(run: &Summary, now: Timestamp) -> [Field; 7] {
    let status = match &run.quarantined {
        Some(_) => "quarantined",
        None if run.waiting => "waiting",
        None => run.status.as_str(),
    };
    [
        Field::from(run.run_id.as_str()),
        Field::coloured(status, run_words::colour(&run.status)),
        Field::from(moment::near(run.started_at, now)),
        Field::from(moment::span(run.finished_at.unwrap_or(now).seconds_since(run.started_at))),
        Field::from(format!("{}/{}", run.settled_nodes, run.nodes.len())),
        Field::from(&run.flow_id),
        Field::from(&run.task_title),
    ]
}
