//! An HTTP client that shows what is on the wire: whether a reply has its end, and when the client leaves.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

/// A reply as it came.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub body: String,
    /// The body has its end mark or its announced length.
    pub complete: bool,
}

/// A request whose reply has not been read.
pub struct Open(TcpStream);

pub fn post(port: u16, path: &str, body: &Value) -> Open {
    send(port, "POST", path, &body.to_string())
}

pub fn get(port: u16, path: &str) -> Open {
    send(port, "GET", path, "")
}

fn send(port: u16, method: &str, path: &str, body: &str) -> Open {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    Open(stream)
}

impl Open {
    /// Everything that comes until the connection closes.
    pub fn read_raw(mut self) -> String {
        let mut raw = String::new();
        self.0.read_to_string(&mut raw).expect("text");
        raw
    }

    pub fn read(self) -> Reply {
        let raw = self.read_raw();
        let (head, body) = raw.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map(|length| length.parse::<usize>().expect("a length"));
        let (body, complete) = match length {
            Some(length) => (body.to_owned(), body.len() == length),
            None => without_chunks(body),
        };
        Reply { status, body, complete }
    }

    /// Reads until the text has come, and leaves.
    pub fn leave_after(mut self, text: &str) {
        let mut raw = Vec::new();
        while !String::from_utf8_lossy(&raw).contains(text) {
            let mut buffer = [0; 4096];
            let read = self.0.read(&mut buffer).expect("more of the reply");
            assert_ne!(read, 0, "the reply ended");
            raw.extend_from_slice(&buffer[..read]);
        }
        self.leave();
    }

    pub fn leave(self) {
        self.0.shutdown(Shutdown::Both).expect("an open connection");
    }
}

/// The content of a body in chunks, and whether the last chunk came.
fn without_chunks(mut body: &str) -> (String, bool) {
    let mut content = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return (content, true);
        }
        content.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    (content, false)
}
