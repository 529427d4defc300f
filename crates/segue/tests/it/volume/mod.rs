//! Many Runs at once, with a real process each. What is counted is Runs; no time is judged.

use std::collections::BTreeSet;

use segue_testkit::app_server::AppServer;
use serde_json::{Value, json};

use crate::contract::served::{wait_for, world};

const RUNS: usize = 200;
/// Who asks at the same time.
const CLIENTS: usize = 8;

/// Also on two cores all of them end, each with its own result, and none is lost or doubled.
#[test]
fn two_hundred_runs_with_processes_of_their_own() {
    let world = world();
    world.install_script("each", "echo >> calls; cat");
    let app = AppServer::start_with(&world, &["--max-active-runs", &RUNS.to_string()]);
    let tool = json!({"id": "tool.each", "kind": "cli", "name": "each", "effects": ["execute_process", "read_local"],
        "timeout_seconds": 600, "config": {"executable": "each"}});
    assert_eq!(app.ask("POST", "/api/v1/capabilities", Some(&tool)).0, 201);
    let step = json!({"id": "only", "type": "tool.task", "params": {"capability_id": "tool.each"}});
    let flow = json!({"schema_version": 1, "id": "each-flow", "name": "Each", "steps": [step],
        "inputs": {"number": {"type": "integer", "required": true}}});
    assert_eq!(app.ask("POST", "/api/flows", Some(&json!({"flow": flow}))).0, 201);
    let admitted: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let mut connection = app.connect();
                scope.spawn(move || -> Vec<String> {
                    let numbers = (0..RUNS).filter(|number| number % CLIENTS == client);
                    let admit = |number: usize| {
                        let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic",
                            "inputs": {"number": number}});
                        let (status, reply) = connection.ask("POST", "/api/v1/flows/each-flow/runs", Some(&request));
                        assert_eq!(status, 202, "{reply}");
                        reply["run_id"].as_str().expect("an id").to_owned()
                    };
                    numbers.map(admit).collect()
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let mut connection = app.connect();
    let mut list = |query: &str| -> BTreeSet<String> {
        let (status, found) = connection.ask("GET", &format!("/api/v1/runs?limit=1000{query}"), None);
        assert_eq!(status, 200);
        let runs = found["items"].as_array().expect("a list").iter();
        runs.map(|run| run["run_id"].as_str().expect("an id").to_owned()).collect()
    };
    wait_for("every run to end", || list("&status=running").is_empty());
    let ids: BTreeSet<String> = admitted.into_iter().collect();
    assert_eq!(ids.len(), RUNS);
    assert_eq!((list(""), list("&status=succeeded")), (ids.clone(), ids.clone()), "none is lost or doubled");
    let mut numbers = BTreeSet::new();
    for run in &ids {
        let (_, node) = connection.ask("GET", &format!("/api/v1/runs/{run}/nodes/only"), None);
        assert_eq!(node["output"]["run_id"], Value::from(run.as_str()), "its own result");
        numbers.insert(node["output"]["context"]["number"].as_u64().expect("its input"));
    }
    assert_eq!(numbers.len(), RUNS);
    let calls = std::fs::read_to_string(world.workspace().join("calls")).expect("calls");
    assert_eq!(calls.lines().count(), RUNS, "each was called once");
    assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}
