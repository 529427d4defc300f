//! Where things lie: the state folder, the configuration, the completion markers.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Why a place cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error(
        "no state folder: neither --state-dir, SEGUE_STATE_DIR, XDG_STATE_HOME nor HOME is an absolute path; give one with --state-dir"
    )]
    NoHome,
    #[error("{name} is {value:?}, which is not an absolute path")]
    Relative { name: &'static str, value: PathBuf },
    #[error("the working folder cannot be told")]
    NoCwd(#[source] std::io::Error),
}

/// The user's file of further agents, below the folder of Segue's configuration.
pub const AGENTS_FILE: &str = "agents.toml";

/// A place and what named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub from: &'static str,
}

impl Place {
    /// Whether somebody wanted this state folder, rather than got the usual one.
    #[must_use]
    pub fn was_chosen(&self) -> bool {
        matches!(self.from, STATE_OPTION | STATE_VARIABLE)
    }
}

const STATE_OPTION: &str = "--state-dir";
const STATE_VARIABLE: &str = "SEGUE_STATE_DIR";

/// The working folder.
///
/// # Errors
/// When it was removed.
pub fn cwd() -> Result<PathBuf, PlaceError> {
    env::current_dir().map_err(PlaceError::NoCwd)
}

/// The state folder; see `--state-dir`.
///
/// # Errors
/// When nothing names one, or `SEGUE_STATE_DIR` is relative.
pub fn state_dir(given: Option<&Path>) -> Result<Place, PlaceError> {
    if let Some(given) = given {
        return Ok(Place { path: cwd()?.join(given), from: STATE_OPTION });
    }
    if let Some(value) = set(STATE_VARIABLE) {
        let path = PathBuf::from(value);
        if !path.is_absolute() {
            return Err(PlaceError::Relative { name: STATE_VARIABLE, value: path });
        }
        return Ok(Place { path, from: STATE_VARIABLE });
    }
    usual_state_dir()
}

/// Whether commands of any terminal find this state folder without being told.
#[must_use]
pub fn is_usual_state_dir(path: &Path) -> bool {
    usual_state_dir().is_ok_and(|usual| usual.path == path)
}

/// Where the state folder is when nobody says.
fn usual_state_dir() -> Result<Place, PlaceError> {
    // As the XDG specification says, a relative value counts as unset.
    if let Some(base) = absolute("XDG_STATE_HOME") {
        return Ok(Place { path: base.join("segue"), from: "XDG_STATE_HOME" });
    }
    let home = absolute("HOME").ok_or(PlaceError::NoHome)?;
    Ok(Place { path: home.join(".local/state/segue"), from: "HOME" })
}

/// The file with further agents. A default that is not there is `None`.
///
/// # Errors
/// When the working folder is gone.
pub fn agents_file(given: Option<&Path>) -> Result<Option<Place>, PlaceError> {
    if let Some(given) = given {
        return Ok(Some(Place { path: cwd()?.join(given), from: "--agents-file" }));
    }
    Ok(config_place(AGENTS_FILE).filter(|place| place.path.exists()))
}

/// A file of the configuration folder, which need not exist; `None` when nothing names a folder.
#[must_use]
pub fn config_file(name: &str) -> Option<PathBuf> {
    config_place(name).map(|place| place.path)
}

/// A file of the configuration folder with what names that folder, as [`config_file`].
#[must_use]
pub fn config_place(name: &str) -> Option<Place> {
    match (absolute("XDG_CONFIG_HOME"), absolute("HOME")) {
        (Some(base), _) => Some(Place { path: base.join("segue").join(name), from: "XDG_CONFIG_HOME" }),
        (None, Some(home)) => Some(Place { path: home.join(".config/segue").join(name), from: "HOME" }),
        (None, None) => None,
    }
}

/// The base folder of completion markers.
///
/// # Errors
/// When the working folder is gone.
pub fn markers(given: Option<&Path>) -> Result<Place, PlaceError> {
    if let Some(given) = given {
        return Ok(Place { path: cwd()?.join(given), from: "--notify-dir" });
    }
    if let Some(base) = absolute("XDG_RUNTIME_DIR") {
        return Ok(Place { path: base.join("segue"), from: "XDG_RUNTIME_DIR" });
    }
    let uid = rustix::process::geteuid().as_raw();
    Ok(Place { path: env::temp_dir().join(format!("segue-{uid}")), from: "the folder for temporary files" })
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn absolute(name: &str) -> Option<PathBuf> {
    set(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
