//! `segue cancel`: cancels a Run, whoever drives it.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use serde_json::json;

use super::{CommandError, patience, run_id, run_json, running};
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::run_words,
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Cancel {
    /// The run's id, or the beginning of it
    run: String,
    /// Who stops it, for the record
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Cancel {
    /// The Run's end, whatever it is, is what was asked for; one that leaves something running is not.
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| {
            let id = run_id::resolve(&desk.flows, &self.run).await?;
            let cancel = async {
                let (id, cancelled) = desk.flows.cancel(&id, None, self.actor.clone()).await?;
                let run = desk.flows.ended(&id).await?;
                Ok::<_, CommandError>((id, cancelled, run))
            };
            let Some((id, cancelled, run)) = patience::asked(desk, &id, cancel).await? else {
                return Ok(Exit::Interrupted);
            };
            running::warn(&run);
            if self.json {
                output::json(&json!({
                    "run_id": id,
                    "accepted": cancelled.accepted,
                    "status": run.status,
                    "unconfirmed": run_json::unconfirmed(&run),
                }));
            } else {
                output::line(&run_words::end_line(&run, Machine.now()));
            }
            Ok(if run.unconfirmed.is_empty() { Exit::Succeeded } else { Exit::Internal })
        })
    }
}
