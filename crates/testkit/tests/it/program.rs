//! The world that `segue` is run in, tried with a shell in its place.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use segue_testkit::leftovers::{self, Leftovers};
use segue_testkit::program::{Finished, Program};
use segue_testkit::scripted_agent::persona::Persona;

fn world() -> Program {
    Program::with_binary("/bin/sh")
}

fn finished(stdout: &str) -> Finished {
    Finished { ended: "exit 0".into(), stdout: stdout.into(), stderr: String::new() }
}

#[test]
fn the_environment_is_the_worlds_and_nobody_elses() {
    let mut world = world();
    world.env("ADDED", "x").without_env("LANG");
    let printed = world.run(["-c", "env"]).stdout;
    let printed: BTreeMap<&str, &str> = printed.lines().filter_map(|line| line.split_once('=')).collect();
    let names: Vec<&str> = printed.keys().copied().filter(|name| *name != "LLVM_PROFILE_FILE").collect();
    assert_eq!(
        names,
        [
            "ADDED",
            "HOME",
            "PATH",
            "PWD",
            "SCRIPTED_HOME",
            "SCRIPTED_LOG",
            "SCRIPTED_SETTINGS",
            "SEGUE_STATE_DIR",
            "SEGUE_TEST_MARK",
            "TMPDIR",
            "XDG_RUNTIME_DIR"
        ]
    );
    assert_eq!(printed["PWD"], world.workspace().to_str().unwrap());
    assert!(printed["PATH"].starts_with(world.agents_dir().to_str().unwrap()));
}

#[test]
fn every_agent_is_the_scripted_one_and_takes_its_settings_from_the_world() {
    let world = world();
    world.scripted("AGENT_VERSION", "7");
    world.scripted("AGENT_VERSION__CODEX", "8");
    for persona in Persona::ALL {
        let version = if persona == Persona::Codex { 8 } else { 7 };
        let name = persona.executable();
        let run = world.run(["-c".to_owned(), format!("{name} --version")]);
        assert_eq!(run, finished(&format!("{name} {version}\n")));
    }
    world.unscripted("AGENT_VERSION");
    assert_eq!(world.run(["-c", "opencode --version"]), finished("opencode 1.0.0\n"));

    world.install_script("opencode", "echo mine");
    assert_eq!(world.run(["-c", "opencode --version"]), finished("mine\n"));
    world.uninstall("opencode");
    assert_eq!(world.run(["-c", "command -v opencode || echo none"]), finished("none\n"));
}

#[test]
fn what_the_agents_received_can_be_read() {
    let world = world();
    let lines =
        r#"printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":1}}' | codex-acp >/dev/null"#;
    assert_eq!(world.received(), Vec::<serde_json::Value>::new());
    assert_eq!(world.run(["-c", lines]), finished(""));
    assert_eq!(world.received_params("initialize"), [serde_json::json!({"a": 1})]);
}

#[test]
fn what_is_left_behind_is_named_and_gone_with_the_world() {
    let world = world();
    assert_eq!(world.leftovers(), Leftovers::default());
    // While a program is being replaced by another it shows no mark, so it is waited for until it is the last one.
    let run = world.run([
        "-c",
        "setsid sleep 600 >/dev/null 2>&1 & until [ \"$(cat /proc/$!/comm)\" = sleep ]; do :; done; echo $!",
    ]);
    let pid = run.stdout.trim().to_owned();
    let left = world.leftovers();
    assert_eq!(left.processes.len(), 1, "{left}");
    assert!(left.processes[0].starts_with(&pid), "{left}");
    drop(world);
    let deadline = Instant::now() + leftovers::DEADLINE;
    // Gone, or killed and not yet reaped by whoever inherited it.
    let gone = || match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(state) => state.contains(") Z "),
        Err(_) => true,
    };
    while !gone() {
        assert!(Instant::now() < deadline, "process {pid} lives");
        std::thread::sleep(Duration::from_millis(2));
    }
}
