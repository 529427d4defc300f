//! The bearer token: what a client shows when it cannot be seen that it belongs to the user.
//!
//! It lies in a private file of the state folder, so whoever can read it is the user. It is made once and stays, so
//! that scripts need not look for a new one after each start.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Bytes that are drawn for a token: far more than can be guessed.
const BYTES: usize = 32;
/// The name of the file.
const FILE: &str = "http-token";
/// Bytes of the file that are looked at; a token has 64 and a line end.
const READ_MAX: u64 = 256;

/// Why there is no token. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("{} can be read by others: make it private (mode 0600) or remove it", .0.display())]
    Open(PathBuf),
    #[error("{} belongs to another user", .0.display())]
    Foreign(PathBuf),
    #[error("{} does not hold a token: remove it, and a new one is made", .0.display())]
    Malformed(PathBuf),
    #[error("the token file {}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
}

/// See the module's documentation. Its text never appears in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// How many random bytes make one.
    pub const BYTES: usize = BYTES;

    #[must_use]
    pub fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(
            bytes
                .iter()
                .flat_map(|byte| [byte >> 4, byte & 15])
                .filter_map(|digit| char::from_digit(digit.into(), 16))
                .collect(),
        )
    }

    /// Where the token of a state folder lies.
    #[must_use]
    pub fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// The token of a state folder; made from `random` if there is none yet.
    ///
    /// # Errors
    /// As [`TokenError`].
    pub fn open(state: &Path, random: [u8; BYTES]) -> Result<Self, TokenError> {
        let path = Self::path(state);
        let failed = |cause| TokenError::File { path: path.clone(), cause };
        // Under another name first: whoever sees the file sees a whole token.
        let token = Self::from_bytes(random);
        let fresh = state.join(format!("{FILE}.{}", &token.0[..16]));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh).map_err(failed)?;
        let linked = writeln!(file, "{}", token.0).and_then(|()| fs::hard_link(&fresh, &path));
        fs::remove_file(&fresh).map_err(failed)?;
        match linked {
            Ok(()) => Ok(token),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::read(&path),
            Err(error) => Err(failed(error)),
        }
    }

    fn read(path: &Path) -> Result<Self, TokenError> {
        let failed = |cause| TokenError::File { path: path.to_owned(), cause };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.uid() != rustix::process::getuid().as_raw() {
            return Err(TokenError::Foreign(path.to_owned()));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(TokenError::Open(path.to_owned()));
        }
        let mut text = String::new();
        file.take(READ_MAX).read_to_string(&mut text).map_err(failed)?;
        let text = text.trim_end();
        let is_token = text.len() == BYTES * 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_token { Ok(Self(text.to_owned())) } else { Err(TokenError::Malformed(path.to_owned())) }
    }

    /// Whether this is the token. Takes the same time wherever the two differ.
    #[must_use]
    pub fn is(&self, shown: &[u8]) -> bool {
        let known = self.0.as_bytes();
        known.len() == shown.len() && known.iter().zip(shown).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_is_private() {
        let state = tempfile::tempdir().expect("a folder");
        let made = Token::open(state.path(), [7; BYTES]).expect("a token");
        assert_eq!(Token::open(state.path(), [8; BYTES]).expect("the same"), made);
        let entries: Vec<_> = fs::read_dir(state.path()).expect("a folder").flatten().collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!(entries[0].metadata().expect("there").mode() & 0o777, 0o600);
        assert!(made.is("07".repeat(BYTES).as_bytes()));
        assert!(!made.is("08".repeat(BYTES).as_bytes()));
        assert!(!made.is(b""));
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let state = tempfile::tempdir().expect("a folder");
        let _ = Token::open(state.path(), [7; BYTES]).expect("a token");
        let path = Token::path(state.path());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
        assert!(matches!(Token::open(state.path(), [8; BYTES]), Err(TokenError::Open(_))));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        fs::write(&path, "short").expect("written");
        assert!(matches!(Token::open(state.path(), [8; BYTES]), Err(TokenError::Malformed(_))));
    }
}
