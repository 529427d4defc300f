//! Starts hosts: makes the folder, runs the host or tells one that is ready (`ready.rs`), hears whether its program runs.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use segue_model::HostId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::facts::{HOST_MARK, HostConfig, HostIdentity};
use crate::folder::{self, Folder};
use crate::guest::Report;
use crate::ready::Ready;
use crate::{limits, order};

/// A host reports within milliseconds; this is for a machine that swaps.
const REPORT: Duration = Duration::from_secs(30);
/// A report is one short line.
const REPORT_MAX_BYTES: u64 = 64 << 10;

/// What to start, and where.
#[derive(Debug, Clone)]
pub struct HostSpec {
    /// Committed before the start, so that whatever follows can be found again.
    pub host_id: HostId,
    /// The host's folder. Its parents are made where missing; it must not exist itself.
    pub dir: PathBuf,
    /// The executable that is called with `host …`; [`own_executable`] outside tests.
    pub exe: PathBuf,
    /// Absolute path of the program.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The program's whole environment. The host's mark is added.
    pub env: Vec<(OsString, OsString)>,
    /// The program's working folder.
    pub cwd: PathBuf,
    pub config: HostConfig,
}

/// This very executable, also after its file was replaced.
#[must_use]
pub fn own_executable() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("segue"))
    }
}

/// A program that runs, and its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub host_id: HostId,
    pub dir: PathBuf,
    pub identity: HostIdentity,
}

