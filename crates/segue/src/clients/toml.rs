//! Settings in TOML.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::{EditError, Launch};

const KEY: &str = "mcp_servers";

pub fn with(text: &str, name: &str, launch: &Launch) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let implicit = || {
        let mut table = Table::new();
        // No empty `[mcp_servers]` before `[mcp_servers.segue]`.
        table.set_implicit(true);
        Item::Table(table)
    };
    let servers = document.entry(KEY).or_insert_with(implicit);
    let servers = servers.as_table_like_mut().ok_or_else(|| EditError::Shape(KEY.to_owned()))?;
    let entry = servers.entry(name).or_insert_with(|| Item::Table(Table::new()));
    let entry = entry.as_table_like_mut().ok_or_else(|| EditError::Shape(format!("{KEY}.{name}")))?;
    set(entry, "command", launch.command.as_str().into());
    set(entry, "args", launch.args.iter().map(String::as_str).collect::<Array>().into());
    Ok(document.to_string())
}

pub fn without(text: &str, names: &[String]) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if let Some(servers) = document.get_mut(KEY) {
        let servers = servers.as_table_like_mut().ok_or_else(|| EditError::Shape(KEY.to_owned()))?;
        for name in names {
            servers.remove(name);
        }
    }
    Ok(document.to_string())
}

/// Each server's name and the words of its command line.
pub fn servers(text: &str) -> Result<Vec<(String, Vec<String>)>, EditError> {
    let document = parse(text)?;
    let Some(servers) = document.get(KEY) else { return Ok(Vec::new()) };
    let servers = servers.as_table_like().ok_or_else(|| EditError::Shape(KEY.to_owned()))?;
    Ok(servers.iter().map(|(name, entry)| (name.to_owned(), words(entry))).collect())
}

fn words(entry: &Item) -> Vec<String> {
    let command = entry.get("command").and_then(Item::as_str).map(str::to_owned);
    let args = entry.get("args").and_then(Item::as_array).into_iter().flatten();
    command.into_iter().chain(args.filter_map(Value::as_str).map(str::to_owned)).collect()
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse::<DocumentMut>().map_err(|error| EditError::Syntax(error.message().to_owned()))
}

/// Keeps the value that is there, with its comment, where it is the same.
fn set(entry: &mut dyn TableLike, field: &str, value: Value) {
    let same = entry.get(field).and_then(Item::as_value).is_some_and(|there| plain(there) == plain(&value));
    if !same {
        entry.insert(field, Item::Value(value));
    }
}

fn plain(value: &Value) -> Vec<String> {
    match value {
        Value::Array(words) => words.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect(),
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        Launch { command: "/opt/segue".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn an_empty_file_becomes_one_table() {
        let expected = "[mcp_servers.segue]\ncommand = \"/opt/segue\"\nargs = [\"mcp\"]\n";
        assert_eq!(with("", "segue", &launch()).as_deref(), Ok(expected));
    }

    #[test]
    fn comments_and_other_tables_stay() {
        let before = "model = \"x\" # mine\n\n# servers\n[mcp_servers.other]\ncommand = 'y'\n\n[tools]\nweb = true\n";
        let after = with(before, "segue", &launch()).unwrap_or_default();
        assert!(after.contains("model = \"x\" # mine\n\n# servers\n[mcp_servers.other]\ncommand = 'y'\n"));
        assert!(after.contains("[tools]\nweb = true\n"));
        assert_eq!(with(&after, "segue", &launch()).as_deref(), Ok(after.as_str()));
        assert_eq!(without(&after, &["segue".to_owned()]).as_deref(), Ok(before));
    }

    #[test]
    fn an_older_entry_keeps_what_a_person_added() {
        let before = "[mcp_servers.segue]\ncommand = \"old\"\nargs = [\"mcp\"] # fine\nstartup_timeout_sec = 20\n";
        let expected =
            "[mcp_servers.segue]\ncommand = \"/opt/segue\"\nargs = [\"mcp\"] # fine\nstartup_timeout_sec = 20\n";
        assert_eq!(with(before, "segue", &launch()).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_something_else_is_refused() {
        assert_eq!(with("mcp_servers = 1\n", "segue", &launch()), Err(EditError::Shape("mcp_servers".to_owned())));
        assert!(matches!(with("= 1", "segue", &launch()), Err(EditError::Syntax(_))));
    }
}
