//! Agents from a configuration file.
//!
//! ```toml
//! [agents.gemini]
//! command = ["gemini", "--acp"]        # a bare name or an absolute path, then its arguments
//! pins = [{ name = "mode", value = "default", with_edit = "autoEdit" }]
//! model = { setting = "model" }
//! effort = { flag = "--thinking", values = ["low", "high"] }
//! environment = { GEMINI_CLI_NO_RELAUNCH = "true" }
//! eof_grace_ms = 5000
//! ```
//!
//! Only `command` is needed. A key that is not known is an error: a misspelt pin would be a hole.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Table, Value};

use super::adapter::{Adapter, Choice, Pin};
use crate::acp::SettingValue;

/// How long an agent gets to exit after its input ends, unless the file says otherwise: what the
/// slowest of the known ones needs.
const EOF_GRACE: Duration = Duration::from_secs(5);

/// The longest such time. The whole ladder of ending a tree has 35 s.
const EOF_GRACE_MAX_MS: i64 = 15_000;

/// Programs that fetch and run something else. What they would run is not what was looked at.
const PACKAGE_RUNNERS: [&str; 15] = [
    "npx", "npm", "pnpm", "pnpx", "corepack", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "pip", "pip3", "deno", "brew",
];

/// What is wrong with a configuration file, naming the file, the agent and the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentsFileError {
    #[error("{}: {message}", .path.display())]
    Syntax { path: PathBuf, message: String },
    #[error("{}: {key}: {message}", .path.display())]
    TopLevel { path: PathBuf, key: String, message: String },
    #[error("{}: agent '{agent}': {key}: {message}", .path.display())]
    Agent { path: PathBuf, agent: String, key: String, message: String },
}

impl AgentsFileError {
    pub(super) fn name_taken(path: &Path, there: &Adapter) -> Self {
        let whose = match &there.source {
            None => "a built-in agent has this name".to_owned(),
            Some(source) => format!("{} has an agent of this name", source.display()),
        };
        Self::Agent { path: path.to_owned(), agent: there.name.clone(), key: "name".to_owned(), message: whose }
    }
}

/// Key and message; the file and the agent are added outside.
type Wrong = (String, String);

fn wrong<T>(key: impl Into<String>, message: impl Into<String>) -> Result<T, Wrong> {
    Err((key.into(), message.into()))
}

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Adapter>, AgentsFileError> {
    let top_level = |(key, message)| AgentsFileError::TopLevel { path: path.to_owned(), key, message };
    let file: Table = text.parse().map_err(|error: toml::de::Error| AgentsFileError::Syntax {
        path: path.to_owned(),
        message: error.to_string(),
    })?;
    let mut agents = Vec::new();
    for (key, value) in &file {
        if key != "agents" {
            return Err(top_level((key.clone(), "is not known; agents stand under [agents.<name>]".to_owned())));
        }
        for (name, value) in table("agents", value).map_err(top_level)? {
            let adapter = agent(path, name, value).map_err(|(key, message)| AgentsFileError::Agent {
                path: path.to_owned(),
                agent: name.clone(),
                key,
                message,
            })?;
            agents.push(adapter);
        }
    }
    Ok(agents)
}

fn agent(path: &Path, name: &str, value: &Value) -> Result<Adapter, Wrong> {
    if !is_name(name) {
        return wrong("name", "must be 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter");
    }
    let mut adapter = Adapter {
        name: name.to_owned(),
        program: String::new(),
        args: Vec::new(),
        pins: Vec::new(),
        model: None,
        effort: None,
        environment: Vec::new(),
        eof_grace: EOF_GRACE,
        source: Some(path.to_owned()),
        amend: None,
    };
    for (key, value) in table("agent", value)? {
        match key.as_str() {
            "command" => (adapter.program, adapter.args) = command(value)?,
            "pins" => adapter.pins = pins(value)?,
            "model" => adapter.model = Some(choice(key, value)?),
            "effort" => adapter.effort = Some(choice(key, value)?),
            "environment" => adapter.environment = environment(value)?,
            "eof_grace_ms" => adapter.eof_grace = eof_grace(value)?,
            _ => return wrong(key, "is not known"),
        }
    }
    if adapter.program.is_empty() {
        return wrong("command", "is missing");
    }
    Ok(adapter)
}

fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
}

fn command(value: &Value) -> Result<(String, Vec<String>), Wrong> {
    let words = match value {
        Value::String(program) => vec![program.clone()],
        list => texts("command", list)?,
    };
    let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        return wrong("command", "must name a program");
    };
    if program.contains('/') && !Path::new(program).is_absolute() {
        return wrong("command", format!("'{program}' must be a bare name or an absolute path"));
    }
    if program.ends_with('/') || program.contains('\0') {
        return wrong("command", format!("'{program}' is not the name of a program"));
    }
    let base = program.rsplit('/').next().unwrap_or(program);
    if PACKAGE_RUNNERS.contains(&base) {
        return wrong("command", format!("'{base}' is a package runner; install the agent and name its own program"));
    }
    Ok((program.clone(), args.to_vec()))
}

