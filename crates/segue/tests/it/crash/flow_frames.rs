//! `kill -9` of `segue app` at each message between it and the agent of the reference flow, and of the agent's host with
//! it. The agent stands still at the message, so that every stage of the conversation is met: what was sent and not
//! acted on, and what was written and perhaps not read.

use rustix::process::Signal;
use segue_testkit::app_server::AppServer;
use serde_json::json;

use super::{
    flow_scene::FlowScene,
    flow_stages::only_under_way,
    scene::{is_alive, kill, wait_for},
};

/// Far more than a conversation has: one that gets there would go on for ever.
const MESSAGES: usize = 60;
/// A conversation with two questions has at least so many in either direction.
const AT_LEAST: usize = 6;

/// The reference flow under way, with its agent held at a message.
struct Held {
    flow: FlowScene,
    app: AppServer,
    run: String,
}

impl Held {
    /// `None` when the conversation has fewer messages.
    fn at(direction: &str, message: usize) -> Option<Held> {
        let flow = FlowScene::new();
        let files = flow.scene.world.workspace().join("message");
        flow.scene.world.scripted(direction, &format!("{message}:{}", files.display()));
        let app = flow.start();
        let run = flow.admit(&app);
        let mut over = false;
        wait_for("the agent to be held or the node to end", || {
            let outcome = app.ask("GET", &format!("/api/v1/runs/{run}/outcome"), None).1;
            over = outcome["nodes"][1]["status"] == "succeeded";
            over || files.with_extension("held").exists()
        });
        if over {
            flow.finish(&app, &run);
            assert_eq!(app.stop(Signal::TERM), "exit 0");
            flow.scene.assert_nothing_left();
            return None;
        }
        Some(Held { flow, app, run })
    }

    fn let_go(flow: &FlowScene) {
        flow.scene.mark("message.go");
    }

    fn prompts(flow: &FlowScene) -> usize {
        flow.scene.world.received_params("session/prompt").len()
    }
}

/// Calls with each message of a direction in turn.
fn each(direction: &str, meet: impl Fn(usize, Held, &str)) {
    for message in 1..MESSAGES {
        let why = format!("message {message} of {direction}");
        match Held::at(direction, message) {
            Some(held) => meet(message, held, &why),
            None => {
                assert!(message > AT_LEAST, "{why}: so few");
                return;
            }
        }
    }
    panic!("{direction} has no end");
}

/// The agent and its host live: the Run ends as if nothing had happened.
fn server_killed(direction: &str) {
    each(direction, |message, Held { flow, app, run }, why| {
        app.kill();
        // For every other message the agent goes on while nobody is there.
        if message % 2 == 0 {
            Held::let_go(&flow);
        }
        let app = flow.start();
        Held::let_go(&flow);
        flow.assert_undisturbed(&app, &run, why);
        assert_eq!(Held::prompts(&flow), 1, "{why}");
        assert_eq!(app.stop(Signal::TERM), "exit 0", "{why}");
        flow.scene.assert_nothing_left();
    });
}

#[test]
fn the_server_is_killed_at_each_message_to_the_agent() {
    server_killed("HOLD_IN");
}

#[test]
fn the_server_is_killed_at_each_message_of_the_agent() {
    server_killed("HOLD_OUT");
}

/// Nobody knows what the agent did: nothing is sent to another one, what others did is kept, and a fork goes on.
fn all_killed(direction: &str) {
    each(direction, |_, Held { flow, app, run }, why| {
        only_under_way(&flow, &app, &run, "draft");
        let (begun, sent) = (flow.counts("draft")[0], Held::prompts(&flow));
        app.kill();
        for host in flow.scene.hosts() {
            kill(host);
        }
        let left: Vec<i32> = flow.scene.processes(|_| true);
        let app = flow.start();
        wait_for("what the hosts had to be ended", || left.iter().all(|pid| !is_alive(*pid)));
        let outcome = flow.finish(&app, &run);
        let settled: Vec<&str> =
            outcome["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["status"].as_str()).collect();
        // The agent had answered the prompt, and its host had written that down.
        if outcome["status"] == "succeeded" {
            flow.assert_undisturbed(&app, &run, why);
        } else {
            assert_eq!(settled[..3], ["succeeded", "failed", "succeeded"], "{why}: {outcome}");
            flow.assert_accounted(&app, &run, why);
            assert_eq!(flow.counts("draft")[0], begun, "{why}: the agent is not started again");
            let (_, reason) = app.ask("GET", &format!("/api/v1/runs/{run}/why"), None);
            assert!(reason.to_string().contains(&format!("fork {run} from node \\\"draft\\\"")), "{why}: {reason}");
            let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "draft"});
            let path = format!("/api/v1/runs/{run}/forks");
            assert_eq!(app.ask("POST", &path, Some(&fork)).0, 428, "{why}: once that is allowed");
        }
        assert_eq!(Held::prompts(&flow), sent, "{why}: no prompt is sent twice");
        assert_eq!(app.stop(Signal::TERM), "exit 0", "{why}");
        flow.scene.assert_nothing_left();
    });
}

#[test]
fn server_and_host_are_killed_at_each_message_to_the_agent() {
    all_killed("HOLD_IN");
}

#[test]
fn server_and_host_are_killed_at_each_message_of_the_agent() {
    all_killed("HOLD_OUT");
}
