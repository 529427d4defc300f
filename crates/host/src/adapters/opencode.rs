//! opencode asks for nothing unless its configuration says so, whatever its mode is.

use std::ffi::OsString;

use serde_json::{Map, Value};

use super::EnvironmentError;
use super::environment::Environment;

/// Holds a configuration that is merged over opencode's files.
const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

/// What it must ask for, in its own words.
const ASKED: [&str; 3] = ["edit", "bash", "webfetch"];

/// Makes opencode ask for what can change something. Everything else that the person configured in
/// the variable is kept.
pub(super) fn ask(environment: &mut Environment) -> Result<(), EnvironmentError> {
    let mut config = match environment.get(&OsString::from(CONFIG)) {
        None => Map::new(),
        Some(given) => parse(given.to_str()).ok_or(EnvironmentError::NotAnObject { variable: CONFIG })?,
    };
    let mut permission = match config.get("permission") {
        Some(Value::Object(rules)) => rules.clone(),
        _ => Map::new(),
    };
    for what in ASKED {
        permission.insert(what.to_owned(), "ask".into());
    }
    config.insert("permission".to_owned(), permission.into());
    environment.insert(CONFIG.into(), Value::Object(config).to_string().into());
    Ok(())
}

fn parse(given: Option<&str>) -> Option<Map<String, Value>> {
    let given = given?;
    if given.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
        return Some(Map::new());
    }
    serde_json::from_str(given).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(given: Option<&str>) -> Result<String, EnvironmentError> {
        let mut environment: Environment = given.map(|text| (CONFIG.into(), text.into())).into_iter().collect();
        ask(&mut environment)?;
        Ok(environment[&OsString::from(CONFIG)].to_str().unwrap().to_owned())
    }

    const ONLY: &str = r#"{"permission":{"edit":"ask","bash":"ask","webfetch":"ask"}}"#;

    #[test]
    fn the_rules_are_merged_into_what_is_there() {
        for (given, expected) in [
            (None, ONLY),
            (Some(""), ONLY),
            (Some(" \n\t"), ONLY),
            (Some("{}"), ONLY),
            (Some(r#"{"permission":"allow"}"#), ONLY),
            (Some(r#"{"permission":null}"#), ONLY),
            (
                Some(r#"{"model":"m","permission":{"bash":{"*":"allow"},"skill":"deny"},"x":[1]}"#),
                r#"{"model":"m","permission":{"bash":"ask","skill":"deny","edit":"ask","webfetch":"ask"},"x":[1]}"#,
            ),
        ] {
            assert_eq!(asked(given).unwrap(), expected, "{given:?}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused_by_name() {
        for given in ["[]", "null", "5", "{", "text", "\u{a0}"] {
            let error = asked(Some(given)).unwrap_err();
            assert_eq!(error.to_string(), "OPENCODE_CONFIG_CONTENT must hold a JSON object", "{given}");
        }
    }
}