fn pins(value: &Value) -> Result<Vec<Pin>, Wrong> {
    let Some(list) = value.as_array() else {
        return wrong("pins", "must be a list of tables, because their order counts");
    };
    let mut pins: Vec<Pin> = Vec::new();
    for (at, entry) in list.iter().enumerate() {
        let at = format!("pins[{at}]");
        let (mut name, mut value, mut with_edit) = (None, None, None);
        for (key, given) in table(&at, entry)? {
            let full = format!("{at}.{key}");
            match key.as_str() {
                "name" => name = Some(text(&full, given)?),
                "value" => value = Some(setting_value(&full, given)?),
                "with_edit" => with_edit = Some(setting_value(&full, given)?),
                _ => return wrong(full, "is not known"),
            }
        }
        let (Some(name), Some(value)) = (name, value) else { return wrong(at, "needs 'name' and 'value'") };
        if pins.iter().any(|pin| pin.name == name) {
            return wrong(at, format!("'{name}' is pinned twice"));
        }
        pins.push(Pin { name, value, with_edit });
    }
    Ok(pins)
}

fn choice(key: &str, value: &Value) -> Result<Choice, Wrong> {
    let (mut setting, mut flag, mut values) = (None, None, None);
    for (name, given) in table(key, value)? {
        let full = format!("{key}.{name}");
        match name.as_str() {
            "setting" => setting = Some(text(&full, given)?),
            "flag" => flag = Some(text(&full, given)?),
            "values" => values = Some(texts(&full, given)?),
            _ => return wrong(full, "is not known"),
        }
    }
    match (setting, flag, values) {
        (Some(setting), None, None) => Ok(Choice::Setting(setting)),
        (None, Some(flag), Some(values)) if flag.starts_with('-') && !values.is_empty() => {
            Ok(Choice::LaunchFlag { flag, values })
        }
        _ => wrong(key, "needs either 'setting', or 'flag' (beginning with '-') and 'values' (not empty)"),
    }
}

fn environment(value: &Value) -> Result<Vec<(String, String)>, Wrong> {
    table("environment", value)?
        .iter()
        .map(|(name, given)| {
            let key = format!("environment.{name}");
            if name.is_empty() || name.contains(['=', '\0']) {
                return wrong(key, "is not the name of a variable");
            }
            let given = text_or_empty(&key, given)?;
            Ok((name.clone(), given))
        })
        .collect()
}

fn eof_grace(value: &Value) -> Result<Duration, Wrong> {
    match value.as_integer() {
        Some(ms @ 0..=EOF_GRACE_MAX_MS) => Ok(Duration::from_millis(ms.unsigned_abs())),
        _ => wrong("eof_grace_ms", format!("must be a whole number from 0 to {EOF_GRACE_MAX_MS}")),
    }
}

fn setting_value(key: &str, value: &Value) -> Result<SettingValue, Wrong> {
    match value {
        Value::Boolean(value) => Ok(SettingValue::Bool(*value)),
        Value::String(value) => Ok(SettingValue::Str(value.clone())),
        _ => wrong(key, "must be a text or a boolean"),
    }
}

fn table<'a>(key: &str, value: &'a Value) -> Result<&'a Table, Wrong> {
    value.as_table().map_or_else(|| wrong(key, "must be a table"), Ok)
}

fn text_or_empty(key: &str, value: &Value) -> Result<String, Wrong> {
    match value.as_str() {
        Some(text) if !text.contains('\0') => Ok(text.to_owned()),
        _ => wrong(key, "must be a text"),
    }
}

