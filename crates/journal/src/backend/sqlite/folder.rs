//! The state folder: made private, and refused where a journal cannot live.

mod network;

use std::{
    fs::{self, DirBuilder, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use super::error::OpenError;

/// Access for the owner only: prompts and results are nobody else's affair.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const OTHERS: u32 = 0o077;

/// Makes the folder when it is missing, and private when it is the user's own.
pub(super) fn prepare(dir: &Path) -> Result<(), OpenError> {
    let fault = |source| OpenError::Folder { path: dir.to_owned(), source };
    match fs::metadata(dir) {
        Ok(found) if !found.is_dir() => return Err(OpenError::NotAFolder { path: dir.to_owned() }),
        Ok(found) => {
            let user = rustix::process::geteuid();
            if found.uid() == user.as_raw() {
                if found.mode() & OTHERS != 0 {
                    fs::set_permissions(dir, Permissions::from_mode(FOLDER_MODE)).map_err(fault)?;
                }
            } else if !user.is_root() {
                // Root may use a mounted volume whose owner has no meaning here.
                return Err(OpenError::ForeignFolder { path: dir.to_owned(), uid: found.uid() });
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(dir).map_err(fault)?,
        Err(error) => return Err(fault(error)),
    }
    match network::kind(dir).map_err(fault)? {
        Some(kind) => Err(OpenError::Network { path: dir.to_owned(), kind }),
        None => Ok(()),
    }
}

/// Makes a private folder, and its parents, where they are missing.
pub(super) fn make(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(dir)
}

/// Opens a file for locking or touching; made private when it is missing.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path)
}
