//! `segue agents`: what tasks can be given to. One file per subcommand.

mod describe;
pub mod list;
mod sessions;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CommandError;
use crate::cli::Global;

#[derive(Debug, Args)]
pub struct Agents {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the agents and where each is found
    List(list::List),
    /// Start an agent briefly and show what it offers
    Describe(describe::Describe),
    /// Start an agent briefly and list the sessions it has stored
    Sessions(sessions::Sessions),
}

impl Agents {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.command {
            Command::List(command) => command.run(global),
            Command::Describe(command) => command.run(global),
            Command::Sessions(command) => command.run(global),
        }
    }
}
