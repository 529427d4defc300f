//! A host's folder: `lock`, `sock`, `input` and the segments `spool.N`; mode 0700, made by the server's side.
//!
//! Knows names and how to reach them; what they contain is other files' business.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};

const LOCK: &str = "lock";
const SOCK: &str = "sock";
const INPUT: &str = "input";
const SPOOL: &str = "spool.";

/// An open folder. Its files are reached through the descriptor, so the folder may be moved.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, and its parents where they are missing. It must not exist.
    pub fn create(path: &Path) -> io::Result<()> {
        let private = |recursive| {
            let mut builder = fs::DirBuilder::new();
            builder.mode(0o700).recursive(recursive);
            builder
        };
        if let Some(parent) = path.parent() {
            private(true).create(parent)?;
        }
        private(false).create(path)
    }

    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let fd =
            rustix::fs::openat(&self.fd, name, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::RUSR | Mode::WUSR)?;
        Ok(File::from(fd))
    }

    /// The file the host keeps locked for life; its content names the host and its program.
    pub fn lock_file(&self) -> io::Result<File> {
        self.file(LOCK, OFlags::RDWR | OFlags::CREATE)
    }

    /// The same, without making it.
    pub fn existing_lock_file(&self) -> io::Result<File> {
        self.file(LOCK, OFlags::RDONLY)
    }

    /// The number of the last input.
    pub fn input_file(&self) -> io::Result<File> {
        self.file(INPUT, OFlags::RDWR | OFlags::CREATE)
    }

    pub fn new_segment(&self, index: u64) -> io::Result<File> {
        self.file(&format!("{SPOOL}{index}"), OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)
    }

    pub fn segment(&self, index: u64) -> io::Result<File> {
        self.file(&format!("{SPOOL}{index}"), OFlags::RDONLY)
    }

    pub fn remove_segment(&self, index: u64) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, format!("{SPOOL}{index}"), AtFlags::empty())?)
    }

    /// The numbers of the segments that are there, in order.
    pub fn segments(&self) -> io::Result<Vec<u64>> {
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            let number: Option<u64> =
                entry.file_name().to_str().ok().and_then(|name| name.strip_prefix(SPOOL)?.parse().ok());
            found.extend(number);
        }
        found.sort_unstable();
        Ok(found)
    }

    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// It has been removed by someone.
    pub fn is_gone(&self) -> bool {
        rustix::fs::fstat(&self.fd).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// A path to the socket that is short enough for an address, however long the folder's own path is.
    pub fn socket_path(&self) -> PathBuf {
        if cfg!(target_os = "linux") {
            PathBuf::from(format!("/proc/self/fd/{}/{SOCK}", self.fd.as_fd().as_raw_fd()))
        } else {
            self.path.join(SOCK)
        }
    }

    /// Removes the folder with all that is in it.
    pub fn remove(&self) -> io::Result<()> {
        remove(&self.path)
    }
}

/// Removes a host's folder; one that is not there is no error.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
