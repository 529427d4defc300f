//! Documents that people write: JSON, or YAML wherever JSON is taken. Both become the same value.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use segue_model::flow::{Json, Object};

use crate::commands::CommandError;

/// Stands for standard input where a file is named.
const STDIN: &str = "-";
/// More than the largest document that can be saved; a file beyond is not one.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads a document from a file, or from standard input for `-`.
///
/// # Errors
/// It cannot be read, is too large, or is neither JSON nor YAML.
pub fn read(file: &Path) -> Result<Json, CommandError> {
    let text = text(file)?;
    parse(&text, is_yaml(file)).map_err(|why| CommandError::Usage(format!("{}: {why}", file.display())))
}

/// Reads an object from a file; none without a file.
///
/// # Errors
/// As [`read`], and when it is no object.
pub fn object(file: Option<&PathBuf>) -> Result<Object, CommandError> {
    let Some(file) = file else { return Ok(Object::new()) };
    match read(file)? {
        Json::Object(members) => Ok(members),
        _ => Err(CommandError::Usage(format!("{}: is not an object", file.display()))),
    }
}

fn text(file: &Path) -> Result<String, CommandError> {
    let failed = |error: std::io::Error| CommandError::Usage(format!("read {}: {error}", file.display()));
    let mut text = String::new();
    let read = if file == Path::new(STDIN) {
        std::io::stdin().take(BYTES_MAX + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|open| open.take(BYTES_MAX + 1).read_to_string(&mut text))
    };
    read.map_err(failed)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(CommandError::Usage(format!("{}: is larger than {BYTES_MAX} bytes", file.display())));
    }
    Ok(text)
}

/// Whether the name says so; `None` for names that say nothing, as that of standard input.
fn is_yaml(file: &Path) -> Option<bool> {
    match file.extension()?.to_str()? {
        "yaml" | "yml" => Some(true),
        "json" => Some(false),
        _ => None,
    }
}

/// JSON keeps every digit of its numbers; YAML's numbers are read as JSON's would be.
fn parse(text: &str, yaml: Option<bool>) -> Result<Json, String> {
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    if yaml.unwrap_or(!looks_like_json) {
        let value: serde_json::Value = serde_saphyr::from_str(text)
            // Its other words are for programmers: which option of the library would let it pass.
            .map_err(|error| error.render_with_formatter(&serde_saphyr::UserMessageFormatter))?;
        return Ok(value.into());
    }
    Json::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use segue_model::flow::canonical::canonical;

    use super::*;

    #[test]
    fn yaml_is_the_same_value_as_json() {
        let json = r#"{"schema_version":1,"id":"a","steps":[{"id":"x","from":null,"params":{"title":"On: \"off\""}}],"n":[1,-2,2.5,true]}"#;
        let yaml = "schema_version: 1\nid: a\nsteps:\n  - id: x\n    from: null\n    params: {title: 'On: \"off\"'}\nn: [1, -2, 2.5, true]\n";
        let (json, yaml) = (parse(json, None).unwrap(), parse(yaml, None).unwrap());
        assert_eq!(canonical(&yaml), canonical(&json));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for (text, yaml) in [("{\"a\":", None), ("a: [", Some(true)), ("a: 1", Some(false)), ("", Some(false))] {
            assert!(parse(text, yaml).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_yaml_is_said_to_whoever_wrote_it() {
        for text in ["id: a\nid: b\n", "id: a\n---\nid: b\n"] {
            let why = parse(text, Some(true)).unwrap_err();
            assert!(why.contains("line") && !why.contains("Options") && !why.contains("from_"), "{why}");
        }
    }
}
