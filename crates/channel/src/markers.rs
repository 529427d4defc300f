//! Completion markers: an empty file appears when a task ends, so that a shell loop can wait for it.
//!
//! Everything happens through directory handles: replacing a component of the path later redirects
//! nothing.

use std::{
    fs, io,
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use segue_model::TaskId;

use crate::{error::Code, ledger, shared::Shared};

/// How a folder is opened that nobody may have replaced by a link.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// This process's folder of markers.
#[derive(Debug)]
pub struct Markers {
    path: PathBuf,
    name: String,
    base: OwnedFd,
    dir: OwnedFd,
}

/// Why there are no markers. The server runs without them.
#[derive(Debug, thiserror::Error)]
pub enum MarkersError {
    #[error("{0} is a symbolic link")]
    Link(PathBuf),
    #[error("{0} is not a directory")]
    NotDirectory(PathBuf),
    #[error("{0} belongs to another user")]
    Foreign(PathBuf),
    #[error("{0} can be written by others")]
    Writable(PathBuf),
    #[error("use {path} for completion markers")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Markers {
    /// Makes the base folder if it is missing (its parent must exist) and in it a folder of mode
    /// 0700 for this process, `<pid>-<8 hex>`.
    ///
    /// # Errors
    /// When the base is not safe to use: see [`MarkersError`].
    pub fn open(base: &Path, random: [u8; 4]) -> Result<Self, MarkersError> {
        let fault = |source| MarkersError::Io { path: base.to_owned(), source };
        match fs::DirBuilder::new().mode(0o700).create(base) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fault(error)),
            _ => {}
        }
        let meta = base.symlink_metadata().map_err(fault)?;
        if meta.is_symlink() {
            return Err(MarkersError::Link(base.to_owned()));
        }
        if !meta.is_dir() {
            return Err(MarkersError::NotDirectory(base.to_owned()));
        }
        let handle = rustix::fs::open(base, FOLDER, Mode::empty()).map_err(|e| fault(e.into()))?;
        // What counts is what was opened, not what the name meant before.
        let stat = rustix::fs::fstat(&handle).map_err(|e| fault(e.into()))?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(MarkersError::Foreign(base.to_owned()));
        }
        if meta.ino() != stat.st_ino || FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(MarkersError::NotDirectory(base.to_owned()));
        }
        if stat.st_mode & 0o022 != 0 {
            return Err(MarkersError::Writable(base.to_owned()));
        }
        let name = format!("{}-{:08x}", std::process::id(), u32::from_be_bytes(random));
        let making = Making::begin(&handle).map_err(fault)?;
        rustix::fs::mkdirat(&handle, &name, Mode::RWXU).map_err(|e| fault(e.into()))?;
        let dir = rustix::fs::openat(&handle, &name, FOLDER, Mode::empty()).map_err(|e| fault(e.into()))?;
        // Held for life: the kernel lets go of it when this process dies.
        rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).map_err(|e| fault(e.into()))?;
        remove_dead(&handle);
        drop(making);
        Ok(Self { path: base.join(&name), name, base: handle, dir })
    }

    /// Removes the folders of processes that were killed, so that whoever waits there for a marker
    /// learns that none will come.
    pub fn remove_dead(&self) {
        if let Ok(_making) = Making::begin(&self.base) {
            remove_dead(&self.base);
        }
    }

    /// Where the marker of a task appears.
    #[must_use]
    pub fn path_of(&self, task: &TaskId) -> PathBuf {
        self.path.join(task.as_str())
    }

    fn create(&self, task: &TaskId) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.dir, task.as_str(), flags, Mode::RUSR | Mode::WUSR) {
            Ok(_) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the marker of a task, if there is one.
    pub fn remove(&self, task: &TaskId) {
        let _ = rustix::fs::unlinkat(&self.dir, task.as_str(), AtFlags::empty());
    }

    /// Removes every marker and the folder, not the base.
    pub fn remove_all(&self) {
        self.remove_dead();
        empty(&self.dir);
        match rustix::fs::unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => tracing::warn!("remove the folder of completion markers {}: {error}", self.path.display()),
        }
    }
}

impl Drop for Markers {
    /// Also of a server that was refused its start.
    fn drop(&mut self) {
        self.remove_all();
    }
}

/// While it lives, no other process makes or removes a folder in the base: there, a folder without a
/// lock is one whose process is dead.
#[derive(Debug)]
struct Making<'b>(&'b OwnedFd);

impl<'b> Making<'b> {
    fn begin(base: &'b OwnedFd) -> io::Result<Self> {
        rustix::io::retry_on_intr(|| rustix::fs::flock(base, FlockOperation::LockExclusive))?;
        Ok(Self(base))
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        let _ = rustix::fs::flock(self.0, FlockOperation::Unlock);
    }
}

