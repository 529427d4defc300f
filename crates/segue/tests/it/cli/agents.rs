//! `segue agents`, `doctor`, `config`, `completions`: what is there.

use segue_testkit::program::Program;
use serde_json::{Value, json};

use super::{assert_refused, document};
use crate::contract::served::{Served, world};

/// The checks of `doctor` by name: their states.
fn states(doctor: &Value) -> Value {
    let checks = doctor["checks"].as_array().expect("checks");
    checks.iter().map(|check| (check["name"].as_str().expect("a name").to_owned(), check["state"].clone())).collect()
}

#[test]
fn agents_are_listed_with_the_place_where_each_is_found() {
    let world = world();
    world.uninstall("opencode");
    let agents = world.home().join("agents.toml");
    std::fs::write(&agents, "[agents.mine]\ncommand = [\"segue-scripted-agent\", \"-x\"]\n").expect("a file");
    let agents = agents.to_str().expect("a path of text");
    let listed = document(&world.run(["agents", "list", "--agents-file", agents, "--json"]));
    let row = |agent: &str| {
        let mut rows = listed["agents"].as_array().expect("agents").iter();
        rows.find(|row| row["agent"] == agent).unwrap_or_else(|| panic!("no {agent}")).clone()
    };
    let bin = world.agents_dir();
    assert_eq!(
        row("codex"),
        json!({
            "agent": "codex",
            "command": ["codex-acp"],
            "path": bin.join("codex-acp"),
            "problem": null,
            "source": null,
            "delivery": {"model": "session_setting", "effort": "session_setting"},
            "pins": {"mode": "read-only"},
            "pins_with_edit": {"mode": "read-only"},
        })
    );
    assert_eq!(
        (&row("mine")["source"], &row("mine")["path"]),
        (&json!(agents), &json!(bin.join("segue-scripted-agent")))
    );
    assert_eq!(row("opencode")["path"], Value::Null);
    let table = world.run(["agents", "list"]);
    assert_eq!((table.ended.as_str(), table.stdout.lines().count()), ("exit 0", 7));
    for needed in ["the executable 'opencode' was not found on PATH", "it is yours to install"] {
        assert!(table.stdout.contains(needed), "{needed}: {}", table.stdout);
    }
    for way in ["installed and on PATH", "segue/agents.toml", "--agents-file"] {
        assert!(table.stderr.contains(way), "{way}: {}", table.stderr);
    }
    // Nothing of it needs a state folder.
    assert_eq!(std::fs::read_dir(world.state_dir()).expect("the folder").count(), 0);
}

#[test]
fn an_agent_is_described_as_the_tool_does() {
    let served = Served::new();
    let mut expected = served.call("describe_agent", json!({"agent": "codex"}));
    expected["agent_name"] = json!("codex-acp");
    expected["agent_version"] = json!("1.0.0");
    let world = &served.world;
    assert_eq!(document(&world.run(["agents", "describe", "codex", "--json"])), expected);
    let page = world.run(["agents", "describe", "codex"]);
    assert!(page.stdout.contains("gpt-5.5 (current)"), "{page:?}");
    assert_refused(&world.run(["agents", "describe", "nobody"]), 2, &["unknown_agent"]);
    assert_refused(&world.run(["agents", "describe", "codex", "--workspace", "none"]), 2, &["invalid_request", "none"]);
    served.end();
}

#[test]
fn sessions_are_listed_as_the_tool_does() {
    let served = Served::new();
    let world = &served.world;
    assert_eq!(world.run(["agents", "sessions", "codex"]).stderr, "no sessions\n");
    world.scripted("LIST_PAGE", "1");
    for prompt in ["one", "two"] {
        served.run_with(json!({"prompt": prompt, "agent": "codex"}));
    }
    let first = served.call("list_sessions", json!({"agent": "codex"}));
    assert_eq!(document(&world.run(["agents", "sessions", "codex", "--json"])), first);
    let cursor = first["next_cursor"].as_str().expect("a second page");
    let second = served.call("list_sessions", json!({"agent": "codex", "cursor": cursor}));
    assert_eq!(document(&world.run(["agents", "sessions", "codex", "--cursor", cursor, "--json"])), second);
    assert_refused(&world.run(["agents", "sessions", "cline"]), 2, &["unsupported"]);
    served.end();
}

