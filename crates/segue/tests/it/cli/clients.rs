//! `segue mcp add | remove | undo` with the settings of clients, as their owners have them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use segue_testkit::program::Program;
use serde_json::{Value, json};

use super::{assert_refused, document};
use crate::contract::served::world;

const CLAUDE: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"symm\": {\n      \"command\": \"uvx\",\n      \"args\": [\"symm-mcp\"]\n    }\n  }\n}\n";
const CODEX: &str = "model = \"gpt-5\" # mine\n";

/// A home with Claude Code and Codex.
fn home() -> (Program, PathBuf, PathBuf) {
    let world = world();
    let claude = world.home().join(".claude.json");
    let codex = world.home().join(".codex/config.toml");
    fs::create_dir_all(codex.parent().expect("a folder")).expect("a folder");
    fs::write(&claude, CLAUDE).expect("a file");
    fs::write(&codex, CODEX).expect("a file");
    (world, claude, codex)
}

fn text(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn outcomes(report: &Value) -> Vec<(String, String)> {
    let rows = report["clients"].as_array().expect("clients");
    rows.iter().map(|row| (row["client"].to_string(), row["outcome"].to_string())).collect()
}

fn both(outcome: &str) -> Vec<(String, String)> {
    ["claude-code", "codex"].map(|client| (format!("{client:?}"), format!("{outcome:?}"))).to_vec()
}

#[test]
fn the_clients_that_are_there_are_written_shown_and_given_back() {
    let (world, claude, codex) = home();
    let seen = world.run(["mcp", "add", "--dry-run"]);
    assert_eq!(seen.ended, "exit 0", "{seen:?}");
    assert!(seen.stdout.contains("+[mcp_servers.segue]"), "{seen:?}");
    assert!(seen.stdout.contains("--replace-symm-mcp"), "{seen:?}");
    assert!(!seen.stdout.contains("numStartups"), "lines that stay are not shown: {seen:?}");
    assert_eq!((text(&claude).as_str(), text(&codex).as_str()), (CLAUDE, CODEX));

    assert_eq!(outcomes(&document(&world.run(["mcp", "add", "--yes", "--json"]))), both("changed"));
    let written: Value = serde_json::from_str(&text(&claude)).expect("JSON");
    let program = world.binary().to_string_lossy().into_owned();
    // The worlds of tests have a state folder of their own, which the entry has to name.
    let state = world.state_dir().to_string_lossy().into_owned();
    let expected = json!({
        "numStartups": 7,
        "mcpServers": {
            "symm": {"command": "uvx", "args": ["symm-mcp"]},
            "segue": {"type": "stdio", "command": program, "args": ["mcp", "--state-dir", state]},
        },
    });
    assert_eq!(written, expected);
    assert_eq!(
        text(&codex),
        format!(
            "{CODEX}\n[mcp_servers.segue]\ncommand = \"{program}\"\nargs = [\"mcp\", \"--state-dir\", \"{state}\"]\n"
        )
    );

    assert_eq!(outcomes(&document(&world.run(["mcp", "add", "--yes", "--json"]))), both("unchanged"));
    assert_eq!(outcomes(&document(&world.run(["mcp", "undo", "--yes", "--json"]))), both("changed"));
    assert_eq!((text(&claude).as_str(), text(&codex).as_str()), (CLAUDE, CODEX));
    assert_eq!(outcomes(&document(&world.run(["mcp", "undo", "--yes", "--json"]))), both("unchanged"));
}

#[test]
fn the_predecessor_is_taken_out_when_that_is_asked_for() {
    let (world, claude, _) = home();
    let arguments =
        ["mcp", "add", "claude-code", "--command", "uvx segue mcp", "--replace-symm-mcp", "--yes", "--json"];
    document(&world.run(arguments));
    let written: Value = serde_json::from_str(&text(&claude)).expect("JSON");
    let entry = json!({"type": "stdio", "command": "uvx", "args": ["segue", "mcp"]});
    assert_eq!(written, json!({"numStartups": 7, "mcpServers": {"segue": entry}}));
    document(&world.run(["mcp", "remove", "claude-code", "--yes", "--json"]));
    let written: Value = serde_json::from_str(&text(&claude)).expect("JSON");
    assert_eq!(written, json!({"numStartups": 7, "mcpServers": {}}));
}

#[test]
fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
    let (world, claude, codex) = home();
    let elsewhere = world.home().join("dotfiles.json");
    fs::rename(&claude, &elsewhere).expect("moved");
    symlink(&elsewhere, &claude).expect("a link");
    fs::set_permissions(&codex, fs::Permissions::from_mode(0o640)).expect("a mode");
    document(&world.run(["mcp", "add", "--yes", "--json"]));
    assert!(claude.is_symlink());
    assert!(text(&elsewhere).contains("\"segue\""));
    assert_eq!(fs::metadata(&codex).expect("the file").permissions().mode() & 0o777, 0o640);
    let folder = codex.parent().expect("a folder");
    let names: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["config.toml"]);
}

#[test]
fn what_changed_since_is_not_undone() {
    let (world, _, codex) = home();
    document(&world.run(["mcp", "add", "codex", "--yes", "--json"]));
    let edited = format!("{}# and this\n", text(&codex));
    fs::write(&codex, &edited).expect("a file");
    let refused = world.run(["mcp", "undo", "codex", "--yes"]);
    assert_eq!(refused.ended, "exit 2");
    assert!(refused.stderr.contains("has changed since") && refused.stderr.contains("segue mcp remove codex"));
    assert_eq!(text(&codex), edited);
}

#[test]
fn nothing_is_written_where_it_cannot_be_asked_or_understood() {
    let (world, claude, codex) = home();
    let run = world.run(["mcp", "add"]);
    assert_eq!(run.ended, "exit 2");
    assert!(run.stderr.contains("--yes"), "{run:?}");
    assert_eq!((text(&claude).as_str(), text(&codex).as_str()), (CLAUDE, CODEX));

    fs::write(&claude, "{ not JSON").expect("a file");
    fs::write(&codex, [0xff, 0xfe]).expect("a file");
    let run = world.run(["mcp", "add", "--yes"]);
    assert_eq!(run.ended, "exit 2");
    for named in [".claude.json", "cannot be read", "\"mcpServers\"", "config.toml is not text"] {
        assert!(run.stderr.contains(named), "{named:?} is not named in {run:?}");
    }
    assert_eq!(text(&claude), "{ not JSON");

    assert_refused(
        &world.run(["mcp", "add", "emacs", "--yes"]),
        2,
        &["no client of this name", "claude-code, claude-desktop"],
    );
    fs::remove_file(&claude).expect("removed");
    fs::remove_dir_all(codex.parent().expect("a folder")).expect("removed");
    assert_refused(&world.run(["mcp", "add", "--yes"]), 2, &["no MCP client was found", "gemini"]);
    document(&world.run(["mcp", "add", "gemini", "--yes", "--json"]));
    assert!(world.home().join(".gemini/settings.json").is_file());
    document(&world.run(["mcp", "undo", "gemini", "--yes", "--json"]));
    assert!(!world.home().join(".gemini/settings.json").exists());
}
