//! `segue schedule`: flows that are run at the times of a cron pattern. A running `segue app` starts their Runs.

mod add;
mod enable;
mod list;
mod remove;
mod show;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use segue_flow::{Flows, api::Schedule as Added, error::ScheduleError};

use super::CommandError;
use crate::cli::Global;

#[derive(Debug, Args)]
pub struct Schedule {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Have a saved flow run at the times of a cron pattern
    Add(add::Add),
    /// List schedules
    List(list::List),
    /// Show a schedule, what it started and what it did not
    Show(show::Show),
    /// Start runs again from now on
    Enable(enable::Enable),
    /// Start no runs until it is enabled
    Disable(enable::Disable),
    /// Remove a schedule; its runs stay
    Remove(remove::Remove),
}

impl Schedule {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::Add(action) => action.run(global),
            Action::List(action) => action.run(global),
            Action::Show(action) => action.run(global),
            Action::Enable(action) => action.run(global),
            Action::Disable(action) => action.run(global),
            Action::Remove(action) => action.run(global),
        }
    }
}

/// The schedule whose id begins with a text.
///
/// # Errors
/// There is none, or more than one.
async fn find(flows: &Flows, text: &str) -> Result<Added, CommandError> {
    let mut found = flows.schedules().await?;
    found.retain(|schedule| {
        schedule.id.as_str() == text || (!text.is_empty() && schedule.id.as_str().starts_with(text))
    });
    match (found.pop(), found.len()) {
        (None, _) => Err(ScheduleError::NotFound(text.to_owned()).into()),
        (Some(found), 0) => Ok(found),
        (Some(_), others) => Err(CommandError::Usage(format!("{} schedules begin with \"{text}\"", others + 1))),
    }
}
