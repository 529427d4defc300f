//! `segue task`: one task, looked at or acted on. One file per subcommand.

mod cancel;
mod dispatch;
mod events;
mod forget;
pub mod id;
mod resolve;
mod show;
mod watch;
mod watching;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CommandError;
use crate::cli::Global;

#[derive(Debug, Args)]
pub struct Task {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a task: what became of it, what the agent was seen to do, its last message
    Show(show::Show),
    /// Print the record of a task
    Events(events::Events),
    /// Watch tasks until they have ended
    Watch(watch::Watch),
    /// Stop a task, whichever server runs it
    Cancel(cancel::Cancel),
    /// Record a judgment of a finished task
    Resolve(resolve::Resolve),
    /// Remove a finished and judged task with its record
    Forget(forget::Forget),
    /// Give a task to an agent and stay until it has ended
    Dispatch(dispatch::Dispatch),
}

impl Task {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.command {
            Command::Show(command) => command.run(global),
            Command::Events(command) => command.run(global),
            Command::Watch(command) => command.run(global),
            Command::Cancel(command) => command.run(global),
            Command::Resolve(command) => command.run(global),
            Command::Forget(command) => command.run(global),
            Command::Dispatch(command) => command.run(global),
        }
    }
}
