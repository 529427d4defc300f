//! `segue schedule list`.

use std::process::ExitCode;

use clap::Args;
use segue_flow::api::Schedule;
use serde_json::json;

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::table::{self, Field},
};

/// The columns that are never cut.
const WHOLE: usize = 3;

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let all = desk.flows.schedules().await?;
            if self.json {
                output::json(
                    &json!({"items": all.iter().map(|schedule| json!(schedule.to_json())).collect::<Vec<_>>()}),
                );
            } else if all.is_empty() {
                output::say("no schedules");
            } else {
                let rows = all.iter().map(row).collect();
                output::line(&table::render(["SCHEDULE", "NEXT", "CRON", "ZONE", "FLOW", "LAST RUN"], WHOLE, rows));
            }
            Ok(Exit::Succeeded)
        })
    }
}

fn row(schedule: &Schedule) -> [Field; 6] {
    [
        Field::from(schedule.id.as_str()),
        Field::from(schedule.next_local.as_deref().unwrap_or("disabled")),
        Field::from(&schedule.cron),
        Field::from(&schedule.zone),
        Field::from(&schedule.flow_id),
        Field::from(schedule.last_run.as_ref().map_or("none", |run| run.as_str())),
    ]
}
