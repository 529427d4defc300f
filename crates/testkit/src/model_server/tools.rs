//! Chooses, among the tools that a request offers, the one for a job, and fills its arguments by its schema.
//!
//! Agents name their tools and arguments as they like, so both are found through tables of the names in use.
//! Pure: requests and replies are the dialects' business.

use serde_json::{Map, Value, json};

use super::script::Errand;

/// A tool that a request offers to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub name: String,
    pub input: Input,
}

/// What a tool takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// An object that follows this JSON schema.
    Schema(Value),
    /// Free text.
    Text,
    /// A command line; the built-in shell of the Responses API.
    LocalShell,
}

/// A tool call that the model makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: String,
    pub arguments: Arguments,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    Json(Value),
    Text(String),
    LocalShell(Vec<String>),
}

/// The call that does the errand with one of these tools, or nothing if none of them fits. Where no tool
/// reads or writes files, a shell does.
pub fn call_for(errand: &Errand, tools: &[Tool]) -> Option<Call> {
    let Some(tool) = names_for(errand).iter().find_map(|name| tools.iter().find(|tool| plain(&tool.name) == *name))
    else {
        return call_for(&through_shell(errand)?, tools);
    };
    let arguments = match (&tool.input, errand) {
        (Input::LocalShell, Errand::Shell { command, .. }) => Arguments::LocalShell(bash(command)),
        (Input::Text, _) if plain(&tool.name) == APPLY_PATCH => Arguments::Text(patch(errand)?),
        (Input::Schema(schema), _) if plain(&tool.name) == APPLY_PATCH => {
            Arguments::Json(fill(schema, &[(Meaning::Patch, &patch(errand)?)]))
        }
        (Input::Schema(schema), _) => Arguments::Json(arguments(errand, schema)),
        (Input::Text | Input::LocalShell, _) => return None,
    };
    Some(Call { tool: tool.name.clone(), arguments })
}

/// The smallest value that follows a JSON schema; strings carry the name they stand under.
pub fn smallest(name: &str, schema: &Value) -> Value {
    if let Some(value) = ["default", "const"].iter().find_map(|key| schema.get(key)) {
        return value.clone();
    }
    if let Some(value) = schema["enum"].get(0) {
        return value.clone();
    }
    match kind(schema) {
        Some("integer" | "number") => {
            let least = schema["minimum"].as_i64().unwrap_or(1);
            json!(least.max(1))
        }
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => fill(schema, &[]),
        _ => json!(format!("scripted {name}")),
    }
}

const APPLY_PATCH: &str = "applypatch";

/// Names of the tools that do a job, in [`plain`] form, best first.
fn names_for(errand: &Errand) -> &'static [&'static str] {
    match errand {
        Errand::Write { .. } => &[
            "write",
            "writefile",
            "create",
            "createfile",
            "writetofile",
            "fswrite",
            "editor",
            "editfile",
            APPLY_PATCH,
            "strreplaceeditor",
        ],
        Errand::Edit { .. } => {
            &["edit", "replace", "strreplace", "searchreplace", "replaceinfile", "editfile", "editor", APPLY_PATCH]
        }
        Errand::Read { .. } => &["read", "readfile", "view", "readfiles", "fsread", "cat"],
        Errand::Shell { .. } => &[
            "bash",
            "shell",
            "shellcommand",
            "execcommand",
            "runshellcommand",
            "runcommands",
            "executecommand",
            "runterminalcmd",
            "runinterminal",
            "localshell",
            "terminal",
            "executebash",
            "execute",
        ],
        Errand::Fetch { .. } => &["webfetch", "fetch", "fetchwebcontent", "fetchurl"],
        Errand::Search { .. } => {
            &["grep", "grepsearch", "searchfilecontent", "searchcodebase", "searchfiles", "rg", "search"]
        }
        Errand::Plan { .. } => &["todowrite", "updateplan", "writetodos", "todo", "updatetodo", "settodolist"],
    }
}

/// What an argument means, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Path,
    Content,
    Old,
    New,
    Command,
    Url,
    Pattern,
    Patch,
}

impl Meaning {
    /// Names of the argument in [`plain`] form, best first.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Path => {
                &["filepath", "path", "filename", "file", "absolutepath", "targetfile", "paths", "filepaths", "files"]
            }
            Self::Content => &["content", "contents", "filetext", "text", "newtext", "filecontent", "newcontent"],
            Self::Old => &["oldstring", "oldstr", "oldtext", "old", "search"],
            Self::New => &["newstring", "newstr", "newtext", "new", "replace"],
            Self::Command => &["command", "cmd", "commands", "script"],
            Self::Url => &["url", "urls", "uri", "prompt", "requests"],
            Self::Pattern => &["pattern", "query", "regex", "queries"],
            Self::Patch => &["input", "patch", "patchtext"],
        }
    }
}

