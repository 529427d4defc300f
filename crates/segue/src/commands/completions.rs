//! `segue completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::CommandError;
use crate::{cli::Cli, exit::Exit, output};

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    #[expect(clippy::unnecessary_wraps, reason = "every command has this shape")]
    pub fn run(self) -> Result<ExitCode, CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "segue", &mut script);
        output::line(String::from_utf8_lossy(&script).trim_end());
        Ok(Exit::Succeeded.into())
    }
}
