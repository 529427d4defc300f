//! `segue task cancel`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;

use super::id;
use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    terminal::task_page,
    wiring::{Wanted, Wired},
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Cancel {
    /// The task's id, or the beginning of it
    id: String,
    /// Who stops it, for the record
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Cancel {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        brief::with_channel(global, Wanted::default(), async |wired| self.cancel(wired).await)
    }

    /// The task's end, whatever it is, is what was asked for.
    async fn cancel(self, wired: &Wired) -> Result<Exit, CommandError> {
        let id = id::resolve(&wired.channel, &self.id).await?;
        let view = wired.channel.cancel_task(&id, self.actor).await?;
        if self.json {
            output::json(&segue_mcp::wire::task(&view, None));
        } else {
            output::line(&task_page::end_line(&view, Machine.now()));
        }
        Ok(Exit::Succeeded)
    }
}