/// A name without case and separators: `file_path`, `filePath` and `FilePath` are one.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn arguments(errand: &Errand, schema: &Value) -> Value {
    match errand {
        Errand::Write { path, text } => fill(schema, &[(Meaning::Path, path), (Meaning::Content, text)]),
        Errand::Edit { path, old, new } => {
            fill(schema, &[(Meaning::Path, path), (Meaning::Old, old), (Meaning::New, new)])
        }
        Errand::Read { path } => fill(schema, &[(Meaning::Path, path)]),
        Errand::Shell { command, outside_sandbox } => shell(schema, command, *outside_sandbox),
        Errand::Fetch { url } => fill(schema, &[(Meaning::Url, url)]),
        Errand::Search { pattern } => fill(schema, &[(Meaning::Pattern, pattern)]),
        Errand::Plan { items } => plan(schema, items),
    }
}

/// An object for the schema: what is wanted where an argument has that meaning, the smallest value for
/// whatever else is required.
fn fill(schema: &Value, wanted: &[(Meaning, &str)]) -> Value {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let mut object = Map::new();
    for (meaning, value) in wanted {
        let property = meaning
            .names()
            .iter()
            .find_map(|known| properties.iter().find(|(name, _)| plain(name) == *known && !object.contains_key(*name)));
        if let Some((name, property)) = property {
            object.insert(name.clone(), fit(*meaning, value, property));
        }
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        if !object.contains_key(name) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            object.insert(name.to_owned(), smallest(name, property));
        }
    }
    Value::Object(object)
}

/// The value in the shape that the schema wants: itself, a list of it, or objects that hold it.
fn fit(meaning: Meaning, value: &str, schema: &Value) -> Value {
    match kind(schema) {
        Some("array") => {
            let items = &schema["items"];
            let object = std::iter::once(items).chain(alternatives(items)).find(|item| kind(item) == Some("object"));
            match object {
                Some(item) => json!([fill(item, &[(meaning, value)])]),
                None => json!([value]),
            }
        }
        Some("object") => fill(schema, &[(meaning, value)]),
        _ => json!(value),
    }
}

/// The JSON type that a schema asks for, looking through lists of types and alternatives, `null` aside.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => alternatives(schema).filter_map(kind).find(|kind| *kind != "null"),
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

fn shell(schema: &Value, command: &str, outside_sandbox: bool) -> Value {
    let mut filled = fill(schema, &[(Meaning::Command, command)]);
    let properties = &schema["properties"];
    // A list under `command` is an argument vector; under `commands` it is a list of command lines.
    if kind(&properties["command"]) == Some("array") {
        filled["command"] = json!(bash(command));
    }
    if outside_sandbox && properties.get("sandbox_permissions").is_some() {
        filled["sandbox_permissions"] = json!("require_escalated");
        filled["justification"] = json!("scripted: may I run this?");
    }
    filled
}

fn bash(command: &str) -> Vec<String> {
    ["bash", "-lc", command].map(str::to_owned).into()
}

/// A plan is a list of rows whose first one is under way, or a checklist as text.
fn plan(schema: &Value, items: &[String]) -> Value {
    let mut filled = fill(schema, &[]);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let list = match kind(property) {
            Some("array") => {
                items.iter().enumerate().map(|(index, text)| plan_row(&property["items"], index, text)).collect()
            }
            Some("string") if ["todos", "plan", "checklist"].contains(&plain(name).as_str()) => {
                let lines: Vec<_> = items.iter().map(|text| format!("- [ ] {text}")).collect();
                json!(lines.join("\n"))
            }
            _ => continue,
        };
        filled[name] = list;
        break;
    }
    filled
}

fn plan_row(schema: &Value, index: usize, text: &str) -> Value {
    let Some(properties) = schema["properties"].as_object() else {
        return json!(text);
    };
    let mut row = fill(schema, &[]);
    for (name, property) in properties {
        match plain(name).as_str() {
            "content" | "step" | "title" | "description" | "text" | "activeform" | "task" => {
                row[name] = json!(text);
            }
            "status" => {
                let status = json!(if index == 0 { "in_progress" } else { "pending" });
                let allowed = property["enum"].as_array();
                if allowed.is_none_or(|allowed| allowed.contains(&status)) {
                    row[name] = status;
                }
            }
            "id" => row[name] = json!((index + 1).to_string()),
            _ => {}
        }
    }
    row
}

/// The errand in the patch format of the `apply_patch` tools, which two unrelated agents take.
fn patch(errand: &Errand) -> Option<String> {
    match errand {
        Errand::Write { path, text } => {
            let lines: String = text.split('\n').map(|line| format!("+{line}\n")).collect();
            Some(format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"))
        }
        Errand::Edit { path, old, new } => {
            Some(format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"))
        }
        _ => None,
    }
}

fn through_shell(errand: &Errand) -> Option<Errand> {
    let command = match errand {
        Errand::Write { path, text } => format!("printf '%s' {} > {}", quoted(text), quoted(path)),
        Errand::Read { path } => format!("cat {}", quoted(path)),
        _ => return None,
    };
    Some(Errand::Shell { command, outside_sandbox: false })
}

/// One word for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
