//! A raw MCP client for tests: JSON-RPC lines to and from a child process, blocking, with many calls at once.
//!
//! Knows the protocol's envelope and no more; it checks what every tool result must look like, so that no test
//! has to. Panics, with the server's stderr, when the server breaks the protocol or does not answer: a test
//! that uses it cannot go on. Refuses to know any tool.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

/// How long an answer, or the end of the server, is waited for. Far beyond what any call may take: reaching it
/// means that something hangs.
pub const DEADLINE: Duration = Duration::from_secs(90);

/// Between two looks at a child that is ending; there is nothing to be woken by.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The revision that [`McpClient::initialize`] is usually asked for.
pub const PROTOCOL_VERSION: &str = "2025-06-18";

/// A running server and the connection to it. Dropping it kills the server if it still runs.
#[derive(Debug)]
pub struct McpClient {
    child: Mutex<Child>,
    pid: u32,
    stdin: Mutex<Option<ChildStdin>>,
    next_id: AtomicU64,
    heard: Arc<Heard>,
}

/// What the reader threads have collected.
#[derive(Debug, Default)]
struct Heard {
    waiting: Mutex<HashMap<u64, Sender<Answer>>>,
    /// Notifications and requests of the server.
    unasked: Mutex<Vec<Value>>,
    /// Lines on stdout that are no protocol.
    stray: Mutex<Vec<String>>,
    stderr: Mutex<Vec<u8>>,
    stdout_closed: Mutex<bool>,
}

type Answer = Result<Value, RpcError>;

/// The `error` member of an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("JSON-RPC error {code}: {message}")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

