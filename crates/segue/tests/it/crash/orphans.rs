//! Turns and kept agents with no server at all: their host ends them, and the next server says so.

use serde_json::{Value, json};

use super::scene::{Scene, wait_for};

#[test]
fn a_turn_without_a_server_is_ended_by_its_host_after_the_grace() {
    let scene = Scene::with(&["--orphan-grace", "1"]);
    let first = scene.server();
    let id = first.spawn("[[say:half]][[spawn_child]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "half");
    first.killed();
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!(
        [&task["status"], &task["ended_because"], &task["stop_reason"]],
        ["failed", "orphaned", "cancelled"],
        "{task}"
    );
    assert_eq!(next.payloads(&id, "task_cancelled"), Vec::<Value>::new());
    assert_eq!(next.said(&id), "half");
    assert_eq!(scene.world.received_params("session/cancel").len(), 1, "in the agent's own words");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// A question that nobody answers is refused by the host, so that an agent which waits for it can end.
#[test]
fn an_orphans_open_question_is_refused() {
    let scene = Scene::with(&["--orphan-grace", "1"]);
    scene.world.scripted("ON_CANCEL", "wait_permission");
    let first = scene.server();
    let id = first.spawn_with(
        json!({"prompt": "[[wait_file:go]][[ask:edit:it]][[say:went on]]", "options": {"allow": ["edit"]}}),
    );
    scene.wait_received("session/prompt", 1);
    super::scene::freeze(first.pid());
    scene.mark("go");
    scene.wait_spooled("session/request_permission");
    first.killed();
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "orphaned"], "{task}");
    next.end();
    scene.assert_nothing_left();
}

/// The turn ended by itself while nobody was there: that is how it ended.
#[test]
fn a_turn_that_ends_within_the_grace_ended_well() {
    let scene = Scene::with(&["--orphan-grace", "2"]);
    let first = scene.server();
    let id = first.spawn("[[wait_file:go]][[say:done]]");
    scene.wait_received("session/prompt", 1);
    first.killed();
    scene.mark("go");
    scene.wait_spooled("stopReason");
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "done"], "{task}");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

#[test]
fn the_idle_clock_of_a_kept_agent_runs_in_its_host() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn_with(json!({"prompt": "", "keep_idle": 1}));
    let task = first.ended(&id);
    assert_eq!(task["kept_agent"]["state"], "kept");
    first.killed();
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    let next = scene.server();
    let lease = next.wait_lease(&id, "ended");
    assert_eq!(lease["reason"], "idle for 1 seconds");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// A deadline that passed while nobody was there does not undo a turn that had ended by then.
#[test]
fn a_deadline_passes_without_a_server() {
    let scene = Scene::new();
    let first = scene.server();
    let in_time = first.spawn_with(json!({"prompt": "[[wait_file:go]][[say:in time]]", "deadline_seconds": 3.0}));
    let late = first.spawn_with(json!({"prompt": "[[hang]]", "deadline_seconds": 3.0}));
    scene.wait_received("session/prompt", 2);
    let created = first.task(&late)["created_at"].as_f64().expect("a time");
    first.killed();
    scene.mark("go");
    scene.wait_spooled("stopReason");
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
    wait_for("the deadline to pass", || now() > created + 3.1);
    let next = scene.server();
    let (in_time, late) = (next.ended(&in_time), next.ended(&late));
    assert_eq!([&in_time["status"], &in_time["final_message"]], ["succeeded", "in time"], "{in_time}");
    assert_eq!([&late["status"], &late["ended_because"]], ["failed", "deadline"], "{late}");
    next.end();
    scene.assert_nothing_left();
}

/// Markers of a killed server: who waits for its folder to vanish is not left waiting once another server is there.
#[test]
fn the_marker_folder_of_a_killed_server_is_removed() {
    let scene = Scene::new();
    let (first, other) = (scene.server(), scene.server());
    let started = first.call("spawn_task", super::scene::with_agent(json!({"prompt": "[[wait_file:go]]"})));
    let marker = std::path::PathBuf::from(started["notify_path"].as_str().expect("a path"));
    let folder = marker.parent().expect("a folder").to_owned();
    assert!(folder.is_dir());
    first.killed();
    wait_for("the folder to be removed", || !folder.exists());
    scene.mark("go");
    other.ended(started["task_id"].as_str().expect("an id"));
    other.end();
    scene.assert_nothing_left();
}

/// A command of the command line is enough: no server is needed to end what a killed one left.
#[test]
fn an_orphan_is_cancelled_from_the_command_line() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:half]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "half");
    first.killed();
    let cancelled = scene.world.run(["task", "cancel", &id, "--actor", "somebody", "--json"]);
    assert_eq!(cancelled.ended, "exit 0", "{cancelled:?}");
    let told: Value = serde_json::from_str(&cancelled.stdout).expect("JSON");
    assert_eq!(told["status"], "cancelled", "{told}");
    assert!(scene.hosts().is_empty() && scene.agents().is_empty());
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "somebody"})]);
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// A command that only looks takes in what a finished host left, and leaves a living one to a server.
#[test]
fn a_command_that_looks_records_the_end_of_a_finished_turn_and_of_no_other() {
    let scene = Scene::with(&["--orphan-grace", "1"]);
    let first = scene.server();
    let id = first.spawn("[[say:half]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "half");
    first.killed();
    let status = || {
        let shown = scene.world.run(["task", "show", &id, "--json"]);
        let task: Value = serde_json::from_str(&shown.stdout).unwrap_or_else(|error| panic!("{error}: {shown:?}"));
        task["status"].clone()
    };
    let before = status();
    assert!(before == "running" || scene.hosts().is_empty(), "{before}");
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    assert_eq!(status(), "failed");
    let next = scene.server();
    assert_eq!(next.ended(&id)["ended_because"], "orphaned");
    next.end();
    scene.assert_nothing_left();
}
