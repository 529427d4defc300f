//! The command line, as data.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Hands work to agents and carries it across boundaries.
#[derive(Debug, Parser)]
#[command(name = "segue", version, propagate_version = true, infer_long_args = false, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Over the options of [`Global`] in a help text.
const GLOBAL: &str = "Global options";

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Folder for the record of all work [default: $SEGUE_STATE_DIR, else $XDG_STATE_HOME/segue, else ~/.local/state/segue]
    #[arg(long, visible_alias = "state-root", global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// File with further agents [default: $XDG_CONFIG_HOME/segue/agents.toml, else ~/.config/segue/agents.toml]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILE")]
    pub agents_file: Option<PathBuf>,
    /// Say more on standard error; twice for everything
    #[arg(short, long, global = true, help_heading = GLOBAL, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve tasks to an MCP client over standard input and output
    Mcp(commands::mcp::Mcp),
    /// List tasks, newest first
    Tasks(commands::tasks::Tasks),
    /// Look at one task, or act on it
    Task(commands::task::Task),
    /// The agents that tasks can be given to
    Agents(commands::agents::Agents),
    /// Say whether everything that Segue needs is there
    Doctor(commands::doctor::Doctor),
    /// Show the settings in force and where each comes from
    Config(commands::config::Config),
    /// Print a completion script for a shell
    Completions(commands::completions::Completions),
}