/// Why nothing runs. The folder has been removed again, but after [`Lost`](StartError::Lost).
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("create the host's folder {0}")]
    Folder(PathBuf, #[source] io::Error),
    #[error("enter the working folder {0}")]
    WorkingFolder(PathBuf, #[source] io::Error),
    #[error("run the host {0}")]
    Host(PathBuf, #[source] io::Error),
    #[error("talk to the host that was started")]
    Pipe(#[source] io::Error),
    /// The host's own words: mostly that the program could not be executed, its path and why.
    #[error("{0}")]
    Program(String),
    /// The host ended without a report.
    #[error("the host ended without a word")]
    Vanished,
    /// What it may have started has been swept.
    #[error("the host did not report within {} s", REPORT.as_secs())]
    Silent,
    /// As the two before, of a host that had come so far that its program may have run. What is left of it has been
    /// swept; its folder shows what it did until the caller [removes](remove) it.
    #[error("the host was lost while it started its program, which may have run")]
    Lost,
}

/// Starts a program under a host of its own. Runs to its end even when the caller stops waiting, so that no host is left
/// half started; an abandoned one is an orphan and ends by itself.
///
/// # Errors
/// Nothing runs, and the folder is gone; after [`StartError::Lost`] the program may have run, and the folder is there.
pub async fn start(spec: HostSpec) -> Result<Started, StartError> {
    start_with(spec, None).await
}

/// The same with a host that is ready for it, and with a fresh one where that is not usable.
///
/// # Errors
/// As [`start`].
pub async fn start_ready(spec: HostSpec, ready: Ready) -> Result<Started, StartError> {
    start_with(spec, Some(ready)).await
}

async fn start_with(spec: HostSpec, ready: Option<Ready>) -> Result<Started, StartError> {
    match tokio::spawn(start_to_the_end(spec, ready)).await {
        Ok(result) => result,
        Err(stopped) => Err(StartError::Pipe(io::Error::other(stopped))),
    }
}

async fn start_to_the_end(spec: HostSpec, ready: Option<Ready>) -> Result<Started, StartError> {
    let mut config = spec.config.clone();
    config.open_files = config.open_files.or_else(limits::before);
    let waiting = match ready {
        Some(ready) => ready.waiting_for(&spec.host_id).await,
        None => None,
    };
    // One that cannot be told this is not told anything, and goes.
    let told = waiting.and_then(|waiting| Some((waiting, order::encode(&spec, &config).ok()?)));
    let HostSpec { host_id, dir, cwd, .. } = &spec;
    let (host_id, dir, cwd) = (host_id.clone(), dir.clone(), cwd.clone());
    let (child, message) = match told {
        Some((waiting, order)) => {
            let made = dir.clone();
            blocking(move || make_folder(&made)).await?;
            (waiting.into_child(), order)
        }
        None => {
            let config = serde_json::to_vec(&config).map_err(|error| StartError::Pipe(error.into()))?;
            (blocking(move || spawn(&spec)).await?, config)
        }
    };
    match converse(child, &message, cwd).await {
        Ok(identity) => Ok(Started { host_id, dir, identity }),
        Err(error) => {
            if matches!(error, StartError::Silent | StartError::Vanished | StartError::Pipe(_)) {
                crate::recover::sweep(&host_id, None).await;
                // What cannot be looked at may have run as well.
                if !crate::recover::never_ran(&host_id, &dir).await.unwrap_or(false) {
                    return Err(StartError::Lost);
                }
            }
            discard(dir).await;
            Err(error)
        }
    }
}

/// On a thread that may block, with the runtime at hand.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StartError> + Send + 'static,
) -> Result<T, StartError> {
    let runtime = tokio::runtime::Handle::current();
    let done = tokio::task::spawn_blocking(move || {
        let _inside = runtime.enter();
        work()
    });
    done.await.map_err(|stopped| StartError::Pipe(io::Error::other(stopped)))?
}

async fn discard(dir: PathBuf) {
    // What cannot be removed now is found, with a lost or never started host, when the folders are looked through.
    let _ = tokio::task::spawn_blocking(move || folder::remove(&dir)).await;
}

fn make_folder(dir: &Path) -> Result<(), StartError> {
    Folder::create(dir).map_err(|error| StartError::Folder(dir.to_owned(), error))
}

/// Blocking: makes the folder and runs the host.
fn spawn(spec: &HostSpec) -> Result<Child, StartError> {
    make_folder(&spec.dir)?;
    let mut command = command(&spec.exe, &spec.env, &spec.host_id);
    command.arg("--dir").arg(&spec.dir).arg("--").arg(&spec.program).args(&spec.args).current_dir(&spec.cwd);
    command.spawn().map_err(|error| {
        let _ = folder::remove(&spec.dir);
        // The same error stands for both; only one of them is the user's.
        match std::fs::read_dir(&spec.cwd) {
            Ok(_) => StartError::Host(spec.exe.clone(), error),
            Err(error) => StartError::WorkingFolder(spec.cwd.clone(), error),
        }
    })
}

/// `segue host` with the pipes of its start, and with its mark.
pub(crate) fn command(exe: &Path, env: &[(OsString, OsString)], host_id: &HostId) -> Command {
    let mut command = Command::new(exe);
    #[cfg(unix)]
    command.arg0("segue");
    command.arg("host");
    command.env_clear().envs(env.iter().map(|(name, value)| (name, value))).env(HOST_MARK, host_id.as_str());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Hands over what the host is to know, and hears the report.
async fn converse(mut child: Child, message: &[u8], cwd: PathBuf) -> Result<HostIdentity, StartError> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let conversation = async {
        // A host that died already says why by what it does not say.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(message).await;
        }
        let mut report = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(REPORT_MAX_BYTES).read_to_end(&mut report).await.map_err(StartError::Pipe)?;
        }
        Ok(report)
    };
    let report = tokio::time::timeout(REPORT, conversation).await;
    if report.is_err() {
        let _ = child.start_kill();
    }
    // The server is its parent, so it takes note of its end. The job lasts as long as the host, or the server.
    tokio::spawn(async move { child.wait().await });
    let report = report.map_err(|_| StartError::Silent)??;
    match serde_json::from_slice(&report) {
        Ok(Report::Started(identity)) => Ok(identity),
        Ok(Report::Failed(cause)) => Err(StartError::Program(cause)),
        Ok(Report::NoWorkingFolder(number)) => {
            Err(StartError::WorkingFolder(cwd, io::Error::from_raw_os_error(number)))
        }
        Err(_) => Err(StartError::Vanished),
    }
}

/// Removes a host's folder once its end has been taken in, or was given up; one that is not there is no error.
///
/// # Errors
/// It could not be removed.
pub async fn remove(dir: &Path) -> io::Result<()> {
    let dir = dir.to_owned();
    tokio::task::spawn_blocking(move || folder::remove(&dir)).await.map_err(io::Error::other)?
}
