//! Being written.
use super::CommandError;
use clap::Args;
use std::process::ExitCode;
#[derive(Debug, Args)]
pub struct Completions {}
impl Completions {
    pub fn run(self) -> Result<ExitCode, CommandError> {
        Ok(ExitCode::SUCCESS)
    }
}
