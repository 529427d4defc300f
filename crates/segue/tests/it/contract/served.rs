//! What every test of the contract starts from: a server in a world of its own, tasks run to their end, and
//! values in which ids, times and paths are replaced by words, so that whole values can be compared.

use std::path::Path;
use std::time::{Duration, Instant};

use segue_testkit::mcp_client::{self, DEADLINE, McpClient};
use segue_testkit::program::Program;
use serde_json::{Map, Value, json};

/// Between two looks at a condition that something else brings about.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// What `get_task` says beyond the contract.
const ADDED_TO_TASKS: [&str; 9] = [
    "stop_reason",
    "ended_because",
    "agent_name",
    "agent_version",
    "settings_in_force",
    "receipt",
    "stop_receipt",
    "live",
    "server",
];

/// A `segue mcp` with its world.
pub struct Served {
    // Before the world: its process goes first.
    pub client: McpClient,
    pub world: Program,
}

/// A world for the `segue` of this build.
pub fn world() -> Program {
    Program::with_binary(env!("CARGO_BIN_EXE_segue"))
}

impl Served {
    pub fn new() -> Served {
        Served::of(world())
    }

    pub fn of(world: Program) -> Served {
        Served::with(world, &[])
    }

    /// With further arguments of `segue mcp`.
    pub fn with(world: Program, arguments: &[&str]) -> Served {
        Served { client: world.mcp_with(arguments), world }
    }

    /// The result of a call that must succeed.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        match self.client.call(tool, arguments) {
            Ok(result) => result,
            Err(refusal) => panic!("{tool}: {refusal}"),
        }
    }

    /// The text of a call that must fail.
    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value) -> String {
        match self.client.call(tool, arguments) {
            Ok(result) => panic!("{tool} was not refused: {result}"),
            Err(refusal) => refusal,
        }
    }

    /// Starts a task of Claude Code and gives its id back.
    #[track_caller]
    pub fn spawn(&self, prompt: &str) -> String {
        self.spawn_with(json!({"prompt": prompt}))
    }

    /// Starts a task; the agent is Claude Code unless the arguments say otherwise.
    #[track_caller]
    pub fn spawn_with(&self, arguments: Value) -> String {
        id_of(&self.call("spawn_task", with_agent(arguments)))
    }

    /// The whole of a task once it has ended.
    #[track_caller]
    pub fn ended(&self, id: &str) -> Value {
        let deadline = Instant::now() + DEADLINE;
        while self.call("wait_tasks", json!({"task_ids": [id]}))["reason"] != "terminal" {
            assert!(Instant::now() < deadline, "{id} does not end: {}", self.task(id));
        }
        self.task(id)
    }

    /// Runs a task to its end.
    #[track_caller]
    pub fn run(&self, prompt: &str) -> Value {
        self.run_with(json!({"prompt": prompt}))
    }

    #[track_caller]
    pub fn run_with(&self, arguments: Value) -> Value {
        let id = self.spawn_with(arguments);
        self.ended(&id)
    }

    #[track_caller]
    pub fn task(&self, id: &str) -> Value {
        self.call("get_task", json!({"task_id": id}))
    }

    /// Every event of a task, thoughts and raw parts included.
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

    /// Type and payload of every event, in plain words and without the facts beyond the contract.
    #[track_caller]
    pub fn record(&self, id: &str) -> Value {
        let events = self.events(id).into_iter().map(|mut event| {
            if let Some(payload) = event["payload"].as_object_mut() {
                payload.remove("facts");
            }
            json!([event["event_type"], self.plain(&event["payload"])])
        });
        events.collect()
    }

    /// The part of the record that the turn itself made: between `session_started` and the completion.
    #[track_caller]
    pub fn turn(&self, id: &str) -> Value {
        let Value::Array(record) = self.record(id) else { unreachable!("an array") };
        let from = record.iter().position(|event| event[0] == "session_started").map_or(0, |at| at + 1);
        let ends = ["process_exited", "agent_kept", "task_cancelled"];
        let to = record.iter().position(|event| ends.iter().any(|kind| event[0] == *kind));
        record[from..to.unwrap_or(record.len())].to_vec().into()
    }

    /// The payloads of all events of one type, raw parts included.
    #[track_caller]
    pub fn payloads(&self, id: &str, kind: &str) -> Vec<Value> {
        let events = self.events(id).into_iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["payload"].clone()).collect()
    }

    /// Waits until the record holds an event that fits.
    #[track_caller]
    pub fn wait_event(&self, id: &str, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(payload) = self.payloads(id, kind).into_iter().find(&fits) {
                return payload;
            }
            assert!(Instant::now() < deadline, "no such {kind}: {}", self.record(id));
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits until a scripted agent has made this file in the workspace.
    #[track_caller]
    pub fn wait_mark(&self, name: &str) {
        let file = self.world.workspace().join(name);
        wait_for(&format!("{} to be there", file.display()), || file.exists());
    }

    /// Lets a scripted agent go on that waits for this file in the workspace.
    pub fn mark(&self, name: &str) {
        std::fs::write(self.world.workspace().join(name), "").expect("a file in the workspace");
    }

    /// Waits until the lease of a task is as asked, and gives it back.
    #[track_caller]
    pub fn wait_lease(&self, id: &str, state: &str) -> Value {
        let mut lease = Value::Null;
        wait_for(&format!("the lease to be {state}"), || {
            lease = self.task(id)["kept_agent"].clone();
            lease["state"] == state
        });
        lease
    }

    /// A value with ids, times and paths in words.
    pub fn plain(&self, value: &Value) -> Value {
        self.plain_member("", value)
    }

    /// A task in plain words, without what is said beyond the contract.
    pub fn plain_task(&self, task: &Value) -> Value {
        let mut task = task.clone();
        for name in ADDED_TO_TASKS {
            task.as_object_mut().expect("a task").remove(name);
        }
        self.plain(&task)
    }

    fn plain_member(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                let members = object.iter().map(|(name, value)| (name.clone(), self.plain_member(name, value)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| self.plain_member(name, item)).collect(),
            Value::Number(number) if name == "pid" && number.as_u64().is_some_and(|pid| pid > 1) => json!("PID"),
            Value::Number(number) if is_time(name) && number.as_f64().is_some_and(is_now) => json!("TIME"),
            Value::String(_) if name == "session_id" => json!("SESSION"),
            Value::String(text) => json!(self.plain_text(text)),
            other => other.clone(),
        }
    }

    fn plain_text(&self, text: &str) -> String {
        let workspace = self.world.workspace();
        let text = text.replace(workspace.to_str().expect("a path of text"), "WORK");
        mask_ids(&mask_ids(&text, "task_", "TASK"), "agent_", "AGENT")
    }

    /// Ends the server by the end of its input; nothing is left and nothing but protocol was said.
    #[track_caller]
    pub fn end(self) {
        let status = self.client.shut_down();
        assert_eq!(mcp_client::ended(status), "exit 0", "stderr:\n{}", self.client.stderr());
        self.assert_clean();
    }

    /// After the server has ended: stdout carried protocol only, and nothing is left behind.
    #[track_caller]
    pub fn assert_clean(&self) {
        assert_eq!(self.client.stray_lines(), Vec::<String>::new());
        assert_eq!(self.client.unasked(), Vec::<Value>::new());
        self.world.assert_nothing_left();
    }
}

