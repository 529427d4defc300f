//! What a person may say when starting the window.

use std::{ffi::OsString, path::PathBuf};

const HELP: &str = "segue-desktop: the console of Segue in a window of its own

  --state-root DIR   Folder for the record of all work [default: this program's folder for data of the user]
  --workspace DIR    The folder that flows work in [default: the home folder]
  --program FILE     The segue to run [default: $SEGUE_PROGRAM, else the one beside this program, else the one on PATH]
  --version, --help";

#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    #[error("{0:?} is not an option; --help lists them")]
    Unknown(OsString),
    #[error("{0} needs a value")]
    NoValue(&'static str),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub state_root: Option<PathBuf>,
    pub workspace: Option<PathBuf>,
    pub program: Option<PathBuf>,
}

impl Options {
    /// Reads the command line; `--help` and `--version` end the program.
    pub fn of_this_process() -> Result<Self, OptionsError> {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        for word in &words {
            let said = match word.to_str() {
                Some("--help" | "-h") => HELP.to_owned(),
                Some("--version" | "-V") => format!("segue-desktop {}", env!("CARGO_PKG_VERSION")),
                _ => continue,
            };
            println!("{said}");
            std::process::exit(0);
        }
        let mut options = Self::parse(words)?;
        if options.program.is_none() {
            options.program = std::env::var_os("SEGUE_PROGRAM").filter(|value| !value.is_empty()).map(PathBuf::from);
        }
        Ok(options)
    }

    fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let (name, place) = match word.to_str() {
                Some("--state-root") => ("--state-root", &mut options.state_root),
                Some("--workspace") => ("--workspace", &mut options.workspace),
                Some("--program") => ("--program", &mut options.program),
                _ => return Err(OptionsError::Unknown(word)),
            };
            *place = Some(words.next().map(PathBuf::from).ok_or(OptionsError::NoValue(name))?);
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, String> {
        Options::parse(words.iter().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn each_option_has_one_value() {
        let expected = Options { state_root: Some("/a".into()), workspace: Some("/b".into()), program: None };
        assert_eq!(parse(&["--state-root", "/a", "--workspace", "/b"]), Ok(expected));
        assert_eq!(parse(&[]), Ok(Options::default()));
        assert_eq!(parse(&["--workspace"]), Err("--workspace needs a value".to_owned()));
        assert_eq!(parse(&["http://x"]), Err("\"http://x\" is not an option; --help lists them".to_owned()));
    }
}
