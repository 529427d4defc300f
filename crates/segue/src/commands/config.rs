//! Being written.
use super::CommandError;
use crate::cli::Global;
use clap::Args;
use std::process::ExitCode;
#[derive(Debug, Args)]
pub struct Config {}
impl Config {
    pub fn run(self, _: &Global) -> Result<ExitCode, CommandError> {
        Ok(ExitCode::SUCCESS)
    }
}
