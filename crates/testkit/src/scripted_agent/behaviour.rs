//! How the agent behaves apart from its turns: the `SCRIPTED_*` variables, read once at the start.
//!
//! The head of [`super`] is their manual. Owns the spelling of their values and refuses to guess: a value that
//! cannot be read ends the program, so that a misspelt test fails.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::directive::unescape;
use super::hold::Hold;
use super::persona::Persona;
use super::settings::Quirks;

/// What happens to a request of one method.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Reply {
    #[default]
    Normal,
    Slow(Duration),
    Hang,
    Error {
        code: i64,
        message: String,
        data: Option<Value>,
    },
    Exit(i32),
}

/// What happens before anything is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Start {
    #[default]
    Normal,
    /// Usage on stderr, exit status 2.
    Usage,
    /// Usage on stdout, then nothing while input is open.
    UsageWait,
    Exit(i32),
}

/// What SIGTERM or the end of input does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// For SIGTERM death by it, for the end of input exit status 0; either at once.
    AtOnce,
    /// Exit status 0 after a time.
    After(Duration),
    Ignore,
}

/// What a refused permission does to the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnRefusal {
    #[default]
    GoOn,
    /// The turn ends with this stop reason.
    End(&'static str),
}

#[derive(Debug, Clone)]
pub struct Behaviour {
    pub persona: Persona,
    pub home: Option<PathBuf>,
    pub log: Option<PathBuf>,
    pub hold_in: Option<Arc<Hold>>,
    pub hold_out: Option<Arc<Hold>>,
    pub start: Start,
    pub noise: bool,
    pub initialize: Reply,
    pub initialize_nulls: bool,
    pub protocol_version: u64,
    pub agent_version: String,
    pub load_session: bool,
    pub capabilities: Vec<String>,
    pub new_session: Reply,
    pub session_id: Option<String>,
    pub load: Reply,
    pub list: Reply,
    pub delete: Reply,
    pub close: Reply,
    pub set: Reply,
    pub set_answer_bare: bool,
    pub list_page: usize,
    pub config_options: bool,
    pub quirks: Quirks,
    pub on_sigterm: Ending,
    pub on_eof: Ending,
    pub cancel_waits_for_permission: bool,
    pub on_refusal: OnRefusal,
    pub leave_commands: bool,
    pub after_answer: Option<String>,
    pub bom: bool,
    pub line_end: &'static str,
}

/// A variable whose value cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SCRIPTED_{name}={value}: expected {expected}")]
pub struct BadVariable {
    pub name: String,
    pub value: String,
    pub expected: &'static str,
}

/// JSON-RPC code of a sign-in that is missing, by the Agent Client Protocol.
pub const AUTH_REQUIRED: i64 = -32000;
/// JSON-RPC code of a resource that does not exist, by the Agent Client Protocol.
pub const NOT_FOUND: i64 = -32002;

