//! What changed in a workspace, by git's account. Nothing is written there, index included.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

/// How long one git command may take. A turn's record waits for it, so a huge tree goes without.
const GIT_LIMIT: Duration = Duration::from_secs(2);
/// How many changed paths are named.
pub const PATHS_LISTED: usize = 500;

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
    let root = PathBuf::from(OsStr::from_bytes(git(dir, &["rev-parse", "--show-toplevel"]).await?.trim_ascii_end()));
    let status = git(dir, &["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]).await?;
    let head = git(dir, &["rev-parse", "--verify", "-q", "HEAD"]).await;
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
    if let (Some(old), Some(new)) = (&before.head, &after.head) {
        if old != new {
            let names = git(dir, &["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", old, new]).await?;
            changed.extend(
                names.split(|b| *b == 0).filter(|n| !n.is_empty()).map(|n| String::from_utf8_lossy(n).into_owned()),
            );
        }
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

/// Runs git without locks, hooks or helpers of the repository's own.
async fn git(dir: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let child = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(dir)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let output = tokio::time::timeout(GIT_LIMIT, child.wait_with_output()).await.ok()?.ok()?;
    output.status.success().then_some(output.stdout)
}
