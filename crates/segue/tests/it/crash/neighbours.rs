//! Servers that live beside each other on one state folder: what one may do with the other's tasks.

use serde_json::{Value, json};

use super::scene::{Scene, wait_for, with_agent};

#[test]
fn one_server_reads_waits_on_resolves_and_forgets_the_others_task() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let id = a.spawn("[[say:half ]][[mark:said]][[wait_file:go]][[say:done]]");
    scene.wait_mark("said");
    wait_for("the text to be seen by the other", || b.said(&id) == "half ");
    let seen = b.task(&id);
    assert_eq!([&seen["status"], &seen["live"]["waiting_for"]], ["running", "owner"], "{seen}");
    let waiting = b.begin("wait_tasks", json!({"task_ids": [id]}));
    let refusal = b.refused("resolve_task", json!({"task_id": id, "resolution": "accepted"}));
    assert!(refusal.starts_with("invalid_transition: "), "{refusal}");
    scene.mark("go");
    let woken = waiting.wait_call().expect("an answer");
    assert_eq!([&woken["reason"], &woken["completed"][0]["final_message"]], ["terminal", "half done"], "{woken}");
    let task = b.ended(&id);
    assert_eq!(task["status"], "succeeded");
    assert_eq!(b.call("resolve_task", json!({"task_id": id, "resolution": "accepted"}))["resolution"], "accepted");
    assert_eq!(a.task(&id)["resolution"], "accepted");
    b.call("forget_task", json!({"task_id": id}));
    assert!(a.refused("get_task", json!({"task_id": id})).starts_with("task_not_found: "));
    a.end();
    b.end();
    scene.assert_nothing_left();
}

#[test]
fn one_server_cancels_the_others_task() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let id = a.spawn("[[hang]]");
    scene.wait_received("session/prompt", 1);
    let cancelled = b.call("cancel_task", json!({"task_id": id, "actor": "b"}));
    assert_eq!(cancelled["status"], "cancelled");
    a.ended(&id);
    assert_eq!(a.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "b"})]);
    // A finished one is given back as it is.
    assert_eq!(b.call("cancel_task", json!({"task_id": id}))["status"], "cancelled");
    assert_eq!(a.payloads(&id, "task_cancelled").len(), 1);
    a.end();
    b.end();
    scene.assert_nothing_left();
}

/// The server that was asked to cancel dies with the request unanswered: whoever asked takes over and cancels.
#[test]
fn the_owner_dies_while_another_server_waits_for_its_cancel() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let id = a.spawn("[[hang]]");
    scene.wait_received("session/prompt", 1);
    super::scene::freeze(a.pid());
    let cancel = b.begin("cancel_task", json!({"task_id": id, "actor": "b"}));
    // Others are served while it waits, and the silent owner is not taken for dead.
    assert_eq!(b.task(&id)["status"], "running");
    wait_for("the request to be written", || requests(&scene) == 1);
    a.killed();
    assert_eq!(cancel.wait_call().expect("an answer")["status"], "cancelled");
    let task = b.ended(&id);
    assert_eq!(b.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "b"})]);
    assert_eq!(requests(&scene), 0, "a request does not outlive its answer");
    b.assert_session_free(&task);
    b.end();
    scene.assert_nothing_left();
}

/// A server takes a silent turn over, and while it still waits for the host, another asks it for the end. Nothing is
/// written any more that would make it look again.
#[test]
fn a_cancel_that_comes_while_a_turn_is_taken_over_is_not_forgotten() {
    let scene = Scene::new();
    let a = scene.server();
    let id = a.spawn("[[hang]]");
    scene.wait_received("session/prompt", 1);
    let (host, owner) = (scene.host(), a.task(&id)["server"].clone());
    super::scene::freeze(host);
    a.killed();
    let b = scene.server();
    wait_for("the turn to be taken over", || b.task(&id)["server"] != owner);
    let c = scene.server();
    let cancel = c.begin("cancel_task", json!({"task_id": id, "actor": "c"}));
    wait_for("the request to be written", || requests(&scene) == 1);
    super::scene::thaw(host);
    assert_eq!(cancel.wait_call().expect("an answer")["status"], "cancelled");
    c.ended(&id);
    b.end();
    c.end();
    scene.assert_nothing_left();
}

