//! The caller's options for one task.

use segue_model::task::permission::{AllowSet, ToolKind};
use serde_json::{Map, Value};

use super::{Adapter, Choice};

/// How many kinds `allow` may list. Fixed by the channel contract, as the next one.
const ALLOW_MAX: usize = 10;
const VALUE_CHARS_MAX: usize = 200;

/// Options that an adapter takes, checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    pub allow: AllowSet,
    pub model: Option<String>,
    pub effort: Option<String>,
}

impl Options {
    /// Reads the caller's `options` for `adapter`.
    ///
    /// # Errors
    /// What is wrong, naming the option.
    pub fn parse(adapter: &Adapter, given: Option<&Map<String, Value>>) -> Result<Self, String> {
        let mut options = Self::default();
        for (name, value) in given.into_iter().flatten() {
            match (name.as_str(), &adapter.model, &adapter.effort) {
                ("allow", _, _) => options.allow = allow(value)?,
                ("model", Some(how), _) => options.model = choice("model", how, value)?,
                ("effort", _, Some(how)) => options.effort = choice("effort", how, value)?,
                _ => return Err(format!("option '{name}' is not known for agent '{}'", adapter.name)),
            }
        }
        Ok(options)
    }

    #[must_use]
    pub const fn allows_edit(&self) -> bool {
        self.allow.contains(ToolKind::Edit)
    }
}

fn allow(value: &Value) -> Result<AllowSet, String> {
    let known = || ToolKind::ALLOWABLE.map(ToolKind::as_str).join(", ");
    let kinds = value.as_array().ok_or_else(|| format!("option 'allow' must be a list of {}", known()))?;
    if kinds.len() > ALLOW_MAX {
        return Err(format!("option 'allow' may list at most {ALLOW_MAX} kinds"));
    }
    let kinds: Result<Vec<ToolKind>, String> = kinds
        .iter()
        .map(|kind| {
            let known_kind = kind.as_str().and_then(ToolKind::parse).filter(|kind| *kind != ToolKind::SwitchMode);
            known_kind.ok_or_else(|| format!("option 'allow' takes {}; not {}", known(), shown(kind)))
        })
        .collect();
    kinds.map(AllowSet::of)
}

fn choice(name: &str, how: &Choice, value: &Value) -> Result<Option<String>, String> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => return Err(format!("option '{name}' must be a text, not {}", shown(other))),
    };
    match how {
        Choice::LaunchFlag { values, .. } if !values.contains(text) => {
            Err(format!("option '{name}' must be one of {}; not {}", values.join(", "), shown(value)))
        }
        Choice::Setting(_) if !is_plain(text) => Err(format!(
            "option '{name}' must be 1 to {VALUE_CHARS_MAX} characters, without white space or control characters, \
             not beginning with '-'"
        )),
        _ => Ok(Some(text.clone())),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.chars().count() <= VALUE_CHARS_MAX
        && !text.starts_with('-')
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// The value as JSON, short enough for a message.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::{Setting, SettingRole, SettingValue};
    use crate::adapters::Registry;
    use serde_json::json;

    fn parse(agent: &str, given: Value) -> Result<Options, String> {
        Options::parse(Registry::builtin().get(agent).unwrap(), given.as_object())
    }

    #[test]
    fn what_is_taken() {
        assert_eq!(parse("codex", json!(null)), Ok(Options::default()));
        assert_eq!(parse("codex", json!({"model": null, "effort": null, "allow": []})), Ok(Options::default()));
        let allow = AllowSet::of([ToolKind::Edit, ToolKind::Read]);
        assert_eq!(
            parse("codex", json!({"allow": ["edit", "read", "edit"], "model": "gpt-5.5[medium]", "effort": "high"})),
            Ok(Options { allow, model: Some("gpt-5.5[medium]".into()), effort: Some("high".into()) })
        );
        assert_eq!(parse("cline", json!({"effort": "xhigh"})).unwrap().effort.as_deref(), Some("xhigh"));
    }

    #[test]
    fn what_is_refused_is_named() {
        let eleven = vec!["read"; 11];
        for (agent, given, named) in [
            ("codex", json!({"ask": true}), "ask"),
            ("cursor", json!({"effort": "high"}), "effort"),
            ("opencode", json!({"effort": null}), "effort"),
            ("codex", json!({"allow": null}), "allow"),
            ("codex", json!({"allow": "edit"}), "allow"),
            ("codex", json!({"allow": ["switch_mode"]}), "switch_mode"),
            ("codex", json!({"allow": ["Edit"]}), "Edit"),
            ("codex", json!({"allow": [1]}), "allow"),
            ("codex", json!({"allow": eleven}), "allow"),
            ("codex", json!({"model": ""}), "model"),
            ("codex", json!({"model": "-x"}), "model"),
            ("codex", json!({"model": "a b"}), "model"),
            ("codex", json!({"model": "a\u{7}"}), "model"),
            ("codex", json!({"model": "x".repeat(201)}), "model"),
            ("codex", json!({"model": 5}), "model"),
            ("codex", json!({"effort": ["high"]}), "effort"),
            ("cline", json!({"effort": "max"}), "effort"),
            ("cline", json!({"effort": ""}), "effort"),
        ] {
            let error = parse(agent, given.clone()).unwrap_err();
            assert!(
                error.contains(&format!("'{named}'")) || error.contains(&format!("\"{named}\"")),
                "{given}: {error}"
            );
        }
        assert!(parse("codex", json!({"model": "x".repeat(200)})).is_ok());
    }

    #[test]
    fn choices_become_settings_or_flags() {
        let registry = Registry::builtin();
        let str = |text: &str| SettingValue::Str(text.into());
        let setting = |name: &str, value, role| Setting { name: name.into(), value, role };

        let codex = registry.get("codex").unwrap();
        let options = parse("codex", json!({"effort": "high", "model": "m"})).unwrap();
        assert_eq!(
            codex.settings(&options),
            [
                setting("mode", str("read-only"), SettingRole::Pin),
                setting("model", str("m"), SettingRole::Model),
                setting("reasoning_effort", str("high"), SettingRole::Effort),
            ]
        );
        assert_eq!(codex.arguments(&options), Vec::<String>::new());

        let cline = registry.get("cline").unwrap();
        let options = parse("cline", json!({"effort": "high"})).unwrap();
        assert_eq!(cline.settings(&options), [setting("auto_approve", SettingValue::Bool(false), SettingRole::Pin)]);
        assert_eq!(cline.arguments(&options), ["--acp", "--thinking=high"]);
        assert_eq!(cline.launch_flags(&options), ["--thinking=high"]);

        let cursor = registry.get("cursor").unwrap();
        let mode = |options: Value| cursor.settings(&parse("cursor", options).unwrap())[0].value.clone();
        assert_eq!((mode(json!({})), mode(json!({"allow": ["edit"]}))), (str("plan"), str("agent")));
    }
}
