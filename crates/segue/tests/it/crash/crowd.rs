//! Many turns under way when their server is killed: the next one shows all of them truthfully.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use super::scene::{Scene, Server, wait_for};

/// What a turn does, and how it has to end after its server was killed in the middle of it.
const KINDS: [(&str, &str, &str); 6] = [
    ("[[say:a]][[wait_file:go]][[say:b]]", "succeeded", "ab"),
    ("[[wait_file:go]][[stop:refusal]]", "failed", ""),
    ("[[say:x]][[wait_file:go]][[error:-32603:no more]]", "failed", "x"),
    ("[[wait_file:go]][[ask:edit:it]][[say:refused]]", "succeeded", "refused"),
    ("[[spawn_child]][[wait_file:go]][[exit:3]]", "failed", ""),
    ("[[wait_file:go]][[chunks:300]]", "succeeded", "chunks"),
];

fn spawn_all(server: &Server, count: usize) -> Vec<String> {
    (0..count).map(|at| server.spawn(KINDS[at % KINDS.len()].0)).collect()
}

/// Waits until all of them have been prompted.
fn wait_prompted(scene: &Scene, count: usize) {
    wait_for("all prompts", || scene.world.received_params("session/prompt").len() >= count);
}

/// The status of every task of the state folder.
fn statuses(server: &Server) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut after = Value::Null;
    loop {
        let page = server.call("list_tasks", json!({"limit": 100, "all": true, "after": after}));
        for task in page["tasks"].as_array().expect("tasks") {
            found.insert(task["task_id"].as_str().expect("an id").to_owned(), task["status"].clone());
        }
        after = page["next"].clone();
        if after.is_null() {
            return found;
        }
    }
}

#[test]
fn twenty_turns_of_every_kind_survive_their_server() {
    let scene = Scene::new();
    let first = scene.server();
    let ids = spawn_all(&first, 20);
    wait_prompted(&scene, 20);
    first.killed();
    let next = scene.server();
    let shown = statuses(&next);
    assert_eq!(shown.len(), 20, "none lost, none doubled");
    assert!(shown.values().all(|status| status == "running"), "{shown:?}");
    scene.mark("go");
    for (at, id) in ids.iter().enumerate() {
        let (_, status, said) = KINDS[at % KINDS.len()];
        let task = next.ended(id);
        assert_eq!(task["status"], status, "{task}");
        let all: String = (0..300).map(|at| segue_testkit::scripted_agent::chunk_text(at, 16)).collect();
        assert_eq!(next.said(id), if said == "chunks" { &all } else { said });
        assert_eq!(task["stop_receipt"]["tree_empty"], true, "{task}");
    }
    assert!(scene.agents().is_empty());
    next.end();
    scene.assert_nothing_left();
}

/// All their hosts die as well.
#[test]
fn twenty_turns_that_lose_server_and_hosts_are_ended() {
    let scene = Scene::new();
    let first = scene.server();
    let ids = spawn_all(&first, 20);
    wait_prompted(&scene, 20);
    let hosts = scene.hosts();
    first.killed();
    hosts.into_iter().for_each(super::scene::kill);
    let next = scene.server();
    // No call waits for what is being ended.
    assert_eq!(statuses(&next).len(), 20);
    for id in &ids {
        let task = next.ended(id);
        assert_eq!([&task["status"], &task["ended_because"]], ["failed", "host_lost"], "{task}");
    }
    next.end();
    scene.assert_nothing_left();
}

/// Not a test but a measurement, for a machine with nothing else to do: how long after the start of the next server
/// all of a hundred killed server's tasks are that server's own.
#[test]
#[ignore = "a measurement: prints the time to the truth about a hundred turns"]
fn a_hundred_turns_are_shown_truthfully() {
    let scene = Scene::new();
    let first = scene.server();
    let ids = spawn_all(&first, 100);
    wait_prompted(&scene, 100);
    first.killed();
    let began = Instant::now();
    let next = scene.server();
    assert_eq!(statuses(&next).len(), 100);
    println!("all 100 listed after {:?}", began.elapsed());
    let own = || next.call("list_tasks", json!({"limit": 100}))["tasks"].as_array().map(Vec::len);
    wait_for("all tasks to be the next server's", || own() == Some(100));
    println!("all 100 taken over after {:?}", began.elapsed());
    scene.mark("go");
    for id in &ids {
        next.ended(id);
    }
    next.end();
    scene.assert_nothing_left();
}
