//! The `segue app` that belongs to the window.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, mpsc::RecvTimeoutError},
    time::{Duration, Instant},
};

use crate::{
    address::{Address, NotLocal},
    folders,
    options::Options,
    process::{End, Process},
};

const PROGRAM: &str = "segue";
/// How long it may take to serve; the contract's limit for a window.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How long an orderly end may take: ending the programs of a run takes 35 s at most, and the record some more.
const END_LIMIT: Duration = Duration::from_secs(45);

#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error("{} cannot be started: {source}; --program or SEGUE_PROGRAM names another segue", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("{} ended before it served, with {end}", program.display())]
    Ended { program: PathBuf, end: End },
    #[error("{0}")]
    NotLocal(#[from] NotLocal),
    #[error("{} did not serve within {} seconds", .0.display(), START_LIMIT.as_secs())]
    Slow(PathBuf),
}

/// A runtime that serves.
#[derive(Debug)]
pub struct Runtime {
    pub address: Address,
    process: Arc<Process>,
}

impl Runtime {
    pub fn start(options: &Options, state: &Path) -> Result<Self, RuntimeError> {
        let program = program(options);
        let mut command = Command::new(&program);
        command.args(["app", "--port", "0", "--no-open", "--until-input-ends", "--state-root"]).arg(state);
        if let Some(workspace) = options.workspace.clone().or_else(folders::workspace) {
            command.arg("--workspace").arg(workspace);
        }
        let started = Process::start(command);
        let (process, lines) = started.map_err(|source| RuntimeError::Start { program: program.clone(), source })?;
        let begun = Instant::now();
        let failure = loop {
            match lines.recv_timeout(START_LIMIT.saturating_sub(begun.elapsed())) {
                Ok(line) => match Address::in_line(&line) {
                    None => {}
                    Some(Ok(address)) => return Ok(Self { address, process }),
                    Some(Err(foreign)) => break Some(foreign.into()),
                },
                Err(RecvTimeoutError::Timeout) => break Some(RuntimeError::Slow(program.clone())),
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        let end = process.end(END_LIMIT);
        Err(failure.unwrap_or(RuntimeError::Ended { program, end }))
    }

    /// Waits for its end, whoever wanted that.
    pub fn wait(&self) -> End {
        self.process.wait()
    }

    /// Ends it, and everything that it runs.
    pub fn end(&self) -> End {
        self.process.end(END_LIMIT)
    }
}

/// The segue that was named, else the one that was installed together with this program, else the one on PATH.
fn program(options: &Options) -> PathBuf {
    let beside = || {
        let here = std::env::current_exe().ok()?;
        Some(here.with_file_name(PROGRAM)).filter(|path| path.is_file())
    };
    options.program.clone().or_else(beside).unwrap_or_else(|| PROGRAM.into())
}
