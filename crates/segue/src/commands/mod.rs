//! One file per command.

pub mod agents;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod mcp;
pub mod task;
pub mod tasks;

use std::process::ExitCode;

use crate::{
    cli::{Cli, Command},
    exit::Exit,
    output,
    wiring::WiringError,
};

/// Why a command ends badly.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("{0}")]
    Wiring(#[from] WiringError),
    #[error("{}: {}", .0.code.as_str(), .0.message)]
    Refused(#[from] segue_channel::Refusal),
    #[error("{0}")]
    Usage(String),
    #[error("{what}: {source}")]
    Io { what: &'static str, source: std::io::Error },
}

impl CommandError {
    /// The one place where errors become exit statuses.
    const fn exit(&self) -> Exit {
        match self {
            // What the command line, the environment or the agents file say has to be mended.
            Self::Wiring(WiringError::Place(_) | WiringError::Agents(_)) => Exit::Refused,
            Self::Wiring(WiringError::Journal(_) | WiringError::Ephemeral(_)) | Self::Io { .. } => Exit::Internal,
            Self::Refused(refusal) => Exit::of_refusal(refusal.code),
            Self::Usage(_) => Exit::Refused,
        }
    }
}

/// Runs the command and gives its exit status.
#[must_use]
pub fn run(cli: Cli) -> ExitCode {
    let Cli { global, command } = cli;
    let outcome = match command {
        Command::Mcp(command) => command.run(&global),
        Command::Tasks(command) => command.run(&global),
        Command::Task(command) => command.run(&global),
        Command::Agents(command) => command.run(&global),
        Command::Doctor(command) => command.run(&global),
        Command::Config(command) => command.run(&global),
        Command::Completions(command) => command.run(),
    };
    outcome.unwrap_or_else(|error| {
        output::error(&error.to_string());
        error.exit().into()
    })
}
