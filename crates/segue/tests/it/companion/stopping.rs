//! Cancellation (§12.3), and the rule of one active Run (§7.1).

use serde_json::{Value, json};

use super::{Companion, chain, run_request};
use crate::contract::served::wait_for;

const UNKNOWN: &str = "11111111-1111-4111-8111-111111111111";

fn request(flow: &str) -> Value {
    json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": flow})
}

/// A flow that goes on until it is cancelled, its first Run under way.
fn under_way(companion: &Companion) -> String {
    let script = "echo >> begun; exec tail -f /dev/null";
    companion.add("tool.endless", "cli", &["execute_process"], script);
    companion
        .save(&chain("endless-flow", &[("only", "tool.task", Some("tool.endless")), ("after", "artifact.task", None)]));
    let run = companion.admit("endless-flow", &json!({}));
    let begun = companion.world.workspace().join("begun");
    wait_for("the tool to begin", || begun.exists());
    run
}

#[test]
fn one_request_of_many_cancels_and_the_others_hear_what_is() {
    let companion = Companion::new();
    let run = under_way(&companion);
    let active = companion.until(&run, |_| true);
    let node = |id: &str, kind: &str, status: &str| json!({"node_id": id, "node_type": kind, "status": status});
    let expected = json!({
        "contract_version": "symphlo.run-outcome.v1", "run_id": run, "flow_id": "endless-flow", "status": "running",
        "started_at": active["started_at"], "finished_at": null, "progress": {"settled_nodes": 0, "total_nodes": 2},
        "nodes": [node("only", "tool.task", "running"), node("after", "artifact.task", "pending")], "artifacts": [],
        "failure": null,
    });
    assert_eq!(active, expected);
    let path = format!("/api/v1/runs/{run}/cancellations");
    let mut connections: Vec<_> = (0..10).map(|_| companion.server.connect()).collect();
    let body = request("endless-flow").to_string();
    for connection in &mut connections {
        connection.begin("POST", &path, &[], Some(&body));
    }
    let replies: Vec<(u16, Value)> =
        connections.iter_mut().map(super::Connection::reply).map(|reply| (reply.status, reply.json())).collect();
    let mut accepted = 0;
    for (status, value) in &replies {
        let was_accepted = value["accepted"] == true;
        accepted += usize::from(was_accepted);
        assert_eq!(*status, if was_accepted { 202 } else { 200 }, "{value}");
        let word = value["status"].as_str().expect("a status");
        assert!(["cancel_requested", "cancelled"].contains(&word), "{value}");
        let expected = json!({"contract_version": "symphlo.run-cancellation.v1", "run_id": run, "flow_id": "endless-flow",
            "status": word, "accepted": was_accepted});
        assert_eq!(*value, expected);
    }
    assert_eq!(accepted, 1, "{replies:?}");
    let outcome = companion.ended(&run);
    let mut expected = active.clone();
    expected["status"] = "cancelled".into();
    expected["finished_at"] = outcome["finished_at"].clone();
    expected["progress"]["settled_nodes"] = 2.into();
    expected["nodes"] = json!([node("only", "tool.task", "cancelled"), node("after", "artifact.task", "skipped")]);
    assert_eq!(outcome, expected);
    let after = companion.post(&path, &request("endless-flow"), 200);
    assert_eq!((&after["status"], &after["accepted"]), (&json!("cancelled"), &json!(false)), "it is not rewritten");
    let evidence = companion.evidence(&run);
    let known = evidence["events"].as_array().expect("events");
    let tail: Vec<Value> = known[known.len() - 3..]
        .iter()
        .map(|event| json!([event["event_type"], event["node_id"], event["payload_json"]]))
        .collect();
    let expected = json!([
        ["run.cancel_requested", null, "{\"reason\":\"user_requested\"}"],
        ["node.cancelled", "only", "{\"reason\":\"run_cancelled\"}"],
        ["run.cancelled", null, "{\"reason\":\"user_requested\"}"],
    ]);
    assert_eq!(Value::from(tail), expected);
    companion.end();
}

#[test]
fn a_cancellation_that_does_not_fit_changes_nothing() {
    let companion = Companion::new();
    let run = under_way(&companion);
    let path = format!("/api/v1/runs/{run}/cancellations");
    for (what, path, body, status) in [
        ("another flow", path.clone(), request("other-flow"), 409),
        ("blanks around it", path.clone(), request(" endless-flow"), 400),
        ("no flow", path.clone(), request(""), 400),
        ("a long flow", path.clone(), request(&"x".repeat(129)), 400),
        ("a query", format!("{path}?x=1"), request("endless-flow"), 400),
        (
            "another version",
            path.clone(),
            json!({"contract_version": "symphlo.run-cancellation-request.v2", "flow_id": "endless-flow"}),
            400,
        ),
        (
            "a member too many",
            path.clone(),
            json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": "endless-flow", "x": 1}),
            400,
        ),
        ("an unknown run", format!("/api/v1/runs/{UNKNOWN}/cancellations"), request("endless-flow"), 404),
    ] {
        assert_eq!(companion.refused("POST", &path, Some(&body)), status, "{what}");
    }
    assert_eq!(companion.until(&run, |_| true)["status"], "running");
    companion.end();
}

/// 400 and 404 come before 409, and 409 before 428; nothing is created by any of them.
#[test]
fn refusals_come_in_the_published_order() {
    let companion = Companion::with(&["--max-active-runs", "1"]);
    let run = under_way(&companion);
    companion.add("tool.writes", "cli", &["write_external"], "cat");
    companion.save(&chain("writing-flow", &[("only", "tool.task", Some("tool.writes"))]));
    let admit = |flow: &str, inputs: Value| {
        companion.refused("POST", &format!("/api/v1/flows/{flow}/runs"), Some(&run_request(&inputs)))
    };
    assert_eq!(admit("nothing-there", json!({})), 404);
    assert_eq!(admit("writing-flow", json!({"undeclared": 1})), 400);
    assert_eq!(admit("writing-flow", json!({})), 409, "room comes before effects");
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "only"});
    assert_eq!(companion.refused("POST", &format!("/api/v1/runs/{run}/forks"), Some(&fork)), 400, "it is active");
    assert_eq!(companion.get("/api/v1/runs")["items"].as_array().map(Vec::len), Some(1));
    companion.post(&format!("/api/v1/runs/{run}/cancellations"), &request("endless-flow"), 202);
    companion.ended(&run);
    companion.post("/api/v1/flows/writing-flow/runs", &run_request(&json!({})), 428);
    companion.end();
}

/// An orderly end cancels what runs; a companion that comes back finds it so.
#[test]
fn a_companion_comes_back_to_what_it_left() {
    let mut companion = Companion::new();
    let run = under_way(&companion);
    let next = super::AppServer::start(&companion.world);
    let first = std::mem::replace(&mut companion.server, next);
    assert_eq!(first.stop(rustix::process::Signal::TERM), "exit 0");
    let outcome = companion.ended(&run);
    assert_eq!(outcome["status"], "cancelled");
    let history = companion.get("/api/v1/run-history?flow_id=endless-flow&limit=1");
    assert_eq!((&history["items"][0]["run_id"], &history["items"][0]["status"]), (&json!(run), &json!("cancelled")));
    companion.end();
}
