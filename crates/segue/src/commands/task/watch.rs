//! `segue task watch`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;

use super::{
    id,
    watching::{self, News, Watching},
};
use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    shutdown::Signals,
    terminal::progress::{Lines, Progress},
    wiring::{Wanted, Wired},
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Watch {
    /// The tasks' ids, or the beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Print JSON: one line for each change of a task's status
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::with_channel(global, Wanted::default(), async |wired| self.watch(wired).await)
    }

    async fn watch(self, wired: &Wired) -> Result<Exit, CommandError> {
        let ids = id::resolve_all(&wired.channel, &self.ids).await?;
        let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
        let mut progress = Progress::new(if self.json { Lines::Nowhere } else { Lines::Stdout }, ids.len());
        let mut watching = Watching::new(wired, ids);
        watching.skip_past().await?;
        let mut tell = |news: News<'_>| {
            if self.json && news.turned {
                output::json_line(&segue_mcp::wire::task(news.view, None));
            }
            watching::show(&mut progress, &news, Machine.now());
        };
        loop {
            watching.look(&mut tell).await?;
            if watching.all_ended() {
                return Ok(watching.exit());
            }
            tokio::select! {
                () = watching.wait() => {}
                _ = signals.next() => {
                    output::say("no longer watched; what runs goes on");
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }
}
