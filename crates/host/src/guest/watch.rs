//! The JSON-RPC envelope, looked at from outside: which permission questions are open, and whether one awaited reply
//! has come. Nothing is changed and nothing else is understood.

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const PERMISSION: &str = "session/request_permission";
/// A longer line is not looked at. The questions seen are below 1 MB, diffs included.
const LINE_MAX_BYTES: usize = 8 << 20;
/// An agent asks one question at a time; this many is a fault, and the oldest are forgotten.
const OPEN_MAX: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The line that has begun.
    partial: Vec<u8>,
    /// It is too long, and its rest is passed over.
    passing_over: bool,
    open: Vec<Value>,
    awaited: Option<Value>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<Value>,
    method: Option<String>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Watch {
    /// Waits for the reply with this id from now on.
    pub fn await_reply(&mut self, id: Option<Value>) {
        self.awaited = id;
    }

    /// The awaited reply has not come.
    pub fn awaits(&self) -> bool {
        self.awaited.is_some()
    }

    /// The lines that answer every open question with "cancelled".
    pub fn refusals(&mut self) -> Vec<String> {
        let answer =
            |id| serde_json::json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": {"outcome": "cancelled"}}});
        self.open.drain(..).map(|id| format!("{}\n", answer(id))).collect()
    }

    /// Something the program wrote to stdout.
    pub fn output(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if std::mem::take(&mut self.passing_over) {
                continue;
            }
            if self.partial.is_empty() {
                self.line_out(line);
            } else {
                self.partial.extend_from_slice(line);
                let line = std::mem::take(&mut self.partial);
                self.line_out(&line);
            }
        }
        if !self.passing_over {
            self.partial.extend_from_slice(bytes);
            if self.partial.len() > LINE_MAX_BYTES {
                self.partial = Vec::new();
                self.passing_over = true;
            }
        }
    }

    fn line_out(&mut self, line: &[u8]) {
        let has = |needle: &str| memmem::find(line, needle.as_bytes()).is_some();
        // Most lines are updates, which have neither; only the others are parsed.
        let reply = self.awaited.is_some() && (has("\"result\"") || has("\"error\""));
        if !reply && !has(PERMISSION) {
            return;
        }
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { return };
        let Some(id) = envelope.id else { return };
        if envelope.method.as_deref() == Some(PERMISSION) {
            if self.open.len() == OPEN_MAX {
                self.open.remove(0);
            }
            self.open.push(id);
        } else if envelope.method.is_none()
            && self.awaited.as_ref() == Some(&id)
            && (envelope.result.is_some() || envelope.error.is_some())
        {
            self.awaited = None;
        }
    }

    /// Something a client sends to the program: it may answer a question.
    pub fn input(&mut self, bytes: &[u8]) {
        if self.open.is_empty() || bytes.len() > LINE_MAX_BYTES {
            return;
        }
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { continue };
            if envelope.method.is_none()
                && let Some(id) = envelope.id
            {
                self.open.retain(|open| *open != id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str =
        "{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"method\":\"session/request_permission\",\"params\":{}}\n";

    #[test]
    fn an_open_question_is_answered_with_its_own_id() {
        for cut in 0..QUESTION.len() {
            let mut watch = Watch::default();
            watch.output(&QUESTION.as_bytes()[..cut]);
            watch.output(&QUESTION.as_bytes()[cut..]);
            assert_eq!(
                watch.refusals(),
                ["{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}\n"],
                "{cut}"
            );
            assert_eq!(watch.refusals(), [""; 0]);
        }
    }

    #[test]
    fn an_answered_question_is_not_open_and_text_about_one_never_was() {
        let mut watch = Watch::default();
        watch.output(QUESTION.as_bytes());
        watch.input(b"{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"result\":{}}\n");
        watch.output(b"{\"method\":\"session/update\",\"id\":3,\"params\":\"session/request_permission\"}\nsession/request_permission\n");
        assert_eq!(watch.refusals(), [""; 0]);
    }

    #[test]
    fn the_awaited_reply_is_the_one_with_the_id_and_no_method() {
        let mut watch = Watch::default();
        watch.await_reply(Some(7.into()));
        watch.output(b"{\"id\":7,\"method\":\"fs/read\",\"params\":{\"result\":1}}\n{\"id\":8,\"result\":{}}\n{\"id\":\"7\",\"result\":{}}\n");
        assert!(watch.awaits());
        watch.output(b"{\"id\":7,\"error\":{\"method\":1}}\n");
        assert!(!watch.awaits());
    }

    #[test]
    fn an_endless_line_takes_no_memory_and_the_next_line_is_seen() {
        let mut watch = Watch::default();
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            watch.output(&chunk);
        }
        assert!(watch.partial.capacity() == 0);
        watch.output(b"\n");
        watch.output(QUESTION.as_bytes());
        assert_eq!(watch.refusals().len(), 1);
    }
}
