//! `segue tasks`: the tasks of the state folder, newest first.

use std::process::ExitCode;

use clap::Args;
use segue_channel::{
    World,
    api::{List, TaskView},
};
use segue_model::{
    Timestamp,
    task::{Status, Task},
};
use serde_json::{Value, json};

use super::{CommandError, task::id};
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    output,
    terminal::{
        moment, style,
        table::{self, Field},
        task_page,
    },
    wiring::{Wanted, Wired},
    world::Machine,
};

/// A screen.
const LIMIT: i64 = 20;

/// The columns that are never cut: up to how long it took.
const WHOLE: usize = 5;

#[derive(Debug, Args)]
pub struct Tasks {
    /// Only tasks with this status
    #[arg(long, value_parser = Status::ALL.map(Status::as_str))]
    status: Option<String>,
    /// Only tasks of this agent
    #[arg(long)]
    agent: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = clap::value_parser!(i64).range(1..=100))]
    limit: i64,
    /// Only tasks created before this one
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Tasks {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::with_channel(global, Wanted::default(), async |wired| self.list(wired).await)
    }

    async fn list(self, wired: &Wired) -> Result<Exit, CommandError> {
        let after = match &self.after {
            // A forgotten task keeps its place, so a whole id is not looked for.
            Some(text) => Some(id::resolve(&wired.channel, text).await?),
            None => None,
        };
        let list = List { limit: self.limit, after, all: true, status: self.status, agent: self.agent };
        let listed = wired.channel.list_tasks(list).await?;
        if self.json {
            let tasks: Vec<Value> = listed.tasks.iter().map(titled).collect();
            output::json(&json!({"tasks": tasks, "next": listed.next}));
            return Ok(Exit::Succeeded);
        }
        if listed.tasks.is_empty() {
            output::say("no tasks");
            return Ok(Exit::Succeeded);
        }
        let now = Machine.now();
        let rows = listed.tasks.iter().map(|view| row(view, now)).collect();
        output::line(&table::render(
            ["TASK", "AGENT", "STATUS", "CREATED", "TOOK", "JUDGED", "TITLE", "LATEST", "WORKSPACE"],
            WHOLE,
            rows,
        ));
        if let Some(next) = &listed.next {
            output::say(&style::dim(&format!("older ones: segue tasks --after {next}")));
        }
        Ok(Exit::Succeeded)
    }
}

/// As `segue task show` writes it, and what it is called.
fn titled(view: &TaskView) -> Value {
    let mut written = segue_mcp::wire::task(view, None);
    if let Some(title) = &view.task.title {
        written["title"] = title.as_str().into();
    }
    written
}

fn row(view: &TaskView, now: Timestamp) -> [Field; 9] {
    let task: &Task = &view.task;
    let status = task.status();
    let judged = task.resolution.as_ref().map_or("", |resolution| resolution.verdict.as_str());
    [
        Field::from(task.id.as_str()),
        Field::from(&task.request.agent),
        Field::coloured(status.as_str(), style::colour(status)),
        Field::from(moment::near(task.created_at, now)),
        Field::from(task_page::took(task, now)),
        Field::from(judged),
        Field::from(task.title.as_deref().unwrap_or_default()),
        Field::from(task_page::last_words(view)),
        Field::from(&task.request.workspace),
    ]
}
