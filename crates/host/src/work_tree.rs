//! What changed in a workspace, by git's account. Nothing is written there, index included, and nothing is run that
//! stands there: the repository's configuration is the agent's to write, and git has many settings that name a program.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::adapters::locate;

/// How long one git command may take. A turn's record waits for it, so a huge tree goes without.
const GIT_LIMIT: Duration = Duration::from_secs(2);
/// How many changed paths are named.
pub const PATHS_LISTED: usize = 500;
/// What a server started by git itself (a hook, an alias) has in its environment about another repository.
const OF_ANOTHER_REPOSITORY: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A work tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    head: Option<String>,
    /// What differs from the head: path → status, size and time of change.
    dirty: BTreeMap<String, String>,
}

/// The work tree that `dir` is in; `None` outside one, without git, or when git takes too long.
pub async fn snapshot(dir: &Path) -> Option<Snapshot> {
    if !dir.ancestors().any(|up| up.join(".git").exists()) {
        return None;
    }
    let git = Git::open(dir).await?;
    let root = PathBuf::from(OsStr::from_bytes(git.run(&["rev-parse", "--show-toplevel"]).await?.trim_ascii_end()));
    // A submodule has settings of its own; what its work tree holds is not looked at.
    let status =
        ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"];
    let status = git.run(&status).await?;
    let head = git.run(&["rev-parse", "--verify", "-q", "HEAD"]).await;
    let dirty = status
        .split(|b| *b == 0)
        .filter(|entry| entry.len() > 3)
        .map(|entry| {
            let path = OsStr::from_bytes(&entry[3..]);
            let code = String::from_utf8_lossy(&entry[..2]);
            (path.to_string_lossy().into_owned(), format!("{code} {}", stamp(&root.join(path))))
        })
        .collect();
    Some(Snapshot { head: head.map(|h| String::from_utf8_lossy(h.trim_ascii()).into_owned()), dirty })
}

fn stamp(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata()
        .map_or_else(|_| "gone".to_owned(), |m| format!("{} {}.{}", m.len(), m.mtime(), m.mtime_nsec()))
}

/// Paths, relative to the top of the work tree, that changed since `before`; at most
/// [`PATHS_LISTED`]. `None` when that cannot be told.
pub async fn changed_since(dir: &Path, before: &Snapshot) -> Option<Vec<String>> {
    let after = snapshot(dir).await?;
    let mut changed: Vec<String> = Vec::new();
    if let (Some(old), Some(new)) = (&before.head, &after.head)
        && old != new
    {
        let git = Git::open(dir).await?;
        let names = git.run(&["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", old, new]).await?;
        let names = names.split(|b| *b == 0).filter(|name| !name.is_empty());
        changed.extend(names.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    changed.extend(
        after.dirty.iter().filter(|(path, state)| before.dirty.get(*path) != Some(state)).map(|(path, _)| path.clone()),
    );
    changed.extend(before.dirty.keys().filter(|path| !after.dirty.contains_key(*path)).cloned());
    changed.sort();
    changed.dedup();
    changed.truncate(PATHS_LISTED);
    Some(changed)
}

/// The way to ask git about one folder.
struct Git<'a> {
    program: PathBuf,
    dir: &'a Path,
    /// Settings that are put out of force: name and value.
    settings: Vec<(String, &'static str)>,
}

impl<'a> Git<'a> {
    async fn open(dir: &'a Path) -> Option<Self> {
        let program = locate("git", std::env::var_os("PATH").as_deref()).ok()?;
        let off = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")];
        let settings = off.map(|(name, value)| (name.to_owned(), value)).into();
        let mut git = Self { program, dir, settings };
        // Filters turn a file's content into what is compared, by any program; each has to be named to be put off.
        let filters = match git.output(&["config", "--null", "--name-only", "--get-regexp", r"^filter\."]).await? {
            (Some(0), names) => String::from_utf8(names).ok()?,
            (Some(1), _) => String::new(),
            _ => return None,
        };
        let drivers: BTreeSet<&str> =
            filters.split('\0').filter_map(|name| name.rsplit_once('.')).map(|(driver, _)| driver).collect();
        for (member, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
            git.settings.extend(drivers.iter().map(|driver| (format!("{driver}.{member}"), value)));
        }
        Some(git)
    }

    async fn run(&self, args: &[&str]) -> Option<Vec<u8>> {
        let (code, stdout) = self.output(args).await?;
        (code == Some(0)).then_some(stdout)
    }

    /// Exit code and output. No locks, no hooks, no transport: an object that is missing stays so.
    async fn output(&self, args: &[&str]) -> Option<(Option<i32>, Vec<u8>)> {
        let mut command = Command::new(&self.program);
        for name in OF_ANOTHER_REPOSITORY {
            command.env_remove(name);
        }
        // Not by `-c`, which cannot tell a name with a `=` from its value.
        for (n, (name, value)) in self.settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{n}"), name).env(format!("GIT_CONFIG_VALUE_{n}"), value);
        }
        let child = command
            .args(args)
            .current_dir(self.dir)
            .env("GIT_CONFIG_COUNT", self.settings.len().to_string())
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let output = tokio::time::timeout(GIT_LIMIT, child.wait_with_output()).await.ok()?.ok()?;
        Some((output.status.code(), output.stdout))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Git as a person runs it.
    fn git(dir: &Path, args: &[&str]) {
        let who = ["-c", "user.name=n", "-c", "user.email=e"];
        let status = std::process::Command::new("git").args(who).args(args).current_dir(dir).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        fs::write(folder.path().join("file"), "x\n").unwrap();
        git(folder.path(), &["add", "file"]);
        git(folder.path(), &["commit", "-q", "-m", "one"]);
        folder
    }

    #[tokio::test]
    async fn what_changed_is_told_and_what_was_dirty_before_is_not() {
        let folder = repository();
        fs::write(folder.path().join("dirty before"), "").unwrap();
        let before = snapshot(folder.path()).await.unwrap();
        assert_eq!(changed_since(folder.path(), &before).await.unwrap(), Vec::<String>::new());
        fs::write(folder.path().join("new"), "").unwrap();
        fs::write(folder.path().join("file"), "longer\n").unwrap();
        git(folder.path(), &["commit", "-q", "-a", "-m", "two"]);
        assert_eq!(changed_since(folder.path(), &before).await.unwrap(), ["file", "new"]);
    }

    /// An agent that may edit and not execute could otherwise have its own program run, outside its tree.
    #[tokio::test]
    async fn no_program_that_the_repository_names_is_run() {
        let folder = repository();
        let ran = folder.path().join("ran");
        let program = format!("touch '{}'; cat", ran.display());
        for (name, value) in [
            ("filter.plain.clean", program.as_str()),
            ("filter.a=b.c.clean", &program),
            ("filter.whole.process", &program),
            ("filter.whole.required", "true"),
            ("core.fsmonitor", &program),
        ] {
            git(folder.path(), &["config", name, value]);
        }
        for attribute in ["plain", "a=b.c", "whole"] {
            fs::write(folder.path().join(".gitattributes"), format!("file filter={attribute}\n")).unwrap();
            // Of the same size, so that only its content can tell.
            fs::write(folder.path().join("file"), "y\n").unwrap();
            let seen = snapshot(folder.path()).await.unwrap();
            assert!(seen.dirty.contains_key("file"), "{attribute}: {seen:?}");
            assert!(!ran.exists(), "{attribute}");
        }
    }
}
