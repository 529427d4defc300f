//! `segue config`: each setting in force and what decided it. Opens nothing and starts nothing.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{CommandError, agents::list};
use crate::{
    agents_file,
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    nesting, output, places,
    terminal::table::{self, Field},
    wiring::WiringError,
};

/// Who decided when nobody did.
const DEFAULT: &str = "default";

#[derive(Debug, Args)]
pub struct Config {
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A setting.
#[derive(Debug)]
struct Setting {
    name: String,
    value: Option<String>,
    from: String,
}

impl Setting {
    fn new(name: impl Into<String>, value: Option<String>, from: impl Into<String>) -> Self {
        Self { name: name.into(), value, from: from.into() }
    }

    fn place(name: &str, place: &places::Place) -> Self {
        Self::new(name, Some(place.path.display().to_string()), place.from)
    }
}

impl Config {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let settings = settings(global, &self.workspace)?;
        if self.json {
            let listed: Vec<Value> = settings
                .iter()
                .map(|setting| json!({"name": setting.name, "value": setting.value, "from": setting.from}))
                .collect();
            output::json(&json!({"settings": listed}));
        } else {
            let rows = settings.iter().map(|setting| {
                let value = setting.value.as_deref().unwrap_or("none");
                [Field::from(&setting.name), Field::from(value), Field::from(&setting.from)]
            });
            output::line(&table::render(["SETTING", "VALUE", "FROM"], 1, rows.collect()));
        }
        Ok(Exit::Succeeded.into())
    }
}

fn settings(global: &Global, workspace: &Workspace) -> Result<Vec<Setting>, CommandError> {
    let state = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?;
    let (registry, file) = agents_file::registry(global.agents_file.as_deref()).map_err(WiringError::from)?;
    let markers = places::markers(None).map_err(WiringError::from)?;
    let mut settings = vec![Setting::place("state_dir", &state)];
    let of_workspace = if workspace.workspace.is_some() { "--workspace" } else { "the present folder" };
    settings.push(Setting::new("workspace", Some(workspace.path()?.display().to_string()), of_workspace));
    settings.push(match &file {
        Some(place) => Setting::place("agents_file", place),
        None => Setting::new("agents_file", None, DEFAULT),
    });
    settings.push(match places::config_place(flows::DESCRIPTORS).filter(|place| place.path.exists()) {
        Some(place) => Setting::place("descriptors_file", &place),
        None => Setting::new("descriptors_file", None, DEFAULT),
    });
    settings.push(Setting::place("markers", &markers));
    settings.push(variable("log", "SEGUE_LOG").unwrap_or_else(|| {
        let from = if global.verbose > 0 { "--verbose" } else { DEFAULT };
        Setting::new("log", Some(crate::wiring::log_filter(global.verbose).to_owned()), from)
    }));
    let colour = |on: &str, from| Setting::new("colour", Some(on.to_owned()), from);
    settings.push(match std::env::var_os("NO_COLOR").filter(|value| !value.is_empty()) {
        Some(_) => colour("never", "NO_COLOR"),
        None => colour("on a terminal", DEFAULT),
    });
    let nested = if nesting::nested() { "yes: nothing can be dispatched" } else { "no" };
    settings.push(Setting::new("nested", Some(nested.to_owned()), "the environment and the parent processes"));
    let limit = |name: &str, value: String| Setting::new(format!("limit.{name}"), Some(value), DEFAULT);
    settings.push(limit("active_runs", flows::ACTIVE_RUNS.to_string()));
    settings.push(limit("orphan_grace_seconds", (segue_host::ORPHAN_GRACE_MS / 1000).to_string()));
    for agent in list::listed(&registry) {
        let from = agent.source().unwrap_or_else(|| "built in".to_owned());
        settings.push(Setting::new(format!("agent.{}", agent.adapter.name), Some(agent.command().join(" ")), from));
    }
    Ok(settings)
}

fn variable(name: &str, variable: &str) -> Option<Setting> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty())?;
    Some(Setting::new(name, Some(value), variable))
}
