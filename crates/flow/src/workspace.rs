//! The folder that flows, capabilities and Runs belong to.

use std::path::{Path, PathBuf};

use segue_model::flow::Hash;

/// Digits of the path's hash in a key. Fixed by the published state layout.
const KEY_DIGITS: usize = 10;
/// What a folder without a name of its own is called: the root.
const NAMELESS: &str = "workspace";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    path: PathBuf,
    name: String,
    key: String,
}

impl Workspace {
    /// The workspace of an absolute path. Links are kept: two spellings are two workspaces.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        let name = path.file_name().map_or_else(|| NAMELESS.into(), |name| name.to_string_lossy()).into_owned();
        let hash = Hash::of_bytes(path.as_os_str().as_encoded_bytes());
        let key = format!("{name}-{}", hash.prefix(KEY_DIGITS));
        Self { path, name, key }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The base name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is called in the journal: the base name and the beginning of the path's hash.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_one_name_are_different_workspaces() {
        let (a, b) = (Workspace::new("/a/project".into()), Workspace::new("/b/project".into()));
        assert_eq!((a.name(), a.key()), ("project", "project-a47ef33958"));
        assert_ne!(a.key(), b.key());
        assert_eq!(Workspace::new("/".into()).name(), "workspace");
    }
}