#[test]
fn the_doctor_says_what_is_there_and_what_to_do() {
    let world = world();
    world.uninstall("opencode");
    let run = world.run(["doctor", "--json"]);
    let doctor = document(&run);
    assert_eq!(doctor["ok"], true);
    assert_eq!(
        states(&doctor),
        json!({
            "workspace": "ready",
            "temporary_state": "ready",
            "state_folder": "ready",
            "runtime_folder": "ready",
            "agents_file": "missing",
            "git": "ready",
            "nesting": "ready",
            "agent.claude_code": "ready",
            "agent.cline": "ready",
            "agent.codex": "ready",
            "agent.copilot": "ready",
            "agent.cursor": "ready",
            "agent.opencode": "missing",
        })
    );
    assert!(doctor["next"].as_str().is_some_and(|next| next.contains("segue mcp")), "{doctor}");
    // No agent was started, and nothing is left.
    assert_eq!(world.received(), Vec::<Value>::new());
    world.assert_nothing_left();
    let text = world.run(["doctor"]);
    assert_eq!(text.ended, "exit 0");
    let names: Vec<&str> = text.stdout.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(names.len(), text.stdout.lines().count(), "each line has a name: {}", text.stdout);
    let listed = doctor["checks"].as_array().expect("checks").iter().filter_map(|check| check["name"].as_str());
    let expected: Vec<&str> =
        ["segue"].into_iter().chain(listed).chain(["offline_demo", "local_app", "next"]).collect();
    assert_eq!(names, expected);
    for line in ["offline_demo=ready", "local_app=ready"] {
        assert!(text.stdout.lines().any(|shown| shown == line), "{line}: {}", text.stdout);
    }
    assert!(text.stdout.contains("\nagent.opencode=missing (optional) "), "{}", text.stdout);
}

/// The app works there or it does not, and the exit status says which (contract §23).
#[test]
fn the_doctor_looks_at_the_workspace_that_is_meant() {
    let mut world = world();
    std::fs::create_dir(world.workspace().join("empty")).expect("a folder");
    let works = |world: &Program, arguments: &[&str]| {
        let run = world.run(arguments);
        let doctor: Value = serde_json::from_str(&run.stdout).expect("JSON");
        (run.ended, doctor["offline_demo"].clone(), doctor["local_app"].clone(), doctor["next"].clone())
    };
    let (ended, demo, app, _) = works(&world, &["doctor", "--workspace", "empty", "--json"]);
    assert_eq!((ended.as_str(), demo, app), ("exit 0", json!(true), json!(true)));
    let gone = works(&world, &["doctor", "--workspace", "gone", "--json"]);
    assert_eq!(gone, ("exit 3".to_owned(), json!(false), json!(false), json!("mend workspace")));
    world.env("TMPDIR", "/proc/nowhere");
    let no_room = works(&world, &["doctor", "--json"]);
    assert_eq!((no_room.1, no_room.2), (json!(false), json!(true)));
}

#[test]
fn the_doctor_tries_agents_and_never_signs_in() {
    let world = world();
    world.scripted("NEW__CODEX", "auth");
    world.scripted("NEW__CURSOR", "error");
    let run = world.run(["doctor", "--agents", "--json"]);
    assert_eq!(run.ended, "exit 3", "{run:?}");
    let doctor: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let states = states(&doctor);
    assert_eq!(
        (&states["agent.codex"], &states["agent.cursor"], &states["agent.cline"]),
        (&json!("sign_in"), &json!("failed"), &json!("ready"))
    );
    let claude = doctor["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "agent.claude_code");
    let detail = claude.and_then(|check| check["detail"].as_str()).expect("a detail");
    assert!(detail.contains("claude-agent-acp 1.0.0") && detail.contains("opus"), "{detail}");
    let asked: Vec<Value> = world.received().into_iter().map(|entry| entry["received"]["method"].clone()).collect();
    assert!(asked.contains(&json!("session/new")), "{asked:?}");
    assert!(!asked.contains(&json!("authenticate")) && !asked.contains(&json!("session/prompt")), "{asked:?}");
    world.assert_nothing_left();

    // Signing in is somebody's to do; nothing is broken.
    world.unscripted("NEW__CURSOR");
    assert_eq!(world.run(["doctor", "--agents"]).ended, "exit 0");
}

#[test]
fn the_doctor_names_what_is_broken_and_looks_at_the_rest() {
    let mut world = world();
    let database = world.state_dir().join("journal.sqlite3");
    std::fs::write(&database, "not a database").expect("a file");
    let agents = world.home().join("agents.toml");
    std::fs::write(&agents, "[agents.codex]\ncommand = [\"x\"]\n").expect("a file");
    let agents = agents.to_str().expect("a path of text").to_owned();
    world.env("XDG_RUNTIME_DIR", "/proc/nowhere").env("PATH", "/nowhere");
    let run = world.run(["doctor", "--agents-file", &agents, "--json"]);
    assert_eq!(run.ended, "exit 3", "{run:?}");
    let doctor: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        states(&doctor),
        json!({
            "workspace": "ready",
            "temporary_state": "ready",
            "state_folder": "failed",
            "runtime_folder": "missing",
            "agents_file": "failed",
            "git": "missing",
            "nesting": "ready",
        })
    );
    assert_eq!(doctor["next"], "mend state_folder, agents_file");
    assert_eq!(std::fs::read_to_string(&database).ok().as_deref(), Some("not a database"));
}

