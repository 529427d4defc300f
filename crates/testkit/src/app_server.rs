//! A `segue app` as a user starts it, and HTTP spoken to it over a plain socket.
//!
//! Knows how the server announces itself and how HTTP/1.1 is framed; refuses to know any route.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    mcp_client::{DEADLINE, ended},
    program::Program,
};

/// Between two looks whether the server has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A running server; killed when dropped.
#[derive(Debug)]
pub struct AppServer {
    child: Child,
    address: String,
    state_root: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// Its value, or nothing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// # Panics
    /// The body is no JSON.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {} {:?}", self.status, String::from_utf8_lossy(&self.body)))
    }
}

impl AppServer {
    /// Starts `segue app` on any free port and waits until it listens.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn start(world: &Program) -> AppServer {
        AppServer::start_with(world, &[])
    }

    /// Starts `segue app` with further arguments.
    ///
    /// # Panics
    /// As [`Self::start`].
    #[must_use]
    pub fn start_with(world: &Program, arguments: &[&str]) -> AppServer {
        AppServer::of(&mut world.command(["app", "--port", "0", "--no-open"].iter().chain(arguments)))
    }

    /// Starts a command that runs `segue app`.
    ///
    /// # Panics
    /// As [`Self::start`].
    #[must_use]
    pub fn of(command: &mut Command) -> AppServer {
        AppServer::telling(command, Stdio::null())
    }

    /// Starts a command that runs `segue app`, and what it says on standard error goes to `stderr`.
    ///
    /// # Panics
    /// As [`Self::start`].
    #[must_use]
    pub fn telling(command: &mut Command, stderr: impl Into<Stdio>) -> AppServer {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut value = |key: &str| {
            let line = lines.next().expect("a line").expect("text");
            line.strip_prefix(key).unwrap_or_else(|| panic!("{line:?}")).to_owned()
        };
        let (url, state_root) = (value("app="), value("state_root="));
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).expect("a URL with a slash");
        AppServer { child, address: address.to_owned(), state_root }
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The state folder, as the server says it.
    #[must_use]
    pub fn state_root(&self) -> &str {
        &self.state_root
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection that stays open between requests.
    ///
    /// # Panics
    /// It cannot be had.
    #[must_use]
    pub fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a limit");
        // A request is one write; nothing is to wait for an acknowledgement.
        stream.set_nodelay(true).expect("no delay");
        Connection { host: self.address.clone(), stream: BufReader::new(stream) }
    }

    /// One request on a connection of its own.
    ///
    /// # Panics
    /// There is no whole answer.
    #[track_caller]
    #[must_use]
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        self.connect().send(method, path, &[], body.map(Value::to_string).as_deref())
    }

    /// Status and JSON of an answer.
    ///
    /// # Panics
    /// There is no whole answer, or it is no JSON.
    #[track_caller]
    #[must_use]
    pub fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let reply = self.send(method, path, body);
        (reply.status, reply.json())
    }

    /// Sends a signal and waits for the end.
    ///
    /// # Panics
    /// It does not end within [`DEADLINE`].
    #[track_caller]
    #[must_use]
    pub fn stop(mut self, signal: rustix::process::Signal) -> String {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
        rustix::process::kill_process(pid, signal).expect("it runs");
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return ended(status);
            }
            assert!(Instant::now() < deadline, "the server does not end");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// `kill -9`.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection, used for one request after the other.
#[derive(Debug)]
pub struct Connection {
    host: String,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// A request and its whole answer. A body goes as JSON unless `headers` name another type.
    ///
    /// # Panics
    /// There is no whole answer.
    #[track_caller]
    #[must_use]
    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        self.begin(method, path, headers, body);
        self.reply()
    }

    /// Status and JSON of an answer.
    ///
    /// # Panics
    /// There is no whole answer, or it is no JSON.
    #[track_caller]
    #[must_use]
    pub fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let reply = self.send(method, path, &[], body.map(Value::to_string).as_deref());
        (reply.status, reply.json())
    }

    /// Sends a request and does not wait for the answer.
    ///
    /// # Panics
    /// It cannot be sent.
    #[track_caller]
    pub fn begin(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !given("host") {
            head.push_str(&format!("Host: {}\r\n", self.host));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            if !given("content-type") {
                head.push_str("Content-Type: application/json\r\n");
            }
            if !given("content-length") {
                head.push_str(&format!("Content-Length: {}\r\n", body.len()));
            }
        }
        let request = format!("{head}\r\n{}", body.unwrap_or_default());
        self.stream.get_mut().write_all(request.as_bytes()).expect("sent");
    }

    /// The whole answer to a request that was begun.
    ///
    /// # Panics
    /// There is none.
    #[track_caller]
    #[must_use]
    pub fn reply(&mut self) -> Reply {
        let mut reply = self.head();
        let length: usize = reply.header("content-length").parse().unwrap_or_else(|_| panic!("no length: {reply:?}"));
        reply.body.resize(length, 0);
        self.stream.read_exact(&mut reply.body).expect("a whole body");
        reply
    }

    /// The head of the answer to a request that was begun; what follows is read with [`Self::chunk`].
    ///
    /// # Panics
    /// There is none.
    #[track_caller]
    #[must_use]
    pub fn head(&mut self) -> Reply {
        let line = self.line();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
                None if line.is_empty() => return Reply { status, headers, body: Vec::new() },
                None => panic!("no header: {line:?}"),
            }
        }
    }

    /// The next piece of an answer without a length; `None` at its end.
    ///
    /// # Panics
    /// It breaks off.
    #[track_caller]
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let line = self.line();
        let length = usize::from_str_radix(&line, 16).unwrap_or_else(|_| panic!("no length: {line:?}"));
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("a whole chunk");
        let end = self.line();
        assert_eq!(end, "", "behind a chunk");
        (length > 0).then_some(bytes)
    }

    #[track_caller]
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("an answer");
        assert!(line.ends_with("\r\n"), "the answer breaks off at {line:?}");
        line.truncate(line.len() - 2);
        line
    }
}
