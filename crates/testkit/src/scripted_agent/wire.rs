//! The agent's side of the line protocol: writing lines, asking the client, handing its answers to who waits.
//!
//! Knows JSON-RPC and how badly a line may be written; refuses to know any method.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::{hold::Hold, turn::TurnEvent};

/// Big enough that a burst of updates is written in few system calls.
const BUFFER_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub struct Wire {
    out: Mutex<Out>,
    waiting: Mutex<HashMap<u64, Sender<TurnEvent>>>,
    next_id: AtomicU64,
    line_end: &'static str,
}

#[derive(Debug)]
pub struct Out {
    /// `None` once the agent has closed its standard output.
    file: Option<BufWriter<File>>,
    one_byte_at_a_time: bool,
    hold: Option<Arc<Hold>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    pub fn new(stdout: File, line_end: &'static str, hold: Option<Arc<Hold>>) -> Wire {
        Wire {
            out: Mutex::new(Out {
                file: Some(BufWriter::with_capacity(BUFFER_BYTES, stdout)),
                one_byte_at_a_time: false,
                hold,
            }),
            waiting: Mutex::new(HashMap::new()),
            next_id: AtomicU64::new(1),
            line_end,
        }
    }

    /// Everything that `write` writes reaches the client in one piece and in one flush.
    pub fn burst(&self, write: impl FnOnce(&mut Out)) {
        let mut out = lock(&self.out);
        write(&mut out);
        out.flush();
    }

    /// Writes one line and its end.
    pub fn line(&self, line: &str) {
        self.burst(|out| out.line(line, self.line_end));
    }

    /// Writes each message on its line, all in one flush.
    pub fn messages(&self, messages: &[Value]) {
        self.burst(|out| {
            for message in messages {
                out.line(&message.to_string(), self.line_end);
            }
        });
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.messages(&[notification(method, params)]);
    }

    /// Sends a request; its answer arrives as [`TurnEvent::Answer`] with the returned id.
    pub fn request(&self, method: &str, params: &Value, answer_to: &Sender<TurnEvent>) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).insert(id, answer_to.clone());
        self.messages(&[json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})]);
        id
    }

    /// Hands an answer of the client to who asked. Answers that nobody waits for are dropped.
    pub fn take_answer(&self, message: Value) {
        let Some(id) = message["id"].as_u64() else {
            return;
        };
        if let Some(waiting) = lock(&self.waiting).remove(&id) {
            // The turn may be over; then nobody wants the answer.
            let _ = waiting.send(TurnEvent::Answer(id, message));
        }
    }

    pub fn line_end(&self) -> &'static str {
        self.line_end
    }

    pub fn split_from_now_on(&self) {
        lock(&self.out).one_byte_at_a_time = true;
    }

    /// Drops this handle on the pipe; the descriptor itself is the process's business.
    pub fn close(&self) {
        lock(&self.out).file = None;
    }
}

impl Out {
    pub fn line(&mut self, line: &str, end: &str) {
        self.bytes(line.as_bytes());
        self.bytes(end.as_bytes());
        if let Some(hold) = self.hold.clone() {
            self.flush();
            hold.pass();
        }
    }

    /// A client that has gone away is no error: the agent goes on until its input ends, as real ones do.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else {
            return;
        };
        if self.one_byte_at_a_time {
            for byte in bytes {
                let _ = file.write_all(&[*byte]);
                let _ = file.flush();
            }
        } else {
            let _ = file.write_all(bytes);
        }
    }

    fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            let _ = file.flush();
        }
    }
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub fn error(id: &Value, code: i64, message: &str, data: Option<&Value>) -> Value {
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}
