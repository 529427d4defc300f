//! `segue agents sessions`.

use std::process::ExitCode;

use clap::Args;

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    terminal::{
        style,
        table::{self, Field},
    },
    wiring::{Wanted, Wired},
};

#[derive(Debug, Args)]
pub struct Sessions {
    /// The agent
    agent: String,
    /// Whose sessions [default: the present folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Where the page before ended
    #[arg(long)]
    cursor: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Sessions {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let wanted = Wanted { orphan_grace: Some(brief::PROBE_GRACE), ..Wanted::default() };
        brief::with_channel(global, wanted, async |wired| self.list(wired).await)
    }

    async fn list(self, wired: &Wired) -> Result<Exit, CommandError> {
        let found = wired.channel.list_sessions(&self.agent, self.workspace.as_deref(), self.cursor).await?;
        if self.json {
            output::json(&segue_mcp::wire::sessions(found));
            return Ok(Exit::Succeeded);
        }
        if found.sessions.is_empty() {
            output::say("no sessions");
            return Ok(Exit::Succeeded);
        }
        let rows = found.sessions.iter().map(|session| {
            [
                Field::from(&session.session_id),
                Field::from(session.updated_at.as_deref().unwrap_or_default()),
                Field::from(&session.cwd),
                Field::from(session.title.as_deref().unwrap_or_default()),
            ]
        });
        output::line(&table::render(["SESSION", "CHANGED", "WORKSPACE", "TITLE"], 1, rows.collect()));
        if let Some(cursor) = &found.next_cursor {
            let cursor = crate::terminal::plain::line(cursor);
            output::say(&style::dim(&format!("more: segue agents sessions {} --cursor {cursor}", found.agent)));
        }
        Ok(Exit::Succeeded)
    }
}
