//! What the tests of this folder start from: a world in which servers come and go, the processes in it, and what
//! must hold of every task whoever was killed.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use segue_testkit::mcp_client::{self, DEADLINE, McpClient, Pending};
use segue_testkit::program::Program;
use segue_testkit::scripted_agent::persona::Persona;
use serde_json::{Value, json};

/// Between two looks at a condition that something else brings about.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A world, and the way to its processes.
pub struct Scene {
    pub world: Program,
    arguments: Vec<String>,
}

/// One `segue mcp`.
pub struct Server {
    pub client: McpClient,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::with(&[])
    }

    /// Every server gets these arguments.
    pub fn with(arguments: &[&str]) -> Scene {
        let world = Program::with_binary(env!("CARGO_BIN_EXE_segue"));
        Scene { world, arguments: arguments.iter().map(|word| (*word).to_owned()).collect() }
    }

    pub fn server(&self) -> Server {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        Server { client: self.world.mcp_with(&arguments) }
    }

    /// Lets an agent go on that waits for this file in the workspace.
    pub fn mark(&self, name: &str) {
        fs::write(self.world.workspace().join(name), "").expect("a file in the workspace");
    }

    pub fn wait_mark(&self, name: &str) {
        let file = self.world.workspace().join(name);
        wait_for(&format!("{} to be there", file.display()), || file.exists());
    }

    /// Waits until agents have received so many requests or notifications of this method.
    pub fn wait_received(&self, method: &str, count: usize) {
        wait_for(&format!("{count} × {method}"), || self.world.received_params(method).len() >= count);
    }

    /// The hosts of this world.
    pub fn hosts(&self) -> Vec<i32> {
        self.processes(|command| command.starts_with("segue host "))
    }

    /// The first processes of this world's agents.
    pub fn agents(&self) -> Vec<i32> {
        let bin = self.world.agents_dir();
        let paths: Vec<String> =
            Persona::ALL.iter().map(|persona| bin.join(persona.executable()).display().to_string()).collect();
        self.processes(|command| {
            let mut words = command.split(' ');
            let helper = command.contains("helper");
            words.next().is_some_and(|first| paths.iter().any(|path| path == first)) && !helper
        })
    }

    pub fn processes(&self, wanted: impl Fn(&str) -> bool) -> Vec<i32> {
        let processes = self.world.mark().processes();
        processes.into_iter().filter(|process| wanted(&process.command)).map(|process| process.pid).collect()
    }

    /// The only host.
    #[track_caller]
    pub fn host(&self) -> i32 {
        let hosts = self.hosts();
        assert_eq!(hosts.len(), 1, "hosts {hosts:?}");
        hosts[0]
    }

    /// The only agent.
    #[track_caller]
    pub fn agent(&self) -> i32 {
        let agents = self.agents();
        assert_eq!(agents.len(), 1, "agents {agents:?}");
        agents[0]
    }

    /// Waits until some host has this text of its agent in its spool.
    pub fn wait_spooled(&self, text: &str) {
        wait_for(&format!("{text:?} in a spool"), || {
            let hosts = fs::read_dir(self.world.state_dir().join("hosts")).into_iter().flatten().flatten();
            hosts.flat_map(|host| fs::read_dir(host.path()).into_iter().flatten().flatten()).any(|file| {
                let spool = file.file_name().to_string_lossy().starts_with("spool.");
                spool && fs::read(file.path()).is_ok_and(|bytes| contains(&bytes, text.as_bytes()))
            })
        });
    }

    /// Every server has ended: nothing is left of this world.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        self.world.assert_nothing_left();
    }
}

