//! The files of the repository, as text.
//!
//! Everything below the root counts, committed or not, so that a chore sees what is about to be committed. What is
//! built, installed or downloaded does not.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::chore::ChoreError;

/// Folders that hold nothing written by hand.
const NOT_OURS: [&str; 5] = [".git", ".check", "target", "node_modules", "dist"];

/// A repository that was read.
#[derive(Debug)]
pub struct Repository {
    pub root: PathBuf,
    /// By path from the root, with `/`. A file that is not UTF-8 has `None`.
    pub files: BTreeMap<String, Option<String>>,
}

impl Repository {
    /// The repository that this program was built from.
    pub fn here() -> Result<Self, ChoreError> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::read(manifest.parent().unwrap_or(manifest))
    }

    pub fn read(root: &Path) -> Result<Self, ChoreError> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let failed = |source| ChoreError::Read { path: folder.clone(), source };
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
                let name = entry.file_name();
                if kind.is_dir() {
                    if !NOT_OURS.iter().any(|not_ours| name == *not_ours) {
                        folders.push(path);
                    }
                } else if kind.is_file() {
                    let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                    // A file that went away since the folder was listed is not part of the repository.
                    if let Some(text) = read_text(&path)? {
                        files.insert(relative, text);
                    }
                }
            }
        }
        Ok(Self { root: root.to_owned(), files })
    }

    /// Every text file with its path.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// There is a file, or a folder with a file in it, at this path.
    pub fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.range(folder.clone()..).next().is_some_and(|(found, _)| found.starts_with(&folder))
    }

    pub fn write(&self, path: &str, text: &str) -> Result<(), ChoreError> {
        let path = self.root.join(path);
        let failed = |source| ChoreError::Write { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&path, text).map_err(failed)
    }
}

fn read_text(path: &Path) -> Result<Option<Option<String>>, ChoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8(bytes).ok())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ChoreError::Read { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
impl Repository {
    /// A repository that exists in the test only.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned()))).collect();
        Self { root: PathBuf::new(), files }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_files_are_left_out_and_bytes_are_not_text() {
        let root = tempfile::tempdir().expect("a folder");
        for (path, bytes) in
            [("a/b.md", &b"x"[..]), ("a/c.png", &[0xff]), ("target/d.rs", b"y"), ("e/node_modules/f", b"z")]
        {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        let repository = Repository::read(root.path()).expect("it can be read");
        let expected = [("a/b.md".to_owned(), Some("x".to_owned())), ("a/c.png".to_owned(), None)];
        assert_eq!(repository.files, BTreeMap::from(expected));
        assert_eq!(repository.texts().collect::<Vec<_>>(), [("a/b.md", "x")]);
        assert!(
            repository.holds("a")
                && repository.holds("a/c.png")
                && !repository.holds("b")
                && !repository.holds("target")
        );
    }
}
