//! The one entry that is ours in a client's settings: how a client starts Segue.

use std::path::{Component, Path};

use similar::{ChangeTag, TextDiff};

use super::{Shape, json, toml};

/// What some editors put before a text; no format of settings has it.
const BYTE_ORDER_MARK: char = '\u{feff}';

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
    #[error("holds {0} more than once")]
    Twice(String),
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
        in_its_own_lines(text, |text| match self {
            Self::Toml => toml::with(text, name, launch),
            Self::Table { .. } | Self::OneCommand => json::with(text, self, name, launch),
        })
    }

    /// The settings without the entries of these names.
    ///
    /// # Errors
    /// As for [`Shape::with`].
    pub fn without(self, text: &str, names: &[String]) -> Result<String, EditError> {
        in_its_own_lines(text, |text| match self {
            Self::Toml => toml::without(text, names),
            Self::Table { .. } | Self::OneCommand => json::without(text, self, names),
        })
    }

    /// The names of the servers, each with whether it starts the predecessor.
    ///
    /// # Errors
    /// As for [`Shape::with`].
    pub fn servers(self, text: &str) -> Result<Vec<(String, bool)>, EditError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
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

/// Edits a text so that a byte order mark stays, and the line ends of all lines that do: the editor of a format may
/// know neither.
fn in_its_own_lines(text: &str, edit: impl FnOnce(&str) -> Result<String, EditError>) -> Result<String, EditError> {
    let (mark, body) = text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |body| (&text[..3], body));
    let unix = body.replace("\r\n", "\n");
    let edited = edit(&unix)?;
    if unix.len() == body.len() {
        return Ok(format!("{mark}{edited}"));
    }
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (own, before, after) = (lines(body), lines(&unix), lines(&edited));
    let end = if own[0].ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut out = mark.to_owned();
    for change in TextDiff::from_slices(&before, &after).iter_all_changes() {
        match (change.tag(), change.old_index()) {
            (ChangeTag::Equal, Some(line)) => out.push_str(own[line]),
            (ChangeTag::Delete, _) => {}
            (ChangeTag::Equal | ChangeTag::Insert, _) => match change.value().strip_suffix('\n') {
                Some(line) => out.extend([line, end]),
                None => out.push_str(change.value()),
            },
        }
    }
    Ok(out)
}

fn starts_predecessor(word: &str) -> bool {
    let file = word.rsplit('/').next().unwrap_or(word);
    file.split(['@', '=']).next() == Some(PREDECESSOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Shape = Shape::Table { key: "mcpServers", typed: false };

    fn launch() -> Launch {
        Launch { command: "/opt/segue".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_stay() {
        let toml = "model = \"x\"\n[mcp_servers.o]\ncommand = \"x\"\n";
        let json = "{\n  \"mcpServers\": {\n    \"o\": {\"command\": \"x\"}\n  }\n}\n";
        for (shape, unix) in [(Shape::Toml, toml), (JSON, json)] {
            let added = shape.with(unix, "segue", &launch()).unwrap();
            for (mark, end) in [("\u{feff}", "\n"), ("", "\r\n"), ("\u{feff}", "\r\n")] {
                let own = |text: &str| format!("{mark}{}", text.replace('\n', end));
                let with = shape.with(&own(unix), "segue", &launch()).unwrap();
                assert_eq!(with, own(&added));
                assert_eq!(shape.with(&with, "segue", &launch()).as_ref(), Ok(&with));
                assert_eq!(shape.without(&with, &["segue".to_owned()]), Ok(own(unix)));
                let names: Vec<String> = shape.servers(&with).unwrap().into_iter().map(|(name, _)| name).collect();
                assert_eq!(names, ["o", "segue"]);
            }
        }
    }

    /// Lines that end differently from the others keep their own ends.
    #[test]
    fn a_text_with_both_line_ends_keeps_both() {
        let mixed = "# one\r\n# two\nmodel = \"x\"\r\n";
        let expected = "# one\r\n# two\nmodel = \"x\"\r\n\r\n[mcp_servers.segue]\r\ncommand = \"/opt/segue\"\r\nargs = [\"mcp\"]\r\n";
        assert_eq!(Shape::Toml.with(mixed, "segue", &launch()).as_deref(), Ok(expected));
    }
}
