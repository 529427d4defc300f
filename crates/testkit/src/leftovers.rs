//! What a test must not leave behind: processes, sockets, spools and hosts in the state folder, marker folders.
//!
//! Knows where Segue keeps such things and how a marked process is found; refuses to clean up, since a test that
//! leaves something has failed.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::real_agents::Mark;

/// How long whatever is ending may take: the longest ladder of a teardown, and a slow machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Between two looks; ending processes and folders wake nobody.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    pub mark: &'a Mark,
    /// Segue's state folder.
    pub state_dir: &'a Path,
    /// The folder of `XDG_RUNTIME_DIR`.
    pub runtime_dir: &'a Path,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Processes that carry the mark: pid and command line.
    pub processes: Vec<String>,
    /// Sockets, spools, and everything in a `hosts` folder, in the state folder or the runtime folder.
    pub host_files: Vec<PathBuf>,
    /// Folders for completion markers that outlived their server.
    pub marker_dirs: Vec<PathBuf>,
}

impl Leftovers {
    pub fn is_empty(&self) -> bool {
        *self == Leftovers::default()
    }
}

impl Display for Leftovers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for process in &self.processes {
            writeln!(f, "process {process}")?;
        }
        for path in self.host_files.iter().chain(&self.marker_dirs) {
            writeln!(f, "{}", path.display())?;
        }
        Ok(())
    }
}

/// Looks once.
pub fn look(places: Places<'_>) -> Leftovers {
    let mut host_files = Vec::new();
    collect_host_files(places.state_dir, &mut host_files);
    collect_host_files(places.runtime_dir, &mut host_files);
    host_files.sort();
    let processes = places.mark.processes();
    Leftovers {
        processes: processes.iter().map(|process| format!("{} {}", process.pid, process.command)).collect(),
        host_files,
        marker_dirs: marker_dirs(places.runtime_dir),
    }
}

/// Looks until nothing is left or the deadline is reached, and returns what is left then.
pub fn wait_none(places: Places<'_>, limit: Duration) -> Leftovers {
    let until = Instant::now() + limit;
    loop {
        let left = look(places);
        if left.is_empty() || Instant::now() >= until {
            return left;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Waits until nothing is left.
///
/// # Panics
/// Something is left after [`DEADLINE`]; the message lists it.
pub fn assert_none(places: Places<'_>) {
    let left = wait_none(places, DEADLINE);
    assert!(left.is_empty(), "left behind:\n{left}");
}

fn collect_host_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // What is removed while we look is not left behind.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let in_hosts = folder.file_name().is_some_and(|name| name == "hosts");
        let spool = entry.file_name().to_string_lossy().contains("spool");
        if in_hosts || spool || kind.is_socket() {
            found.push(path);
        } else if kind.is_dir() {
            collect_host_files(&path, found);
        }
    }
}

/// The folders inside the marker base, `<runtime>/segue*`; the base itself stays. Sockets of hosts may live
/// there too, in a folder of their own.
fn marker_dirs(runtime_dir: &Path) -> Vec<PathBuf> {
    let entries =
        |folder: &Path| -> Vec<fs::DirEntry> { fs::read_dir(folder).into_iter().flatten().flatten().collect() };
    let bases = entries(runtime_dir).into_iter().filter(|base| base.file_name().to_string_lossy().starts_with("segue"));
    let mut found: Vec<PathBuf> = bases
        .flat_map(|base| entries(&base.path()))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != "hosts")
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn processes_sockets_hosts_spools_and_marker_folders_are_found() {
        let root = tempfile::tempdir().unwrap();
        let (state, runtime) = (root.path().join("state"), root.path().join("run"));
        let mark = Mark::new("leftovers");
        let places = Places { mark: &mark, state_dir: &state, runtime_dir: &runtime };
        assert_eq!(look(places), Leftovers::default());

        fs::create_dir_all(state.join("hosts")).unwrap();
        fs::create_dir_all(runtime.join("segue")).unwrap();
        fs::write(state.join("journal.db"), "").unwrap();
        assert_eq!(look(places), Leftovers::default(), "an empty hosts folder and marker base may stay");

        fs::create_dir(state.join("hosts/1")).unwrap();
        fs::create_dir(runtime.join("segue/12-ab")).unwrap();
        fs::write(state.join("spool.0"), "").unwrap();
        let _socket = UnixListener::bind(runtime.join("segue/host.sock")).unwrap();
        let (name, value) = mark.variable();
        let mut child = Command::new("sleep").arg("600").env(name, value).spawn().unwrap();
        let found = Leftovers {
            processes: vec![format!("{} sleep 600", child.id())],
            host_files: vec![runtime.join("segue/host.sock"), state.join("hosts/1"), state.join("spool.0")],
            marker_dirs: vec![runtime.join("segue/12-ab")],
        };
        assert_eq!(look(places), found);
        assert!(found.to_string().contains("sleep 600\n"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(look(places).processes, Vec::<String>::new());
    }
}
