//! `segue task show`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_journal::InstanceId;

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
pub struct Show {
    /// The task's id, or the beginning of it
    id: String,
    /// Also the prompt
    #[arg(long)]
    prompt: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::with_channel(global, Wanted::default(), async |wired| self.show(wired).await)
    }

    async fn show(self, wired: &Wired) -> Result<Exit, CommandError> {
        let id = id::resolve(&wired.channel, &self.id).await?;
        let view = wired.channel.get_task(&id).await?;
        let prompt = if self.prompt { Some(wired.channel.prompt(&id).await?) } else { None };
        if self.json {
            output::json(&segue_mcp::wire::task(&view, prompt));
        } else {
            let server_lives = wired.journal.alive(&InstanceId(view.server.clone()));
            output::line(&task_page::page(&view, prompt.as_deref(), server_lives, Machine.now()));
        }
        Ok(Exit::Succeeded)
    }
}
