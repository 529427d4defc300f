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

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use segue_model::TaskId;

use crate::{ledger, shared::Shared};

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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::open(base, flags, Mode::empty()).map_err(|e| fault(e.into()))?;
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
        rustix::fs::mkdirat(&handle, &name, Mode::RWXU).map_err(|e| fault(e.into()))?;
        let dir = rustix::fs::openat(&handle, &name, flags, Mode::empty()).map_err(|e| fault(e.into()))?;
        Ok(Self { path: base.join(&name), name, base: handle, dir })
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
        if let Ok(entries) = rustix::fs::Dir::read_from(&self.dir) {
            for entry in entries.flatten() {
                if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                    let _ = rustix::fs::unlinkat(&self.dir, entry.file_name(), AtFlags::empty());
                }
            }
        }
        if let Err(error) = rustix::fs::unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR) {
            tracing::warn!("remove the folder of completion markers {}: {error}", self.path.display());
        }
    }
}

/// Makes the marker of a task that ended. A failure is an event of the task and changes no status.
pub async fn task_ended(shared: &Arc<Shared>, task: &TaskId) {
    let Some(markers) = &shared.config.markers else { return };
    if let Err(error) = markers.create(task) {
        let message = format!("create the completion marker {}: {error}", markers.path_of(task).display());
        ledger::late_error(shared, task, message).await;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

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
