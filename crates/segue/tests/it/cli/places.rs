//! Where there is no home, no folder, or somebody else's file: one clear message, and nothing written elsewhere.

use std::fs;

use super::{assert_refused, document};
use crate::contract::served::world;

/// Commands that open the state folder.
const OPENING: [&[&str]; 4] =
    [&["mcp"], &["tasks"], &["task", "show", "abc"], &["task", "dispatch", "codex", "--prompt", "x"]];

#[test]
fn without_any_place_for_its_state_nothing_starts() {
    for home in [None, Some(""), Some("relative"), Some("./")] {
        let mut world = world();
        world.without_env("SEGUE_STATE_DIR");
        match home {
            Some(home) => world.env("HOME", home),
            None => world.without_env("HOME"),
        };
        for command in OPENING {
            assert_refused(&world.run(command), 2, &["no state folder", "--state-dir"]);
        }
        assert_eq!(fs::read_dir(world.workspace()).expect("the workspace").count(), 0, "{home:?}");
        assert_eq!(world.run(["agents", "list"]).ended, "exit 0");
        assert_eq!(world.run(["--version"]).ended, "exit 0");
        // One that is given is enough.
        let given = world.state_dir();
        document(&world.run(["tasks", "--json", "--state-dir", given.to_str().expect("a path of text")]));
    }
}

#[test]
fn a_home_that_is_missing_is_made_and_a_relative_state_folder_is_refused() {
    let mut world = world();
    let home = world.home().join("not/yet");
    world.without_env("SEGUE_STATE_DIR").env("HOME", home.to_str().expect("a path of text"));
    document(&world.run(["tasks", "--json"]));
    assert!(home.join(".local/state/segue/journal.sqlite3").is_file());
    world.env("SEGUE_STATE_DIR", "state");
    for command in OPENING {
        assert_refused(&world.run(command), 2, &["SEGUE_STATE_DIR", "not an absolute path"]);
    }
    assert_eq!(fs::read_dir(world.workspace()).expect("the workspace").count(), 0);
}

#[test]
fn a_state_folder_that_cannot_be_used_is_named() {
    let world = world();
    let file = world.home().join("file");
    fs::write(&file, "mine").expect("a file");
    let inside = file.join("state");
    for place in [file.as_path(), inside.as_path(), std::path::Path::new("/proc/segue")] {
        let place = place.to_str().expect("a path of text");
        for command in OPENING {
            assert_refused(&world.run(command.iter().chain(&["--state-dir", place])), 1, &["state folder", place]);
        }
    }
    assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("mine"));
}

#[test]
fn a_foreign_file_in_the_place_of_the_journal_stays_as_it_is() {
    let world = world();
    let database = world.state_dir().join("journal.sqlite3");
    for content in [
        "",
        "somebody's notes",
        "SQLite format 3\0 but not really, and long enough to be looked at as if it were one of those files, header and all",
    ] {
        fs::write(&database, content).expect("a file");
        for command in OPENING {
            assert_refused(&world.run(command), 1, &["journal.sqlite3"]);
        }
        assert_eq!(fs::read_to_string(&database).ok().as_deref(), Some(content));
    }
}

#[test]
fn an_agents_file_that_says_nonsense_is_named() {
    let world = world();
    let file = world.home().join("agents.toml");
    fs::write(&file, "[agents.mine]\ncommand = [\"x\"]\npinz = []\n").expect("a file");
    let file = file.to_str().expect("a path of text");
    let commands = OPENING.into_iter().chain([&["agents", "list"][..], &["config"]]);
    for command in commands {
        assert_refused(&world.run(command.iter().chain(&["--agents-file", file])), 2, &[file, "mine", "pinz"]);
    }
    assert_refused(&world.run(["agents", "list", "--agents-file", "none"]), 2, &["none"]);
}