impl Behaviour {
    /// Reads the variables through `variable`, whose argument is the name without `SCRIPTED_`.
    ///
    /// A name with `__` and the persona's name in capitals behind it (`LOAD__CODEX`) counts more than the plain
    /// one. `by_executable` is the persona that the program's own name says.
    ///
    /// # Errors
    /// The first variable that cannot be read.
    pub fn read(
        variable: impl Fn(&str) -> Option<String>,
        by_executable: Option<Persona>,
    ) -> Result<Behaviour, BadVariable> {
        let persona = match variable("AS") {
            None => by_executable.unwrap_or(Persona::Generic),
            Some(name) => Persona::from_name(&name).ok_or_else(|| BadVariable {
                name: "AS".to_owned(),
                value: name,
                expected: "an adapter's name or `generic`",
            })?,
        };
        let suffix = persona.name().to_uppercase();
        let read = Variables { of: |name: &str| variable(&format!("{name}__{suffix}")).or_else(|| variable(name)) };
        let capabilities = (read.of)("CAPABILITIES").map_or_else(
            || persona.session_capabilities().iter().map(|name| (*name).to_owned()).collect(),
            |list| {
                let names = list.split(',').filter(|name| !matches!(*name, "" | "none"));
                names.map(str::to_owned).collect()
            },
        );
        let initialize_nulls = (read.of)("INITIALIZE").as_deref() == Some("nulls");
        Ok(Behaviour {
            persona,
            home: (read.of)("HOME").map(PathBuf::from),
            log: (read.of)("LOG").map(PathBuf::from),
            hold_in: read.hold("HOLD_IN")?,
            hold_out: read.hold("HOLD_OUT")?,
            start: read.start()?,
            noise: read.flag("NOISE")?,
            initialize: if initialize_nulls { Reply::Normal } else { read.reply("INITIALIZE")? },
            initialize_nulls,
            protocol_version: read.number("PROTOCOL_VERSION")?.unwrap_or(1),
            agent_version: (read.of)("AGENT_VERSION").unwrap_or_else(|| "1.0.0".to_owned()),
            load_session: !read.flag("NO_LOAD")?,
            capabilities,
            new_session: read.reply("NEW")?,
            session_id: (read.of)("SESSION_ID"),
            load: read.reply("LOAD")?,
            list: read.reply("LIST")?,
            delete: read.reply("DELETE")?,
            close: read.reply("CLOSE")?,
            set: read.reply("SET")?,
            set_answer_bare: read.flag("SET_ANSWER_BARE")?,
            list_page: read.number("LIST_PAGE")?.unwrap_or(20) as usize,
            config_options: !read.flag("NO_CONFIG_OPTIONS")?,
            quirks: Quirks {
                grouped: read.flag("GROUPED")?,
                broken_entry: read.flag("BROKEN_OPTION")?,
                substitute: read.substitute()?,
            },
            on_sigterm: read.ending("ON_SIGTERM")?,
            on_eof: read.ending("ON_EOF")?,
            cancel_waits_for_permission: read.one_of(
                "ON_CANCEL",
                &[("end", false), ("wait_permission", true)],
                persona.cancel_waits_for_permission(),
            )?,
            on_refusal: read.one_of(
                "ON_REFUSAL",
                &[
                    ("go_on", OnRefusal::GoOn),
                    ("end", OnRefusal::End("end_turn")),
                    ("end_cancelled", OnRefusal::End("cancelled")),
                ],
                OnRefusal::GoOn,
            )?,
            leave_commands: read.one_of("COMMANDS", &[("kill", false), ("leave", true)], false)?,
            after_answer: (read.of)("AFTER_ANSWER").map(|text| unescape(&text)),
            bom: read.flag("BOM")?,
            line_end: read.one_of("LINE_END", &[("lf", "\n"), ("crlf", "\r\n")], "\n")?,
        })
    }
}

struct Variables<F> {
    of: F,
}

impl<F: Fn(&str) -> Option<String>> Variables<F> {
    fn bad<T>(&self, name: &str, value: String, expected: &'static str) -> Result<T, BadVariable> {
        let name = name.to_owned();
        Err(BadVariable { name, value, expected })
    }

    fn flag(&self, name: &str) -> Result<bool, BadVariable> {
        self.one_of(name, &[("1", true), ("0", false), ("", false)], false)
    }

