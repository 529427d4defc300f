//! `segue agents list`. Opens no state folder and starts nothing.

use std::process::ExitCode;

use clap::{Args, builder::styling::AnsiColor};
use segue_host::adapters::{Adapter, Options, Registry};
use serde_json::{Value, json};

use crate::{
    agents_file,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output, places,
    terminal::table::{self, Field},
    wiring::WiringError,
};

#[derive(Debug, Args)]
pub struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let (registry, _) = agents_file::registry(global.agents_file.as_deref()).map_err(WiringError::from)?;
        let listed = listed(&registry);
        if self.json {
            output::json(&json!({"agents": listed.iter().map(Listed::json).collect::<Vec<_>>()}));
        } else {
            let rows = listed.iter().map(Listed::row).collect();
            output::line(&table::render(["AGENT", "COMMAND", "CHOICES", "FOUND", "FROM"], 3, rows));
            output::say(&advice(&listed));
        }
        Ok(Exit::Succeeded.into())
    }
}

/// What is needed to use one that is not found, and where further ones come from.
fn advice(listed: &[Listed]) -> String {
    let further = places::config_place(places::AGENTS_FILE).map_or_else(String::new, |place| {
        format!("further agents that speak ACP: {} or --agents-file", place.path.display())
    });
    if listed.iter().all(|listed| listed.found.is_ok()) {
        return further;
    }
    let install = "an agent that is not found needs the program of its COMMAND installed and on PATH";
    if further.is_empty() { install.to_owned() } else { format!("{install}; {further}") }
}

/// An agent and where it is.
#[derive(Debug)]
pub struct Listed {
    pub adapter: Adapter,
    /// The executable, or why it cannot be started.
    pub found: Result<String, String>,
}

/// Every agent, sorted by name.
#[must_use]
pub fn listed(registry: &Registry) -> Vec<Listed> {
    let environment = std::env::vars_os().collect();
    let adapters = registry.names().filter_map(|name| registry.get(name));
    adapters
        .map(|adapter| {
            let found = adapter.find(&environment).map_err(|error| error.to_string());
            Listed { adapter: adapter.clone(), found: found.map(|path| path.to_string_lossy().into_owned()) }
        })
        .collect()
}

impl Listed {
    /// The program and its arguments.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        let arguments = self.adapter.arguments(&Options::default());
        std::iter::once(self.adapter.program.clone()).chain(arguments).collect()
    }

    /// The configuration file; `None` for a built-in agent.
    #[must_use]
    pub fn source(&self) -> Option<String> {
        self.adapter.source.as_ref().map(|path| path.to_string_lossy().into_owned())
    }

    fn json(&self) -> Value {
        let delivery: serde_json::Map<String, Value> =
            self.adapter.delivery().into_iter().map(|(name, how)| (name.to_owned(), how.as_str().into())).collect();
        json!({
            "agent": self.adapter.name,
            "command": self.command(),
            "path": self.found.as_ref().ok(),
            "problem": self.found.as_ref().err(),
            "source": self.source(),
            "delivery": delivery,
            "pins": self.adapter.pinned(false),
            "pins_with_edit": self.adapter.pinned(true),
        })
    }

    fn row(&self) -> [Field; 5] {
        let choices: Vec<&str> = self.adapter.delivery().into_iter().map(|(name, _)| name).collect();
        let found = match &self.found {
            Ok(path) => Field::coloured(path, AnsiColor::Green),
            Err(problem) => Field::coloured(problem, AnsiColor::Yellow),
        };
        let source = self.source().unwrap_or_else(|| "built in".to_owned());
        [
            Field::from(&self.adapter.name),
            Field::from(self.command().join(" ")),
            Field::from(choices.join(", ")),
            found,
            Field::from(source),
        ]
    }
}
