//! `segue mcp undo`: gives back what a client's settings were before the last change.

use std::{path::Path, process::ExitCode};

use clap::Args;

use super::edit::{Edit, Memory, Wish};
use crate::{
    cli::Global,
    clients::{Client, undo},
    commands::CommandError,
    places,
    wiring::WiringError,
};

#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    edit: Edit,
}

impl Undo {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let state = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?.path;
        let wish = |client: &'static Client, file: &Path, before: Option<&str>| {
            let wish = match undo::last(&state, client) {
                Err(error) => Wish::Refused(error.to_string()),
                Ok(None) => Wish::Nothing("has no change of ours to undo"),
                Ok(Some(change)) if change.file == file && Some(change.after.as_str()) == before => {
                    Wish::Text(change.before)
                }
                Ok(Some(change)) => Wish::Refused(format!(
                    "{} has changed since Segue wrote it; `segue mcp remove {}` takes only the entry out",
                    change.file.display(),
                    client.id
                )),
            };
            (wish, None)
        };
        self.edit.run(global, Memory::Forget, wish).map(ExitCode::from)
    }
}
