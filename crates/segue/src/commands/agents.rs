//! Being written.
use super::CommandError;
use crate::cli::Global;
use clap::Args;
use std::process::ExitCode;
#[derive(Debug, Args)]
pub struct Agents {}
impl Agents {
    pub fn run(self, _: &Global) -> Result<ExitCode, CommandError> {
        Ok(ExitCode::SUCCESS)
    }
}
