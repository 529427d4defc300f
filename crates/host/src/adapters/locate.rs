//! Where an agent's executable is.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::{Adapter, Environment, EnvironmentError};

/// Where programs are looked for when `PATH` is not set, as the system's own lookup does.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// No executable of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    #[error("the executable '{0}' was not found on PATH; it is yours to install")]
    OnPath(String),
    #[error("'{0}' is not an executable file; it is yours to install")]
    AtPath(PathBuf),
}

/// Why an agent could not be started here.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    #[error(transparent)]
    Program(#[from] NotFound),
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
}

impl Adapter {
    /// Its program, looked for as at a start. Nothing is started.
    ///
    /// # Errors
    /// It is not there, or the server's environment does not suit the agent.
    pub fn find(&self, server: &Environment) -> Result<PathBuf, Unavailable> {
        let environment = self.environment(server)?;
        let path = environment.get(OsStr::new("PATH")).map(OsString::as_os_str);
        Ok(locate(&self.program, path)?)
    }
}

/// Looks up a bare name in the absolute entries of `path`, or checks an absolute path. Empty and
/// relative entries would make the workspace decide what is run, so they are ignored.
///
/// # Errors
/// When no entry holds an executable regular file of that name.
pub fn locate(program: &str, path: Option<&OsStr>) -> Result<PathBuf, NotFound> {
    if Path::new(program).is_absolute() {
        let program = PathBuf::from(program);
        return if is_executable(&program) { Ok(program) } else { Err(NotFound::AtPath(program)) };
    }
    let path = path.map_or_else(|| OsString::from(DEFAULT_PATH), OsStr::to_owned);
    std::env::split_paths(&path)
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(program))
        .find(|candidate| is_executable(candidate))
        .ok_or_else(|| NotFound::OnPath(program.to_owned()))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file()) && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn put(folder: &Path, name: &str, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let file = folder.join(name);
        fs::write(&file, "#!/bin/true\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_first_executable_file_in_an_absolute_entry_wins() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b, c) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
        put(&a, "agent", 0o644);
        fs::create_dir_all(b.join("agent")).unwrap();
        let found = put(&c, "agent", 0o755);
        let entries = [Path::new(""), Path::new("."), Path::new("relative"), &a, &b, &c];
        let path = std::env::join_paths(entries).unwrap();
        assert_eq!(locate("agent", Some(&path)), Ok(found.clone()));
        assert_eq!(locate(found.to_str().unwrap(), None), Ok(found));
    }

    #[test]
    fn what_is_not_found_is_named() {
        let nothing = locate("no-such-agent", Some(OsStr::new("/nonexistent:"))).unwrap_err();
        assert_eq!(nothing.to_string(), "the executable 'no-such-agent' was not found on PATH; it is yours to install");
        assert!(locate("/nonexistent/agent", None).unwrap_err().to_string().starts_with("'/nonexistent/agent' is not"));
        assert_eq!(locate("sh", None).map(|found| found.file_name().unwrap().to_owned()), Ok("sh".into()));
    }
}
