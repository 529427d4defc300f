//! Kills while a host or an agent is being started. What is being executed is held by a lease of the kernel, and the
//! journal's gate by a lock, so that each moment lasts as long as the test needs it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::scene::{Scene, Server, kill, wait_for, with_agent};

/// While it lives, nobody can execute the file: whoever tries waits in the kernel.
struct Latch {
    holder: Child,
    said: BufReader<std::process::ChildStdout>,
}

/// Takes a write lease, says when somebody opens the file, and lets go when it hears a line.
const HOLDER: &str = "
import fcntl, os, signal, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
def asked(*_):
    os.write(1, b'asked\\n')
signal.signal(signal.SIGIO, asked)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
os.write(1, b'held\\n')
sys.stdin.readline()
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
";

impl Latch {
    /// The agent becomes a file of this world's own. `None`, and said so, where the system has no leases.
    fn on_agent(scene: &Scene) -> Option<Latch> {
        let name = "claude-agent-acp";
        let own = scene.world.agents_dir().join("own-agent");
        let linked = fs::canonicalize(scene.world.agents_dir().join(name)).expect("the scripted agent");
        fs::copy(linked, &own).expect("a copy of the agent");
        scene.world.uninstall(name);
        fs::rename(&own, scene.world.agents_dir().join(name)).expect("the agent's name");
        let path = scene.world.agents_dir().join(name);
        let mut command = Command::new("python3");
        command.args(["-c", HOLDER]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = command.spawn().ok()?;
        let said = BufReader::new(holder.stdout.take().expect("a pipe"));
        let mut latch = Latch { holder, said };
        if latch.hear() == "held\n" {
            return Some(latch);
        }
        eprintln!("skipped: this system gives no lease on a file");
        None
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        line
    }

    /// Somebody is about to execute the file.
    fn wait_asked(&mut self) {
        assert_eq!(self.hear(), "asked\n");
    }

    fn open(mut self) {
        let _ = self.holder.stdin.take().expect("a pipe").write_all(b"\n");
        let _ = self.holder.wait();
    }
}

impl Drop for Latch {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// A start that has come to the execution of the agent.
fn start(scene: &Scene, latch: &mut Latch) -> Server {
    let server = scene.server();
    // Nobody waits for the answer: the server is killed before it can give one.
    server.begin("spawn_task", with_agent(json!({"prompt": "[[say:never]]"})));
    latch.wait_asked();
    server
}

/// The next server ends the only task as one that never ran.
#[track_caller]
fn never_ran(scene: &Scene) {
    let next = scene.server();
    let listed = next.call("list_tasks", json!({"all": true}));
    let id = listed["tasks"][0]["task_id"].as_str().expect("the task").to_owned();
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(1));
    let task = next.ended(&id);
    assert_eq!(task["status"], "failed", "{task}");
    assert!(
        task["error"].as_str().is_some_and(|error| error.contains("the server died while it was starting")),
        "{task}"
    );
    assert_eq!(scene.world.received_params("session/prompt").len(), 0);
    assert!(scene.agents().is_empty());
    // It goes when what it left is recorded.
    wait_for("the host to be gone", || scene.hosts().is_empty());
    next.end();
    scene.assert_nothing_left();
}

#[test]
fn the_server_is_killed_while_its_host_starts_the_agent() {
    let scene = Scene::new();
    let Some(mut latch) = Latch::on_agent(&scene) else { return };
    start(&scene, &mut latch).killed();
    never_ran(&scene);
}

#[test]
fn server_and_host_are_killed_while_the_agent_is_started() {
    let scene = Scene::new();
    let Some(mut latch) = Latch::on_agent(&scene) else { return };
    let server = start(&scene, &mut latch);
    // The host, and the child of it that is about to become the agent.
    let hosts = scene.hosts();
    server.killed();
    hosts.into_iter().for_each(kill);
    never_ran(&scene);
}

/// As if the server had been killed before it started the host at all.
#[test]
fn nothing_but_the_record_of_a_start_is_left() {
    let scene = Scene::new();
    let Some(mut latch) = Latch::on_agent(&scene) else { return };
    let server = start(&scene, &mut latch);
    let hosts = scene.hosts();
    server.killed();
    hosts.into_iter().for_each(kill);
    wait_for("the host to be gone", || scene.hosts().is_empty());
    fs::remove_dir_all(scene.world.state_dir().join("hosts")).expect("the folder of hosts");
    never_ran(&scene);
}

#[test]
fn the_server_is_killed_when_the_agent_runs_and_the_record_does_not_say_so() {
    let scene = Scene::new();
    let Some(mut latch) = Latch::on_agent(&scene) else { return };
    let server = start(&scene, &mut latch);
    let gate = File::open(scene.world.state_dir().join("journal.gate")).expect("the gate");
    gate.lock().expect("the gate's lock");
    latch.open();
    wait_for("the agent to run", || !scene.agents().is_empty());
    server.killed();
    drop(gate);
    never_ran(&scene);
}

/// Killed before the first commit: nobody was told of a task, and there is none.
#[test]
fn the_server_is_killed_before_the_task_is_recorded() {
    let scene = Scene::new();
    let server = scene.server();
    let gate = File::open(scene.world.state_dir().join("journal.gate")).expect("the gate");
    gate.lock().expect("the gate's lock");
    let call = server.begin("spawn_task", with_agent(json!({"prompt": "[[say:never]]"})));
    // It is served beside the start that waits.
    server.call("list_tasks", json!({}));
    server.killed();
    assert_eq!(call.wait_or_end(), None);
    drop(gate);
    let next = scene.server();
    assert_eq!(next.call("list_tasks", json!({"all": true}))["tasks"], json!([]));
    next.end();
    scene.assert_nothing_left();
}

/// However few files the server may have open, a task is either refused and not there, or there and told.
#[test]
fn a_server_that_runs_out_of_descriptors_tells_of_every_task_that_it_made() {
    let scene = Scene::new();
    let watcher = scene.server();
    // An idle server's own, and from none to more than enough for one start beside them.
    let own = fs::read_dir(format!("/proc/{}/fd", watcher.pid())).expect("its descriptors").count();
    let all =
        || watcher.call("list_tasks", json!({"all": true, "limit": 100}))["tasks"].as_array().expect("tasks").len();
    let (mut refused, mut told) = (0, 0);
    for files in own..own + 16 {
        let inner = scene.world.command(["mcp"]);
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -n {files}; exec \"$0\" mcp")).arg(scene.world.binary());
        command.current_dir(scene.world.workspace()).env_clear();
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let server = Server { client: segue_testkit::mcp_client::McpClient::start(&mut command) };
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        // With too few it does not even start.
        let Some(Ok(_)) = server.client.begin("initialize", hello).wait_or_end() else { continue };
        let before = all();
        match server.client.call("spawn_task", with_agent(json!({"prompt": "[[hang]]"}))) {
            Ok(task) => {
                told += 1;
                assert!(["running", "failed"].contains(&task["status"].as_str().expect("a status")), "{task}");
                assert_eq!(all(), before + 1, "{files}: {task}");
            }
            Err(refusal) => {
                refused += 1;
                assert_eq!(all(), before, "{files}: {refusal}");
            }
        }
        server.client.shut_down();
    }
    assert!(told > 0, "with enough it starts");
    eprintln!("{refused} starts were refused, {told} told");
    let tasks = watcher.call("list_tasks", json!({"all": true, "limit": 100}));
    for task in tasks["tasks"].as_array().expect("tasks") {
        watcher.ended(task["task_id"].as_str().expect("an id"));
    }
    watcher.end();
    scene.assert_nothing_left();
}

