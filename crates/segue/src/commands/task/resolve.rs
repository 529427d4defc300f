//! `segue task resolve`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::api;
use segue_model::task::Verdict;

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
pub struct Resolve {
    /// The task's id, or the beginning of it
    id: String,
    /// The judgment
    #[arg(value_parser = Verdict::ALL.map(Verdict::as_str))]
    verdict: String,
    /// Why, for the record
    #[arg(long)]
    note: Option<String>,
    /// Who judges, for the record
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Resolve {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        brief::with_channel(global, Wanted::default(), async |wired| self.resolve(wired).await)
    }

    async fn resolve(self, wired: &Wired) -> Result<Exit, CommandError> {
        let task_id = id::resolve(&wired.channel, &self.id).await?;
        let verdict = Verdict::parse(&self.verdict)
            .ok_or_else(|| CommandError::Usage(format!("{:?} is no judgment", self.verdict)))?;
        let resolve = api::Resolve { task_id, verdict, note: self.note, actor: self.actor };
        let view = wired.channel.resolve_task(resolve).await?;
        if self.json {
            output::json(&segue_mcp::wire::task(&view, None));
        } else {
            output::line(&format!(
                "{} is {} and judged {}",
                view.task.id,
                view.task.status().as_str(),
                verdict.as_str()
            ));
        }
        Ok(Exit::Succeeded)
    }
}
