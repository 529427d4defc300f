//! What a Run stands on goes: its workspace, the room on the disk, the time of its server. Nothing that was accepted is
//! lost, what needs the missing thing says so, and the server lives.

use std::{fs, time::Duration};

use rustix::process::Signal;
use segue_testkit::app_server::AppServer;
use serde_json::{Value, json};

use super::{
    flow_damage::{admit, ended, save, tool},
    flow_scene::{Before, FlowScene},
    flow_stages::only_under_way,
    scene::{Scene, freeze, is_alive, thaw, wait_for},
    silence::pass,
    storage::SmallDisk,
};

fn pid(app: &AppServer) -> i32 {
    i32::try_from(app.pid()).expect("a pid")
}

fn statuses(outcome: &Value) -> Vec<&str> {
    outcome["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["status"].as_str()).collect()
}

/// S53: the workspace is deleted while a node runs and before the next one starts.
#[test]
fn a_workspace_that_is_deleted_fails_what_needs_it_by_name() {
    let scene = Scene::new();
    let app = AppServer::start(&scene.world);
    let file = |name: &str| scene.world.home().join(name);
    let waits = format!(
        "cat > /dev/null; echo > {}; until [ -e {} ]; do sleep 0.02; done; echo '{{\"seen\":1}}'",
        file("begun").display(),
        file("go").display()
    );
    tool(&app, &scene.world, "tool.waits", &waits);
    tool(&app, &scene.world, "tool.next", "cat");
    let agent = json!({"id": "agent.next", "kind": "acp_agent", "name": "next", "config": {"agent": "claude_code"}});
    assert_eq!(app.ask("POST", "/api/v1/capabilities", Some(&agent)).0, 201);
    for (flow, kind, capability) in
        [("tool-flow", "tool.task", "tool.next"), ("agent-flow", "agent.task", "agent.next")]
    {
        let steps = json!([{"id": "first", "type": "tool.task", "params": {"capability_id": "tool.waits"}},
            {"id": "next", "type": kind, "from": "first", "prompt": "[[say:here]]", "params": {"capability_id": capability}},
            {"id": "last", "type": "tool.task", "from": "next", "params": {"capability_id": "tool.next"}}]);
        save(&app, flow, &steps);
        let run = admit(&app, flow);
        wait_for("the first node to be under way", || file("begun").exists());
        fs::remove_dir_all(scene.world.workspace()).expect("to be deleted");
        fs::write(file("go"), "").expect("a file");
        let outcome = ended(&app, &run);
        assert_eq!(statuses(&outcome), ["succeeded", "failed", "skipped"], "{flow}: {outcome}");
        let (_, why) = app.ask("GET", &format!("/api/v1/runs/{run}/why"), None);
        assert!(why["lines"][0]["text"].as_str().is_some_and(|text| text.contains("workspace")), "{flow}: {why}");
        // Nothing that was deleted comes back on its own.
        assert!(!scene.world.workspace().exists());
        assert_eq!(app.ask("GET", "/api/v1/system/status", None).0, 200);
        // With the folder there again a fork goes on.
        fs::create_dir(scene.world.workspace()).expect("a folder");
        let mut fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "next"});
        let path = format!("/api/v1/runs/{run}/forks");
        let (mut status, mut forked) = app.ask("POST", &path, Some(&fork));
        if status == 428 {
            fork["contract_version"] = "symphlo.authorized-run-fork-request.v1".into();
            fork["effect_authorization"] = forked["authorization"].clone();
            (status, forked) = app.ask("POST", &path, Some(&fork));
        }
        assert_eq!(status, 202, "{flow}: {forked}");
        let outcome = ended(&app, forked["run_id"].as_str().expect("an id"));
        assert_eq!(statuses(&outcome), ["reused", "succeeded", "succeeded"], "{flow}: {outcome}");
        for name in ["begun", "go"] {
            fs::remove_file(file(name)).expect("a file");
        }
    }
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    scene.assert_nothing_left();
}

/// The reference flow on a small disk, with a node that writes under way and no byte free. Beside it the agent is under
/// way as well, or has ended.
fn on_a_full_disk(agent: bool) -> Option<(SmallDisk, FlowScene, AppServer, String)> {
    let scene = Scene::new();
    let disk = SmallDisk::under(&scene)?;
    let flow = FlowScene::of(scene);
    flow.hold("write", Before::End);
    if agent {
        flow.hold("draft", Before::Effect);
    }
    let app = flow.start();
    let run = flow.admit(&app);
    flow.wait_held("write", Before::End);
    if agent {
        flow.wait_held("draft", Before::Effect);
    } else {
        only_under_way(&flow, &app, &run, "write");
    }
    disk.fill();
    flow.let_go("write", Before::End);
    flow.wait_ended("write");
    Some((disk, flow, app, run))
}

