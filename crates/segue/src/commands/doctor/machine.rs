//! The folders and programs of this machine.

use std::{ffi::OsStr, path::Path};

use segue_channel::{World, markers::Markers};
use segue_host::adapters::locate;
use segue_journal::OpenOptions;

use super::{Check, State};
use crate::{agents_file, cli::Global, flows::Workspace, nesting, places, world::Machine};

/// What `segue demo` needs: a workspace, and a folder of its own beside other temporary ones.
pub const DEMO: &[&str] = &["workspace", "temporary_state"];
/// What `segue app` needs.
pub const APP: &[&str] = &["workspace", "state_folder", "agents_file"];

/// Every check, in the order in which things are needed.
pub fn checks(global: &Global, workspace: &Workspace) -> Vec<Check> {
    vec![
        self::workspace(workspace),
        temporary_state(),
        state_folder(global),
        runtime_folder(),
        agents_file(global),
        git(),
        nested(),
    ]
}

/// An empty folder will do.
fn workspace(workspace: &Workspace) -> Check {
    match workspace.path() {
        Ok(path) => Check::new("workspace", State::Ready, path.display().to_string()),
        Err(error) => Check::new("workspace", State::Failed, error.to_string()),
    }
}

/// A folder can be made there: a demo without `--state-dir` keeps its record in one.
fn temporary_state() -> Check {
    let name = "temporary_state";
    let folder = std::env::temp_dir();
    let mut random = [0; 6];
    Machine.random(&mut random);
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let own = folder.join(format!("segue-doctor-{digits}"));
    match std::fs::create_dir(&own).and_then(|()| std::fs::remove_dir(&own)) {
        Ok(()) => Check::new(name, State::Ready, folder.display().to_string()),
        Err(error) => Check::new(name, State::Failed, format!("{}: {error}", folder.display())),
    }
}

/// Opening the journal judges the folder, the file system it is on, and the database.
fn state_folder(global: &Global) -> Check {
    let name = "state_folder";
    let place = match places::state_dir(global.state_dir.as_deref()) {
        Ok(place) => place,
        Err(error) => return Check::new(name, State::Failed, error.to_string()),
    };
    match segue_journal::open(&OpenOptions::new(&place.path)) {
        Ok(journal) => {
            journal.close();
            Check::new(name, State::Ready, format!("{} (by {})", place.path.display(), place.from))
        }
        Err(error) => Check::new(name, State::Failed, error.to_string()),
    }
}

/// Only completion markers need it, and a server goes without them.
fn runtime_folder() -> Check {
    let name = "runtime_folder";
    let place = match places::markers(None) {
        Ok(place) => place,
        Err(error) => return Check::new(name, State::Missing, error.to_string()),
    };
    let mut random = [0; 4];
    Machine.random(&mut random);
    match Markers::open(&place.path, random) {
        Ok(markers) => {
            markers.remove_all();
            Check::new(name, State::Ready, format!("{} (by {})", place.path.display(), place.from))
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            Check::new(name, State::Missing, format!("no completion markers: {error}{cause}"))
        }
    }
}

fn agents_file(global: &Global) -> Check {
    let name = "agents_file";
    match agents_file::registry(global.agents_file.as_deref()) {
        Ok((_, Some(place))) => Check::new(name, State::Ready, format!("{} (by {})", place.path.display(), place.from)),
        Ok((_, None)) => Check::new(name, State::Missing, "the built-in agents only"),
        Err(error) => Check::new(name, State::Failed, error.to_string()),
    }
}

fn git() -> Check {
    let path = std::env::var_os("PATH");
    match locate("git", path.as_deref().map(OsStr::new)) {
        Ok(git) => Check::new("git", State::Ready, git.display().to_string()),
        Err(_) => Check::new("git", State::Missing, "receipts do not say which files changed"),
    }
}

fn nested() -> Check {
    let detail = if nesting::nested() {
        "inside an agent that Segue started: nothing can be dispatched from here"
    } else if Path::new("/proc/self/environ").exists() {
        "not inside an agent that Segue started"
    } else {
        "not inside an agent that Segue started, as far as the environment says"
    };
    Check::new("nesting", State::Ready, detail)
}