impl Server {
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        match self.client.call(tool, arguments) {
            Ok(result) => result,
            Err(refusal) => panic!("{tool}: {refusal}\nstderr:\n{}", self.client.stderr()),
        }
    }

    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value) -> String {
        match self.client.call(tool, arguments) {
            Ok(result) => panic!("{tool} was not refused: {result}"),
            Err(refusal) => refusal,
        }
    }

    #[track_caller]
    pub fn spawn(&self, prompt: &str) -> String {
        self.spawn_with(json!({"prompt": prompt}))
    }

    /// The agent is Claude Code unless the arguments say otherwise.
    #[track_caller]
    pub fn spawn_with(&self, arguments: Value) -> String {
        let started = self.call("spawn_task", with_agent(arguments));
        started["task_id"].as_str().expect("an id").to_owned()
    }

    #[track_caller]
    pub fn task(&self, id: &str) -> Value {
        self.call("get_task", json!({"task_id": id}))
    }

    /// The whole of a task once `wait_tasks` says that it has ended.
    #[track_caller]
    pub fn ended(&self, id: &str) -> Value {
        let deadline = Instant::now() + DEADLINE;
        while self.call("wait_tasks", json!({"task_ids": [id]}))["reason"] != "terminal" {
            assert!(
                Instant::now() < deadline,
                "{id} does not end: {}\nstderr:\n{}",
                self.task(id),
                self.client.stderr()
            );
        }
        let task = self.task(id);
        assert_truthful(&task, &self.events(id));
        task
    }

    #[track_caller]
    pub fn events(&self, id: &str) -> Vec<Value> {
        let mut events = Vec::new();
        let mut after = json!(0);
        loop {
            let page = self.call(
                "get_events",
                json!({"task_id": id, "after_seq": after, "limit": 500, "max_chars": 10_000_000,
                       "include_thoughts": true, "include_raw": true}),
            );
            events.extend(page["events"].as_array().expect("events").iter().cloned());
            if page["has_more"] == json!(false) {
                return events;
            }
            after = page["cursor"].clone();
        }
    }

    #[track_caller]
    pub fn payloads(&self, id: &str, kind: &str) -> Vec<Value> {
        let events = self.events(id).into_iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["payload"].clone()).collect()
    }

    /// What the agent said in the whole turn.
    #[track_caller]
    pub fn said(&self, id: &str) -> String {
        let messages = self.payloads(id, "agent_message");
        messages.iter().map(|message| message["text"].as_str().expect("text")).collect()
    }

    /// Waits until the task waits for this, in the word of `get_task`.
    #[track_caller]
    pub fn wait_waiting(&self, id: &str, what: &str) {
        wait_for(&format!("{id} to wait for {what}"), || self.task(id)["live"]["waiting_for"] == what);
    }

    #[track_caller]
    pub fn wait_lease(&self, id: &str, state: &str) -> Value {
        let mut lease = Value::Null;
        wait_for(&format!("the lease of {id} to be {state}"), || {
            lease = self.task(id)["kept_agent"].clone();
            lease["state"] == state
        });
        lease
    }

    pub fn begin(&self, tool: &str, arguments: Value) -> Pending {
        self.client.begin_call(tool, arguments)
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.client.pid()).expect("a pid")
    }

    /// `kill -9`.
    #[track_caller]
    pub fn killed(self) {
        assert_eq!(mcp_client::ended(self.client.kill()), "signal 9", "stderr:\n{}", self.client.stderr());
    }

    /// The end of its input; everything it had is confirmed ended.
    #[track_caller]
    pub fn end(self) {
        let status = self.client.shut_down();
        assert_eq!(mcp_client::ended(status), "exit 0", "stderr:\n{}", self.client.stderr());
        assert_eq!(self.client.stray_lines(), Vec::<String>::new());
    }

    /// The session of a task that ended is free: another task can go on in it.
    #[track_caller]
    pub fn assert_session_free(&self, task: &Value) {
        let Some(session) = task["session_id"].as_str() else { return };
        let id = self.spawn_with(json!({"prompt": "[[say:again]]", "session_id": session, "agent": task["agent"]}));
        let again = self.ended(&id);
        assert_eq!([&again["status"], &again["final_message"]], ["succeeded", "again"], "{again}");
    }
}

pub fn with_agent(mut arguments: Value) -> Value {
    if let Some(object) = arguments.as_object_mut() {
        object.entry("agent").or_insert(json!("claude_code"));
    }
    arguments
}

const FINAL: [&str; 3] = ["succeeded", "failed", "cancelled"];

/// What holds of the record of every task that has ended: no number is missing or twice, it ended once, its
/// completion stands together and only what may follow follows.
#[track_caller]
pub fn assert_truthful(task: &Value, events: &[Value]) {
    let record =
        || events.iter().map(|e| format!("{} {} {}\n", e["seq"], e["event_type"], e["payload"])).collect::<String>();
    for (event, seq) in events.iter().zip(1..) {
        assert_eq!(event["seq"], json!(seq), "numbers have no gap:\n{}", record());
    }
    let kinds: Vec<&str> = events.iter().map(|event| event["event_type"].as_str().expect("a type")).collect();
    let ends: Vec<usize> = (0..events.len())
        .filter(|at| {
            kinds[*at] == "status_changed" && FINAL.iter().any(|status| events[*at]["payload"]["to"] == *status)
        })
        .collect();
    assert_eq!(ends.len(), 1, "it ended once:\n{}", record());
    let end = ends[0];
    assert_eq!(events[end]["payload"]["to"], task["status"], "{task}\n{}", record());
    let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
    for once in ["task_created", "session_started", "process_exited", "agent_kept", "task_cancelled", "process_started"]
    {
        assert!(count(once) <= 1, "{once} twice:\n{}", record());
    }
    let ran = events.iter().any(|event| event["payload"]["to"] == "running");
    assert_eq!(count("process_exited") + count("agent_kept"), usize::from(ran), "one completion:\n{}", record());
    // One that was cancelled says so; one that says so may have failed instead, when its end was not confirmed.
    assert!(count("task_cancelled") == 1 || task["status"] != "cancelled", "{}", record());
    assert!(count("task_cancelled") == 0 || task["status"] != "succeeded", "{}", record());
    for later in &kinds[end + 1..] {
        assert!(["task_resolved", "error", "late_update"].contains(later), "{later} after the end:\n{}", record());
    }
}

/// Waits for something that a process brings about.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// One that is gone already is as good.
pub fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

pub fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

/// Stops a process and waits until it stands still.
pub fn freeze(pid: i32) {
    signal(pid, Signal::STOP);
    wait_for("a process to stop", || state_of(pid) == Some('T'));
}

pub fn thaw(pid: i32) {
    signal(pid, Signal::CONT);
}

/// The process is there and no zombie.
pub fn is_alive(pid: i32) -> bool {
    !matches!(state_of(pid), None | Some('Z' | 'X'))
}

fn state_of(pid: i32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
