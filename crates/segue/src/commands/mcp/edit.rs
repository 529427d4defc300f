//! What the commands that change clients' settings share: whom they mean, the preview, the question, the write.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use similar::TextDiff;

use crate::{
    cli::Global,
    clients::{
        CLIENTS, Client, Surroundings, settings,
        undo::{self, Change},
    },
    commands::{CommandError, asking},
    exit::Exit,
    output, places,
    terminal::plain,
    wiring::{self, WiringError},
};

#[derive(Debug, Args)]
pub struct Edit {
    /// The clients [default: all that are found on this machine]
    #[arg(value_name = "CLIENT", value_parser = client)]
    clients: Vec<&'static Client>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn client(id: &str) -> Result<&'static Client, String> {
    Client::by_id(id).ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        format!("no client of this name; known are {}", known.join(", "))
    })
}

/// What a command wants with one client's settings.
pub enum Wish {
    /// The text that the file should have; `None` for no file.
    Text(Option<String>),
    /// Nothing is to be done, and why.
    Nothing(&'static str),
    /// Left alone: why, and what a person can do instead.
    Refused(String),
}

/// One client, looked at.
struct Plan {
    client: &'static Client,
    file: PathBuf,
    before: Option<String>,
    wish: Wish,
    /// Told beside the change.
    hint: Option<String>,
}

/// How a changed file is remembered for `undo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Remember,
    Forget,
}

impl Edit {
    /// Looks at every client meant, shows the changes, asks, and makes them.
    ///
    /// # Errors
    /// When no client is found, nobody can be asked, or the state folder cannot be told.
    pub fn run(
        self,
        global: &Global,
        memory: Memory,
        wish: impl Fn(&'static Client, &Path, Option<&str>) -> (Wish, Option<String>),
    ) -> Result<Exit, CommandError> {
        let state = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?.path;
        let plans = self.plans(&wish)?;
        let changes = plans.iter().any(|plan| matches!(plan.wish, Wish::Text(_)));
        if !self.json {
            plans.iter().for_each(show);
        }
        let wanted = changes && !self.dry_run && self.agreed()?;
        let mut exit = Exit::Succeeded;
        let mut rows = Vec::new();
        for plan in plans {
            let (outcome, detail) = match &plan.wish {
                Wish::Nothing(why) => ("unchanged", Some((*why).to_owned())),
                Wish::Refused(why) => {
                    exit = Exit::Refused;
                    ("refused", Some(why.clone()))
                }
                Wish::Text(_) if !wanted => ("would_change", None),
                Wish::Text(after) => match write(&state, &plan, after.as_deref(), memory) {
                    Ok(()) => ("changed", None),
                    Err(error) => {
                        exit = Exit::Refused;
                        output::error(&error.to_string());
                        ("refused", Some(error.to_string()))
                    }
                },
            };
            if outcome == "changed" && !self.json {
                output::line(&format!("{}: {} is written", plan.client.name, plan.file.display()));
            }
            rows.push(row(&plan, outcome, detail));
        }
        if self.json {
            output::json(&json!({"clients": rows}));
        } else if changes && !wanted {
            output::line("Nothing was written.");
        }
        Ok(exit)
    }

    fn plans(
        &self,
        wish: &impl Fn(&'static Client, &Path, Option<&str>) -> (Wish, Option<String>),
    ) -> Result<Vec<Plan>, CommandError> {
        let around = Surroundings::of_this_process();
        let found = || CLIENTS.iter().filter(|client| client.is_here(&around)).collect();
        let clients: Vec<&'static Client> = if self.clients.is_empty() { found() } else { self.clients.clone() };
        if clients.is_empty() {
            let known: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
            return Err(CommandError::Usage(format!(
                "no MCP client was found on this machine; name one of {} to write its settings anyway",
                known.join(", ")
            )));
        }
        clients
            .into_iter()
            .map(|client| {
                let file = client.file(&around).ok_or(WiringError::from(places::PlaceError::NoHome))?;
                let plan = match settings::read(&file) {
                    Err(error) => {
                        Plan { client, file, before: None, wish: Wish::Refused(error.to_string()), hint: None }
                    }
                    Ok(before) => {
                        let (wish, hint) = wish(client, &file, before.as_deref());
                        let wish = match wish {
                            Wish::Text(after) if after == before => Wish::Nothing("is as wanted already"),
                            other => other,
                        };
                        Plan { client, file, before, wish, hint }
                    }
                };
                Ok(plan)
            })
            .collect()
    }

    fn agreed(&self) -> Result<bool, CommandError> {
        if self.yes {
            return Ok(true);
        }
        if self.json || !asking::can_ask() {
            return Err(CommandError::Usage(
                "nobody can be asked here: nothing was written; --yes writes, --dry-run only shows".to_owned(),
            ));
        }
        let runtime = wiring::runtime().map_err(|source| CommandError::Io { what: "start", source })?;
        Ok(runtime.block_on(asking::yes("Write this?")))
    }
}

fn write(state: &Path, plan: &Plan, after: Option<&str>, memory: Memory) -> Result<(), undo::UndoError> {
    let replace = || settings::replace(&plan.file, plan.before.as_deref(), after);
    match (memory, after) {
        (Memory::Remember, Some(after)) => {
            let change = Change { file: plan.file.clone(), before: plan.before.clone(), after: after.to_owned() };
            undo::remembering(state, plan.client, &change, replace)
        }
        (Memory::Remember, None) => Ok(replace()?),
        (Memory::Forget, _) => {
            replace()?;
            undo::forget(state, plan.client)
        }
    }
}

fn show(plan: &Plan) {
    let (name, file) = (plan.client.name, plan.file.display());
    match &plan.wish {
        Wish::Nothing(why) => output::line(&format!("{name}: {file} {why}")),
        Wish::Refused(why) => output::error(&format!("{name}: {why}")),
        Wish::Text(after) => {
            output::line(&format!("{name}: {file}"));
            output::line(&plain::block(&diff(plan.before.as_deref(), after.as_deref())));
        }
    }
    if let Some(hint) = &plan.hint {
        output::line(hint);
    }
}

/// Only lines that change: the others may hold keys.
fn diff(before: Option<&str>, after: Option<&str>) -> String {
    TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(0)
        .missing_newline_hint(false)
        .to_string()
}

fn row(plan: &Plan, outcome: &str, detail: Option<String>) -> Value {
    let changed = match &plan.wish {
        Wish::Text(after) => Some(diff(plan.before.as_deref(), after.as_deref())),
        Wish::Nothing(_) | Wish::Refused(_) => None,
    };
    json!({
        "client": plan.client.id,
        "file": plan.file.to_string_lossy(),
        "outcome": outcome,
        "detail": detail,
        "diff": changed,
        "hint": plan.hint,
    })
}
