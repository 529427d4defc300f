//! Where the window keeps what is the user's: apart from what `segue` on the command line keeps.

use std::{
    env, fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("no folder for data: neither --state-root, XDG_DATA_HOME nor HOME is an absolute path")]
    NoHome,
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The state folder, made when it is not there. Nobody else may look into it.
pub fn state(given: Option<&Path>) -> Result<PathBuf, FolderError> {
    let path = match given {
        Some(given) => env::current_dir().unwrap_or_default().join(given),
        None => usual().ok_or(FolderError::NoHome)?,
    };
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.and_then(|()| fs::canonicalize(&path)).map_err(|source| FolderError::Io { path, source })
}

fn usual() -> Option<PathBuf> {
    let home = absolute("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support/Segue"));
    }
    absolute("XDG_DATA_HOME")
        .or_else(|| home.map(|home| home.join(".local/share")))
        .map(|data| data.join("segue-desktop"))
}

/// Where what a person saves from the console goes.
pub fn downloads() -> Option<PathBuf> {
    let home = absolute("HOME")?;
    let downloads = home.join("Downloads");
    Some(if downloads.is_dir() { downloads } else { home })
}

/// A folder that flows may work in when none was given.
pub fn workspace() -> Option<PathBuf> {
    absolute("HOME")
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
