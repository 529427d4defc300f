//! `segue flow list`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::SavedFlow;
use segue_model::{flow::Json, reading::instant};
use serde_json::{Value, json};

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::{
        moment,
        table::{self, Field},
    },
    world::Machine,
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

/// A saved flow as the HTTP API replies it (contract §4).
#[must_use]
pub fn shown(saved: &SavedFlow) -> Value {
    json!({
        "flow_id": saved.local_id,
        "name": saved.name,
        "description": saved.description,
        "template_id": saved.granularity,
        "flow": saved.document,
        "created_at": instant::written(saved.created_at),
        "updated_at": instant::written(saved.updated_at),
    })
}

impl List {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let saved = desk.flows.flows().await?;
            if self.json {
                output::json(&Value::Array(saved.iter().map(shown).collect()));
            } else if saved.is_empty() {
                output::say("no flows");
            } else {
                let rows = saved.iter().map(row).collect();
                output::line(&table::render(["FLOW", "LOCAL ID", "STEPS", "UPDATED", "NAME"], WHOLE, rows));
            }
            Ok(Exit::Succeeded)
        })
    }
}

fn row(saved: &SavedFlow) -> [Field; 5] {
    let id = saved.document.portable_id();
    let steps = saved.document.members().get("steps").and_then(Json::as_array).map_or(0, <[Json]>::len);
    [
        Field::from(id.as_ref().map_or("", |id| id.as_str())),
        Field::from(&saved.local_id),
        Field::from(steps.to_string()),
        Field::from(moment::near(saved.updated_at, Machine.now())),
        Field::from(&saved.name),
    ]
}
