//! `segue task cancel`, `resolve`, `forget`: what is done to a task from outside of its server.

use serde_json::json;

use super::{assert_refused, document};
use crate::contract::served::{Served, id_of, is_alive, wait_for};

#[test]
fn a_task_of_a_running_server_is_cancelled_through_it() {
    let served = Served::new();
    let id = served.spawn("[[mark:here]][[hang]]");
    served.wait_mark("here");
    let task = document(&served.world.run(["task", "cancel", &id, "--actor", "ada", "--json"]));
    assert_eq!(task, served.task(&id));
    assert_eq!(task["status"], "cancelled");
    assert_eq!(served.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "ada"})]);
    // A second time there is nothing left to do.
    let again = served.world.run(["task", "cancel", &id]);
    assert!(again.ended == "exit 0" && again.stdout.starts_with(&format!("{id} cancelled")), "{again:?}");
    served.end();
}

#[test]
fn a_task_of_a_dead_server_is_taken_over_and_cancelled() {
    let served = Served::new();
    let id = served.spawn("[[pid]][[mark:here]][[hang]]");
    served.wait_mark("here");
    let told = served.wait_event(&id, "agent_message", |_| true);
    let pid: u64 = told["text"].as_str().and_then(|pid| pid.parse().ok()).expect("a pid");
    served.client.kill();
    let task = document(&served.world.run(["task", "cancel", &id, "--json"]));
    assert_eq!(task["status"], "cancelled");
    wait_for("the agent to end", || !is_alive(pid));
    let left = served.world.leftovers();
    assert_eq!((left.processes, left.host_files), (vec![], vec![]));
}

#[test]
fn a_judgment_is_recorded_and_a_judged_task_forgotten() {
    let served = Served::new();
    let world = &served.world;
    let id = id_of(&served.run(""));
    assert_refused(&world.run(["task", "forget", &id]), 2, &["invalid_transition", &id, "unresolved"]);
    let task = document(&world.run(["task", "resolve", &id, "accepted", "--note", "good", "--actor", "ada", "--json"]));
    assert_eq!(task, served.task(&id));
    let judged = (&task["resolution"], &task["resolution_note"], &task["resolved_by"]);
    assert_eq!(judged, (&json!("accepted"), &json!("good"), &json!("ada")));
    // The last judgment counts.
    assert_eq!(world.run(["task", "resolve", &id, "rejected"]).ended, "exit 0");
    assert_eq!(served.task(&id)["resolution"], "rejected");
    assert_eq!(document(&world.run(["task", "forget", &id, "--json"])), json!({"task_id": id, "forgotten": true}));
    assert_refused(&world.run(["task", "show", &id]), 2, &["task_not_found", &id]);
    // A forgotten task keeps its place.
    assert_eq!(document(&world.run(["tasks", "--after", &id, "--json"])), json!({"tasks": [], "next": null}));
    served.end();
}

#[test]
fn what_runs_is_neither_judged_nor_forgotten() {
    let served = Served::new();
    let id = served.spawn("[[mark:here]][[wait_file:go]]");
    served.wait_mark("here");
    for act in [&["task", "resolve", &id, "accepted"][..], &["task", "forget", &id]] {
        assert_refused(&served.world.run(act), 2, &["invalid_transition", &id, "running"]);
    }
    served.mark("go");
    served.ended(&id);
    served.end();
}

#[test]
fn an_agent_may_look_and_nothing_else() {
    let mut served = Served::new();
    let id = id_of(&served.run(""));
    served.world.env("SYMM_MCP_DEPTH", "1");
    for act in [
        &["task", "cancel", &id][..],
        &["task", "resolve", &id, "accepted"],
        &["task", "forget", &id],
        &["task", "dispatch", "codex", "--prompt", "x"],
        &["agents", "describe", "codex"],
        &["agents", "sessions", "codex"],
        &["doctor", "--agents"],
    ] {
        assert_refused(&served.world.run(act), 2, &["inside an agent"]);
    }
    for look in [&["tasks"][..], &["task", "show", &id], &["task", "watch", &id], &["agents", "list"], &["doctor"]] {
        assert_eq!(served.world.run(look).ended, "exit 0", "{look:?}");
    }
    served.end();
}
