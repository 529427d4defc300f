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
    /// Serve the console and the HTTP interface on this machine, and drive what is started there
    App(commands::app::App),
    /// Run a saved flow, and stay until it has ended
    Run(commands::run::Run),
    /// List runs, newest first
    Runs(commands::runs::Runs),
    /// Show one run: what each node did, and what was made
    Show(commands::show::Show),
    /// Follow a run until it has ended
    Watch(commands::watch::Watch),
    /// Say what blocks a run, or why it ended as it did
    Why(commands::why::Why),
    /// Answer the question of a run, and drive it on
    Answer(commands::answer::Answer),
    /// Run again from a node on, with what an earlier run has up to there
    Fork(commands::fork::Fork),
    /// Run the flow as it is saved now, with every earlier result that is unchanged by that
    Replay(commands::replay::Replay),
    /// Compare two runs of the same flow
    Compare(commands::compare::Compare),
    /// Cancel a run
    Cancel(commands::cancel::Cancel),
    /// Remove runs that have ended, with everything that was recorded of them
    Forget(commands::forget::Forget),
    /// Load a run again that was set aside because it could not be loaded
    Restore(commands::restore::Restore),
    /// Write the evidence of runs into a SQLite file
    Export(commands::export::Export),
    /// The saved flows
    Flow(commands::flow::Flow),
    /// What nodes of flows can be bound to
    Capability(commands::capability::Capability),
    /// Capabilities and flows that are installed together
    Bundle(commands::bundle::Bundle),
    /// Flows that are run at the times of a cron pattern
    Schedule(commands::schedule::Schedule),
    /// Run a built-in writing flow twice in a folder of its own, and keep what came of it as files
    Demo(commands::demo::Demo),
    /// What the golden flow calls
    #[command(hide = true)]
    Fixture(commands::fixture::Fixture),
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
