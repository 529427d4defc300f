//! Starting Runs, what they may write, and Runs that begin with others' results.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{READS, file, furnished, json as read, newest, shell_flow, text, world};
use crate::contract::served::wait_for;

#[test]
fn what_would_write_is_refused_until_it_is_authorized() {
    let world = world();
    shell_flow(&world, "writer", "echo written > out; echo '{}'", r#"["execute_process","write_local"]"#);
    let refused = world.run(["run", "writer"]);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 6", ""), "{refused:?}");
    for words in ["write_local by only", "files on this machine", "--authorize"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    let refused = world.run(["run", "writer", "--json"]);
    assert_eq!(refused.ended, "exit 6");
    let challenge = read(&refused);
    let seen = [&challenge["contract_version"], &challenge["scope"]["node_ids"], &challenge["effects"][0]["effect"]];
    assert_eq!(seen, [&json!("symphlo.effect-authorization-required.v1"), &json!(["only"]), &json!("write_local")]);
    assert_eq!(read(&world.run(["runs", "--json"])), json!({"runs": []}));
    assert!(!world.workspace().join("out").exists());
    assert_eq!(world.run(["run", "writer", "--authorize"]).ended, "exit 0");
    assert!(world.workspace().join("out").exists());
}

#[test]
fn a_failure_says_what_failed() {
    let world = world();
    shell_flow(&world, "broken", "exit 7", READS);
    let failed = world.run(["run", "broken"]);
    assert_eq!(failed.ended, "exit 3", "{failed:?}");
    assert!(failed.stderr.contains("only failed"), "{failed:?}");
    let why = text(&world.run(["why", &newest(&world)]));
    assert!(why.contains("only failed after 1 call"), "{why}");
    let why = read(&world.run(["why", &newest(&world), "--json"]));
    assert_eq!((&why["status"], &why["fork_from"]), (&json!("failed"), &json!("only")));
}

#[test]
fn inputs_are_read_as_their_flow_declares_them() {
    let world = furnished();
    super::file(&world, "inputs.yaml", "note: from the file");
    assert_eq!(world.run(["run", "gated-note", "--inputs", "inputs.yaml"]).ended, "exit 0");
    let run = newest(&world);
    assert!(text(&world.run(["show", &run, "--artifact", "article.md"])).contains("from the file"));
    let given = &read(&world.run(["show", &run, "--json"]))["flow_input"];
    assert_eq!((&given["note"], &given["granularity"]), (&json!("from the file"), &json!("balanced")), "{given}");
    let listed = &read(&world.run(["runs", "--json"]))["runs"][0]["inputs"];
    assert_eq!(*listed, json!([{"name": "note", "text": "from the file", "cut": false}]));
    for (arguments, names) in [
        (&["run", "gated-note"][..], "note"),
        (&["run", "gated-note", "--input", "note=a", "--input", "other=b"], "other"),
        (&["run", "gated-note", "--input", "note"], "NAME=VALUE"),
        (&["run", "gated-note", "--input", "note=a", "--input", "note=b"], "input note is given twice"),
        (&["run", "nowhere"], "nowhere"),
        (&["run", "gated-note", "--input", "note=a", "--executor", "nobody"], "nobody"),
        (&["show", "00000000"], "00000000"),
    ] {
        let refused = world.run(arguments);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains(names), "{names}: {refused:?}");
    }
}

#[test]
fn the_same_key_is_the_same_run_and_no_other() {
    let world = furnished();
    let start = |note: &str| world.run(["run", "gated-note", "--input", note, "--key", "monday", "--json"]);
    let (first, second) = (read(&start("note=once")), read(&start("note=once")));
    assert_eq!(first, second);
    let other = start("note=twice");
    assert_eq!((other.ended.as_str(), other.stdout.as_str()), ("exit 2", ""), "{other:?}");
    assert!(other.stderr.contains("this key belongs to run"), "{other:?}");
    assert_eq!(read(&world.run(["runs", "--json"]))["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn forks_and_replays_take_over_what_is_unchanged() {
    let world = furnished();
    assert_eq!(world.run(["run", "gated-note", "--input", "note=once"]).ended, "exit 0");
    let parent = newest(&world);
    let plan = read(&world.run(["replay", &parent, "--plan", "--json"]));
    let reused = |plan: &Value| -> Vec<Value> {
        plan["nodes"].as_array().expect("nodes").iter().map(|node| node["reused"].clone()).collect()
    };
    assert_eq!(reused(&plan), [true, true, true], "{plan}");
    let nothing = world.run(["replay", &parent]);
    assert_eq!((nothing.ended.as_str(), nothing.stderr.contains("segue fork")), ("exit 2", true), "{nothing:?}");
    let two = world.run(["flow", "save", "examples/notes/gated-note.yaml", "--another"]);
    let twin = text(&two);
    assert_eq!(world.run(["run", &twin, "--input", "note=once"]).ended, "exit 0");
    let of_twin = newest(&world);
    let unlike = world.run(["compare", &parent, &of_twin]);
    assert_eq!((unlike.ended.as_str(), unlike.stderr.contains("two saved flows")), ("exit 2", true), "{unlike:?}");
    text(&world.run(["flow", "delete", &twin]));
    let gone = world.run(["replay", &of_twin]);
    assert_eq!((gone.ended.as_str(), gone.stderr.contains("was deleted")), ("exit 2", true), "{gone:?}");
    let forked = world.run(["fork", &parent, "--from", "gate", "--json"]);
    assert_eq!(forked.ended, "exit 0", "{forked:?}");
    let child = newest(&world);
    let shown = read(&world.run(["show", &child, "--json"]));
    assert_eq!((&shown["run"]["parent_run_id"], &shown["nodes"][0]["status"]), (&json!(parent), &json!("reused")));
    let compared = read(&world.run(["compare", &parent, &child, "--json"]));
    let comparisons: Vec<&Value> =
        compared["nodes"].as_array().expect("nodes").iter().map(|node| &node["comparison"]).collect();
    assert_eq!(compared["overall"], "equivalent");
    // The draft is of the old note, and what follows it is made of that.
    assert!(!forked.stderr.contains("warning"), "{forked:?}");
    let other = world.run(["fork", &parent, "--from", "gate", "--input", "note=other"]);
    assert_eq!(other.ended, "exit 0", "{other:?}");
    for said in ["rest on the old input: draft;", &format!("segue replay {parent}")] {
        assert!(other.stderr.contains(said), "{said}: {other:?}");
    }
    let same = world.run(["fork", &parent, "--from", "gate", "--input", "note=once"]);
    assert!(!same.stderr.contains("warning"), "{same:?}");
    let page = text(&world.run(["show", &newest(&world)]));
    let line =
        |label: &str| page.lines().find(|line| line.starts_with(label)).unwrap_or_else(|| panic!("{label}: {page}"));
    assert_eq!(line("inputs").split_whitespace().collect::<Vec<_>>(), ["inputs", "note", "=", "once"]);
    assert!(line("executor").contains("note.draft"), "{page}");
    assert_eq!(comparisons, ["execution_mode_changed", "same", "same"]);
    let changed = world.run(["replay", &parent, "--input", "note=again", "--json"]);
    assert_eq!(changed.ended, "exit 0", "{changed:?}");
    assert_eq!(world.run(["fork", &parent, "--from", "nowhere"]).ended, "exit 2");
    let exported = read(&world.run(["export", &parent, &child, "--file", "evidence.sqlite3", "--json"]));
    assert_eq!(exported["run_ids"], json!([parent, child]));
    assert!(world.workspace().join("evidence.sqlite3").is_file());
    let page = std::fs::read_to_string(world.workspace().join("evidence.html")).expect("a report");
    assert_eq!(exported["report"], json!(world.workspace().join("evidence.html")));
    let mode = |name: &str| std::fs::metadata(world.workspace().join(name)).expect(name).permissions().mode() & 0o777;
    assert_eq!([mode("evidence.sqlite3"), mode("evidence.html")], [0o600, 0o600], "its owner's only, as the record");
    for answered in [format!("/api/v1/runs/{parent}/flow"), format!("comparison?other_run_id={child}")] {
        assert!(page.contains(&answered), "{answered}");
    }
    assert_eq!(world.run(["export", &parent, "--file", "evidence.sqlite3"]).ended, "exit 2");
    // Whichever of the two is there, nothing is written.
    assert_eq!(world.run(["export", &parent, "--file", "other.sqlite3", "--report", "evidence.html"]).ended, "exit 2");
    assert!(!world.workspace().join("other.sqlite3").exists());
    let nowhere = ["export", &parent, "--file", "other.sqlite3", "--report", "nowhere/page.html"];
    assert_eq!(world.run(nowhere).ended, "exit 2");
    assert!(!world.workspace().join("other.sqlite3").exists(), "the next try would be refused for it");
    for report in [&["--report", "./same.html"][..], &["--report", "same.html"]] {
        let refused = world.run(["export", &parent, "--file", "same.html"].iter().chain(report));
        assert_eq!(refused.ended, "exit 2", "{refused:?}");
        assert_eq!(refused.stderr.matches("same.html").count(), 2, "{refused:?}");
        assert!(!world.workspace().join("same.html").exists());
    }
    let alone = read(&world.run(["export", &parent, "--file", "other.sqlite3", "--no-report", "--json"]));
    assert_eq!(alone["report"], json!(null));
    assert!(!world.workspace().join("other.html").exists());
}

#[test]
fn workspaces_do_not_see_each_other() {
    let world = furnished();
    std::fs::create_dir(world.workspace().join("other")).expect("a folder");
    assert_eq!(read(&world.run(["flow", "list", "--json"])).as_array().map(Vec::len), Some(3));
    let other = read(&world.run(["flow", "list", "--workspace", "other", "--json"]));
    assert_eq!(other.as_array().map(Vec::len), Some(1));
    assert_eq!(world.run(["flow", "list", "--workspace", "nowhere"]).ended, "exit 2");
    let same = read(&world.run(["flow", "list", "--workspace", "other/..", "--json"]));
    assert_eq!(same.as_array().map(Vec::len), Some(3));
}

/// Each id by its shortest own beginning, though the text stands in other ids as well.
#[test]
fn the_beginning_of_an_id_is_that_run() {
    let world = furnished();
    for number in 0..4 {
        let run = world.run(["run", "gated-note", "--input", &format!("note={number}")]);
        assert_eq!(run.ended, "exit 0", "{run:?}");
    }
    let runs = read(&world.run(["runs", "--json"]));
    let ids: Vec<&str> =
        runs["runs"].as_array().expect("runs").iter().map(|run| run["run_id"].as_str().expect("an id")).collect();
    assert_eq!(ids.len(), 4);
    let having = |beginning: &str| ids.iter().filter(|id| id.starts_with(beginning)).count();
    for id in &ids {
        for length in 1..=id.len() {
            let beginning = &id[..length];
            let shown = world.run(["show", beginning, "--json"]);
            if having(beginning) == 1 {
                assert_eq!(read(&shown)["run"]["run_id"], **id);
                break;
            }
            assert_eq!(shown.ended, "exit 2", "{shown:?}");
            let named = ids.iter().filter(|id| shown.stderr.contains(**id)).count();
            assert_eq!(named, having(beginning), "{shown:?}");
        }
    }
    // It ends no id and begins none.
    assert_eq!(world.run(["forget", &ids[0][1..]]).ended, "exit 2");
    let last = &ids[3];
    let short = (1..=last.len()).map(|length| &last[..length]).find(|short| having(short) == 1).expect("its own");
    assert_eq!(world.run(["forget", short]).stdout.trim_end(), format!("{last} is forgotten"));
    assert_eq!(read(&world.run(["runs", "--json"]))["runs"].as_array().map(Vec::len), Some(3));
}

/// An agent that Segue started may look, but not start, stop or judge.
#[test]
fn inside_an_agent_nothing_is_started() {
    let mut world = furnished();
    world.env("SYMM_MCP_DEPTH", "1");
    for arguments in [
        &["run", "gated-note", "--input", "note=a"][..],
        &["fork", "0", "--from", "a"],
        &["replay", "0"],
        &["answer", "0", "ask", "approve"],
        &["cancel", "0"],
        &["capability", "test", "note.draft"],
    ] {
        let refused = world.run(arguments);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    }
    assert_eq!(world.run(["flow", "list"]).ended, "exit 0");
}

/// A Run whose command was killed and that no server takes over is not waited for in silence.
#[test]
fn a_run_that_nobody_drives_is_watched_with_a_word_and_driven_if_wanted() {
    let world = world();
    shell_flow(&world, "slow", "echo > begun; until [ -e go ]; do sleep 0.05; done; echo '{}'", READS);
    let killed = crate::cli::Running::start(&world, &["run", "slow"]);
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    let run = newest(&world);
    killed.signal(rustix::process::Signal::KILL);
    killed.finish();

    let said = world.workspace().join("said");
    let mut watch = world.command(["watch", &run]);
    let file_of = |path: &std::path::Path| std::fs::File::create(path).expect("a file");
    watch.stdin(std::process::Stdio::null()).stdout(file_of(&world.workspace().join("shown"))).stderr(file_of(&said));
    let mut watching = watch.spawn().expect("the program starts");
    let words = |words: &str| std::fs::read_to_string(&said).unwrap_or_default().contains(words);
    wait_for("it to be said that nobody drives it", || words("nobody drives it: its server has ended"));
    file(&world, "go", "");
    assert_eq!(world.run(["watch", "--drive", &run]).ended, "exit 0");
    assert!(watching.wait().expect("it ends").success(), "the first watch saw the end");
    world.assert_nothing_left();
}