fn remove_dead(base: &OwnedFd) {
    let Ok(entries) = rustix::fs::Dir::read_from(base) else { return };
    for entry in entries.flatten().filter(|entry| is_name(entry.file_name().to_bytes())) {
        let Ok(dir) = rustix::fs::openat(base, entry.file_name(), FOLDER, Mode::empty()) else { continue };
        if rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok() {
            empty(&dir);
            // One that holds more than markers stays.
            let _ = rustix::fs::unlinkat(base, entry.file_name(), AtFlags::REMOVEDIR);
        }
    }
}

/// A folder's name as [`Markers::open`] gives it.
fn is_name(name: &[u8]) -> bool {
    std::str::from_utf8(name).ok().and_then(|name| name.split_once('-')).is_some_and(|(pid, random)| {
        let hex = random.bytes().all(|byte| byte.is_ascii_hexdigit());
        pid.parse::<u32>().is_ok() && random.len() == 8 && hex
    })
}

/// Removes the files of a folder.
fn empty(dir: &OwnedFd) {
    for entry in rustix::fs::Dir::read_from(dir).into_iter().flatten().flatten() {
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            let _ = rustix::fs::unlinkat(dir, entry.file_name(), AtFlags::empty());
        }
    }
}

/// Makes the marker of a task that ended. A failure is an event of the task and changes no status.
///
/// The end was visible before, so the task may have been forgotten meanwhile: then there is no marker in the end,
/// whichever of the two comes first.
pub async fn task_ended(shared: &Arc<Shared>, task: &TaskId) {
    let Some(markers) = &shared.config.markers else { return };
    if let Err(error) = markers.create(task) {
        let message = format!("create the completion marker {}: {error}", markers.path_of(task).display());
        ledger::late_error(shared, task, message).await;
    } else if ledger::row(shared, task.as_str()).await.is_err_and(|refusal| refusal.code == Code::TaskNotFound) {
        markers.remove(task);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::testing;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("segue-markers-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn a_marker_is_an_empty_file_that_only_its_owner_reads() {
        let root = folder("file");
        let markers = Markers::open(&root.join("base"), [1, 2, 3, 4]).unwrap();
        let task = TaskId::from_bytes([7; 6]);
        markers.create(&task).unwrap();
        let meta = markers.path_of(&task).metadata().unwrap();
        assert_eq!((meta.len(), meta.permissions().mode() & 0o777), (0, 0o600));
        // The path is replaced by somebody else: the handle still means the old folder.
        let moved = root.join("moved");
        fs::rename(root.join("base"), &moved).unwrap();
        let other = TaskId::from_bytes([8; 6]);
        markers.create(&other).unwrap();
        assert!(moved.join(&markers.name).join(other.as_str()).exists());
        markers.remove(&task);
        markers.remove_all();
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 0);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn the_folder_of_a_process_that_was_killed_is_removed_and_no_other() {
        let root = folder("dead");
        let living = Markers::open(&root, [1; 4]).unwrap();
        // As a process leaves it that is killed: with nobody's lock.
        let dead = root.join("4194305-0a0b0c0d");
        for other in [dead.clone(), root.join("somebodys-files"), root.join("17-short")] {
            fs::create_dir(&other).unwrap();
            fs::write(other.join("task_1"), "").unwrap();
        }
        let second = Markers::open(&root, [2; 4]).unwrap();
        assert!(!dead.exists());
        assert!(living.path.exists() && second.path.exists() && root.join("somebodys-files/task_1").exists());
        assert!(root.join("17-short/task_1").exists());
        fs::create_dir(&dead).unwrap();
        let own = second.path.clone();
        drop(second);
        assert!(!dead.exists() && !own.exists() && living.path.exists(), "an orderly end tidies up as well");
        fs::remove_dir_all(root).unwrap();
    }

    #[tokio::test]
    async fn a_task_that_was_forgotten_before_its_marker_was_made_has_none() {
        let root = folder("forgotten");
        let shared = testing::shared_marking(Markers::open(&root, [5; 4]).unwrap());
        let kept = testing::task(&shared, &[], Vec::new()).await.task.id.clone();
        let forgotten = TaskId::from_bytes([9; 6]);
        for task in [&kept, &forgotten] {
            task_ended(&shared, task).await;
        }
        let marked = |task| shared.config.markers.as_ref().is_some_and(|markers| markers.path_of(task).exists());
        assert_eq!((marked(&kept), marked(&forgotten)), (true, false));
        drop(shared);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn an_unsafe_base_is_refused() {
        let root = folder("unsafe");
        symlink(&root, root.join("link")).unwrap();
        assert!(matches!(Markers::open(&root.join("link"), [0; 4]), Err(MarkersError::Link(_))));
        fs::write(root.join("file"), "").unwrap();
        assert!(matches!(Markers::open(&root.join("file"), [0; 4]), Err(MarkersError::NotDirectory(_))));
        let open = root.join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(matches!(Markers::open(&open, [0; 4]), Err(MarkersError::Writable(_))));
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Markers::open(&open, [0; 4]).is_ok(), "being readable is no reason");
        assert!(matches!(Markers::open(&root.join("no/parent"), [0; 4]), Err(MarkersError::Io { .. })));
        fs::remove_dir_all(root).unwrap();
    }
}
