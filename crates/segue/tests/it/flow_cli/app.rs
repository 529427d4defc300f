//! `segue app`: the real server, spoken to over a socket.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use segue_testkit::app_server::AppServer;
use serde_json::{Value, json};

use super::{READS, json as read, newest, shell_flow, world};
use crate::contract::served::wait_for;

#[test]
fn the_interface_is_served_and_the_samples_work() {
    let world = world();
    let app = AppServer::start(&world);
    assert_eq!(app.state_root(), world.state_dir().display().to_string());
    let (status, system) = app.ask("GET", "/api/v1/system/status", None);
    assert_eq!((status, &system["status"], &system["state_root"]), (200, &json!("ready"), &json!(app.state_root())));
    let capability = json!({"id": "http.sample-json"});
    let (status, capabilities) = app.ask("GET", "/api/v1/capabilities", None);
    let ids: Vec<&Value> = capabilities["items"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!((status, ids), (200, vec![&json!("agent.session-fixture"), &capability["id"]]));
    let (status, tried) = app.ask("POST", "/api/v1/capabilities/http.sample-json/probe", Some(&json!({})));
    assert_eq!((status, &tried["last_probe"]["ok"]), (200, &json!(true)), "{tried}");
    let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
    let (status, admitted) = app.ask("POST", "/api/v1/flows/observable-golden-loop/runs", Some(&request));
    assert_eq!(status, 202, "{admitted}");
    let run = admitted["run_id"].as_str().expect("an id");
    assert_eq!(world.run(["watch", run]).ended, "exit 0");
    assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}

#[test]
fn what_runs_is_cancelled_by_an_orderly_stop() {
    let world = world();
    shell_flow(&world, "endless", "echo > begun; exec tail -f /dev/null", READS);
    let app = AppServer::start(&world);
    let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
    assert_eq!(app.ask("POST", "/api/v1/flows/endless/runs", Some(&request)).0, 202);
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    assert_eq!(app.stop(rustix::process::Signal::INT), "exit 0");
    assert_eq!(read(&world.run(["show", &newest(&world), "--json"]))["run"]["status"], "cancelled");
    world.assert_nothing_left();
}

/// A window that owns a server cannot leave it behind, not even when it is killed.
#[test]
fn a_server_with_an_owner_stops_when_its_input_ends() {
    let world = world();
    let mut command = world.command(["app", "--port", "0", "--no-open", "--until-input-ends"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut app = command.spawn().expect("the program starts");
    let mut said = BufReader::new(app.stdout.take().expect("a pipe")).lines();
    let line = said.next().expect("a line").expect("text");
    assert!(line.starts_with("app=http://127.0.0.1:"), "{line}");
    drop(app.stdin.take());
    assert_eq!(app.wait().expect("its end").code(), Some(0));
    world.assert_nothing_left();
}

/// A Run whose command was killed is gone on with by the server.
#[test]
fn what_others_left_is_taken_over() {
    let world = world();
    shell_flow(&world, "slow", "echo > begun; until [ -e go ]; do sleep 0.05; done; echo '{}'", READS);
    let killed = crate::cli::Running::start(&world, &["run", "slow"]);
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    killed.signal(rustix::process::Signal::KILL);
    killed.finish();
    let app = AppServer::start(&world);
    super::file(&world, "go", "");
    assert_eq!(world.run(["watch", &newest(&world)]).ended, "exit 0");
    assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}

#[test]
fn only_this_machine_is_served() {
    let world = world();
    for host in ["0.0.0.0", "192.0.2.1", "example.org"] {
        let refused = world.run(["app", "--host", host, "--port", "0"]);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains("loopback"), "{refused:?}");
    }
    let app = AppServer::start(&world);
    let port = app.address().rsplit(':').next().expect("a port");
    let refused = world.run(["app", "--port", port]);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
}

/// The origin's rule of one active Run at once is one number (contract §1).
#[test]
fn there_is_room_for_as_many_runs_as_the_command_says() {
    let world = world();
    shell_flow(&world, "endless", "echo > begun; exec tail -f /dev/null", READS);
    for wrong in ["0", "1001", "some"] {
        let refused = world.run(["app", "--port", "0", "--max-active-runs", wrong]);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains("1 to 1000"), "{refused:?}");
    }
    let app = AppServer::start_with(&world, &["--max-active-runs", "1"]);
    let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
    assert_eq!(app.ask("POST", "/api/v1/flows/endless/runs", Some(&request)).0, 202);
    let (status, refusal) = app.ask("POST", "/api/v1/flows/endless/runs", Some(&request));
    assert_eq!((status, refusal), (409, json!({"error": "at most 1 runs are active at once, and 1 are"})));
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    assert_eq!(app.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}

/// The terminal that it was started from is closed: nobody reads its warnings, and it goes on.
#[test]
fn a_standard_error_that_nobody_reads_ends_no_work() {
    let world = world();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let app = AppServer::telling(&mut world.command(["app", "--port", "0", "--no-open"]), writer);
    drop(reader);
    let away = world.state_dir().with_extension("away");
    std::fs::rename(world.state_dir(), &away).expect("moved away");
    // Each such answer is a warning as well.
    wait_for("a refusal", || app.ask("GET", "/api/v1/runs", None).0 >= 500);
    std::fs::rename(&away, world.state_dir()).expect("moved back");
    assert_eq!(app.ask("GET", "/api/v1/runs", None).0, 500);
    // It is 1 if its first look for Runs of dead servers fell into the time without a folder, and neither a panic nor a signal.
    let ended = app.stop(rustix::process::Signal::TERM);
    assert!(["exit 0", "exit 1"].contains(&ended.as_str()), "{ended}");
    world.assert_nothing_left();
}
