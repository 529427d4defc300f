//! `kill -9` of the server at each stage of a turn. The next server takes over: the task ends exactly once, as it
//! really ended, and the session is free for the next.

use serde_json::{Value, json};

use super::scene::{Scene, Server, freeze, wait_for};

/// Ends the one server that is left: nothing else is.
#[track_caller]
fn close(scene: &Scene, server: Server) {
    server.end();
    scene.assert_nothing_left();
}

/// Takes over after a kill, sees the task end well, and finds its session free.
#[track_caller]
fn finishes(scene: &Scene, id: &str, message: &str) {
    let next = scene.server();
    let task = next.ended(id);
    assert_eq!(
        [&task["status"], &task["final_message"], &task["error"]],
        [&json!("succeeded"), &json!(message), &Value::Null],
        "{task}"
    );
    assert_eq!(task["ended_because"], "completed");
    next.assert_session_free(&task);
    assert_eq!(
        scene.world.received_params("session/prompt").len(),
        2,
        "the prompt went out once, and one for the session"
    );
    close(scene, next);
}

#[test]
fn while_the_agent_is_asked_to_initialize() {
    let scene = Scene::new();
    scene.world.scripted("INITIALIZE", "slow:700");
    let first = scene.server();
    let id = first.spawn("[[say:done]]");
    scene.wait_received("initialize", 1);
    first.killed();
    scene.world.unscripted("INITIALIZE");
    finishes(&scene, &id, "done");
}

#[test]
fn while_a_session_is_opened() {
    let scene = Scene::new();
    scene.world.scripted("NEW", "slow:700");
    let first = scene.server();
    let id = first.spawn("[[say:done]]");
    scene.wait_received("session/new", 1);
    first.killed();
    finishes(&scene, &id, "done");
    assert_eq!(scene.world.received_params("session/new").len(), 1);
}

#[test]
fn while_a_session_is_loaded() {
    let scene = Scene::new();
    let first = scene.server();
    let before = first.spawn("[[remember:k:v]]");
    let session = first.ended(&before)["session_id"].clone();
    scene.world.scripted("LOAD", "slow:700");
    let id = first.spawn_with(json!({"prompt": "[[recall:k]]", "session_id": session}));
    scene.wait_received("session/load", 1);
    first.killed();
    scene.world.unscripted("LOAD");
    let next = scene.server();
    let refused = next.client.call("spawn_task", json!({"agent": "claude_code", "prompt": "", "session_id": session}));
    assert!(refused.is_err_and(|refusal| refusal.starts_with("session_in_use: ")), "held across the kill");
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "v"], "{task}");
    next.assert_session_free(&task);
    close(&scene, next);
}

#[test]
fn while_a_setting_is_set() {
    let scene = Scene::new();
    scene.world.scripted("SET", "slow:500");
    let first = scene.server();
    let id = first.spawn("[[say:done]]");
    scene.wait_received("session/set_config_option", 1);
    first.killed();
    scene.world.unscripted("SET");
    finishes(&scene, &id, "done");
    let pins = scene.world.received_params("session/set_config_option");
    assert_eq!(pins.len(), 2, "once for each session that was opened: {pins:?}");
}

#[test]
fn right_after_the_prompt_was_sent() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[wait_file:go]][[say:done]]");
    scene.wait_received("session/prompt", 1);
    first.killed();
    scene.mark("go");
    finishes(&scene, &id, "done");
}

/// Nothing of a large prompt is lost when its server dies while it is on its way, and nothing comes twice.
#[test]
fn while_a_large_prompt_is_on_its_way() {
    let scene = Scene::new();
    let first = scene.server();
    let prompt = format!("[[wait_file:go]][[say:done]]{}", "x".repeat(4 << 20));
    let call = first.begin("spawn_task", json!({"agent": "claude_code", "prompt": prompt}));
    // Its answer is followed by the prompt.
    scene.wait_received("session/set_config_option", 1);
    let id = call.wait_call().expect("a task")["task_id"].as_str().expect("an id").to_owned();
    first.killed();
    scene.mark("go");
    finishes(&scene, &id, "done");
}

#[test]
fn in_the_middle_of_text_that_is_not_recorded_yet() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:one ]][[mark:said]][[wait_file:go]][[say:two ]][[say:three]]");
    scene.wait_mark("said");
    first.killed();
    scene.mark("go");
    let next = scene.server();
    assert_eq!(next.ended(&id)["status"], "succeeded");
    assert_eq!(next.said(&id), "one two three");
    close(&scene, next);
}

