//! `segue flow schema`: for editors, and for people who write documents by hand. Opens nothing.

use std::process::ExitCode;

use clap::Args;

use crate::{commands::CommandError, exit::Exit, output};

#[derive(Debug, Args)]
pub struct Schema {
    /// Print JSON, which is the only form there is
    #[arg(long)]
    json: bool,
}

impl Schema {
    #[expect(clippy::unnecessary_wraps, reason = "every command has this shape")]
    pub fn run(self) -> Result<ExitCode, CommandError> {
        let Self { json: _ } = self;
        output::json(&segue_model::flow::schema::document_schema());
        Ok(Exit::Succeeded.into())
    }
}