/// The limits that programs are started with are those of whoever started the server, and not its own.
#[test]
fn an_agent_has_the_limit_of_open_files_that_the_server_was_started_with() {
    let scene = Scene::new();
    let inner = scene.world.command(["mcp"]);
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -Sn 123; exec \"$0\" mcp").arg(scene.world.binary());
    command.current_dir(scene.world.workspace()).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let server = Server { client: segue_testkit::mcp_client::McpClient::start(&mut command) };
    server.client.initialize("2025-06-18");
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("its limits");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("a limit");
    let own: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(own[0], own[1], "the server has all that it may have");
    server
        .ended(&server.spawn_with(json!({"prompt": "[[run:ulimit -Sn > limit]]", "options": {"allow": ["execute"]}})));
    let limit = fs::read_to_string(scene.world.workspace().join("limit")).expect("what the agent's shell said");
    assert_eq!(limit.trim(), "123");
    server.end();
    scene.assert_nothing_left();
}

/// A client that does not read its answers gives a start up: nobody will ever know of the task.
#[test]
fn a_start_whose_answer_is_not_written_is_cancelled_with_its_call() {
    /// More than fits into the pipe to the client.
    const UNREAD: usize = 60;
    let scene = Scene::new();
    let watcher = scene.server();
    let mut command = scene.world.command(["mcp"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a server");
    let mut input = child.stdin.take().expect("a pipe");
    let mut say = |message: serde_json::Value| writeln!(input, "{message}").expect("the server reads");
    let request = |id: usize, method: &str, params: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    say(request(0, "initialize", hello));
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for id in 1..=UNREAD {
        say(request(id, "tools/list", json!({})));
    }
    say(request(
        1_000,
        "tools/call",
        json!({"name": "spawn_task", "arguments": with_agent(json!({"prompt": "[[hang]]"}))}),
    ));
    scene.wait_received("session/prompt", 1);
    let tasks = watcher.call("list_tasks", json!({"all": true}));
    let id = tasks["tasks"][0]["task_id"].as_str().expect("a task").to_owned();
    assert_eq!(watcher.task(&id)["status"], "running");
    say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1_000}}));
    assert_eq!(watcher.ended(&id)["status"], "cancelled");
    let why = json!({"reason": "the call that started the task was cancelled", "actor": null});
    assert_eq!(watcher.payloads(&id, "task_cancelled"), [why]);
    drop(input);
    let ended = child.wait_with_output().expect("its end");
    assert!(ended.status.success(), "{:?}", ended.status);
    watcher.end();
    scene.assert_nothing_left();
}