/// Waits for something that a test or an agent brings about.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(LOOK_AGAIN);
    }
}

pub fn with_agent(mut arguments: Value) -> Value {
    if let Some(object) = arguments.as_object_mut() {
        object.entry("agent").or_insert(json!("claude_code"));
    }
    arguments
}

/// The id of a task in a result.
#[track_caller]
pub fn id_of(result: &Value) -> String {
    text_of(result, "task_id")
}

#[track_caller]
pub fn text_of(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("no text {member} in {value}")).to_owned()
}

/// The handle of a task's kept agent.
#[track_caller]
pub fn handle_of(result: &Value) -> String {
    text_of(&result["kept_agent"], "handle")
}

/// Asserts that a refusal begins with the code and names all of these.
#[track_caller]
pub fn assert_refusal(refusal: &str, code: &str, names: &[&str]) {
    let message = refusal.strip_prefix(&format!("{code}: "));
    let message = message.unwrap_or_else(|| panic!("not {code}: {refusal}"));
    assert_names(message, names);
}

#[track_caller]
pub fn assert_names(text: &str, names: &[&str]) {
    for name in names {
        assert!(text.contains(name), "{name:?} is not named in: {text}");
    }
}

/// Whether a process runs that is not only waiting to be reaped.
pub fn is_alive(pid: u64) -> bool {
    match std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")) {
        Ok(stat) => !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')),
        Err(_) => false,
    }
}

fn is_time(name: &str) -> bool {
    matches!(name, "timestamp" | "last_activity") || name.ends_with("_at")
}

/// Within a day of now: a time in other units is no time.
fn is_now(seconds: f64) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
    (seconds - now).abs() < 86_400.0
}

/// Replaces every id of this prefix, which twelve lower-case hexadecimal digits follow.
fn mask_ids(text: &str, prefix: &str, word: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(prefix) {
        let after = &rest[at + prefix.len()..];
        let digits = after.bytes().take_while(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)).count();
        out.push_str(&rest[..at]);
        if digits == 12 {
            out.push_str(word);
            rest = &after[12..];
        } else {
            out.push_str(prefix);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// The directive that has the agent write this message; `$SESSION` in it stands for the session's id.
pub fn says(message: &Value) -> String {
    let text = message.to_string().replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    format!("[[raw:{text}]]")
}

/// The directive that has the agent send this session update.
pub fn updates(update: &Value) -> String {
    says(&json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "$SESSION", "update": update}}))
}