    fn number(&self, name: &str) -> Result<Option<u64>, BadVariable> {
        let Some(value) = (self.of)(name) else {
            return Ok(None);
        };
        match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => self.bad(name, value, "a number"),
        }
    }

    fn hold(&self, name: &str) -> Result<Option<Arc<Hold>>, BadVariable> {
        let Some(value) = (self.of)(name) else {
            return Ok(None);
        };
        match Hold::parse(&value) {
            Some(hold) => Ok(Some(Arc::new(hold))),
            None => self.bad(name, value, "a number, a colon and a path"),
        }
    }

    fn one_of<T: Clone>(&self, name: &str, choices: &[(&str, T)], absent: T) -> Result<T, BadVariable> {
        let Some(value) = (self.of)(name) else {
            return Ok(absent);
        };
        match choices.iter().find(|(word, _)| *word == value) {
            Some((_, choice)) => Ok(choice.clone()),
            None => self.bad(name, value, "one of the words in the manual"),
        }
    }

    fn ending(&self, name: &str) -> Result<Ending, BadVariable> {
        let Some(value) = (self.of)(name) else {
            return Ok(Ending::AtOnce);
        };
        match value.split_once(':') {
            None if value == "at_once" => Ok(Ending::AtOnce),
            None if value == "ignore" => Ok(Ending::Ignore),
            Some(("after", ms)) if ms.parse::<u64>().is_ok() => Ok(Ending::After(milliseconds(ms))),
            _ => self.bad(name, value, "at_once, ignore or after:MS"),
        }
    }

    fn start(&self) -> Result<Start, BadVariable> {
        let Some(value) = (self.of)("START") else {
            return Ok(Start::Normal);
        };
        match value.split_once(':') {
            None if value == "normal" => Ok(Start::Normal),
            None if value == "usage" => Ok(Start::Usage),
            None if value == "usage_wait" => Ok(Start::UsageWait),
            Some(("exit", code)) if code.parse::<i32>().is_ok() => Ok(Start::Exit(code.parse().unwrap_or(1))),
            _ => self.bad("START", value, "normal, usage, usage_wait or exit:CODE"),
        }
    }

    fn reply(&self, name: &str) -> Result<Reply, BadVariable> {
        let Some(value) = (self.of)(name) else {
            return Ok(Reply::Normal);
        };
        let error = |code, message: &str, data| Reply::Error { code, message: message.to_owned(), data };
        let (word, rest) = value.split_once(':').unwrap_or((&value, ""));
        let reply = match (word, rest) {
            ("normal", "") => Some(Reply::Normal),
            ("hang", "") => Some(Reply::Hang),
            ("error", "") => Some(error(-32603, "Internal error", Some(json!({"details": "scripted failure"})))),
            ("not_found", "") => Some(error(NOT_FOUND, "Resource not found", None)),
            ("auth", "") => Some(error(AUTH_REQUIRED, "Authentication required", None)),
            ("slow", ms) => ms.parse::<u64>().ok().map(|_| Reply::Slow(milliseconds(ms))),
            ("exit", code) => code.parse().ok().map(Reply::Exit),
            ("error", rest) => {
                rest.split_once(':').and_then(|(code, message)| Some(error(code.parse().ok()?, message, None)))
            }
            _ => None,
        };
        match reply {
            Some(reply) => Ok(reply),
            None => {
                self.bad(name, value, "normal, slow:MS, hang, error, error:CODE:MESSAGE, not_found, auth or exit:CODE")
            }
        }
    }

    fn substitute(&self) -> Result<Option<(String, String, String)>, BadVariable> {
        let Some(value) = (self.of)("SUBSTITUTE") else {
            return Ok(None);
        };
        match value.split(',').collect::<Vec<_>>()[..] {
            [id, asked, given] => Ok(Some((id.to_owned(), asked.to_owned(), given.to_owned()))),
            _ => self.bad("SUBSTITUTE", value, "SETTING,ASKED,GIVEN"),
        }
    }
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or_default())
}

/// Reads `NAME=VALUE` lines, the form of the file that `SCRIPTED_SETTINGS` names. Names stand without
/// `SCRIPTED_`; empty lines are ignored.
pub fn parse_settings_file(text: &str) -> HashMap<String, String> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)], by_executable: Option<Persona>) -> Result<Behaviour, BadVariable> {
        let variables: HashMap<&str, &str> = variables.iter().copied().collect();
        Behaviour::read(|name| variables.get(name).map(|value| (*value).to_owned()), by_executable)
    }

    #[test]
    fn the_persona_comes_from_the_variable_then_from_the_name_of_the_program() {
        let persona = |variables, name| read(variables, name).unwrap().persona;
        assert_eq!(persona(&[], None), Persona::Generic);
        assert_eq!(persona(&[], Some(Persona::Cline)), Persona::Cline);
        assert_eq!(persona(&[("AS", "codex")], Some(Persona::Cline)), Persona::Codex);
    }

    #[test]
    fn a_variable_for_one_persona_counts_more() {
        let variables = [("LOAD", "hang"), ("LOAD__CODEX", "slow:20"), ("NEW__CLINE", "hang")];
        let behaviour = read(&variables, Some(Persona::Codex)).unwrap();
        assert_eq!(behaviour.load, Reply::Slow(Duration::from_millis(20)));
        assert_eq!(behaviour.new_session, Reply::Normal);
    }

    #[test]
    fn replies_are_read() {
        let load = |value| read(&[("LOAD", value)], None).unwrap().load;
        let error = |code, message: &str| Reply::Error { code, message: message.into(), data: None };
        assert_eq!(load("not_found"), error(-32002, "Resource not found"));
        assert_eq!(load("auth"), error(-32000, "Authentication required"));
        assert_eq!(load("error:-1:a: b"), error(-1, "a: b"));
        assert_eq!(load("exit:3"), Reply::Exit(3));
    }

    #[test]
    fn a_value_that_cannot_be_read_is_named() {
        let failure = |name, value| read(&[(name, value)], None).unwrap_err().to_string();
        assert_eq!(failure("ON_EOF", "later"), "SCRIPTED_ON_EOF=later: expected at_once, ignore or after:MS");
        assert_eq!(failure("SUBSTITUTE", "mode"), "SCRIPTED_SUBSTITUTE=mode: expected SETTING,ASKED,GIVEN");
    }
}