/// A request that is under way.
#[derive(Debug)]
pub struct Pending {
    id: u64,
    what: String,
    answer: Receiver<Answer>,
    heard: Arc<Heard>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl McpClient {
    /// Starts the server. Its three standard streams become this client's.
    ///
    /// # Panics
    /// The program cannot be started.
    pub fn start(command: &mut Command) -> McpClient {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {:?}: {error}", command.get_program()));
        let heard = Arc::new(Heard::default());
        let pid = child.id();
        let stdin = child.stdin.take();
        // Both threads end with the pipes, which end with the server and whatever inherited them.
        if let Some(stdout) = child.stdout.take() {
            let heard = Arc::clone(&heard);
            std::thread::spawn(move || heard.read_stdout(BufReader::new(stdout)));
        }
        if let Some(stderr) = child.stderr.take() {
            let heard = Arc::clone(&heard);
            std::thread::spawn(move || heard.read_stderr(stderr));
        }
        McpClient { child: Mutex::new(child), pid, stdin: Mutex::new(stdin), next_id: AtomicU64::new(1), heard }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Does the handshake and returns the result of `initialize`.
    ///
    /// # Panics
    /// The server refuses, or does not answer.
    pub fn initialize(&self, protocol_version: &str) -> Value {
        let params = json!({
            "protocolVersion": protocol_version,
            "capabilities": {},
            "clientInfo": {"name": "segue-testkit", "version": "0"},
        });
        let result = self.request("initialize", params).unwrap_or_else(|error| panic!("initialize: {error}"));
        self.notify("notifications/initialized", json!({}));
        result
    }

    /// Calls a tool: its structured content, or the text of its failure.
    ///
    /// # Panics
    /// The answer is an error of the protocol, is not shaped as every tool result must be, or does not come.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        self.begin_call(tool, arguments).wait_call()
    }

    /// As [`Self::call`], without waiting.
    pub fn begin_call(&self, tool: &str, arguments: Value) -> Pending {
        self.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// The server's error.
    pub fn request(&self, method: &str, params: Value) -> Answer {
        self.begin(method, params).wait()
    }

    /// Sends a request.
    pub fn begin(&self, method: &str, params: Value) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (send, answer) = channel();
        lock(&self.heard.waiting).insert(id, send);
        if *lock(&self.heard.stdout_closed) {
            // Nobody will answer; dropping the sender tells the waiter so.
            lock(&self.heard.waiting).remove(&id);
        }
        let what = format!("{method} {}", params["name"].as_str().unwrap_or_default());
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        Pending { id, what, answer, heard: Arc::clone(&self.heard) }
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Tells the server that the answer to a request is no longer wanted.
    pub fn cancel(&self, pending: &Pending) {
        self.notify("notifications/cancelled", json!({"requestId": pending.id}));
    }

    fn send(&self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Writes bytes as they are. A server that no longer reads is not an error here: the answer, or its absence,
    /// tells.
    pub fn send_raw(&self, bytes: &[u8]) {
        if let Some(stdin) = lock(&self.stdin).as_mut() {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Ends the server's input.
    pub fn close_stdin(&self) {
        lock(&self.stdin).take();
    }

    /// Ends the server's input and waits for its end.
    pub fn shut_down(&self) -> ExitStatus {
        self.close_stdin();
        self.wait_exit()
    }

    /// Kills the server with SIGKILL and waits for its end.
    pub fn kill(&self) -> ExitStatus {
        self.signal(Signal::KILL);
        self.wait_exit()
    }

    /// Sends the server, and only it, a signal. Nothing happens to one that has ended.
    pub fn signal(&self, signal: Signal) {
        // Held so that the pid is not reaped, and perhaps reused, meanwhile.
        let mut child = lock(&self.child);
        if matches!(child.try_wait(), Ok(None))
            && let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// Waits for the server's end.
    ///
    /// # Panics
    /// It does not end within [`DEADLINE`].
    pub fn wait_exit(&self) -> ExitStatus {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match lock(&self.child).try_wait() {
                Ok(Some(status)) => return status,
                Ok(None) => {}
                Err(error) => panic!("cannot wait for the server: {error}"),
            }
            assert!(Instant::now() < deadline, "the server does not end; its stderr:\n{}", self.stderr());
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Whether the server is still running.
    pub fn is_running(&self) -> bool {
        matches!(lock(&self.child).try_wait(), Ok(None))
    }

    /// What the server has written to stderr so far.
    pub fn stderr(&self) -> String {
        self.heard.stderr()
    }

    /// What the server has sent unasked: notifications and requests, in order.
    pub fn unasked(&self) -> Vec<Value> {
        lock(&self.heard.unasked).clone()
    }

    /// Lines on stdout that are no JSON-RPC messages. Must always be empty.
    pub fn stray_lines(&self) -> Vec<String> {
        lock(&self.heard.stray).clone()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        // A server that has ended already is as good.
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Pending {
    /// The id of the request on the wire.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The server's error.
    ///
    /// # Panics
    /// The server ends, or does not answer within [`DEADLINE`].
    pub fn wait(self) -> Answer {
        match self.answer.recv_timeout(DEADLINE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                panic!("no answer to {}; the server's stderr:\n{}", self.what, self.heard.stderr())
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server ended before it answered {}; its stderr:\n{}", self.what, self.heard.stderr())
            }
        }
    }

    /// The answer, if it has come. `None` also when the server has ended without one.
    pub fn poll(&self) -> Option<Answer> {
        self.answer.try_recv().ok()
    }

    /// Waits for the answer, or for the server's end: then `None`.
    ///
    /// # Panics
    /// Neither comes within [`DEADLINE`].
    pub fn wait_or_end(self) -> Option<Answer> {
        match self.answer.recv_timeout(DEADLINE) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("no answer to {}; the server's stderr:\n{}", self.what, self.heard.stderr())
            }
        }
    }

    /// Waits for the result of a tool call: structured content, or the text of the failure.
    ///
    /// # Panics
    /// As [`McpClient::call`].
    pub fn wait_call(self) -> Result<Value, String> {
        let what = self.what.clone();
        match self.wait() {
            Ok(result) => tool_result(&what, &result),
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

/// Takes a tool result apart. The text block must hold what the structured content holds, since older clients
/// read only the text.
fn tool_result(what: &str, result: &Value) -> Result<Value, String> {
    let text = match result["content"].as_array().map(Vec::as_slice) {
        Some([block]) if block["type"] == "text" => block["text"].as_str(),
        _ => None,
    };
    let text = text.unwrap_or_else(|| panic!("{what}: not exactly one text block: {result}"));
    if result["isError"] == json!(true) {
        assert_eq!(result.get("structuredContent"), None, "{what}: a failure has no structured content");
        return Err(text.to_owned());
    }
    let structured = &result["structuredContent"];
    let read: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error} in {text}"));
    assert_eq!(&read, structured, "{what}: text and structured content differ");
    Ok(read)
}

impl Heard {
    fn read_stdout(&self, mut stdout: impl BufRead) {
        let mut line = Vec::new();
        while matches!(stdout.read_until(b'\n', &mut line), Ok(1..)) {
            self.take_line(&line);
            line.clear();
        }
        let mut waiting = lock(&self.waiting);
        *lock(&self.stdout_closed) = true;
        // Dropping the senders tells those who wait that no answer will come.
        waiting.clear();
    }

    fn take_line(&self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            lock(&self.stray).push(String::from_utf8_lossy(line).into_owned());
            return;
        };
        if message["jsonrpc"] != "2.0" {
            lock(&self.stray).push(String::from_utf8_lossy(line).into_owned());
        } else if message.get("method").is_some() {
            lock(&self.unasked).push(message);
        } else if let Some(waiting) = message["id"].as_u64().and_then(|id| lock(&self.waiting).remove(&id)) {
            let answer = match message.get("error") {
                None => Ok(message["result"].clone()),
                Some(error) => Err(RpcError {
                    code: error["code"].as_i64().unwrap_or_default(),
                    message: error["message"].as_str().unwrap_or_default().to_owned(),
                    data: error.get("data").cloned(),
                }),
            };
            // Whoever asked may have stopped waiting.
            let _ = waiting.send(answer);
        } else {
            lock(&self.unasked).push(message);
        }
    }

    fn read_stderr(&self, mut stderr: impl Read) {
        let mut block = [0; 16 * 1024];
        while let Ok(size @ 1..) = stderr.read(&mut block) {
            lock(&self.stderr).extend_from_slice(&block[..size]);
        }
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&lock(&self.stderr)).into_owned()
    }
}

/// How a process ended, in the words of the tests: `exit 0` or `signal 9`.
pub fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server in one line of shell: answers every line with the same text.
    fn server(answers: &str) -> McpClient {
        let script = format!("echo noise >&2; while read -r line; do printf '%s\\n' '{answers}'; done; exit 3");
        McpClient::start(Command::new("sh").args(["-c", &script]))
    }

    #[test]
    fn a_result_is_read_and_the_end_is_seen() {
        let client = server(
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},"isError":false}}"#,
        );
        assert_eq!(client.call("x", json!({})), Ok(json!({"a": 1})));
        assert_eq!(ended(client.shut_down()), "exit 3");
        assert_eq!(client.stderr(), "noise\n");
        assert_eq!(client.stray_lines(), Vec::<String>::new());
    }

    #[test]
    fn a_failure_is_its_text_and_other_lines_are_kept() {
        let client = server(
            r#"hello
{"jsonrpc":"2.0","method":"notifications/message"}
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"task_not_found: x"}],"isError":true}}"#,
        );
        assert_eq!(client.call("x", json!({})), Err("task_not_found: x".to_owned()));
        assert_eq!(client.stray_lines(), ["hello\n"]);
        assert_eq!(client.unasked(), [json!({"jsonrpc": "2.0", "method": "notifications/message"})]);
    }

    #[test]
    fn a_call_in_flight_learns_that_the_server_was_killed() {
        let client = McpClient::start(Command::new("sleep").arg("600"));
        let pending = client.begin_call("x", json!({}));
        assert_eq!(ended(client.kill()), "signal 9");
        assert_eq!(pending.wait_or_end(), None);
        assert_eq!(client.begin("ping", json!({})).wait_or_end(), None);
    }
}
