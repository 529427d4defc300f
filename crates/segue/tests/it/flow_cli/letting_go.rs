//! Runs that are forgotten, and runs that were set aside and are taken back.

use std::process::Command;

use segue_testkit::program::Program;
use serde_json::json;

use super::{READS, file, furnished, json as read, newest, shell_flow, text, world};
use crate::{cli::Running, contract::served::wait_for};

#[test]
fn a_run_that_has_ended_is_forgotten() {
    let world = furnished();
    let run = || {
        text(&world.run(["run", "gated-note", "--input", "note=a"]));
        newest(&world)
    };
    let (gone, kept) = (run(), run());
    assert_eq!(text(&world.run(["forget", &gone])), format!("{gone} is forgotten"));
    let listed = read(&world.run(["runs", "--json"]));
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["runs"][0]["run_id"], json!(kept));
    for command in ["show", "forget", "why"] {
        let refused = world.run([command, gone.as_str()]);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains(&gone), "{refused:?}");
    }
    assert_eq!(read(&world.run(["forget", &kept[..8], "--json"])), json!({"forgotten": [kept]}));
    world.assert_nothing_left();
}

/// A flow of one tool that ends once it may, whose command was killed while it was under way.
fn left(world: &Program) -> String {
    shell_flow(world, "slow", "echo begun >> calls; until [ -e go ]; do sleep 0.05; done; echo '{}'", READS);
    let started = Running::start(world, &["run", "slow"]);
    wait_for("the tool to begin", || world.workspace().join("calls").exists());
    let run = newest(world);
    for command in ["forget", "restore"] {
        let refused = world.run([command, run.as_str()]);
        assert_eq!(refused.ended, "exit 2", "one that goes on: {refused:?}");
        assert!(refused.stderr.contains(&run), "{refused:?}");
    }
    started.signal(rustix::process::Signal::KILL);
    started.finish();
    run
}

/// Changes the record behind the program's back.
fn sql(world: &Program, statement: &str) {
    let script = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: c.execute(sys.argv[2])";
    let database = world.state_dir().join("journal.sqlite3");
    let changed = Command::new("python3").args(["-c", script]).arg(database).arg(statement).status();
    assert!(changed.expect("python3").success());
}

#[test]
fn a_run_that_was_set_aside_is_restored_once_its_reason_is_mended() {
    let world = world();
    let run = left(&world);
    sql(&world, "UPDATE documents SET kind = 'mislaid' WHERE kind = 'definition'");
    // Whoever would go on with it finds that it cannot be loaded.
    world.run(["cancel", &run]);
    let listed = read(&world.run(["runs", "--json"]));
    assert!(listed["runs"][0]["quarantined"].is_string(), "{listed}");
    let still = world.run(["restore", &run]);
    assert_eq!(still.ended, "exit 2", "{still:?}");
    sql(&world, "UPDATE documents SET kind = 'definition' WHERE kind = 'mislaid'");
    assert_eq!(text(&world.run(["restore", &run])), format!("{run} is loaded again: running"));
    file(&world, "go", "");
    let driven = world.run(["watch", "--drive", &run]);
    assert_eq!(driven.ended, "exit 0", "{driven:?}");
    let calls = std::fs::read_to_string(world.workspace().join("calls")).expect("calls");
    assert_eq!(calls, "begun\nbegun\n", "what it had under way was ended with it");
    world.assert_nothing_left();
}