#[test]
fn a_full_disk_loses_nothing_of_a_run() {
    let Some((disk, flow, app, run)) = on_a_full_disk(false) else { return };
    // What is recorded can be read, and what cannot be recorded is refused.
    let (status, shown) = app.ask("GET", &format!("/api/v1/runs/{run}"), None);
    assert_eq!((status, &shown["status"]), (200, &json!("running")));
    let document = json!({"flow": {"schema_version": 1, "id": "another-flow", "name": "x".repeat(100),
        "description": "x".repeat(400), "padding": "x".repeat(60_000),
        "steps": [{"id": "write-article", "type": "agent.task"}]}});
    let (status, refusal) = app.ask("POST", "/api/flows", Some(&document));
    assert!(status >= 500 && refusal["error"].is_string(), "{status} {refusal}");
    assert_eq!(app.ask("GET", "/api/v1/runs", None).0, 200);
    disk.free();
    flow.assert_undisturbed(&app, &run, "a full disk");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

#[test]
fn a_server_of_a_run_is_killed_on_a_full_disk() {
    let Some((disk, flow, app, run)) = on_a_full_disk(false) else { return };
    app.kill();
    disk.free();
    let app = flow.start();
    flow.assert_undisturbed(&app, &run, "killed on a full disk");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// S50: what ended with its server is not told as the agent's failure, even when the record could not be written.
#[test]
fn a_server_of_a_run_is_stopped_on_a_full_disk() {
    let Some((disk, flow, app, run)) = on_a_full_disk(true) else { return };
    let status = std::thread::scope(|scope| {
        let stopping = scope.spawn(|| app.stop(Signal::TERM));
        wait_for("the agent to be ended", || flow.scene.agents().is_empty());
        disk.free();
        stopping.join().expect("an end")
    });
    // It either found room in time or says that it did not.
    assert!(["exit 0", "exit 1"].contains(&status.as_str()), "{status}");
    let app = flow.start();
    let outcome = flow.finish(&app, &run);
    let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
    let said = evidence["events"].as_array().and_then(|events| events.last()).expect("an end").to_string();
    match outcome["status"].as_str() {
        Some("cancelled") => assert!(said.contains("runtime_shutdown"), "{said}"),
        Some("failed") => assert!(said.contains("RuntimeInterrupted"), "{said}"),
        _ => panic!("{outcome}"),
    }
    assert_eq!(flow.counts("write"), [1, 1, 1], "what writes is done once");
    assert_eq!(flow.counts("draft"), [1, 0, 0], "and so is what was under way");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// S68: the time of a node and of a question passes while the server stands still. On waking either is over, once.
#[test]
fn what_is_overdue_when_a_server_wakes_is_over_once() {
    let scene = Scene::new();
    let app = AppServer::start(&scene.world);
    tool(&app, &scene.world, "tool.rests", "echo $$ > rests; exec sleep 600");
    let steps =
        json!([{"id": "rest", "type": "tool.task", "timeout_seconds": 1, "params": {"capability_id": "tool.rests"}}]);
    save(&app, "slow-flow", &steps);
    let ask = json!([{"id": "ask", "type": "human.task", "prompt": "Good?", "params": {"expires_seconds": 1}}]);
    save(&app, "ask-flow", &ask);
    let (slow, asked) = (admit(&app, "slow-flow"), admit(&app, "ask-flow"));
    let rests = scene.world.workspace().join("rests");
    let read = || fs::read_to_string(&rests).ok().and_then(|text| text.trim().parse::<i32>().ok());
    wait_for("the program to run", || read().is_some());
    freeze(pid(&app));
    pass(Duration::from_millis(1_500));
    assert!(is_alive(read().expect("a pid")));
    thaw(pid(&app));
    for (run, node) in [(&slow, "rest"), (&asked, "ask")] {
        let outcome = ended(&app, run);
        let failed = json!({"code": "node_failed", "node_id": node, "repair_from_node_id": null});
        assert_eq!([&outcome["status"], &outcome["failure"]], [&json!("failed"), &failed], "{outcome}");
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        let kinds: Vec<&str> = evidence["events"]
            .as_array()
            .expect("events")
            .iter()
            .filter_map(|event| event["event_type"].as_str())
            .collect();
        for once in ["node.failed", "run.failed"] {
            assert_eq!(kinds.iter().filter(|kind| **kind == once).count(), 1, "{node}: {kinds:?}");
        }
    }
    wait_for("the program to be ended", || !is_alive(read().expect("a pid")));
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    scene.assert_nothing_left();
}
