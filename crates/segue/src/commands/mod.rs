//! One file per command.

pub mod agents;
pub mod answer;
pub mod app;
mod asking;
pub mod bundle;
pub mod cancel;
pub mod capability;
pub mod compare;
pub mod completions;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod fixture;
pub mod flow;
mod flow_error;
pub mod forget;
pub mod fork;
mod inputs;
pub mod mcp;
mod patience;
pub mod replay;
pub mod restore;
pub mod run;
mod run_id;
mod run_json;
mod running;
pub mod runs;
pub mod schedule;
pub mod show;
pub mod task;
pub mod tasks;
pub mod watch;
pub mod why;

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
    /// Effects that nobody authorized.
    #[error("{0}")]
    Unauthorized(String),
    #[error("{0}")]
    Internal(String),
    #[error("{what}: {source}")]
    Io { what: &'static str, source: std::io::Error },
}

impl CommandError {
    /// The one place where errors become exit statuses.
    const fn exit(&self) -> Exit {
        match self {
            // What the command line, the environment or the agents file say has to be mended.
            Self::Wiring(WiringError::Place(_) | WiringError::Agents(_)) => Exit::Refused,
            Self::Wiring(WiringError::Journal(_) | WiringError::Ephemeral(_)) | Self::Io { .. } | Self::Internal(_) => {
                Exit::Internal
            }
            Self::Refused(refusal) => Exit::of_refusal(refusal.code),
            Self::Usage(_) => Exit::Refused,
            Self::Unauthorized(_) => Exit::Unauthorized,
        }
    }
}

/// Runs the command and gives its exit status.
#[must_use]
pub fn run(cli: Cli) -> ExitCode {
    let Cli { global, command } = cli;
    let outcome = match command {
        Command::Mcp(command) => command.run(&global),
        Command::App(command) => command.run(&global),
        Command::Run(command) => command.run(&global),
        Command::Runs(command) => command.run(&global),
        Command::Show(command) => command.run(&global),
        Command::Watch(command) => command.run(&global),
        Command::Why(command) => command.run(&global),
        Command::Answer(command) => command.run(&global),
        Command::Fork(command) => command.run(&global),
        Command::Replay(command) => command.run(&global),
        Command::Compare(command) => command.run(&global),
        Command::Cancel(command) => command.run(&global),
        Command::Forget(command) => command.run(&global),
        Command::Restore(command) => command.run(&global),
        Command::Export(command) => command.run(&global),
        Command::Flow(command) => command.run(&global),
        Command::Capability(command) => command.run(&global),
        Command::Bundle(command) => command.run(&global),
        Command::Schedule(command) => command.run(&global),
        Command::Fixture(command) => command.run(),
        Command::Demo(command) => command.run(&global),
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
