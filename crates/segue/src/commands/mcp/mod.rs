//! `segue mcp`: the server an MCP client starts, and the entry in the client's settings that starts it.

mod add;
mod edit;
mod remove;
mod serve;
mod undo;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CommandError;
use crate::cli::Global;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Mcp {
    #[command(flatten)]
    serve: serve::Serve,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write Segue into the settings of the MCP clients on this machine, after showing what changes
    Add(add::Add),
    /// Take Segue out of the settings of MCP clients
    Remove(remove::Remove),
    /// Give the settings of MCP clients back as they were before the last change
    Undo(undo::Undo),
}

impl Mcp {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.action {
            None => self.serve.run(global),
            Some(Action::Add(action)) => action.run(global),
            Some(Action::Remove(action)) => action.run(global),
            Some(Action::Undo(action)) => action.run(global),
        }
    }
}