#[test]
fn in_the_middle_of_text_again_and_again() {
    let scene = Scene::new();
    let mut server = scene.server();
    let mut prompt = String::new();
    for round in 0..5 {
        prompt.push_str(&format!("[[say:a{round} ]][[mark:m{round}]][[wait_file:g{round}]][[say:b{round} ]]"));
    }
    prompt.push_str("[[chunks:2000]][[say: end]]");
    let id = server.spawn(&prompt);
    for round in 0..5 {
        scene.wait_mark(&format!("m{round}"));
        if round % 2 == 1 {
            // Half of the kills find the text recorded, half find it in the buffer.
            let text = format!("a{round} ");
            wait_for("the text to be recorded", || server.said(&id).ends_with(&text));
        }
        server.killed();
        scene.mark(&format!("g{round}"));
        server = scene.server();
    }
    assert_eq!(server.ended(&id)["status"], "succeeded");
    let chunks: String = (0..2000).map(|at| segue_testkit::scripted_agent::chunk_text(at, 16)).collect();
    let expected: String = (0..5).map(|round| format!("a{round} b{round} ")).collect();
    assert_eq!(server.said(&id), format!("{expected}{chunks} end"));
    close(&scene, server);
}

/// An agent asks while the server stands still, and the server is killed before it can answer.
fn asked_nobody(scene: &Scene, allow: &[&str]) -> (String, Server) {
    let first = scene.server();
    let id = first.spawn_with(json!({
        "prompt": "[[say:may I? ]][[wait_file:go]][[ask:edit:Write it]][[say:done]]",
        "options": {"allow": allow},
    }));
    wait_for("the text to be recorded", || first.said(&id) == "may I? ");
    freeze(first.pid());
    scene.mark("go");
    scene.wait_spooled("session/request_permission");
    first.killed();
    (id, scene.server())
}

#[test]
fn with_a_question_open_that_the_policy_allows() {
    let scene = Scene::new();
    let (id, next) = asked_nobody(&scene, &["edit"]);
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["permissions_refused"]], [&json!("succeeded"), &json!(0)], "{task}");
    let decisions = next.payloads(&id, "permission");
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0]["decision"], "allowed");
    assert_eq!(next.said(&id), "may I? done");
    close(&scene, next);
}

#[test]
fn with_a_question_open_that_the_policy_refuses() {
    let scene = Scene::new();
    let (id, next) = asked_nobody(&scene, &[]);
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["permissions_refused"]], [&json!("succeeded"), &json!(1)], "{task}");
    let decisions = next.payloads(&id, "permission");
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0]["decision"], "rejected");
    close(&scene, next);
}

#[test]
fn after_the_answer_and_before_anybody_heard_it() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[wait_file:go]][[say:done]]");
    scene.wait_received("session/prompt", 1);
    freeze(first.pid());
    scene.mark("go");
    scene.wait_spooled("stopReason");
    first.killed();
    finishes(&scene, &id, "done");
}

#[test]
fn while_the_process_ends_after_the_answer() {
    let scene = Scene::new();
    scene.world.scripted("ON_EOF", "after:1000");
    let first = scene.server();
    let id = first.spawn("[[say:done]]");
    first.wait_waiting(&id, "end");
    first.killed();
    scene.world.unscripted("ON_EOF");
    finishes(&scene, &id, "done");
}

#[test]
fn while_an_agent_is_kept_and_during_its_further_turn() {
    let scene = Scene::new();
    let first = scene.server();
    let keep = json!({"prompt": "[[remember:k:v]][[pid]]", "keep_idle": 60, "keep_turns": 5});
    let kept = first.spawn_with(keep);
    let task = first.ended(&kept);
    let handle = task["kept_agent"]["handle"].clone();
    assert_eq!(task["kept_agent"]["state"], "kept");
    first.killed();

    let second = scene.server();
    // Asked for before it can have been taken over: the call waits for that.
    let id = second.spawn_with(json!({"prompt": "[[recall:k]][[say: ]][[pid]]", "on_agent": handle}));
    assert_eq!(second.ended(&id)["final_message"], format!("v {}", task["final_message"].as_str().expect("a pid")));

    let under_way = second.spawn_with(json!({"prompt": "[[wait_file:go]][[recall:k]]", "on_agent": handle}));
    scene.wait_received("session/prompt", 3);
    second.killed();
    scene.mark("go");
    let third = scene.server();
    let done = third.ended(&under_way);
    assert_eq!([&done["status"], &done["final_message"]], ["succeeded", "v"], "{done}");
    assert_eq!(done["kept_agent"]["state"], "kept");
    let turns_left = |id: &str| third.task(id)["kept_agent"]["turns_left"].clone();
    assert_eq!([turns_left(&kept), turns_left(&under_way)], [3, 3]);
    assert_eq!(third.call("release_agent", json!({"handle": handle}))["released"], true);
    third.assert_session_free(&done);
    close(&scene, third);
}

