//! What `segue mcp undo` needs: each client's settings as they were before the last change of ours.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt,
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
    let Some(text) = settings::read_any(&path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|source| UndoError::Memory { path, source })
}

/// Remembers a change and makes it. What was remembered before stays where it cannot be made.
///
/// # Errors
/// When it cannot be written.
pub fn remembering<E>(
    state: &Path,
    client: &Client,
    change: &Change,
    make: impl FnOnce() -> Result<(), E>,
) -> Result<(), UndoError>
where
    UndoError: From<E>,
{
    let path = place(state, client);
    let text = serde_json::to_string(change).map_err(|source| UndoError::Memory { path: path.clone(), source })?;
    let there = settings::read_any(&path)?;
    // The folder of all work, when this is the first that is put there: nobody else's affair.
    let folder = fs::DirBuilder::new().recursive(true).mode(0o700).create(state);
    folder.map_err(|source| UndoError::Folder { path: state.to_owned(), source })?;
    settings::replace(&path, there.as_deref(), Some(&text))?;
    let made = make();
    if made.is_err() {
        settings::replace(&path, Some(&text), there.as_deref())?;
    }
    Ok(made?)
}

/// Forgets the change: it was undone.
///
/// # Errors
/// When it cannot be removed.
pub fn forget(state: &Path, client: &Client) -> Result<(), UndoError> {
    let path = place(state, client);
    fs::remove_file(&path).map_err(|source| UndoError::Folder { path, source })
}

#[cfg(test)]
mod tests {
    use super::{super::CLIENTS, *};

    #[test]
    fn a_change_that_was_not_made_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let change = |after: &str| Change { file: "/settings".into(), before: None, after: after.to_owned() };
        let remembered = || last(&state, &CLIENTS[0]).unwrap().map(|change| change.after);
        let fails = || Err(settings::SettingsError::Changed("/settings".into()));
        assert!(remembering(&state, &CLIENTS[0], &change("never"), fails).is_err());
        assert_eq!(remembered(), None);
        let made = || Ok::<(), settings::SettingsError>(());
        remembering(&state, &CLIENTS[0], &change("first"), made).unwrap();
        assert!(remembering(&state, &CLIENTS[0], &change("never"), fails).is_err());
        assert_eq!(remembered().as_deref(), Some("first"));
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&state).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o700);
    }
}
