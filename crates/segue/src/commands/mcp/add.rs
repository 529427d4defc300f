//! `segue mcp add`: writes the entry that starts Segue.

use std::{path::Path, process::ExitCode};

use clap::Args;

use super::edit::{Edit, Memory, Wish};
use crate::{
    cli::Global,
    clients::{Client, Launch},
    commands::CommandError,
    places,
    wiring::WiringError,
};

#[derive(Debug, Args)]
pub struct Add {
    #[command(flatten)]
    edit: Edit,
    /// What the server is called there
    #[arg(long, default_value = "segue", value_parser = name)]
    name: String,
    /// The command line that starts the server [default: this program, with `mcp` and the state folder that was chosen]
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    command: Option<Launch>,
    /// Take entries that start symm-mcp out in the same change
    #[arg(long)]
    replace_symm_mcp: bool,
}

fn name(text: &str) -> Result<String, String> {
    // What every client accepts in the names of tools that it makes from it.
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !text.is_empty() && text.len() <= 64 && text.bytes().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("1 to 64 letters, digits, - and _".to_owned())
    }
}

fn command(text: &str) -> Result<Launch, String> {
    Launch::parse(text).ok_or_else(|| "is empty, or a quotation is not closed".to_owned())
}

impl Add {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let Self { edit, name, command, replace_symm_mcp } = self;
        let launch = match command {
            Some(launch) => launch,
            None => {
                let program = std::env::current_exe();
                let program = program.map_err(|source| CommandError::Io { what: "find this program", source })?;
                let state = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?;
                Launch::of(&program, state.was_chosen().then_some(&*state.path))
            }
        };
        let wish = |client: &'static Client, file: &Path, before: Option<&str>| {
            wanted(client, file, before.unwrap_or_default(), &name, &launch, replace_symm_mcp)
        };
        edit.run(global, Memory::Remember, wish).map(ExitCode::from)
    }
}

fn wanted(
    client: &'static Client,
    file: &Path,
    before: &str,
    name: &str,
    launch: &Launch,
    replaces: bool,
) -> (Wish, Option<String>) {
    let edited = client.shape.servers(before).and_then(|servers| {
        let predecessors: Vec<String> =
            servers.into_iter().filter(|(there, is)| *is && there != name).map(|(there, _)| there).collect();
        let text = if replaces { client.shape.without(before, &predecessors)? } else { before.to_owned() };
        Ok((client.shape.with(&text, name, launch)?, predecessors))
    });
    match edited {
        Ok((after, predecessors)) => {
            let hint = (!replaces && !predecessors.is_empty()).then(|| {
                format!(
                    "  {} also starts symm-mcp, as {}; --replace-symm-mcp takes that out",
                    client.name,
                    predecessors.join(", ")
                )
            });
            (Wish::Text(Some(after)), hint)
        }
        Err(error) => {
            let snippet = client.shape.snippet(name, launch);
            (Wish::Refused(format!("{} {error}; add this by hand:\n{snippet}", file.display())), None)
        }
    }
}