#[test]
fn settings_are_shown_with_what_decided_them() {
    let mut world = world();
    let setting = |config: &Value, name: &str| {
        let mut settings = config["settings"].as_array().expect("settings").iter();
        let found = settings.find(|setting| setting["name"] == name).unwrap_or_else(|| panic!("no {name} in {config}"));
        (found["value"].clone(), found["from"].clone())
    };
    let config = document(&world.run(["config", "--json"]));
    assert_eq!(setting(&config, "state_dir"), (json!(world.state_dir()), json!("SEGUE_STATE_DIR")));
    assert_eq!(setting(&config, "agents_file"), (Value::Null, json!("default")));
    assert_eq!(setting(&config, "markers"), (json!(world.runtime_dir().join("segue")), json!("XDG_RUNTIME_DIR")));
    assert_eq!(setting(&config, "log"), (json!("warn"), json!("default")));
    assert_eq!(setting(&config, "workspace"), (json!(world.workspace()), json!("the present folder")));
    assert_eq!(setting(&config, "descriptors_file"), (Value::Null, json!("default")));
    assert_eq!(setting(&config, "limit.active_runs"), (json!("8"), json!("default")));
    assert_eq!(setting(&config, "limit.orphan_grace_seconds"), (json!("600"), json!("default")));
    assert_eq!(setting(&config, "agent.cline"), (json!("cline --acp"), json!("built in")));

    let folder = world.home().join(".config/segue");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("agents.toml"), "[agents.mine]\ncommand = [\"mine\"]\n").expect("a file");
    std::fs::write(folder.join("agent-cli-descriptors.json"), "{}").expect("a file");
    world.without_env("SEGUE_STATE_DIR").env("SEGUE_LOG", "debug").env("NO_COLOR", "1");
    let config = document(&world.run(["config", "--json"]));
    let home = world.home();
    assert_eq!(setting(&config, "state_dir"), (json!(home.join(".local/state/segue")), json!("HOME")));
    assert_eq!(setting(&config, "agents_file"), (json!(folder.join("agents.toml")), json!("HOME")));
    assert_eq!(setting(&config, "agent.mine"), (json!("mine"), json!(folder.join("agents.toml"))));
    assert_eq!(setting(&config, "log"), (json!("debug"), json!("SEGUE_LOG")));
    assert_eq!(setting(&config, "colour"), (json!("never"), json!("NO_COLOR")));
    let descriptors = folder.join("agent-cli-descriptors.json");
    assert_eq!(setting(&config, "descriptors_file"), (json!(descriptors), json!("HOME")));
    let given = document(&world.run(["config", "--state-dir", "here", "--json"]));
    assert_eq!(setting(&given, "state_dir"), (json!(world.workspace().join("here")), json!("--state-dir")));
    assert!(!world.workspace().join("here").exists() && !home.join(".local").exists());
    let table = world.run(["config"]).stdout;
    assert!(table.starts_with("SETTING"), "{table}");
}

#[test]
fn every_shell_gets_its_script() {
    let world = world();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = world.run(["completions", shell]);
        assert_eq!((run.ended.as_str(), run.stderr.as_str()), ("exit 0", ""));
        assert!(run.stdout.contains("dispatch"), "{shell}");
    }
}