#[test]
fn while_a_kept_agent_is_released() {
    let scene = Scene::new();
    scene.world.scripted("CLOSE", "slow:1500");
    let first = scene.server();
    let id = first.spawn_with(json!({"prompt": "", "keep_idle": 600}));
    let handle = first.ended(&id)["kept_agent"]["handle"].clone();
    let call = first.begin("release_agent", json!({"handle": handle}));
    scene.wait_received("session/close", 1);
    first.killed();
    assert_eq!(call.wait_or_end(), None);
    let next = scene.server();
    let lease = next.wait_lease(&id, "ended");
    assert_eq!(lease["reason"], "released");
    let task = next.task(&id);
    next.assert_session_free(&task);
    close(&scene, next);
}

#[test]
fn while_a_turn_is_cancelled() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:working]][[linger:1]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "working");
    let call = first.begin("cancel_task", json!({"task_id": id, "actor": "me"}));
    scene.wait_received("session/cancel", 1);
    first.killed();
    assert_eq!(call.wait_or_end(), None);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["cancelled", "cancelled"], "{task}");
    assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "me"})]);
    assert_eq!(scene.world.received_params("session/cancel").len(), 1, "asked once");
    next.assert_session_free(&task);
    close(&scene, next);
}

#[test]
fn while_a_task_is_cancelled_that_has_no_prompt_yet() {
    let scene = Scene::new();
    scene.world.scripted("NEW", "hang");
    scene.world.scripted("ON_EOF", "after:1500");
    let first = scene.server();
    let id = first.spawn("[[say:never]]");
    scene.wait_received("session/new", 1);
    let call = first.begin("cancel_task", json!({"task_id": id, "actor": "me"}));
    first.wait_waiting(&id, "end");
    first.killed();
    assert_eq!(call.wait_or_end(), None);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["error"]], [&json!("cancelled"), &Value::Null], "{task}");
    assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "me"})]);
    assert_eq!(scene.world.received_params("session/prompt").len(), 0);
    close(&scene, next);
}

#[test]
fn during_a_probe() {
    let scene = Scene::new();
    scene.world.scripted("NEW", "hang");
    let first = scene.server();
    let call = first.begin("describe_agent", json!({"agent": "codex"}));
    scene.wait_received("session/new", 1);
    first.killed();
    assert_eq!(call.wait_or_end(), None);
    scene.world.unscripted("NEW");
    let next = scene.server();
    wait_for("what the probe left to be ended", || scene.hosts().is_empty() && scene.agents().is_empty());
    assert_eq!(next.call("describe_agent", json!({"agent": "codex"}))["agent"], "codex");
    close(&scene, next);
}

#[test]
fn while_a_session_is_deleted() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:hello]]");
    let task = first.ended(&id);
    scene.world.scripted("DELETE", "hang");
    let deletion = json!({"agent": "claude_code", "session_id": task["session_id"]});
    let call = first.begin("delete_session", deletion.clone());
    scene.wait_received("session/delete", 1);
    // Its living server still holds it, whoever asks.
    let next = scene.server();
    let again = json!({"agent": "claude_code", "prompt": "", "session_id": task["session_id"]});
    let refusal = next.refused("spawn_task", again);
    assert!(refusal.starts_with("session_in_use: ") && refusal.contains("delete_session"), "{refusal}");
    first.killed();
    assert_eq!(call.wait_or_end(), None);
    scene.world.unscripted("DELETE");
    wait_for("what the deletion left to be ended", || scene.hosts().is_empty() && scene.agents().is_empty());
    wait_for("the session to be free", || next.client.call("delete_session", deletion.clone()).is_ok());
    close(&scene, next);
}
