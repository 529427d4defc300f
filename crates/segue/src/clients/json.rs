//! Settings in JSON, with or without comments.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::Value;

use super::{EditError, Launch, Shape};

pub fn with(text: &str, shape: Shape, name: &str, launch: &Launch) -> Result<String, EditError> {
    let root = parse(text)?;
    let top = root.object_value_or_create().ok_or_else(|| EditError::Shape("its top".to_owned()))?;
    once(&top, key(shape))?;
    let servers = top.object_value_or_create(key(shape)).ok_or_else(|| EditError::Shape(key(shape).to_owned()))?;
    once(&servers, name)?;
    let fields = fields(shape, launch);
    match servers.get(name) {
        None => {
            servers.append(name, CstInputValue::Object(fields));
        }
        // What else the entry holds (an environment, a timeout) stays.
        Some(there) => {
            let entry = there.object_value().ok_or_else(|| EditError::Shape(format!("{}.{name}", key(shape))))?;
            for (field, value) in fields {
                set(&entry, &field, value);
            }
        }
    }
    Ok(finished(&root))
}

pub fn without(text: &str, shape: Shape, names: &[String]) -> Result<String, EditError> {
    let root = parse(text)?;
    if let Some(servers) = table(&root, shape)? {
        for name in names {
            once(&servers, name)?;
            if let Some(entry) = servers.get(name) {
                entry.remove();
            }
        }
    }
    Ok(root.to_string())
}

/// Each server's name and the words of its command line.
pub fn servers(text: &str, shape: Shape) -> Result<Vec<(String, Vec<String>)>, EditError> {
    let root = parse(text)?;
    let Some(servers) = table(&root, shape)? else { return Ok(Vec::new()) };
    let entry = |name: String, value: Option<Value>| {
        let words = ["command", "args"].iter().flat_map(|field| words(value.as_ref().and_then(|v| v.get(field))));
        (name, words.collect())
    };
    Ok(servers
        .properties()
        .into_iter()
        .filter_map(|server| Some(entry(server.decoded_name()?, server.value().and_then(|v| v.to_serde_value()))))
        .collect())
}

fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(word)) => vec![word.clone()],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

const fn key(shape: Shape) -> &'static str {
    match shape {
        Shape::Table { key, .. } => key,
        Shape::OneCommand | Shape::Toml => "mcp",
    }
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| EditError::Syntax(error.to_string()))
}

fn table(root: &CstRootNode, shape: Shape) -> Result<Option<CstObject>, EditError> {
    if root.value().is_none() {
        return Ok(None);
    }
    let top = root.object_value().ok_or_else(|| EditError::Shape("its top".to_owned()))?;
    once(&top, key(shape))?;
    match top.get(key(shape)) {
        None => Ok(None),
        Some(servers) => servers.object_value().map(Some).ok_or_else(|| EditError::Shape(key(shape).to_owned())),
    }
}

/// Of names that are there twice, clients read one, and which is theirs to know.
fn once(object: &CstObject, name: &str) -> Result<(), EditError> {
    let named = |property: &CstObjectProp| property.decoded_name().is_some_and(|decoded| decoded == name);
    if object.properties().iter().filter(|property| named(property)).count() > 1 {
        return Err(EditError::Twice(name.to_owned()));
    }
    Ok(())
}

fn set(entry: &CstObject, field: &str, value: CstInputValue) {
    match entry.get(field) {
        Some(there) => there.set_value(value),
        None => {
            entry.append(field, value);
        }
    }
}

fn fields(shape: Shape, launch: &Launch) -> Vec<(String, CstInputValue)> {
    let text = |word: &str| CstInputValue::String(word.to_owned());
    let list = |words: &mut dyn Iterator<Item = &String>| CstInputValue::Array(words.map(|word| text(word)).collect());
    let mut fields = Vec::new();
    match shape {
        Shape::OneCommand => {
            fields.push(("type".to_owned(), text("local")));
            let mut line = std::iter::once(&launch.command).chain(&launch.args);
            fields.push(("command".to_owned(), list(&mut line)));
            fields.push(("enabled".to_owned(), CstInputValue::Bool(true)));
        }
        Shape::Table { typed, .. } => {
            if typed {
                fields.push(("type".to_owned(), text("stdio")));
            }
            fields.push(("command".to_owned(), text(&launch.command)));
            fields.push(("args".to_owned(), list(&mut launch.args.iter())));
        }
        Shape::Toml => {}
    }
    fields
}

