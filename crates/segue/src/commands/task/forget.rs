//! `segue task forget`.

use std::process::ExitCode;

use clap::Args;

use super::id;
use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    wiring::{Wanted, Wired},
};

#[derive(Debug, Args)]
pub struct Forget {
    /// The task's id, or the beginning of it
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Forget {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        brief::with_channel(global, Wanted::default(), async |wired| self.forget(wired).await)
    }

    async fn forget(self, wired: &Wired) -> Result<Exit, CommandError> {
        let id = id::resolve(&wired.channel, &self.id).await?;
        wired.channel.forget_task(&id).await?;
        if self.json {
            output::json(&segue_mcp::wire::forgotten(&id));
        } else {
            output::line(&format!("{id} is forgotten"));
        }
        Ok(Exit::Succeeded)
    }
}
