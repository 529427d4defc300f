//! A command that works with flows: it opens the state folder, has the flows of one workspace beside the channel, does
//! its part and goes. What a command starts it follows to its end; Runs that it had to take over beside that, and those
//! that only wait for somebody, stay for whoever comes next.

use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use segue_channel::Channel;
pub use segue_flow::ACTIVE_RUNS;
use segue_flow::{Config, Flows, Standard, api::OnStop};
use segue_host::adapters::{DEPTH, depth};
use segue_model::flow::{Json, json::object};

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    places,
    wiring::{self, Wanted, Wired, WiringError},
    world::Machine,
};

/// How long a process of a Run goes on when the command that drove it was killed: long enough for the next one to take
/// its result.
const ORPHAN_GRACE: Duration = Duration::from_millis(segue_host::ORPHAN_GRACE_MS);
/// The user's file of agent descriptors, below the folder of Segue's configuration.
pub const DESCRIPTORS: &str = "agent-cli-descriptors.json";
/// Seconds of one turn of the session fixture. Fixed by the contract.
const FIXTURE_TIMEOUT: i64 = 30;

/// Each active Run may have several processes; more than these no machine of one person carries.
const ACTIVE_RUNS_MAX: usize = 1000;

/// The workspace whose flows, capabilities and Runs are meant.
#[derive(Debug, Clone, Default, Args)]
pub struct Workspace {
    /// The workspace: flows, capabilities and runs belong to it, and processes work in it [default: the present folder]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
}

impl Workspace {
    /// Its absolute path. Links are kept.
    ///
    /// # Errors
    /// It is no folder.
    pub fn path(&self) -> Result<PathBuf, CommandError> {
        let cwd = places::cwd().map_err(WiringError::from)?;
        let path = match &self.workspace {
            Some(given) => plain(&cwd.join(given)),
            None => cwd,
        };
        if path.is_dir() {
            return Ok(path);
        }
        Err(CommandError::Usage(format!("the workspace {} is not a folder", path.display())))
    }
}

/// The path without the "." and ".." that would make two workspaces of one folder. A link is followed only where ".."
/// leaves it, for that leads to the folder around its target.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part != Component::ParentDir {
            plain.push(part);
        } else if !plain.is_dir() {
            // Leads nowhere, which whoever opens it says.
            plain.push(part);
        } else {
            if plain.is_symlink() {
                plain = plain.canonicalize().unwrap_or(plain);
            }
            plain.pop();
        }
    }
    plain
}

/// What such a command works with.
#[derive(Debug)]
pub struct Desk {
    pub flows: Flows,
    pub channel: Channel,
}

/// Runs `work` with the flows of a workspace.
///
/// # Errors
/// When the parts cannot be put together, or as `work`.
pub fn with_flows(
    global: &Global,
    workspace: &Workspace,
    work: impl AsyncFnOnce(&Desk) -> Result<Exit, CommandError>,
) -> Result<ExitCode, CommandError> {
    let workspace = workspace.path()?;
    let runtime = wiring::runtime().map_err(|source| CommandError::Io { what: "start", source })?;
    let wired = Wired::open(global, Wanted::default())?;
    let outcome = runtime.block_on(async {
        brief::import_finished(&wired).await;
        let desk = open(&wired, workspace).await;
        let (outcome, idle) = match &desk {
            Ok(desk) => {
                let outcome = work(desk).await;
                (outcome, desk.flows.shut_down(OnStop::Leave).await)
            }
            Err(_) => (Ok(Exit::Internal), true),
        };
        let left = wired.channel.shut_down().await;
        let outcome = desk.map(|_| ()).and(outcome);
        // Processes that may still run matter more than what the command wanted to say.
        outcome.map(|exit| if left.confirmed && idle { exit } else { Exit::Internal })
    });
    runtime.shutdown_background();
    wired.close();
    outcome.map(ExitCode::from)
}

