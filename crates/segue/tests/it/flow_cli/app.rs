//! `segue app`: the real server, spoken to over a socket.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use segue_testkit::{mcp_client::ended, program::Program};
use serde_json::{Value, json};

use super::{READS, json as read, newest, shell_flow, world};
use crate::contract::served::wait_for;

/// A server; killed when dropped.
struct App {
    child: Child,
    address: String,
    state_root: String,
}

impl App {
    fn start(world: &Program) -> App {
        let mut command: Command = world.command(["app", "--port", "0", "--no-open"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut value = |key: &str| {
            let line = lines.next().expect("a line").expect("text");
            line.strip_prefix(key).unwrap_or_else(|| panic!("{line:?}")).to_owned()
        };
        let (url, state_root) = (value("app="), value("state_root="));
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).expect("a URL with a slash");
        App { child, address: address.to_owned(), state_root }
    }

    /// Status and body of an answer.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let host = &self.address;
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{kind}{length}\r\n{body}")
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {answer}")))
    }

    fn stop(mut self, signal: rustix::process::Signal) -> String {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
        rustix::process::kill_process(pid, signal).expect("it runs");
        let mut status = None;
        wait_for("the server to end", || {
            status = self.child.try_wait().expect("it can be waited for");
            status.is_some()
        });
        ended(status.expect("it ended"))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_interface_is_served_and_the_samples_work() {
    let world = world();
    let app = App::start(&world);
    assert_eq!(app.state_root, world.state_dir().display().to_string());
    let (status, system) = app.ask("GET", "/api/v1/system/status", None);
    assert_eq!((status, &system["status"], &system["state_root"]), (200, &json!("ready"), &json!(app.state_root)));
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
    let app = App::start(&world);
    let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {}});
    assert_eq!(app.ask("POST", "/api/v1/flows/endless/runs", Some(&request)).0, 202);
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    assert_eq!(app.stop(rustix::process::Signal::INT), "exit 0");
    assert_eq!(read(&world.run(["show", &newest(&world), "--json"]))["run"]["status"], "cancelled");
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
    let app = App::start(&world);
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
    let app = App::start(&world);
    let port = app.address.rsplit(':').next().expect("a port");
    let refused = world.run(["app", "--port", port]);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
}
