//! Nodes with real processes: a chain of trivial commands, and many Runs under way when the server is killed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Figure, ms, world};
use crate::{app_server::AppServer, program::Program};

const COMMANDS: usize = 40;
const ROUNDS: usize = 10;
const NODE_OWN_MS: f64 = 4.0;

const UNDER_WAY: usize = 100;
const KILLS: usize = 3;
const TAKEN_OVER_MS: f64 = 1_000.0;
const LIMIT: Duration = Duration::from_secs(60);

/// 40 commands in a row, from the request to the end.
pub fn commands(sync_ms: f64) -> Vec<Figure> {
    let world = world();
    let server = AppServer::start(&world);
    let steps: Vec<String> = (0..COMMANDS).map(|at| format!("node-{at}")).collect();
    save(&world, &server, "commands-flow", "echo '{}'", &steps);
    let mut connection = server.connect();
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        let (status, admitted) = connection.ask("POST", "/api/v1/flows/commands-flow/runs", Some(&request()));
        assert_eq!(status, 202, "{admitted}");
        let path = format!("/api/v1/runs/{}/outcome", admitted["run_id"].as_str().expect("an id"));
        loop {
            let (_, outcome) = connection.ask("GET", &path, None);
            if !outcome["finished_at"].is_null() {
                assert_eq!(outcome["status"], "succeeded", "{outcome}");
                return ms(begun.elapsed());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let times: Vec<f64> = times.collect();
    assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
    let bar = COMMANDS as f64 * (sync_ms + NODE_OWN_MS);
    vec![Figure::median("40 trivial command nodes in a row (40 syncs + 160 ms)", "ms", times, bar)]
}

/// From the start of the next server until it shows every Run as its own.
pub fn taken_over() -> Vec<Figure> {
    let times = (0..KILLS).map(|_| kill_and_take_over()).collect();
    vec![Figure::median("after kill -9 with 100 runs under way: all taken over", "ms", times, TAKEN_OVER_MS)]
}

fn kill_and_take_over() -> f64 {
    let world = world();
    let room = UNDER_WAY.to_string();
    let server = AppServer::start_with(&world, &["--max-active-runs", &room]);
    let script = "cat > /dev/null; echo >> begun; until [ -e go ]; do sleep 0.2; done; echo '{}'";
    save(&world, &server, "waiting-flow", script, &["only".to_owned()]);
    let mut connection = server.connect();
    for _ in 0..UNDER_WAY {
        assert_eq!(connection.ask("POST", "/api/v1/flows/waiting-flow/runs", Some(&request())).0, 202);
    }
    let begun = || std::fs::read_to_string(world.workspace().join("begun")).unwrap_or_default().lines().count();
    wait("all are under way", || begun() == UNDER_WAY);
    let (_, before) = connection.ask("GET", "/api/v1/runs?limit=200", None);
    server.kill();
    let started = Instant::now();
    let server = AppServer::start_with(&world, &["--max-active-runs", &room]);
    let mut connection = server.connect();
    let ids = |list: &Value| -> Vec<(String, String)> {
        let items = list["items"].as_array().into_iter().flatten();
        items.map(|run| (run["run_id"].to_string(), run["status"].to_string())).collect()
    };
    let (_, shown) = connection.ask("GET", "/api/v1/runs?limit=200", None);
    let taken = ms(started.elapsed());
    assert_eq!(ids(&shown), ids(&before), "none lost, none doubled, all shown as they are");
    std::fs::write(world.workspace().join("go"), "").expect("a file");
    wait("all have ended", || {
        let (_, done) = connection.ask("GET", "/api/v1/runs?limit=200&status=succeeded", None);
        done["items"].as_array().map(Vec::len) == Some(UNDER_WAY)
    });
    assert_eq!(begun(), UNDER_WAY, "nothing is begun again");
    assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
    taken
}

fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LIMIT, "{what}: not seen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn request() -> Value {
    json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}})
}

/// A chain of steps that all run one script.
fn save(world: &Program, server: &AppServer, id: &str, script: &str, steps: &[String]) {
    world.install_script("trivial", script);
    let tool = json!({"id": "tool.trivial", "kind": "cli", "name": "trivial", "timeout_seconds": 600,
        "effects": ["execute_process", "read_local"], "config": {"executable": "trivial"}});
    assert_eq!(server.ask("POST", "/api/v1/capabilities", Some(&tool)).0, 201);
    let mut before = Value::Null;
    let steps: Vec<Value> = steps
        .iter()
        .map(|step| {
            let from = std::mem::replace(&mut before, step.as_str().into());
            json!({"id": step, "type": "tool.task", "from": from, "params": {"capability_id": "tool.trivial"}})
        })
        .collect();
    let flow = json!({"schema_version": 1, "id": id, "name": id, "steps": steps});
    let (status, saved) = server.ask("POST", "/api/flows", Some(&json!({"flow": flow})));
    assert_eq!(status, 201, "{saved}");
}
