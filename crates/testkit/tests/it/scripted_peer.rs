//! The client's side of the scripted agent's wire: raw JSON lines, nothing hidden.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use segue_testkit::mcp_client::ended;
use segue_testkit::real_agents::Mark;
use serde_json::{Value, json};

/// Reaching it means that the agent hangs.
pub const DEADLINE: Duration = Duration::from_secs(30);

pub struct Peer {
    pub child: Child,
    stdin: Option<ChildStdin>,
    stderr: Receiver<Vec<u8>>,
    lines: Receiver<Vec<u8>>,
    next_id: u64,
    /// The kind of option that permission questions are answered with; `None` answers cancelled.
    pub choose: Option<&'static str>,
    pub mark: Mark,
}

/// What came before the answer to a request, and the answer.
#[derive(Debug, PartialEq)]
pub struct Exchange {
    pub updates: Vec<Value>,
    /// Requests of the agent.
    pub asked: Vec<Value>,
    pub answer: Value,
}

impl Exchange {
    /// The agent's message text.
    pub fn text(&self) -> String {
        let chunks = self.updates.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk");
        chunks.filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    /// Kind of update and tool status, in order.
    pub fn kinds(&self) -> Vec<String> {
        let kinds = self.updates.iter().map(|update| {
            let kind = update["sessionUpdate"].as_str().unwrap_or("(none)");
            match update["status"].as_str() {
                Some(status) => format!("{kind} {status}"),
                None => kind.to_owned(),
            }
        });
        kinds.collect()
    }
}

impl Peer {
    pub fn start(environment: &[(&str, &str)]) -> Peer {
        Peer::start_as("segue-scripted-agent", &[], environment)
    }

    /// Starts the agent under another name.
    pub fn start_as(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Peer {
        let mark = Mark::new(&format!("peer-{name}-{}", environment.len()));
        let (variable, value) = mark.variable();
        let mut command = Command::new(env!("CARGO_BIN_EXE_segue-scripted-agent"));
        command
            .arg0(name)
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env(variable, value)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A group of its own, as a host gives it.
        let mut child = command.process_group(0).spawn().expect("the agent starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = channel();
        // Ends with the agent's standard output.
        std::thread::spawn(move || {
            let mut stdout = stdout;
            loop {
                let mut line = Vec::new();
                match stdout.read_until(b'\n', &mut line) {
                    Ok(1..) if send.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        let mut pipe = child.stderr.take().expect("a pipe");
        let (send, stderr) = channel();
        // Read all along: an agent that fills the pipe would stop.
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.read_to_end(&mut bytes);
            let _ = send.send(read.map(|_| bytes).unwrap_or_default());
        });
        Peer { stdin: child.stdin.take(), stderr, child, lines, next_id: 1, choose: Some("reject_once"), mark }
    }

    /// The next line with its end, or `None` when stdout has closed.
    pub fn next_line(&mut self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(error) => panic!("no line from the agent: {error}"),
        }
    }

    pub fn next(&mut self) -> Value {
        let line = self.next_line().expect("the agent's stdout is open");
        serde_json::from_slice(&line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&line)))
    }

    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("an open input");
        stdin.write_all(format!("{message}\n").as_bytes()).expect("the agent reads");
    }

    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Reads until the answer to `id`; answers the agent's own requests: permissions by `choose`, others with
    /// "method not found".
    pub fn until_answer(&mut self, id: u64) -> Exchange {
        let (mut updates, mut asked) = (Vec::new(), Vec::new());
        loop {
            let message = self.next();
            match (message["method"].as_str(), message.get("id")) {
                (None, Some(of)) if of == id => return Exchange { updates, asked, answer: message },
                (Some("session/update"), None) => updates.push(message["params"]["update"].clone()),
                (Some(_), Some(of)) => {
                    let answer = self.answer_to(&message);
                    let mut answer = answer.as_object().cloned().expect("an object");
                    answer.insert("jsonrpc".into(), json!("2.0"));
                    answer.insert("id".into(), of.clone());
                    self.send(&Value::Object(answer));
                    asked.push(message);
                }
                _ => asked.push(message),
            }
        }
    }

    fn answer_to(&self, request: &Value) -> Value {
        if request["method"] != "session/request_permission" {
            return json!({"error": {"code": -32601, "message": "Method not found"}});
        }
        let mut options = request["params"]["options"].as_array().into_iter().flatten();
        let option = options.find(|option| self.choose.is_some_and(|kind| option["kind"] == kind));
        match option {
            Some(option) => json!({"result": {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}}),
            None => json!({"result": {"outcome": {"outcome": "cancelled"}}}),
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Exchange {
        let id = self.begin(method, params);
        self.until_answer(id)
    }

    /// Initializes and opens a session.
    pub fn open(&mut self, cwd: &Path) -> String {
        self.request("initialize", json!({"protocolVersion": 1}));
        let opened = self.request("session/new", json!({"cwd": cwd, "mcpServers": []}));
        opened.answer["result"]["sessionId"].as_str().expect("a session id").to_owned()
    }

    pub fn begin_prompt(&mut self, session: &str, text: &str) -> u64 {
        self.begin("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> Exchange {
        let id = self.begin_prompt(session, text);
        self.until_answer(id)
    }

    pub fn cancel(&mut self, session: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
    }

    pub fn set(&mut self, session: &str, setting: Value) -> Value {
        let mut params = setting;
        params["sessionId"] = json!(session);
        self.request("session/set_config_option", params).answer
    }

    pub fn close_stdin(&mut self) {
        self.stdin.take();
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("a live agent");
    }

    /// Waits for the agent's end.
    pub fn end(&mut self) -> String {
        let deadline = std::time::Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return ended(status);
            }
            assert!(std::time::Instant::now() < deadline, "the agent does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Everything on stderr, once nobody holds it open.
    pub fn stderr(&mut self) -> Vec<u8> {
        self.stderr.recv_timeout(DEADLINE).expect("stderr is closed by everyone, and read once")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The mark ends what the agent has started.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
