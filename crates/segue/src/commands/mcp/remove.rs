//! `segue mcp remove`: takes the entry out again.

use std::{path::Path, process::ExitCode};

use clap::Args;

use super::edit::{Edit, Memory, Wish};
use crate::{cli::Global, clients::Client, commands::CommandError};

#[derive(Debug, Args)]
pub struct Remove {
    #[command(flatten)]
    edit: Edit,
    /// What the server is called there
    #[arg(long, default_value = "segue")]
    name: String,
}

impl Remove {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let names = [self.name];
        let wish = |client: &'static Client, file: &Path, before: Option<&str>| {
            let Some(before) = before else { return (Wish::Nothing("is not there"), None) };
            let wish = match client.shape.without(before, &names) {
                Ok(after) => Wish::Text(Some(after)),
                Err(error) => Wish::Refused(format!("{} {error}; take {} out by hand", file.display(), names[0])),
            };
            (wish, None)
        };
        self.edit.run(global, Memory::Remember, wish).map(ExitCode::from)
    }
}
