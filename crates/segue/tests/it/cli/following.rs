//! `segue task watch` and `task events --follow`: tasks of other servers, to their end.

use std::io::{BufRead, BufReader, Read};

use rustix::process::Signal;
use segue_testkit::mcp_client::ended;
use serde_json::{Value, json};

use super::{Running, lines};
use crate::contract::served::{Served, id_of, world};

const WAITS: &str = "[[say:before]][[mark:here]][[wait_file:go]][[say: after]]";

/// The statuses in lines of JSON.
fn statuses(stdout: &str) -> Vec<Value> {
    lines(stdout).into_iter().map(|task| task["status"].clone()).collect()
}

#[test]
fn the_end_of_the_tasks_is_the_exit_status() {
    let served = Served::new();
    let succeeded = id_of(&served.run(""));
    let failed = id_of(&served.run("[[exit:4]]"));
    let cancelled = served.spawn("[[hang]]");
    served.call("cancel_task", json!({"task_id": cancelled}));
    for (ids, status) in [
        (vec![&succeeded], "exit 0"),
        (vec![&failed], "exit 3"),
        (vec![&cancelled], "exit 7"),
        (vec![&succeeded, &cancelled], "exit 7"),
        (vec![&cancelled, &succeeded, &failed, &failed], "exit 3"),
    ] {
        let run = served.world.run(["task", "watch"].into_iter().chain(ids.iter().map(|id| id.as_str())));
        let named: Vec<&str> = run.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
        let mut distinct: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        distinct.dedup();
        assert_eq!((run.ended.as_str(), named), (status, distinct));
    }
    served.end();
}

#[test]
fn a_task_is_watched_to_its_end() {
    let served = Served::new();
    let id = served.spawn(WAITS);
    served.wait_mark("here");
    let mut watch = Running::start(&served.world, &["task", "watch", &id, "--json"]);
    let mut stdout = BufReader::new(watch.0.stdout.take().expect("a pipe"));
    let mut told = String::new();
    stdout.read_line(&mut told).expect("a line");
    assert_eq!(statuses(&told), ["running"]);
    served.mark("go");
    stdout.read_to_string(&mut told).expect("text");
    assert_eq!(statuses(&told), ["running", "succeeded"]);
    assert_eq!(lines(&told)[1], served.task(&id));
    served.end();
}

#[test]
fn an_interrupted_watch_leaves_the_task_alone() {
    let served = Served::new();
    let id = served.spawn(WAITS);
    served.wait_mark("here");
    let mut watch = Running::start(&served.world, &["task", "watch", &id]);
    let mut stdout = BufReader::new(watch.0.stdout.take().expect("a pipe"));
    stdout.read_line(&mut String::new()).expect("a line");
    watch.0.stdout = Some(stdout.into_inner());
    watch.signal(Signal::INT);
    assert_eq!(watch.finish().ended, "exit 130");
    assert_eq!(served.task(&id)["status"], "running");
    served.mark("go");
    assert_eq!(served.ended(&id)["status"], "succeeded");
    served.end();
}

#[test]
fn a_task_whose_server_is_killed_is_watched_to_its_end() {
    let served = Served::with(world(), &["--orphan-grace", "1"]);
    let id = served.spawn(WAITS);
    served.wait_mark("here");
    let mut watch = Running::start(&served.world, &["task", "watch", &id, "--json"]);
    let mut stdout = BufReader::new(watch.0.stdout.take().expect("a pipe"));
    let mut told = String::new();
    stdout.read_line(&mut told).expect("a line");
    served.client.kill();
    // The host ends the turn, and nobody but the watch is there to record it.
    stdout.read_to_string(&mut told).expect("text");
    assert_eq!(statuses(&told), ["running", "failed"]);
    let end = &lines(&told)[1];
    assert_eq!((&end["ended_because"], &end["final_message"]), (&json!("orphaned"), &json!("before")));
    assert_eq!(ended(watch.0.wait().expect("its end")), "exit 3");
    let Served { client, world } = served;
    drop(client);
    // Of a killed server only the folder of its markers stays.
    let left = world.leftovers();
    assert_eq!((left.processes, left.host_files), (vec![], vec![]));
}

#[test]
fn events_are_followed_as_they_are_recorded() {
    let served = Served::new();
    let id = served.spawn(WAITS);
    served.wait_mark("here");
    let mut follow = Running::start(&served.world, &["task", "events", &id, "--follow", "--json"]);
    let mut stdout = BufReader::new(follow.0.stdout.take().expect("a pipe"));
    let mut told = String::new();
    while !told.contains("before") {
        assert_ne!(stdout.read_line(&mut told).expect("a line"), 0, "{told}");
    }
    served.mark("go");
    stdout.read_to_string(&mut told).expect("text");
    served.ended(&id);
    let page = served.call("get_events", json!({"task_id": id, "limit": 500, "max_chars": 100_000}));
    assert_eq!(json!(lines(&told)), page["events"]);
    served.end();
}

#[test]
fn a_reader_that_goes_ends_the_command_quietly() {
    let served = Served::new();
    let id = id_of(&served.run("[[tools:200]]"));
    for command in [
        &["task", "events", &id][..],
        &["task", "events", &id, "--json"],
        &["tasks"],
        &["tasks", "--json"],
        &["doctor"],
        &["completions", "bash"],
    ] {
        let mut run = Running::start(&served.world, command);
        drop(run.0.stdout.take());
        let status = run.0.wait().expect("its end");
        let mut stderr = String::new();
        run.0.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{command:?}");
    }
    served.end();
}
