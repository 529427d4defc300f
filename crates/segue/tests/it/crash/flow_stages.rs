//! `kill -9` of `segue app` at each stage of the reference flow, and of the hosts with it. What was accepted is kept,
//! nothing that may have written outside is done again, and the Run ends as an undisturbed one or says how to go on.

use rustix::process::Signal;
use segue_testkit::app_server::AppServer;
use serde_json::{Value, json};

use super::{
    flow_scene::{Before, FlowScene, NODES},
    scene::{is_alive, kill, wait_for},
};

#[test]
fn a_run_that_nothing_happens_to() {
    let flow = FlowScene::new();
    let app = flow.start();
    let run = flow.admit(&app);
    flow.assert_undisturbed(&app, &run, "nothing");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// Kills the server with a node held, once each before and after what it does outside, once each with the process going
/// on before the next server comes and after.
fn killed_with(node: &str) {
    for before in [Before::Effect, Before::End] {
        for unattended in [false, true] {
            let why = format!("killed before the {before:?} of {node}, unattended: {unattended}");
            let flow = FlowScene::new();
            flow.hold(node, before);
            let app = flow.start();
            let run = flow.admit(&app);
            if node == "join" {
                flow.answer(&app, &run);
            }
            flow.wait_held(node, before);
            app.kill();
            if unattended {
                flow.let_go(node, before);
                // An agent that asks waits for somebody who answers.
                if (node, before) != ("draft", Before::Effect) {
                    flow.wait_ended(node);
                }
            }
            let app = flow.start();
            flow.let_go(node, before);
            flow.assert_undisturbed(&app, &run, &why);
            assert_eq!(app.stop(Signal::TERM), "exit 0", "{why}");
            flow.scene.assert_nothing_left();
        }
    }
}

#[test]
fn killed_while_a_tool_reads() {
    killed_with("read");
}

#[test]
fn killed_while_an_agent_works() {
    killed_with("draft");
}

#[test]
fn killed_while_a_tool_writes() {
    killed_with("write");
}

#[test]
fn killed_while_an_evaluator_judges() {
    killed_with("gate");
}

#[test]
fn killed_while_branches_are_joined() {
    killed_with("join");
}

/// The agent's host lives, so the next server goes on in the middle of the handshake.
#[test]
fn killed_while_an_agent_starts() {
    let flow = FlowScene::new();
    flow.scene.world.scripted("INITIALIZE", "slow:700");
    let app = flow.start();
    let run = flow.admit(&app);
    flow.scene.wait_received("initialize", 1);
    app.kill();
    app_dies_twice(&flow);
    let app = flow.start();
    flow.assert_undisturbed(&app, &run, "while the agent started");
    assert_eq!(flow.scene.world.received_params("session/prompt").len(), 1);
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// Both branches are under way, and each server dies as well.
#[test]
fn killed_again_and_again_with_two_branches_under_way() {
    let flow = FlowScene::new();
    for node in ["draft", "write"] {
        flow.hold(node, Before::Effect);
        flow.hold(node, Before::End);
    }
    let app = flow.start();
    let run = flow.admit(&app);
    for before in [Before::Effect, Before::End] {
        for node in ["draft", "write"] {
            flow.wait_held(node, before);
        }
        app_dies_twice(&flow);
        for node in ["draft", "write"] {
            flow.let_go(node, before);
        }
    }
    drop(app);
    let app = flow.start();
    flow.assert_undisturbed(&app, &run, "again and again");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// Two servers that find the work and die.
fn app_dies_twice(flow: &FlowScene) {
    for _ in 0..2 {
        let app = flow.start();
        let (_, runs) = app.ask("GET", "/api/v1/runs", None);
        assert_eq!(runs["items"][0]["status"], "running");
        app.kill();
    }
}

/// A person who was asked is asked still, and who answered is not asked again.
#[test]
fn killed_while_a_person_is_asked_and_right_after_the_answer() {
    let flow = FlowScene::new();
    flow.hold("join", Before::Effect);
    let app = flow.start();
    let run = flow.admit(&app);
    let waiting = |app: &AppServer| app.ask("GET", &format!("/api/v1/runs/{run}"), None).1["waiting"] == true;
    wait_for("the question", || waiting(&app));
    app.kill();
    let app = flow.start();
    wait_for("the question again", || waiting(&app));
    flow.answer(&app, &run);
    app.kill();
    let app = flow.start();
    flow.let_go("join", Before::Effect);
    flow.assert_accounted(&app, &run, "around the answer");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// The server is killed as soon as so many events are seen, for every third number of them, whatever it is doing then.
#[test]
fn killed_at_events_along_the_way() {
    for seen in (2..34).step_by(3) {
        let flow = FlowScene::new();
        let app = flow.start();
        let run = flow.admit(&app);
        let mut connection = app.connect();
        wait_for("so many events", || {
            let (_, state) = connection.ask("GET", &format!("/api/v1/runs/{run}"), None);
            if state["waiting"] == true {
                flow.answer(&app, &run);
            }
            state["event_count"].as_u64().expect("a number") >= seen || state["status"] != "running"
        });
        app.kill();
        let app = flow.start();
        flow.assert_accounted(&app, &run, &format!("killed at {seen} events"));
        assert_eq!(app.stop(Signal::TERM), "exit 0");
        flow.scene.assert_nothing_left();
    }
}

/// Waits until all that does not depend on a held node is accepted: only that node is under way.
pub fn only_under_way(flow: &FlowScene, app: &AppServer, run: &str, node: &str) {
    let accepted: &[&str] = match node {
        "draft" | "gate" => &["write"],
        "write" => &["gate"],
        _ => &[],
    };
    flow.until(app, run, |outcome| {
        let nodes = outcome["nodes"].as_array().expect("nodes");
        let done =
            |wanted: &&str| nodes.iter().any(|node| node["node_id"] == **wanted && node["status"] == "succeeded");
        accepted.iter().all(done)
    });
}

/// Kills server and hosts. The programs themselves live on until the next server ends them.
fn all_killed_with(flow: &FlowScene, node: &str, before: Before) -> (AppServer, String) {
    flow.hold(node, before);
    let app = flow.start();
    let run = flow.admit(&app);
    if node == "join" {
        flow.answer(&app, &run);
    }
    flow.wait_held(node, before);
    only_under_way(flow, &app, &run, node);
    app.kill();
    for host in flow.scene.hosts() {
        kill(host);
    }
    let left: Vec<i32> = flow.scene.processes(|_| true);
    let app = flow.start();
    wait_for("what the hosts had to be ended", || left.iter().all(|pid| !is_alive(*pid)));
    (app, run)
}

#[test]
fn what_only_read_is_done_again_when_its_host_is_lost() {
    for node in ["read", "gate", "join"] {
        let flow = FlowScene::new();
        let (app, run) = all_killed_with(&flow, node, Before::Effect);
        flow.let_go(node, Before::Effect);
        let outcome = flow.finish(&app, &run);
        assert_eq!(outcome["status"], "succeeded", "{node}: {outcome}");
        assert_eq!(flow.counts(node), [2, 1, 1], "{node}");
        for other in NODES.iter().filter(|other| **other != node) {
            assert_eq!(flow.counts(other), [1, 1, 1], "{other}, with {node} lost");
        }
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        let lost: Vec<&Value> = evidence["events"]
            .as_array()
            .expect("events")
            .iter()
            .filter(|event| event["event_type"] == "attempt.lost")
            .map(|event| &event["payload"]["reason"])
            .collect();
        assert_eq!(lost, ["crash"], "{node}");
        assert_eq!(app.stop(Signal::TERM), "exit 0");
        flow.scene.assert_nothing_left();
    }
}

#[test]
fn what_may_have_written_is_uncertain_when_its_host_is_lost_and_a_fork_goes_on() {
    for (node, before) in [("draft", Before::Effect), ("write", Before::Effect), ("write", Before::End)] {
        let flow = FlowScene::new();
        let (app, run) = all_killed_with(&flow, node, before);
        let outcome = flow.finish(&app, &run);
        let acted = usize::from(before == Before::End);
        assert_eq!(
            [&outcome["status"], &outcome["failure"]],
            [&json!("failed"), &json!({"code": "node_failed", "node_id": node, "repair_from_node_id": null})],
            "{node}: {outcome}"
        );
        assert_eq!(flow.counts(node), [1, acted, 0], "{node} is not begun again");
        let (_, evidence) = app.ask("GET", &format!("/api/v1/runs/{run}/evidence"), None);
        let events = evidence["events"].as_array().expect("events");
        let of = |kind: &str| -> Vec<String> {
            events
                .iter()
                .filter(|event| event["event_type"] == kind)
                .map(|event| event["payload_json"].as_str().expect("text").to_owned())
                .collect()
        };
        assert_eq!(of("node.failed"), ["{\"reason\":\"runtime_interrupted\"}"], "the published payload");
        assert_eq!(of("run.interrupted"), ["{\"reason\":\"runtime_interrupted\"}"]);
        let (_, why) = app.ask("GET", &format!("/api/v1/runs/{run}/why"), None);
        assert!(why.to_string().contains(&format!("fork {run} from node \\\"{node}\\\"")), "{why}");
        // Somebody has looked, and does it again on purpose.
        flow.let_go(node, before);
        let path = format!("/api/v1/runs/{run}/forks");
        let mut fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": node});
        let (status, challenge) = app.ask("POST", &path, Some(&fork));
        assert_eq!(status, 428, "{challenge}");
        fork["contract_version"] = "symphlo.authorized-run-fork-request.v1".into();
        fork["effect_authorization"] = challenge["authorization"].clone();
        let (status, admitted) = app.ask("POST", &path, Some(&fork));
        assert_eq!(status, 202, "{admitted}");
        let child = admitted["run_id"].as_str().expect("an id");
        assert_eq!(flow.finish(&app, child)["status"], "succeeded");
        assert_eq!(flow.counts(node), [2, acted + 1, 1], "{node}");
        assert_eq!(flow.counts("read"), [1, 1, 1], "what was accepted is kept");
        assert_eq!(app.stop(Signal::TERM), "exit 0");
        flow.scene.assert_nothing_left();
    }
}

/// Hosts die under a server that lives: the same, without a restart.
#[test]
fn the_host_of_a_writer_is_killed_under_a_living_server() {
    let flow = FlowScene::new();
    flow.hold("write", Before::End);
    flow.hold("draft", Before::Effect);
    let app = flow.start();
    let run = flow.admit(&app);
    flow.wait_held("write", Before::End);
    flow.wait_held("draft", Before::Effect);
    let hosts = flow.scene.hosts();
    let of_write =
        hosts.iter().copied().find(|host| children(*host).iter().any(|command| command.contains("step write")));
    kill(of_write.expect("the host of the writer"));
    flow.until(&app, &run, |outcome| outcome["nodes"][2]["status"] == "failed");
    let (_, active) = app.ask("GET", &format!("/api/v1/runs/{run}"), None);
    assert_eq!(active["status"], "running", "the other branch is under way");
    flow.let_go("draft", Before::Effect);
    let outcome = flow.finish(&app, &run);
    let statuses: Vec<&Value> =
        outcome["nodes"].as_array().expect("nodes").iter().map(|node| &node["status"]).collect();
    assert_eq!(statuses, ["succeeded", "succeeded", "failed", "skipped", "skipped", "skipped", "skipped"], "{outcome}");
    assert_eq!((flow.counts("write"), flow.counts("draft")), ([1, 1, 0], [1, 1, 1]), "what was under way is awaited");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// Command lines of the children of a process.
fn children(pid: i32) -> Vec<String> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let read = |child: &str| std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
    children.split_ascii_whitespace().map(|child| String::from_utf8_lossy(&read(child)).replace('\0', " ")).collect()
}

/// Two servers on one folder: one drives, the other one shows; when the first dies the other one goes on.
#[test]
fn a_second_server_goes_on_when_the_first_is_killed() {
    let flow = FlowScene::new();
    flow.hold("write", Before::End);
    let (first, second) = (flow.start(), flow.start());
    let run = flow.admit(&first);
    flow.wait_held("write", Before::End);
    let (status, shown) = second.ask("GET", &format!("/api/v1/runs/{run}"), None);
    assert_eq!((status, &shown["status"]), (200, &json!("running")));
    flow.answer(&second, &run);
    first.kill();
    flow.let_go("write", Before::End);
    flow.assert_undisturbed(&second, &run, "driven by the second");
    assert_eq!(second.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}
