//! A world with one agent in it, its model, and a server.

use std::process::Command;
use std::time::{Duration, Instant};

use segue_testkit::mcp_client::{McpClient, ended};
use segue_testkit::model_server::ModelServer;
use segue_testkit::program::Program;
use segue_testkit::real_agents::{environment, launcher_or_skip};
use serde_json::{Value, json};

use super::habits::Habits;

/// How long a turn, or a state of it, is waited for. On a busy machine opencode takes half a minute to start.
const DEADLINE: Duration = Duration::from_secs(150);
/// Between two looks at a turn; a client has nothing to be woken by.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long a process that was sent SIGKILL, or lost its only parent, may still be seen.
const GONE: Duration = Duration::from_secs(10);

pub struct World {
    pub habits: &'static Habits,
    /// Replaced when it was killed. Goes before the program, which ends what is left.
    pub segue: McpClient,
    pub program: Program,
    pub model: ModelServer,
}

impl World {
    /// `None` when the agent is not installed and need not be.
    pub fn new(habits: &'static Habits) -> Option<World> {
        World::with(habits, &[])
    }

    /// The same, with further variables.
    pub fn with(habits: &'static Habits, variables: &[(&str, &str)]) -> Option<World> {
        let mut program = Program::with_binary(env!("CARGO_BIN_EXE_segue"));
        let model = ModelServer::start().expect("a model server");
        if let Some(agent) = habits.real {
            let launcher = launcher_or_skip(agent)?;
            program.install(agent.program(), &launcher);
            for (name, value) in environment(agent, &model.url(), &program.home()).expect("files for the agent") {
                // The adapter's own work.
                if name != "CLINE_SESSION_BACKEND_MODE" {
                    program.env(&name, &value);
                }
            }
        }
        for (name, value) in variables {
            program.env(name, value);
        }
        // So that changed files are seen.
        let git = Command::new("git").args(["init", "--quiet"]).arg(program.workspace()).status().expect("git");
        assert!(git.success());
        let segue = program.mcp();
        Some(World { habits, segue, program, model })
    }

    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.segue.call(tool, arguments).unwrap_or_else(|refusal| panic!("{tool}: {refusal}"))
    }

    /// Starts a task with `prompt` and these further arguments; returns its id.
    pub fn spawn(&self, prompt: &str, further: Value) -> String {
        let mut arguments = json!({"agent": self.habits.adapter, "prompt": prompt});
        let fields = arguments.as_object_mut().expect("an object");
        fields.extend(further.as_object().cloned().unwrap_or_default());
        let spawned = self.call("spawn_task", arguments);
        assert_eq!(spawned["status"], "running", "{spawned}");
        spawned["task_id"].as_str().expect("an id").to_owned()
    }

    /// Starts tasks that run at the same time, each when the last one has its session: several first starts of Codex
    /// at once fail at the creation of its database.
    pub fn spawn_each<'a>(&self, tasks: impl IntoIterator<Item = (&'a str, Value)>) -> Vec<String> {
        let spawn = |(prompt, further): (&str, Value)| {
            let task = self.spawn(prompt, further);
            self.until(&task, "a session", |world| world.task(&task)["session_id"].is_string());
            task
        };
        tasks.into_iter().map(spawn).collect()
    }

    /// Waits for the task's end; returns what `get_task` says.
    pub fn end_of(&self, task: &str) -> Value {
        let until = Instant::now() + DEADLINE;
        while self.call("wait_tasks", json!({"task_ids": [task]}))["reason"] != "terminal" {
            assert!(Instant::now() < until, "{task} does not end: {:#?}", self.events(task));
        }
        self.task(task)
    }

    pub fn run(&self, prompt: &str, further: Value) -> Value {
        self.end_of(&self.spawn(prompt, further))
    }

    pub fn task(&self, task: &str) -> Value {
        self.call("get_task", json!({"task_id": task}))
    }

    pub fn events(&self, task: &str) -> Vec<Value> {
        let arguments = json!({"task_id": task, "limit": 500, "max_chars": 1_000_000});
        self.call("get_events", arguments)["events"].as_array().expect("events").clone()
    }

    /// The payloads of the task's events of one type.
    pub fn payloads(&self, task: &str, kind: &str) -> Vec<Value> {
        let events = self.events(task).into_iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["payload"].clone()).collect()
    }

    /// Everything the agent said in the task so far.
    pub fn said(&self, task: &str) -> String {
        self.payloads(task, "agent_message").iter().filter_map(|message| message["text"].as_str()).collect()
    }

    /// Waits until this holds, while the task runs.
    pub fn until(&self, task: &str, what: &str, met: impl Fn(&World) -> bool) {
        let until = Instant::now() + DEADLINE;
        while !met(self) {
            let told = self.task(task);
            assert_eq!(told["status"], "running", "before {what}: {told:#}");
            assert!(Instant::now() < until, "{what} is not reached: {:#?}", self.events(task));
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    pub fn exists(&self, file: &str) -> bool {
        self.program.workspace().join(file).exists()
    }

    /// Waits until every process with this in its command line is gone.
    pub fn assert_gone(&self, part: &str) {
        let until = Instant::now() + GONE;
        loop {
            let processes = self.program.mark().processes();
            let left: Vec<_> = processes.into_iter().filter(|process| process.command.contains(part)).collect();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "left: {left:?}");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends the server, and looks for what must not be left: processes, commands in sessions of their own, daemons,
    /// hosts and their files.
    pub fn end(self) {
        assert_eq!(ended(self.segue.shut_down()), "exit 0");
        assert_eq!(self.segue.stray_lines(), Vec::<String>::new());
        self.program.assert_nothing_left();
    }
}

/// The fields of an object that matter to a test, in the order given.
pub fn only(object: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| ((*field).to_owned(), object[*field].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Every end says that the tree was seen empty, and that nobody had to be killed.
pub fn assert_ended_in_order(task: &Value) {
    let receipt = &task["stop_receipt"];
    assert_eq!(
        only(receipt, &["tree_empty", "escaped", "unconfirmed"]),
        json!({"tree_empty": true, "escaped": [], "unconfirmed": null})
    );
    let processes = receipt["processes"].as_array().expect("processes");
    assert!(!processes.is_empty());
    let harsh: Vec<_> = processes.iter().filter(|process| process["how"] == "sigkill").collect();
    assert!(harsh.is_empty(), "{harsh:?}");
}
