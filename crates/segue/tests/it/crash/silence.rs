//! A process that stands still is not dead: nothing is taken from it, and when it wakes, what is overdue is done
//! once.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{Scene, freeze, thaw, wait_for, with_agent};

/// Lets a bound of the product pass while somebody stands still.
pub fn pass(time: Duration) {
    let began = Instant::now();
    wait_for("time to pass", || began.elapsed() >= time);
}

#[test]
fn a_server_stands_still_during_a_turn() {
    let scene = Scene::new();
    let (a, b) = (scene.server(), scene.server());
    let id = a.spawn("[[say:half ]][[wait_file:go]][[say:done]]");
    wait_for("the text to be recorded", || b.said(&id) == "half ");
    let owner = b.task(&id)["server"].clone();
    freeze(a.pid());
    scene.mark("go");
    scene.wait_spooled("stopReason");
    // Longer than the other looks for dead servers.
    pass(Duration::from_millis(2_500));
    let seen = b.task(&id);
    assert_eq!([&seen["status"], &seen["server"]], [&json!("running"), &owner], "it is not dead: {seen}");
    thaw(a.pid());
    let task = b.ended(&id);
    assert_eq!(
        [&task["status"], &task["final_message"], &task["server"]],
        [&json!("succeeded"), &json!("half done"), &owner]
    );
    a.end();
    b.end();
    scene.assert_nothing_left();
}

#[test]
fn a_server_stands_still_during_waits() {
    let scene = Scene::new();
    let server = scene.server();
    let ending = server.spawn("[[wait_file:go]]");
    let going_on = server.spawn("[[wait_file:stop]]");
    scene.wait_received("session/prompt", 2);
    let waits = [&ending, &going_on].map(|id| server.begin("wait_tasks", json!({"task_ids": [id], "wait_seconds": 1})));
    freeze(server.pid());
    scene.mark("go");
    scene.wait_spooled("stopReason");
    pass(Duration::from_millis(1_500));
    thaw(server.pid());
    let [ended, still] = waits.map(|wait| wait.wait_call().expect("an answer"));
    assert_eq!([&still["reason"], &still["completed"]], [&json!("timeout"), &json!([])]);
    // The present state at the moment of waking: ended, or just not yet.
    assert!(ended["reason"] == "terminal" || ended["completed"] == json!([]), "{ended}");
    assert_eq!(server.ended(&ending)["status"], "succeeded");
    scene.mark("stop");
    assert_eq!(server.ended(&going_on)["status"], "succeeded");
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn a_lease_expires_while_its_server_stands_still() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn_with(json!({"prompt": "", "keep_idle": 1, "keep_turns": 3}));
    let task = server.ended(&id);
    freeze(server.pid());
    pass(Duration::from_millis(1_500));
    // Asked for a turn in the same breath as it wakes: the agent has been idle for too long.
    let further =
        server.begin("spawn_task", with_agent(json!({"prompt": "", "on_agent": task["kept_agent"]["handle"]})));
    thaw(server.pid());
    let further = further.wait_call();
    let lease = server.wait_lease(&id, "ended");
    match further {
        Ok(started) => {
            // The claim was read first: then the turn was run, and the lease ended later and for its own reason.
            assert_eq!(server.ended(started["task_id"].as_str().expect("an id"))["status"], "succeeded");
        }
        Err(refusal) => assert!(refusal.starts_with("agent_gone: "), "{refusal}"),
    }
    assert_eq!(lease["reason"], "idle for 1 seconds");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn a_host_stands_still_during_a_turn_and_its_server_is_killed() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:half ]][[wait_file:go]][[say:done]]");
    wait_for("the text to be recorded", || first.said(&id) == "half ");
    let host = scene.host();
    freeze(host);
    // Others are served meanwhile.
    assert_eq!(first.ended(&first.spawn("[[say:other]]"))["status"], "succeeded");
    scene.mark("go");
    assert_eq!(first.task(&id)["status"], "running");
    first.killed();
    let next = scene.server();
    let before = next.task(&id)["server"].clone();
    wait_for("the turn to be taken over", || {
        let task = next.task(&id);
        assert_eq!(task["status"], "running");
        task["server"] != before || task["live"]["waiting_for"] != "owner"
    });
    assert_eq!(next.ended(&next.spawn("[[say:other]]"))["status"], "succeeded");
    thaw(host);
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "half done"], "{task}");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// A stopped agent hears neither a cancel nor SIGTERM; it is ended all the same, within the ladder's bounds.
#[test]
fn an_agent_that_stands_still_is_cancelled() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn("[[say:half]][[hang]]");
    wait_for("the text to be recorded", || server.said(&id) == "half");
    freeze(scene.agent());
    let cancel = server.begin("cancel_task", json!({"task_id": id}));
    // No other call is delayed.
    assert_eq!(server.task(&id)["status"], "running");
    assert_eq!(cancel.wait_call().expect("an answer")["status"], "cancelled");
    let task = server.ended(&id);
    assert_eq!([&task["exit_code"], &task["error"]], [&json!(-9), &Value::Null], "{task}");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

/// A host that stands still is left alone until somebody asks for the end; then its tree ends all the same, and the
/// call is answered with that end before its caller gives it up.
#[test]
fn a_task_whose_host_stands_still_is_cancelled() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn("[[say:half]][[spawn_setsid]][[hang]]");
    wait_for("the text to be recorded", || server.said(&id) == "half");
    freeze(scene.host());
    let cancel = server.begin("cancel_task", json!({"task_id": id}));
    assert_eq!(cancel.wait_call().expect("an answer")["status"], "cancelled");
    let task = server.ended(&id);
    assert_eq!([&task["status"], &task["stop_receipt"]["tree_empty"]], [&json!("cancelled"), &json!(true)], "{task}");
    assert_eq!(scene.world.mark().processes().len(), 1, "only the server");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn a_kept_agent_whose_host_stands_still_is_released() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn_with(json!({"prompt": "", "keep_idle": 600}));
    let task = server.ended(&id);
    freeze(scene.host());
    let handle = &task["kept_agent"]["handle"];
    let released = server.begin("release_agent", json!({"handle": handle})).wait_call().expect("an answer");
    assert_eq!([&released["handle"], &released["released"]], [handle, &json!(true)]);
    assert_eq!(scene.world.mark().processes().len(), 1, "only the server");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

/// Nobody hears the answer of an agent whose host stands still; the question fails at its limit and leaves nothing.
#[test]
fn an_agent_whose_host_stands_still_is_not_described() {
    let scene = Scene::new();
    scene.world.scripted("INITIALIZE", "hang");
    let server = scene.server();
    let described = server.begin("describe_agent", json!({"agent": "claude_code"}));
    scene.wait_received("initialize", 1);
    freeze(scene.host());
    let refusal = described.wait_call().expect_err("nothing was heard");
    assert!(refusal.starts_with("invalid_request: could not describe claude_code: "), "{refusal}");
    assert!(refusal.contains("30 s deadline"), "{refusal}");
    assert_eq!(scene.world.mark().processes().len(), 1, "only the server");
    server.end();
    scene.assert_nothing_left();
}