fn text(key: &str, value: &Value) -> Result<String, Wrong> {
    match text_or_empty(key, value)? {
        text if text.is_empty() => wrong(key, "must not be empty"),
        text => Ok(text),
    }
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, Wrong> {
    let Some(list) = value.as_array() else { return wrong(key, "must be a list of texts") };
    list.iter().map(|entry| text_or_empty(key, entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::Registry;

    fn add(text: &str) -> Result<Registry, String> {
        let mut registry = Registry::builtin();
        registry.add_file(Path::new("/etc/agents.toml"), text).map_err(|error| error.to_string())?;
        Ok(registry)
    }

    #[test]
    fn an_agent_with_everything() {
        let registry = add(r#"
            [agents.gemini]
            command = ["/opt/gemini", "--acp"]
            pins = [{ name = "mode", value = "default", with_edit = "autoEdit" }, { name = "yolo", value = false }]
            model = { setting = "model" }
            effort = { flag = "--thinking", values = ["low", "high"] }
            environment = { A = "", B = "x" }
            eof_grace_ms = 1500

            [agents.qwen]
            command = "qwen"
        "#)
        .unwrap();
        let gemini = Adapter {
            name: "gemini".into(),
            program: "/opt/gemini".into(),
            args: vec!["--acp".into()],
            pins: vec![
                Pin {
                    name: "mode".into(),
                    value: SettingValue::Str("default".into()),
                    with_edit: Some(SettingValue::Str("autoEdit".into())),
                },
                Pin { name: "yolo".into(), value: SettingValue::Bool(false), with_edit: None },
            ],
            model: Some(Choice::Setting("model".into())),
            effort: Some(Choice::LaunchFlag { flag: "--thinking".into(), values: vec!["low".into(), "high".into()] }),
            environment: vec![("A".into(), String::new()), ("B".into(), "x".into())],
            eof_grace: Duration::from_millis(1500),
            source: Some("/etc/agents.toml".into()),
            amend: None,
        };
        assert_eq!(registry.get("gemini"), Some(&gemini));
        assert_eq!(gemini.exe(), "gemini");
        let names: Vec<&str> = registry.names().collect();
        assert_eq!(names, ["claude_code", "cline", "codex", "copilot", "cursor", "gemini", "opencode", "qwen"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("x = 1", "x: is not known; agents stand under [agents.<name>]"),
            ("agents = 1", "agents: must be a table"),
            ("[agents]\na = 1", "agent 'a': agent: must be a table"),
            (
                "[agents.A]\ncommand = 'a'",
                "agent 'A': name: must be 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter",
            ),
            ("[agents.codex]\ncommand = 'a'", "agent 'codex': name: a built-in agent has this name"),
            ("[agents.a]", "agent 'a': command: is missing"),
            ("[agents.a]\ncommand = []", "agent 'a': command: must name a program"),
            ("[agents.a]\ncommand = ''", "agent 'a': command: must name a program"),
            ("[agents.a]\ncommand = 5", "agent 'a': command: must be a list of texts"),
            ("[agents.a]\ncommand = ['a', 5]", "agent 'a': command: must be a text"),
            ("[agents.a]\ncommand = 'bin/a'", "agent 'a': command: 'bin/a' must be a bare name or an absolute path"),
            (
                "[agents.a]\ncommand = ['npx', 'x']",
                "agent 'a': command: 'npx' is a package runner; install the agent and name its own program",
            ),
            (
                "[agents.a]\ncommand = '/usr/bin/uvx'",
                "agent 'a': command: 'uvx' is a package runner; install the agent and name its own program",
            ),
            ("[agents.a]\ncommand = 'a'\npin = []", "agent 'a': pin: is not known"),
            (
                "[agents.a]\ncommand = 'a'\npins = {}",
                "agent 'a': pins: must be a list of tables, because their order counts",
            ),
            ("[agents.a]\ncommand = 'a'\npins = [{name = 'm'}]", "agent 'a': pins[0]: needs 'name' and 'value'"),
            (
                "[agents.a]\ncommand = 'a'\npins = [{name = 'm', value = 5}]",
                "agent 'a': pins[0].value: must be a text or a boolean",
            ),
            (
                "[agents.a]\ncommand = 'a'\npins = [{name = 'm', value = ''}, {name = 'm', value = ''}]",
                "agent 'a': pins[1]: 'm' is pinned twice",
            ),
            (
                "[agents.a]\ncommand = 'a'\nmodel = {setting = 'm', flag = '-m'}",
                "agent 'a': model: needs either 'setting', or 'flag' (beginning with '-') and 'values' (not empty)",
            ),
            ("[agents.a]\ncommand = 'a'\nenvironment = {A = 5}", "agent 'a': environment.A: must be a text"),
            (
                "[agents.a]\ncommand = 'a'\neof_grace_ms = 20000",
                "agent 'a': eof_grace_ms: must be a whole number from 0 to 15000",
            ),
        ] {
            assert_eq!(add(text).err(), Some(format!("/etc/agents.toml: {expected}")), "{text}");
        }
        let syntax = add("[agents.a").err().unwrap();
        assert!(syntax.starts_with("/etc/agents.toml: ") && syntax.contains("line 1"), "{syntax}");
    }

    #[test]
    fn two_files_cannot_name_one_agent() {
        let mut registry = add("[agents.a]\ncommand = 'a'").unwrap();
        let again = registry.add_file(Path::new("/other.toml"), "[agents.b]\ncommand='b'\n[agents.a]\ncommand = 'a'");
        assert_eq!(
            again.unwrap_err().to_string(),
            "/other.toml: agent 'a': name: /etc/agents.toml has an agent of this name"
        );
        assert_eq!(registry.get("b"), None);
    }
}