/// How many requests wait in the inbox.
fn requests(scene: &Scene) -> usize {
    let rows = super::storage::query(scene, "SELECT count(*) FROM inbox");
    rows.trim().parse().expect("a number")
}

#[test]
fn a_kept_agent_of_a_living_server_is_gone_for_others_by_that_servers_name() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let id = a.spawn_with(json!({"prompt": "", "keep_idle": 600, "keep_turns": 2}));
    let task = a.ended(&id);
    let handle = task["kept_agent"]["handle"].clone();
    let owner = task["server"].as_str().expect("a server");
    let seen = b.task(&id);
    assert_eq!([&seen["kept_agent"]["state"], &seen["notify_path"]], [&json!("kept"), &Value::Null]);
    let further = with_agent(json!({"prompt": "", "on_agent": handle}));
    for (tool, arguments) in [
        ("spawn_task", further),
        ("extend_agent", json!({"handle": handle})),
        ("release_agent", json!({"handle": handle})),
    ] {
        let refusal = b.refused(tool, arguments);
        assert!(refusal.starts_with("agent_gone: ") && refusal.contains(owner), "{tool}: {refusal}");
    }
    // Its session is held for everybody.
    let resume = with_agent(json!({"prompt": "", "session_id": task["session_id"]}));
    let refusal = b.refused("spawn_task", resume);
    assert!(
        refusal.starts_with("session_in_use: ") && refusal.contains(handle.as_str().expect("a handle")),
        "{refusal}"
    );
    assert_eq!(a.call("release_agent", json!({"handle": handle}))["released"], true);
    b.assert_session_free(&task);
    a.end();
    b.end();
    scene.assert_nothing_left();
}

/// Two servers resume one session at the same moment: one of them gets it.
#[test]
fn a_session_is_held_across_servers() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let task = a.ended(&a.spawn(""));
    let resume = with_agent(json!({"prompt": "[[wait_file:go]]", "session_id": task["session_id"]}));
    let calls = [a.begin("spawn_task", resume.clone()), b.begin("spawn_task", resume)];
    let outcomes = calls.map(segue_testkit::mcp_client::Pending::wait_call);
    let refusals: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(refusals.len(), 1, "{outcomes:?}");
    assert!(refusals[0].starts_with("session_in_use: "), "{refusals:?}");
    scene.mark("go");
    let started = outcomes.iter().find_map(|outcome| outcome.as_ref().ok()).expect("a task");
    let task = b.ended(started["task_id"].as_str().expect("an id"));
    assert_eq!(task["status"], "succeeded");
    b.assert_session_free(&task);
    a.end();
    b.end();
    scene.assert_nothing_left();
}

/// The key of a dispatch outlives the server that took it.
#[test]
fn a_client_key_returns_the_task_after_its_server_was_killed() {
    let scene = Scene::new();
    let first = scene.server();
    let request = with_agent(json!({"prompt": "[[wait_file:go]][[say:once]]", "client_key": "k-1"}));
    let id = first.call("spawn_task", request.clone())["task_id"].clone();
    first.killed();
    let next = scene.server();
    assert_eq!(next.call("spawn_task", request.clone())["task_id"], id);
    scene.mark("go");
    let task = next.ended(id.as_str().expect("an id"));
    assert_eq!(task["final_message"], "once");
    assert_eq!(next.call("spawn_task", request)["task_id"], id);
    assert_eq!(scene.world.received_params("session/prompt").len(), 1);
    next.end();
    scene.assert_nothing_left();
}
