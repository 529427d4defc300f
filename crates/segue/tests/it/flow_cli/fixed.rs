//! What people type, as the contract has it (§23): options and their defaults, and the targets of `make`.

use std::{path::Path, process::Command};

use crate::contract::served::world;

#[test]
fn app_and_demo_have_the_published_options_and_defaults() {
    let world = world();
    for (command, options) in [
        (
            "app",
            &[
                "--workspace <",
                "--state-root]",
                "--host <HOST>*[default: 127.0.0.1]",
                "--port <PORT>*[default: 8765]",
                "--no-open ",
            ][..],
        ),
        (
            "demo",
            &[
                "--workspace <",
                "--state-dir <",
                "--granularity <*[default: balanced]*[possible values: compact, balanced, fine]",
                "--topic <",
                "--agent-command <",
                "--agent <*[possible values: codex, opencode]",
                "--agent-model <",
                "--agent-timeout <*[default: 120]",
                "--runs <*[default: 2]",
                "--authorize-write-effects ",
                "--open ",
            ],
        ),
    ] {
        let help = world.run([command, "--help"]).stdout;
        for option in options {
            let said = |line: &str| {
                let mut rest = line;
                option.split('*').all(|part| {
                    let found = rest.find(part);
                    rest = found.map_or("", |at| &rest[at + part.len()..]);
                    found.is_some()
                })
            };
            assert!(help.lines().any(said), "{command} {option}: {help}");
        }
    }
    for wrong in [&["--runs", "3"][..], &["--runs", "0"], &["--granularity", "odd"], &["--agent", "odd"]] {
        assert_eq!(world.run([&["demo"], wrong].concat()).ended, "exit 2", "{wrong:?}");
    }
}

/// What `make` would do, without doing it.
fn make(arguments: &[&str]) -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new("make");
    for name in
        ["MAKEFLAGS", "GRANULARITY", "TOPIC", "STATE_DIR", "STATE_ROOT", "AGENT_COMMAND", "AGENT_TIMEOUT", "RUNS"]
    {
        command.env_remove(name);
    }
    let ran = command.arg("--dry-run").arg("--always-make").args(arguments).current_dir(repository).output();
    let ran = ran.expect("make is there: it runs these tests");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn make_has_the_published_targets_and_variables() {
    assert_eq!(make(&[]), make(&["help"]), "what it does unasked");
    for target in ["doctor", "desktop", "desktop-package", "desktop-smoke", "wheel", "test", "check"] {
        make(&[target]);
    }
    let demo = make(&["demo"]);
    for option in ["--granularity balanced", "--runs 2", "--agent-timeout 120"] {
        assert!(demo.contains(option), "{option}: {demo}");
    }
    assert!(!demo.contains("--authorize-write-effects"), "{demo}");
    let given = ["demo", "GRANULARITY=fine", "RUNS=1", "AGENT_TIMEOUT=9", "AUTHORIZE_WRITE_EFFECTS=1"];
    let given = make(&given);
    for option in ["--granularity fine", "--runs 1", "--agent-timeout 9", "--authorize-write-effects"] {
        assert!(given.contains(option), "{option}: {given}");
    }
    for (variable, option) in [("TOPIC", "--topic"), ("STATE_DIR", "--state-dir"), ("AGENT_COMMAND", "--agent-command")]
    {
        assert!(demo.contains(&format!("${{{variable}:+{option} \"${variable}\"}}")), "{variable}: {demo}");
    }
    assert!(make(&["demo-open"]).contains(" --open "));
    let live = ["--runs 1", "--agent-timeout 300", "--authorize-write-effects"];
    for (target, agent) in
        [("demo-codex", "--agent codex --agent-model gpt-5.4"), ("demo-opencode", "--agent opencode")]
    {
        let demo = make(&[target]);
        for option in live.iter().chain([&agent]) {
            assert!(demo.contains(option), "{target} {option}: {demo}");
        }
    }
    let other = make(&["demo-codex", "CODEX_MODEL=m", "LIVE_RUNS=2"]);
    assert!(other.contains("--agent-model m") && other.contains("--runs 2"), "{other}");
    let app = make(&["app", "PORT=7", "APP_NO_OPEN=1"]);
    assert!(app.contains("--port 7 --no-open") && app.contains("${STATE_ROOT:+--state-root"), "{app}");
}
