//! An ACP client of a few lines, raw JSON over standard input and output, for the tests of real agents.
//!
//! It allows what it is asked once, answers every other request with "method not found", and collects the text.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use segue_testkit::real_agents::{Agent, Mark};
use serde_json::{Value, json};

/// Generous: agents take many times their idle start on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Long enough for the slowest agent to end after its standard input closed.
const END_LIMIT: Duration = Duration::from_secs(30);

pub struct AcpClient {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    next_id: u64,
    /// The agent's message text of the turn under way.
    text: String,
    /// Kinds of the tool calls that the agent asked leave for.
    asked: Vec<String>,
    mark: Mark,
}

/// What a prompt led to.
#[derive(Debug, PartialEq)]
pub struct Turn {
    pub stop_reason: String,
    pub text: String,
    pub asked: Vec<String>,
}

impl AcpClient {
    pub fn start(agent: Agent, launcher: &Path, environment: Vec<(String, String)>, workspace: &Path) -> Self {
        let mark = Mark::new(agent.name());
        let (name, value) = mark.variable();
        // Nothing of the environment of whoever runs the tests, whose keys would reach real services.
        let mut child = Command::new(launcher)
            .args(agent.arguments())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env(name, value)
            .envs(environment)
            .current_dir(workspace)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the agent starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = channel();
        // Ends with the agent's standard output.
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, stdin, lines, next_id: 0, text: String::new(), asked: Vec::new(), mark }
    }

    /// Sends a request and serves the agent until it answers.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let until = Instant::now() + LIMIT;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|error| panic!("no answer to {method}: {error}"));
            let message: Value = serde_json::from_str(&line).expect("a line of JSON");
            if message["id"] == id && message.get("method").is_none() {
                assert_eq!(message.get("error"), None, "{method}");
                return message["result"].clone();
            }
            self.serve(&message);
        }
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> Turn {
        let prompt = json!([{"type": "text", "text": text}]);
        let reply = self.call("session/prompt", json!({"sessionId": session, "prompt": prompt}));
        Turn {
            stop_reason: reply["stopReason"].as_str().unwrap_or_default().to_owned(),
            text: std::mem::take(&mut self.text),
            asked: std::mem::take(&mut self.asked),
        }
    }

    /// Closes standard input and expects the agent, and everything it started, to end.
    pub fn end(mut self) {
        drop(self.stdin);
        assert_eq!(self.mark.wait_gone(END_LIMIT), vec![]);
        self.child.wait().expect("an ended child");
    }

    fn serve(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("session/update") => {
                let update = &params["update"];
                if update["sessionUpdate"] == "agent_message_chunk" {
                    self.text.push_str(update["content"]["text"].as_str().unwrap_or_default());
                }
            }
            Some("session/request_permission") => {
                let kind = params["toolCall"]["kind"].as_str().unwrap_or("none");
                self.asked.push(kind.to_owned());
                let options = params["options"].as_array().expect("options");
                let once = options.iter().find(|option| option["kind"] == "allow_once").expect("a way to allow");
                let outcome = json!({"outcome": "selected", "optionId": once["optionId"]});
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": outcome}}));
            }
            Some(_) if message.get("id").is_some() => {
                let error = json!({"code": -32601, "message": "method not found"});
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
            }
            _ => {}
        }
    }

    fn send(&mut self, message: &Value) {
        self.stdin.write_all(format!("{message}\n").as_bytes()).expect("the agent reads");
    }
}
