//! Puts the parts together: journal, agents, channel.

use std::{io::IsTerminal, path::PathBuf, sync::Arc, time::Duration};

use segue_channel::{Channel, Config, World, markers::Markers};
use segue_host::acp::Client;
use segue_journal::{Journal, Memory, OpenOptions};

use crate::{agents_file, cli::Global, nesting, places, world::Machine};

/// Why the parts cannot be put together. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    #[error("{0}")]
    Place(#[from] places::PlaceError),
    #[error("{0}")]
    Agents(#[from] agents_file::RegistryError),
    #[error("{0}")]
    Journal(#[from] segue_journal::OpenError),
    #[error("a folder for an ephemeral server: {0}")]
    Ephemeral(std::io::Error),
}

/// How a command wants its channel.
#[derive(Debug, Default)]
pub struct Wanted {
    pub ephemeral: bool,
    pub markers: Option<Markers>,
    pub orphan_grace: Option<Duration>,
}

/// A channel with what has to outlive it.
#[derive(Debug)]
pub struct Wired {
    pub channel: Channel,
    pub journal: Arc<dyn Journal>,
    /// The folder for hosts: their sockets and spools.
    pub hosts: PathBuf,
    /// Removed when an ephemeral server ends.
    scratch: Option<PathBuf>,
}

impl Wired {
    /// Opens the state folder and builds the channel.
    ///
    /// # Errors
    /// As [`WiringError`].
    pub fn open(global: &Global, wanted: Wanted) -> Result<Self, WiringError> {
        let cwd = places::cwd()?;
        let (agents, _) = agents_file::registry(global.agents_file.as_deref())?;
        let (journal, hosts, scratch): (Arc<dyn Journal>, PathBuf, Option<PathBuf>) = if wanted.ephemeral {
            let scratch = scratch().map_err(WiringError::Ephemeral)?;
            (Memory::new().open_instance(), scratch.join("hosts"), Some(scratch))
        } else {
            let state = places::state_dir(global.state_dir.as_deref())?;
            let journal = segue_journal::open(&OpenOptions::new(&state.path))?;
            (journal, state.path.join("hosts"), None)
        };
        let config = Config {
            journal: Arc::clone(&journal),
            world: Arc::new(Machine),
            agents,
            hosts: hosts.clone(),
            exe: segue_host::own_executable(),
            cwd,
            environment: std::env::vars_os().collect(),
            nested: nesting::nested(),
            client: Client { name: "segue".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            markers: wanted.markers,
            orphan_grace: wanted.orphan_grace.unwrap_or(Duration::from_millis(segue_host::ORPHAN_GRACE_MS)),
            ephemeral: wanted.ephemeral,
        };
        Ok(Self { channel: Channel::new(config), journal, hosts, scratch })
    }

    /// Gives everything back.
    pub fn close(self) {
        self.journal.close();
        if let Some(scratch) = &self.scratch
            && let Err(error) = std::fs::remove_dir_all(scratch)
        {
            tracing::warn!("remove {}: {error}", scratch.display());
        }
    }
}

/// A private folder for the hosts of a server that keeps nothing.
fn scratch() -> std::io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    let mut random = [0; 8];
    Machine.random(&mut random);
    let path = std::env::temp_dir().join(format!("segue-ephemeral-{:016x}", u64::from_be_bytes(random)));
    std::fs::DirBuilder::new().mode(0o700).create(&path)?;
    Ok(path)
}

/// Opens markers under the base, or says why not and goes without.
#[must_use]
pub fn markers(given: Option<&std::path::Path>) -> Option<Markers> {
    let mut random = [0; 4];
    Machine.random(&mut random);
    let opened = places::markers(given).map_err(|error| error.to_string()).and_then(|place| {
        Markers::open(&place.path, random).map_err(|error| match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        })
    });
    match opened {
        Ok(markers) => Some(markers),
        Err(why) => {
            crate::output::error(&format!("no completion markers: {why}"));
            None
        }
    }
}

/// Reads of the journal, and scans of the process table after lost hosts: each of the 16 scans at once
/// takes a thread for seconds, and no call may wait for them. Threads are made when they are needed.
const BLOCKING_THREADS: usize = 64;

/// A runtime that is small: the work is waiting.
///
/// # Errors
/// When the operating system refuses threads.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
}

/// Logs go to standard error: warnings, or more with `-v`; `SEGUE_LOG` overrides. What cannot be written is lost: a
/// terminal that was closed or a disk that is full ends no work.
pub fn start_logging(verbose: u8) {
    use tracing_subscriber::{EnvFilter, fmt};
    let filter = EnvFilter::try_from_env("SEGUE_LOG").unwrap_or_else(|_| EnvFilter::new(log_filter(verbose)));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let format = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).with_ansi(colours);
    // Else a line that could not be written is reported with `eprintln!`, which panics for the same reason.
    let format = format.log_internal_errors(false);
    let _ = format.try_init();
}

/// What is logged when `SEGUE_LOG` does not say.
#[must_use]
pub const fn log_filter(verbose: u8) -> &'static str {
    match verbose {
        0 => "warn",
        1 => "info,rmcp=warn",
        _ => "debug",
    }
}