/// A file that we begin ends with a line end.
fn finished(root: &CstRootNode) -> String {
    let mut text = root.to_string();
    if !text.ends_with('\n') && text.lines().count() > 1 {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVERS: Shape = Shape::Table { key: "mcpServers", typed: false };

    fn launch() -> Launch {
        Launch { command: "/opt/segue".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn an_empty_file_becomes_a_table() {
        let expected = "{\n  \"mcpServers\": {\n    \"segue\": {\n      \"command\": \"/opt/segue\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
        assert_eq!(with("", SERVERS, "segue", &launch()), Ok(expected.to_owned()));
    }

    #[test]
    fn what_is_not_ours_stays_byte_for_byte() {
        let before = "// mine\n{\n\t\"theme\":   \"dark\", // really\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\", \"n\": 9007199254740993}\n\t}\n}\n";
        let after = with(before, SERVERS, "segue", &launch());
        let expected = "// mine\n{\n\t\"theme\":   \"dark\", // really\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\", \"n\": 9007199254740993},\n\t\t\"segue\": {\n\t\t\t\"command\": \"/opt/segue\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n";
        assert_eq!(after.as_deref(), Ok(expected));
        assert_eq!(without(expected, SERVERS, &["segue".to_owned()]).as_deref(), Ok(before));
    }

    #[test]
    fn setting_it_again_changes_nothing() {
        for shape in [SERVERS, Shape::Table { key: "servers", typed: true }, Shape::OneCommand] {
            let once = with("{}", shape, "segue", &launch());
            let again = once.clone().and_then(|text| with(&text, shape, "segue", &launch()));
            assert_eq!(again, once);
        }
    }

    #[test]
    fn an_older_entry_keeps_what_a_person_added() {
        let before = r#"{"mcpServers": {"segue": {"command": "old", "args": [], "env": {"A": "1"}}}}"#;
        let after =
            with(before, SERVERS, "segue", &launch()).and_then(|text| parse(&text)).map(|root| root.to_serde_value());
        let expected =
            serde_json::json!({"mcpServers": {"segue": {"command": "/opt/segue", "args": ["mcp"], "env": {"A": "1"}}}});
        assert_eq!(after, Ok(Some(expected)));
    }

    #[test]
    fn what_is_something_else_is_refused() {
        assert_eq!(with("[]", SERVERS, "segue", &launch()), Err(EditError::Shape("its top".to_owned())));
        assert_eq!(
            with(r#"{"mcpServers": 1}"#, SERVERS, "segue", &launch()),
            Err(EditError::Shape("mcpServers".to_owned()))
        );
        assert!(matches!(with("{", SERVERS, "segue", &launch()), Err(EditError::Syntax(_))));
    }

    #[test]
    fn what_is_there_twice_is_refused() {
        for (text, twice) in [
            (r#"{"mcpServers": {}, "mcpServers": {}}"#, "mcpServers"),
            (r#"{"mcpServers": {"segue": {}, "s\u0065gue": {}}}"#, "segue"),
        ] {
            let refused = Err(EditError::Twice(twice.to_owned()));
            assert_eq!(with(text, SERVERS, "segue", &launch()), refused);
            assert_eq!(without(text, SERVERS, &["segue".to_owned()]), refused);
        }
    }

    #[test]
    fn the_predecessor_is_known_however_it_is_started() {
        let text = r#"{"mcpServers": {
            "a": {"command": "uvx", "args": ["symm-mcp@0.3.0"]},
            "b": {"command": "/usr/bin/symm-mcp"},
            "c": {"command": "uvx", "args": ["--from", "symm-mcp==0.3.0", "x"]},
            "d": {"command": "symm-mcp-like"}
        }}"#;
        let known: Vec<_> = ["a", "b", "c", "d"].into_iter().zip([true, true, true, false]).collect();
        let seen = SERVERS.servers(text).unwrap_or_default();
        assert_eq!(seen.iter().map(|(name, is)| (name.as_str(), *is)).collect::<Vec<_>>(), known);
    }
}
