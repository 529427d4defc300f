//! Reading and replacing a settings file: whole, with its mode, through its links, and only as it was when looked at.

use std::{
    fs, io,
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// More than any settings file; a bigger one is something else.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Settings may hold keys of the user.
const NEW_MODE: u32 = 0o600;

/// Why a settings file is left alone.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} has more than {MAX_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    #[error("{} is no file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is a link to a file that is not there; make that file, or remove the link", .0.display())]
    LeadsNowhere(PathBuf),
    #[error("{} is not text in UTF-8", .0.display())]
    NotText(PathBuf),
    #[error("{} has changed in the meantime: nothing was written; run the command again", .0.display())]
    Changed(PathBuf),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SettingsError + '_ {
    |source| SettingsError::Io { path: path.to_owned(), source }
}

/// The text; `None` when there is no file.
///
/// # Errors
/// When it cannot be read, is too large or is no text.
pub fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    match fs::metadata(path) {
        Ok(found) if found.len() > MAX_BYTES => Err(SettingsError::TooLarge(path.to_owned())),
        _ => read_any(path),
    }
}

/// As [`read`], of any size: for what we wrote ourselves.
///
/// # Errors
/// When it cannot be read or is no text.
pub fn read_any(path: &Path) -> Result<Option<String>, SettingsError> {
    let bytes = match fs::metadata(path) {
        // A device or a pipe would be replaced by a file, or never come to its end.
        Ok(found) if !found.is_file() => return Err(SettingsError::NotAFile(path.to_owned())),
        Ok(_) => fs::read(path).map_err(at(path))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if path.is_symlink() { Err(SettingsError::LeadsNowhere(path.to_owned())) } else { Ok(None) };
        }
        Err(error) => return Err(at(path)(error)),
    };
    String::from_utf8(bytes).map(Some).map_err(|_| SettingsError::NotText(path.to_owned()))
}

/// Replaces `before` by `after`; `None` is no file.
///
/// # Errors
/// When the file is not `before` any more, or cannot be written: then it is as it was.
pub fn replace(path: &Path, before: Option<&str>, after: Option<&str>) -> Result<(), SettingsError> {
    // A link stays, what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(after) = after else {
        check(path, before)?;
        return fs::remove_file(&target).map_err(at(path));
    };
    let folder = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(at(folder))?;
    let mode = fs::metadata(&target).map_or(NEW_MODE, |found| found.permissions().mode() & 0o7777);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.segue-{}", std::process::id()));
    let written = write(&draft, after, mode).map_err(at(&draft)).and_then(|()| {
        check(path, before)?;
        fs::rename(&draft, &target).map_err(at(path))
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn check(path: &Path, before: Option<&str>) -> Result<(), SettingsError> {
    if read_any(path)?.as_deref() == before { Ok(()) } else { Err(SettingsError::Changed(path.to_owned())) }
}

fn write(draft: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(NEW_MODE).open(draft)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()
}
