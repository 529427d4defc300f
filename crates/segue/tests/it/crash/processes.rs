//! `kill -9` of everything but the server alone: the host, the agent, both, with the server and with what the agent
//! had started; and several servers that find the same work at the same moment.

use std::thread;

use serde_json::{Value, json};

use super::scene::{Scene, Server, is_alive, kill, wait_for};

/// A task in the middle of its turn, with its text recorded.
fn under_way(server: &Server, prompt: &str) -> String {
    let id = server.spawn(&format!("[[say:half ]]{prompt}[[wait_file:go]][[say:done]]"));
    wait_for("the text to be recorded", || server.said(&id) == "half ");
    id
}

#[test]
fn the_host_is_killed_under_a_living_server() {
    let scene = Scene::new();
    let server = scene.server();
    let id = under_way(&server, "");
    kill(scene.host());
    let task = server.ended(&id);
    assert_eq!(
        [&task["status"], &task["ended_because"], &task["exit_code"]],
        [&json!("failed"), &json!("host_lost"), &Value::Null],
        "{task}"
    );
    assert_eq!(task["stop_receipt"]["tree_empty"], true);
    assert_eq!(server.said(&id), "half ");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

/// The task ends at once, with the signal, although its child holds the agent's pipes open; the child is ended.
#[test]
fn the_agent_is_killed_and_its_child_lives() {
    let scene = Scene::new();
    let server = scene.server();
    let id = under_way(&server, "[[spawn_child:3600:stubborn]]");
    kill(scene.agent());
    let task = server.ended(&id);
    assert_eq!(
        [&task["status"], &task["ended_because"], &task["exit_code"]],
        [&json!("failed"), &json!("agent_exited"), &json!(-9)],
        "{task}"
    );
    assert!(scene.world.mark().processes().iter().all(|process| !process.command.contains("helper")));
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn the_agent_is_killed_while_no_server_looks() {
    let scene = Scene::new();
    let first = scene.server();
    let id = under_way(&first, "");
    let agent = scene.agent();
    first.killed();
    kill(agent);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!(
        [&task["status"], &task["ended_because"], &task["exit_code"]],
        [&json!("failed"), &json!("agent_exited"), &json!(-9)],
        "{task}"
    );
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// What a lost host leaves is found by its mark, also what made itself a session of its own or forked twice.
#[test]
fn server_and_host_are_killed_and_everything_they_started_is_found() {
    let scene = Scene::new();
    let first = scene.server();
    let id = under_way(&first, "[[spawn_child]][[spawn_setsid:3600:stubborn]][[spawn_daemon]]");
    let started = scene.world.mark().processes();
    let host = scene.host();
    first.killed();
    kill(host);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "host_lost"], "{task}");
    assert_eq!(task["stop_receipt"]["tree_empty"], true);
    let left: Vec<_> = started.iter().filter(|process| is_alive(process.pid)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(next.said(&id), "half ", "what the host had passed on counts");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

#[test]
fn server_host_and_agent_are_killed_and_a_descendant_lives() {
    let scene = Scene::new();
    let first = scene.server();
    let id = under_way(&first, "[[spawn_setsid]]");
    let (host, agent) = (scene.host(), scene.agent());
    first.killed();
    kill(host);
    kill(agent);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "host_lost"], "{task}");
    assert!(scene.agents().is_empty());
    next.end();
    scene.assert_nothing_left();
}

#[test]
fn a_kept_agent_loses_its_host() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn_with(json!({"prompt": "", "keep_idle": 600}));
    let task = server.ended(&id);
    kill(scene.host());
    let lease = server.wait_lease(&id, "ended");
    assert_eq!(lease["reason"], "the host process of the agent was lost while it was idle");
    assert_eq!(server.task(&id)["status"], "succeeded");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

/// Tasks of two servers that die together: each is ended once by the third.
#[test]
fn two_servers_are_killed() {
    let scene = Scene::new();
    let (first, second) = (scene.server(), scene.server());
    let ids = [under_way(&first, ""), under_way(&second, ""), under_way(&second, "")];
    first.killed();
    second.killed();
    scene.mark("go");
    let next = scene.server();
    for id in &ids {
        assert_eq!(next.ended(id)["status"], "succeeded");
        assert_eq!(next.said(id), "half done");
    }
    next.end();
    scene.assert_nothing_left();
}

/// Several servers find a dead one's work at the same moment, running and kept: one takes each over, and all of them
/// see the same end.
#[test]
fn three_servers_recover_at_the_same_moment() {
    let scene = Scene::new();
    let first = scene.server();
    let kept = first.spawn_with(json!({"prompt": "", "keep_idle": 600, "keep_turns": 3}));
    let handle = first.ended(&kept)["kept_agent"]["handle"].clone();
    let further = first.spawn_with(json!({"prompt": "[[wait_file:go]][[say:more]]", "on_agent": handle}));
    let ids = [under_way(&first, ""), under_way(&first, ""), under_way(&first, "")];
    // Two live already and see it die; three more start on what it left.
    let mut servers = vec![scene.server(), scene.server()];
    first.killed();
    let starting: Vec<Server> = thread::scope(|scope| {
        let handles: Vec<_> = (0..3).map(|_| scope.spawn(|| scene.server())).collect();
        handles.into_iter().map(|handle| handle.join().expect("a server")).collect()
    });
    servers.extend(starting);
    scene.mark("go");
    for server in &servers {
        for id in &ids {
            assert_eq!(server.ended(id)["status"], "succeeded");
            assert_eq!(server.said(id), "half done");
        }
        let task = server.ended(&further);
        assert_eq!([&task["final_message"], &task["kept_agent"]["state"]], ["more", "kept"], "{task}");
    }
    let owners: Vec<Value> = servers.iter().map(|server| server.task(&further)["server"].clone()).collect();
    assert!(owners.iter().all(|owner| *owner == owners[0]), "{owners:?}");
    let released =
        servers.iter().filter(|server| server.client.call("release_agent", json!({"handle": handle})).is_ok());
    assert_eq!(released.count(), 1, "one of them has the kept agent");
    for server in servers {
        server.end();
    }
    scene.assert_nothing_left();
}

/// Nobody has to start a server: one that lives takes over.
#[test]
fn a_living_server_takes_over_without_a_restart() {
    let scene = Scene::new();
    let (first, other) = (scene.server(), scene.server());
    let id = under_way(&first, "");
    let before = other.task(&id)["server"].clone();
    first.killed();
    scene.mark("go");
    let task = other.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "half done"], "{task}");
    assert_ne!(task["server"], before);
    other.assert_session_free(&task);
    other.end();
    scene.assert_nothing_left();
}

/// A server that dies on its way through the recovery of another leaves it to the next.
#[test]
fn servers_are_killed_while_they_recover() {
    let scene = Scene::new();
    let first = scene.server();
    let ids: Vec<String> = (0..6).map(|_| under_way(&first, "")).collect();
    first.killed();
    for _ in 0..4 {
        // `initialize` is answered before or in the middle of the recovery.
        scene.server().killed();
    }
    scene.mark("go");
    let last = scene.server();
    for id in &ids {
        assert_eq!(last.ended(id)["status"], "succeeded");
        assert_eq!(last.said(id), "half done");
    }
    last.end();
    scene.assert_nothing_left();
}
