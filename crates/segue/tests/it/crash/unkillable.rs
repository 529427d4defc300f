//! A process that SIGKILL does not end at once. Another process traces it and is not there when it is about to exit, so
//! that it stays where it is: dying, and not dead. What its server may say then, and what happens once it is gone.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use segue_testkit::mcp_client;
use serde_json::{Value, json};

use super::scene::{Scene, Server, is_alive, wait_for, with_agent};

/// Traces the process until it hears a line; from then on the process goes on to its end.
const TRACER: &str = "
import ctypes, os, sys
PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 0x4206, 0x40
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
done = libc.ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, PTRACE_O_TRACEEXIT)
print('held' if done == 0 else os.strerror(ctypes.get_errno()), flush=True)
sys.stdin.readline()
";

struct Held {
    tracer: Child,
    pid: i32,
}

impl Held {
    /// `None`, and said so, where no process may trace another.
    fn new(pid: i32) -> Option<Held> {
        let mut command = Command::new("python3");
        command.args(["-c", TRACER, &pid.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut tracer = command.spawn().expect("python3");
        let mut line = String::new();
        BufReader::new(tracer.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let held = Held { tracer, pid };
        if line == "held\n" {
            return Some(held);
        }
        eprintln!("skipped: a process cannot be traced here: {line}");
        None
    }

    /// The process is gone when this returns.
    fn let_go(mut self) {
        self.end_tracer();
        wait_for("the process to be gone", || !is_alive(self.pid));
    }

    fn end_tracer(&mut self) {
        if let Some(mut input) = self.tracer.stdin.take() {
            let _ = input.write_all(b"\n");
        }
        let _ = self.tracer.wait();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end_tracer();
    }
}

/// A turn under way in a session, with a descendant that will not end.
fn under_way(scene: &Scene, server: &Server) -> Option<(String, Held)> {
    let id = server.spawn("[[spawn_setsid]][[say:half]][[hang]]");
    wait_for("the text to be recorded", || server.said(&id) == "half");
    let helpers = scene.processes(|command| command.contains("--helper"));
    assert_eq!(helpers.len(), 1, "{helpers:?}");
    Some((id, Held::new(helpers[0])?))
}

#[track_caller]
fn assert_unconfirmed(task: &Value, held: &Held) {
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "unconfirmed"], "{task}");
    let receipt = &task["stop_receipt"];
    assert_eq!(receipt["tree_empty"], json!(false), "{receipt}");
    let escaped: Vec<&Value> =
        receipt["escaped"].as_array().expect("a list").iter().map(|process| &process["pid"]).collect();
    assert_eq!(escaped, [&json!(held.pid)], "{receipt}");
}

/// The session of a task whose processes are not all gone.
#[track_caller]
fn assert_session_held(server: &Server, task: &Value) {
    let resume = with_agent(json!({"prompt": "", "session_id": task["session_id"]}));
    let refusal = server.refused("spawn_task", resume);
    let holder = task["task_id"].as_str().expect("an id");
    assert!(refusal.starts_with("session_in_use: ") && refusal.contains(holder), "{refusal}");
}

#[test]
fn a_session_is_free_again_when_what_was_left_is_gone() {
    let scene = Scene::new();
    let server = scene.server();
    let Some((id, held)) = under_way(&scene, &server) else { return };
    let cancelled = server.call("cancel_task", json!({"task_id": id}));
    assert_eq!(cancelled["status"], "failed", "{cancelled}");
    let task = server.ended(&id);
    assert_unconfirmed(&task, &held);
    assert_session_held(&server, &task);
    // Another server is told the same.
    let other = scene.server();
    assert_session_held(&other, &task);
    held.let_go();
    server.assert_session_free(&task);
    other.end();
    let status = mcp_client::ended(server.client.shut_down());
    assert_eq!(status, "exit 1", "something was left once in its life");
    scene.assert_nothing_left();
}

#[test]
fn a_server_that_leaves_a_process_behind_says_so_and_the_next_one_looks_after_it() {
    let scene = Scene::new();
    let first = scene.server();
    let Some((id, held)) = under_way(&scene, &first) else { return };
    let status = mcp_client::ended(first.client.shut_down());
    assert_eq!(status, "exit 1", "stderr:\n{}", first.client.stderr());
    let next = scene.server();
    let task = next.ended(&id);
    assert_unconfirmed(&task, &held);
    assert_session_held(&next, &task);
    held.let_go();
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}
