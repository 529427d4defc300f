//! What the command line itself refuses, and what it explains.

use super::assert_refused;
use crate::contract::served::world;

#[test]
fn a_wrong_command_line_is_refused_before_anything_is_done() {
    let world = world();
    for (arguments, name) in [
        (&[][..], "Usage"),
        (&["nonsense"], "nonsense"),
        (&["--nonsense"], "--nonsense"),
        (&["task"], "Usage"),
        (&["task", "show"], "<ID>"),
        (&["task", "watch"], "<ID>"),
        (&["task", "show", "a", "b"], "'b'"),
        (&["task", "resolve", "a", "unresolved"], "unresolved"),
        (&["task", "events", "a", "--after", "-1"], "-1"),
        (&["task", "events", "a", "--type", "nothing"], "nothing"),
        (&["tasks", "--limit", "0"], "0"),
        (&["tasks", "--limit", "101"], "101"),
        (&["tasks", "--status", "done"], "done"),
        // Names of options are not abbreviated.
        (&["tasks", "--lim", "1"], "--lim"),
        (&["completions", "cmd"], "cmd"),
        (&["mcp", "--notify-dir", ""], "--notify-dir"),
        (&["mcp", "--notify-dir", "a", "--no-notify"], "--no-notify"),
    ] {
        assert_refused(&world.run(arguments), 2, &[name]);
    }
    assert_eq!(std::fs::read_dir(world.state_dir()).expect("the folder").count(), 0);
}

#[test]
fn every_command_explains_itself() {
    let world = world();
    for command in [
        &[][..],
        &["mcp"],
        &["app"],
        &["demo"],
        &["run"],
        &["runs"],
        &["show"],
        &["watch"],
        &["why"],
        &["answer"],
        &["fork"],
        &["replay"],
        &["compare"],
        &["cancel"],
        &["export"],
        &["flow"],
        &["flow", "graph"],
        &["capability"],
        &["bundle"],
        &["tasks"],
        &["task"],
        &["task", "show"],
        &["task", "events"],
        &["task", "watch"],
        &["task", "cancel"],
        &["task", "resolve"],
        &["task", "forget"],
        &["task", "dispatch"],
        &["agents"],
        &["agents", "list"],
        &["agents", "describe"],
        &["agents", "sessions"],
        &["doctor"],
        &["config"],
        &["completions"],
    ] {
        let run = world.run(command.iter().chain(&["--help"]));
        assert_eq!((run.ended.as_str(), run.stderr.as_str()), ("exit 0", ""), "{command:?}");
        assert!(run.stdout.contains("Usage: segue"), "{command:?}: {}", run.stdout);
        // The host is not for people.
        assert!(!run.stdout.contains("\n  host"), "{command:?}: {}", run.stdout);
    }
}
