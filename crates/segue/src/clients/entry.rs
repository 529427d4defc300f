//! The one entry that is ours in a client's settings: how a client starts Segue.

use std::path::{Component, Path};

use super::{Shape, json, toml};

/// The published server that Segue takes the place of.
const PREDECESSOR: &str = "symm-mcp";

/// The command line of `segue mcp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub command: String,
    pub args: Vec<String>,
}

/// Why a settings file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("cannot be read: {0}")]
    Syntax(String),
    #[error("holds something else than a table at {0}")]
    Shape(String),
}

impl Launch {
    /// The program at `program`, or the tool that fetched it where its place would not last.
    ///
    /// Paths are absolute, since clients with windows have neither the PATH nor the variables of a shell; `state` is the
    /// state folder where another one than the usual is wanted.
    #[must_use]
    pub fn of(program: &Path, state: Option<&Path>) -> Self {
        let within = |name: &str| program.components().any(|part| part == Component::Normal(name.as_ref()));
        let (command, before): (String, &[&str]) = if within("archive-v0") {
            ("uvx".to_owned(), &["segue"])
        } else if within("_npx") {
            ("npx".to_owned(), &["-y", "segue-mcp"])
        } else {
            (program.to_string_lossy().into_owned(), &[])
        };
        let mut args: Vec<String> = before.iter().copied().chain(["mcp"]).map(str::to_owned).collect();
        if let Some(state) = state {
            args.extend(["--state-dir".to_owned(), state.to_string_lossy().into_owned()]);
        }
        Self { command, args }
    }

    /// A command line as a person wrote it.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = shlex::split(line)?.into_iter();
        Some(Self { command: words.next()?, args: words.collect() })
    }
}

impl Shape {
    /// The settings with our entry, everything else as it was. Setting it again changes nothing.
    ///
    /// # Errors
    /// When the text is not in the format, or holds something else where the servers should be.
    pub fn with(self, text: &str, name: &str, launch: &Launch) -> Result<String, EditError> {
        match self {
            Self::Toml => toml::with(text, name, launch),
            Self::Table { .. } | Self::OneCommand => json::with(text, self, name, launch),
        }
    }

    /// The settings without the entries of these names.
    ///
    /// # Errors
    /// As for [`Shape::with`].
    pub fn without(self, text: &str, names: &[String]) -> Result<String, EditError> {
        match self {
            Self::Toml => toml::without(text, names),
            Self::Table { .. } | Self::OneCommand => json::without(text, self, names),
        }
    }

    /// The names of the servers, each with whether it starts the predecessor.
    ///
    /// # Errors
    /// As for [`Shape::with`].
    pub fn servers(self, text: &str) -> Result<Vec<(String, bool)>, EditError> {
        let servers = match self {
            Self::Toml => toml::servers(text)?,
            Self::Table { .. } | Self::OneCommand => json::servers(text, self)?,
        };
        Ok(servers.into_iter().map(|(name, words)| (name, words.iter().any(|word| starts_predecessor(word)))).collect())
    }

    /// What a person would paste.
    #[must_use]
    pub fn snippet(self, name: &str, launch: &Launch) -> String {
        self.with("", name, launch).unwrap_or_default()
    }
}

fn starts_predecessor(word: &str) -> bool {
    let file = word.rsplit('/').next().unwrap_or(word);
    file.split(['@', '=']).next() == Some(PREDECESSOR)
}
