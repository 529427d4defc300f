//! What can be asked for, what can be found, and why a look can fail.

use std::{fmt, path::PathBuf};

/// One chore, as asked for on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chore {
    Layering,
    Tidy,
    ThirdParty { write: bool },
    Generated { write: bool },
}

impl Chore {
    pub fn parse(words: &[&str]) -> Option<Self> {
        Some(match words {
            ["layering"] => Self::Layering,
            ["tidy"] => Self::Tidy,
            ["third-party"] => Self::ThirdParty { write: true },
            ["third-party", "--check"] => Self::ThirdParty { write: false },
            ["generate"] => Self::Generated { write: true },
            ["check-generated"] => Self::Generated { write: false },
            _ => return None,
        })
    }
}

/// Something that a reviewer would send back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Relative to the repository; a crate's name where no single file is meant.
    pub place: String,
    /// From 1; 0 for the place as a whole.
    pub line: usize,
    pub what: String,
}

impl Problem {
    pub fn new(place: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { place: place.into(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.place, self.what),
            line => write!(f, "{}:{line}: {}", self.place, self.what),
        }
    }
}

/// Why a chore could not look at all.
#[derive(Debug, thiserror::Error)]
pub enum ChoreError {
    #[error("read {path}", path = .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("write {path}", path = .path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("start {program}")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("get an answer from {program}: {stderr}")]
    Refused { program: String, stderr: String },
    #[error("read the answer of cargo metadata")]
    Metadata(#[from] serde_json::Error),
    #[error("read console/package-lock.json")]
    LockFile(#[source] serde_json::Error),
    #[error("find the package {0} in the answer of cargo metadata")]
    NoPackage(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_the_usage_are_taken() {
        assert_eq!(Chore::parse(&["third-party", "--check"]), Some(Chore::ThirdParty { write: false }));
        assert_eq!(Chore::parse(&["generate"]), Some(Chore::Generated { write: true }));
        assert_eq!(Chore::parse(&[]), None);
        assert_eq!(Chore::parse(&["tidy", "everything"]), None);
    }

    #[test]
    fn a_problem_names_its_line_when_it_has_one() {
        assert_eq!(Problem::new("a.rs", 3, "odd").to_string(), "a.rs:3: odd");
        assert_eq!(Problem::new("segue-mcp", 0, "odd").to_string(), "segue-mcp: odd");
    }
}
