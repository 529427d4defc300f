//! `segue watch`: follows a Run, whoever drives it, and ends as the Run does.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_model::flow::RunId;

use super::{CommandError, run_id, run_json, running};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Desk, Workspace},
    output,
    shutdown::Signals,
    terminal::{run_progress::RunProgress, run_words},
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Watch {
    /// The run's id, or the beginning of it
    run: String,
    /// If nobody drives this run any more, drive it in this command
    #[arg(long)]
    drive: bool,
    /// Only events after this one
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: u64,
    #[command(flatten)]
    workspace: Workspace,
    /// Print each event as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| self.watch(desk).await)
    }

    async fn watch(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
        let id = run_id::resolve(&desk.flows, &self.run).await?;
        let mut watch = desk.flows.watch(&id, self.after).await?;
        let mut progress = RunProgress::new(!self.json);
        let mut look = tokio::time::interval(running::LOOK_EVERY);
        let mut driven = true;
        loop {
            let page = tokio::select! {
                page = watch.next() => page?,
                _ = look.tick() => {
                    driven = self.look(desk, &id, driven).await?;
                    continue;
                }
                _ = signals.next() => return Ok(Exit::Interrupted),
            };
            let Some(page) = page else { break };
            if self.json {
                page.events.iter().for_each(|event| output::json_line(&run_json::event(event)));
            }
            progress.show(&page.events);
        }
        drop(progress);
        let run = desk.flows.run(&id).await?;
        running::warn(&run);
        if !self.json {
            output::line(&run_words::end_line(&run, Machine.now()));
        }
        let outcome = desk.flows.outcome(&id).await.ok();
        Ok(running::exit(&run, outcome.as_ref()))
    }

    /// Whether somebody drives the Run now. Says so when that changes, and drives it if that is wanted.
    async fn look(&self, desk: &Desk, id: &str, before: bool) -> Result<bool, CommandError> {
        let driven = desk.flows.is_driven(id).await?;
        if driven == before {
            return Ok(driven);
        }
        if driven {
            output::say("a server goes on with it");
        } else if self.drive {
            output::say("nobody drives it: its server has ended. This command goes on with it, and with no other run");
            if let Some(run) = RunId::parse(id) {
                desk.flows.adopt(&run).await;
            }
            // This command is no other server.
            return Ok(desk.flows.is_driven(id).await?);
        } else {
            output::say(
                "nobody drives it: its server has ended. A segue app of this workspace, or --drive, goes on with it",
            );
        }
        Ok(driven)
    }
}
