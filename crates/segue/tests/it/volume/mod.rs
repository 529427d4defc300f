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

/// Nodes without a process, each run once for each item: what they leave is many events in little time.
const MAPS: [&str; 8] = [
    "write-article",
    "draft-article",
    "plan-article",
    "outline-article",
    "review-draft",
    "edit-article",
    "revise-article",
    "research-angle",
];
const ITEMS: usize = 500;
/// The events of a stream from `after` on, until `end` or as many as are wanted: their numbers.
fn streamed(app: &AppServer, run: &str, after: u64, wanted: u64) -> (Vec<u64>, bool) {
    let mut connection = app.connect();
    connection.begin("GET", &format!("/api/v1/runs/{run}/events/stream?after={after}"), &[], None);
    assert_eq!(connection.head().status, 200);
    let (mut text, mut numbers) = (String::new(), Vec::new());
    while let Some(piece) = connection.chunk() {
        text.push_str(std::str::from_utf8(&piece).expect("text"));
        while let Some((block, rest)) = text.split_once("\n\n") {
            let number = block.lines().find_map(|line| line.strip_prefix("id:")?.trim().parse::<u64>().ok());
            let end = block.lines().any(|line| line == "event: end" || line == "event:end");
            numbers.extend(number.filter(|_| !end));
            text = rest.to_owned();
            if end || numbers.len() as u64 >= wanted {
                return (numbers, end);
            }
        }
    }
    panic!("the stream broke off behind {:?}", numbers.last());
}

/// S39: a large Run is open in several windows, one of which reads nothing, while others are started and listed.
#[test]
fn a_large_run_is_open_while_others_are_started_and_listed() {
    let world = world();
    let go = world.home().join("go");
    world.install_script(
        "lists",
        &format!("cat > /dev/null; seq {ITEMS} | paste -sd, | sed 's/^/{{\"items\":[/; s/$/]}}/'"),
    );
    // Nearly as much as a program may say.
    world.install_script("says", "cat > /dev/null; head -c 900000 /dev/zero | tr '\\0' x");
    world.install_script(
        "holds",
        &format!("cat > /dev/null; until [ -e {} ]; do sleep 0.02; done; echo held", go.display()),
    );
    world.install_script("small", "cat");
    let app = AppServer::start(&world);
    for id in ["lists", "says", "holds", "small"] {
        let tool = json!({"id": format!("tool.{id}"), "kind": "cli", "name": id,
            "effects": ["execute_process", "read_local"], "timeout_seconds": 600, "config": {"executable": id}});
        assert_eq!(app.ask("POST", "/api/v1/capabilities", Some(&tool)).0, 201);
    }
    let bound = |id: &str, from: Value, tool: &str| json!({"id": id, "type": "tool.task", "from": from, "params": {"capability_id": tool}});
    let mut steps = vec![bound("list", Value::Null, "tool.lists")];
    steps.extend(MAPS.map(|id| {
        json!({"id": id, "type": "agent.task", "from": "list",
            "for_each": {"items": "input.items", "max_parallel": 16}})
    }));
    steps.push(bound("say", json!(MAPS), "tool.says"));
    steps.push(bound("hold", "say".into(), "tool.holds"));
    let last = steps.len() - 1;
    let large = json!({"schema_version": 2, "id": "large-flow", "name": "Large", "steps": steps});
    let small = json!({"schema_version": 1, "id": "small-flow", "name": "Small",
        "steps": [bound("only", Value::Null, "tool.small")]});
    for flow in [large, small] {
        let (status, saved) = app.ask("POST", "/api/flows", Some(&json!({"flow": flow})));
        assert_eq!(status, 201, "{saved}");
    }
    let admit = |flow: &str| {
        let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
        let (status, reply) = app.ask("POST", &format!("/api/v1/flows/{flow}/runs"), Some(&request));
        assert_eq!(status, 202, "{reply}");
        reply["run_id"].as_str().expect("an id").to_owned()
    };
    let status = |run: &str, node: usize| {
        app.ask("GET", &format!("/api/v1/runs/{run}/outcome"), None).1["nodes"][node]["status"].clone()
    };
    let run = admit("large-flow");
    wait_for("the last node to be under way", || {
        let state = status(&run, last);
        assert_ne!(state, "skipped", "{}", app.ask("GET", &format!("/api/v1/runs/{run}/why"), None).1);
        state == "running"
    });
    let count = app.ask("GET", &format!("/api/v1/runs/{run}"), None).1["event_count"].as_u64().expect("a number");
    assert!(count >= 2 * (MAPS.len() * ITEMS) as u64, "{count}");
    // A window that was opened and reads nothing: neither the stream nor the whole of the evidence.
    let mut idle: Vec<_> = (0..2).map(|_| app.connect()).collect();
    idle[0].begin("GET", &format!("/api/v1/runs/{run}/events/stream"), &[], None);
    idle[1].begin("GET", &format!("/api/v1/runs/{run}/evidence"), &[], None);
    let (numbers, ended) = std::thread::scope(|scope| {
        let window = scope.spawn(|| streamed(&app, &run, 0, count));
        for _ in 0..5 {
            let other = admit("small-flow");
            wait_for("another run to end", || status(&other, 0) == "succeeded");
            assert_eq!(app.ask("GET", "/api/v1/system/status", None).0, 200);
        }
        window.join().expect("a window")
    });
    assert!(!ended && numbers.iter().copied().eq(1..=count), "each event once and in order");
    assert_eq!(app.ask("GET", "/api/v1/runs?limit=10", None).1["items"].as_array().map(Vec::len), Some(6));
    let (_, page) = app.ask("GET", &format!("/api/v1/runs/{run}/events?limit=500"), None);
    assert_eq!((page["events"].as_array().map(Vec::len), &page["has_more"]), (Some(500), &json!(true)));
    assert_eq!(status(&run, last), "running", "all of that was beside it");
    std::fs::write(&go, "").expect("a file");
    let (rest, ended) = streamed(&app, &run, count, u64::MAX);
    let total = app.ask("GET", &format!("/api/v1/runs/{run}"), None).1["event_count"].as_u64().expect("a number");
    assert!(ended && rest.iter().copied().eq(count + 1..=total), "{rest:?}");
    drop(idle);
    assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}