/// A number of Runs that may be active at once.
///
/// # Errors
/// It is none, or too large.
pub fn active_runs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=ACTIVE_RUNS_MAX).contains(number));
    number.ok_or_else(|| format!("must be a number from 1 to {ACTIVE_RUNS_MAX}"))
}

/// The flows of a workspace, set up and with what every process brings.
///
/// # Errors
/// The journal cannot be read or written.
pub async fn open(wired: &Wired, workspace: PathBuf) -> Result<Desk, CommandError> {
    open_with_room(wired, workspace, ACTIVE_RUNS).await
}

/// As [`open`], with room for that many Runs at once.
///
/// # Errors
/// As [`open`].
pub async fn open_with_room(wired: &Wired, workspace: PathBuf, max_active_runs: usize) -> Result<Desk, CommandError> {
    let flows = Flows::new(Config {
        journal: Arc::clone(&wired.journal),
        world: Arc::new(Machine),
        channel: wired.channel.clone(),
        executors: Arc::new(Standard),
        workspace,
        hosts: wired.hosts.clone(),
        exe: segue_host::own_executable(),
        environment: environment(),
        orphan_grace: ORPHAN_GRACE,
        descriptors: places::config_file(DESCRIPTORS),
        max_active_runs,
    });
    flows.open().await?;
    flows.install_sample(&session_fixture()?).await?;
    Ok(Desk { flows, channel: wired.channel.clone() })
}

/// That of this process, one level deeper: what a node starts must not hand out work of its own.
fn environment() -> Vec<(OsString, OsString)> {
    let inner = depth(std::env::var_os(DEPTH).as_deref()).saturating_add(1);
    let others = std::env::vars_os().filter(|(name, _)| name != DEPTH);
    others.chain([(OsString::from(DEPTH), OsString::from(inner.to_string()))]).collect()
}

/// The agent that keeps a session and is none: this program itself, started anew for every turn.
fn session_fixture() -> Result<Json, CommandError> {
    let program = std::env::current_exe().map_err(|source| CommandError::Io { what: "find this program", source })?;
    let config = object([
        ("executable", program.to_string_lossy().into_owned().into()),
        ("args", Json::Array(vec!["fixture".into(), "session".into()])),
        ("input_mode", "session_json".into()),
        ("output_format", "session_json".into()),
        ("session_protocol", "symphlo.agent-session.v1".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
    ]);
    Ok(Json::Object(object([
        ("kind", "agent_cli".into()),
        ("id", segue_model::flow::granularity::SESSION_FIXTURE_ID.into()),
        ("name", "Session fixture".into()),
        ("description", "A real child process that keeps a conversation. It is no model and says so.".into()),
        ("effects", Json::Array(vec!["execute_process".into()])),
        ("timeout_seconds", FIXTURE_TIMEOUT.into()),
        ("config", Json::Object(config)),
    ])))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn one_folder_is_one_workspace_however_it_is_reached() {
        let room = tempfile::tempdir().expect("a folder");
        let root = room.path().canonicalize().expect("its path");
        fs::create_dir_all(root.join("a/b")).expect("folders");
        fs::create_dir(root.join("c")).expect("a folder");
        fs::write(root.join("file"), "").expect("a file");
        symlink(root.join("a/b"), root.join("c/link")).expect("a link");
        for (given, expected) in [
            ("a/..", ""),
            ("a/b/../..", ""),
            ("./a/./b/", "a/b"),
            ("a/../a/b", "a/b"),
            ("c/link", "c/link"),
            ("c/link/.", "c/link"),
            ("c/link/..", "a"),
            ("c/link/../../c", "c"),
            ("nowhere/..", "nowhere/.."),
            ("file/..", "file/.."),
        ] {
            assert_eq!(plain(&root.join(given)).as_os_str(), root.join(expected).components().as_path(), "{given}");
        }
        assert_eq!(plain(Path::new("/../..")), Path::new("/"));
    }
}
