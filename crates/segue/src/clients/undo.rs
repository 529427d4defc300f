//! What `segue mcp undo` needs: each client's settings as they were before the last change of ours.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Client, settings};

/// Below the state folder, one file for each client; 0600, since settings may hold keys.
const FOLDER: &str = "client-settings";

#[derive(Debug, Serialize, Deserialize)]
pub struct Change {
    pub file: PathBuf,
    /// `None`: there was no file.
    pub before: Option<String>,
    pub after: String,
}

/// Why a change cannot be remembered, or its memory not be read.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    #[error("{}: {source}", path.display())]
    Memory { path: PathBuf, source: serde_json::Error },
    #[error("{}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

fn place(state: &Path, client: &Client) -> PathBuf {
    state.join(FOLDER).join(format!("{}.json", client.id))
}

/// The last change of this client's settings.
///
/// # Errors
/// When it cannot be read.
pub fn last(state: &Path, client: &Client) -> Result<Option<Change>, UndoError> {
    let path = place(state, client);
    let Some(text) = settings::read(&path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|source| UndoError::Memory { path, source })
}

/// Remembers a change, before it is made.
///
/// # Errors
/// When it cannot be written.
pub fn remember(state: &Path, client: &Client, change: &Change) -> Result<(), UndoError> {
    let path = place(state, client);
    let text = serde_json::to_string(change).map_err(|source| UndoError::Memory { path: path.clone(), source })?;
    let there = settings::read(&path)?;
    Ok(settings::replace(&path, there.as_deref(), Some(&text))?)
}

/// Forgets the change: it was undone.
///
/// # Errors
/// When it cannot be removed.
pub fn forget(state: &Path, client: &Client) -> Result<(), UndoError> {
    let path = place(state, client);
    fs::remove_file(&path).map_err(|source| UndoError::Folder { path, source })
}
