//! What no agent should say, and some do: noise, cut characters, sessions and methods that do not exist.

use serde_json::{Value, json};

use super::super::wire::Wire;
use super::{Outcome, Step, Turn, message_chunk, session_update};

/// What `[[surrogates]]` reads as: the two halves of one character that arrive in two chunks, then a half alone.
pub const SURROGATES_READ_AS: &str = "\u{1f600} a\u{fffd}b";

/// Lines that are not messages.
const NOISE: [&str; 9] = [
    "Welcome to the scripted agent! \u{2728}",
    "",
    "   ",
    "42",
    "true",
    "\"a string\"",
    "[1, {\"jsonrpc\": \"2.0\"}]",
    "{\"jsonrpc\": \"2.0\", \"method\": \"session/upd",
    "\u{feff}",
];

/// Writes lines that are not messages.
pub fn noise(wire: &Wire) {
    for line in NOISE {
        wire.line(line);
    }
}

/// A client's answer in words: `result <JSON>` or `error <code>`.
pub(super) fn describe_answer(answer: &Value) -> String {
    match answer.get("error") {
        Some(error) => format!("error {}", error["code"]),
        None => format!("result {}", answer["result"]),
    }
}

impl Turn {
    /// One message chunk of this many bytes of text.
    pub(super) fn big_line(&self, bytes: usize) {
        let block = [b'x'; 64 * 1024];
        let frame = session_update(&self.session.id, &message_chunk("\u{1}")).to_string();
        let (head, tail) = frame.split_once("\\u0001").unwrap_or((&frame, ""));
        self.agent.wire.burst(|out| {
            out.bytes(head.as_bytes());
            let mut left = bytes;
            while left > 0 {
                let size = left.min(block.len());
                out.bytes(&block[..size]);
                left -= size;
            }
            out.line(tail, self.agent.wire.line_end());
        });
    }

    /// A line verbatim; `$SESSION` and `$PROMPT` stand for the session's id and the JSON of the prompt's.
    pub(super) fn raw(&self, line: &str) {
        let line = line.replace("$SESSION", &self.session.id);
        self.agent.wire.line(&line.replace("$PROMPT", &self.prompt_id.to_string()));
    }

    /// Written as text, since no JSON library writes half a character.
    pub(super) fn surrogates(&self) {
        for text in [r"\ud83d", r"\ude00 ", r"a\ud83db"] {
            let frame = session_update(&self.session.id, &message_chunk("\u{1}")).to_string();
            self.agent.wire.line(&frame.replace("\\u0001", text));
        }
    }

    pub(super) fn wrong_session(&self) {
        let update = session_update("no-such-session", &message_chunk("for somebody else"));
        self.agent.wire.messages(&[update]);
    }

    /// A kind of update that does not exist, then a known one with members that do not exist.
    pub(super) fn unknown_update(&self) {
        self.send(&[
            json!({"sessionUpdate": "quantum_update", "state": {"alive": null}}),
            json!({"sessionUpdate": "session_info_update", "title": "A title", "colour": "blue"}),
        ]);
    }

    /// Asks for something the client did not offer, and says what it answered.
    pub(super) fn unknown_request(&mut self, method: &str, params: Option<Value>) -> Step {
        let session = &self.session.id;
        let params = params.unwrap_or_else(|| match method {
            "fs/write_text_file" => {
                json!({"sessionId": session, "path": self.in_workspace("unasked.txt"), "content": "unasked"})
            }
            "fs/read_text_file" => json!({"sessionId": session, "path": "/etc/hostname"}),
            "terminal/create" => json!({"sessionId": session, "command": "true", "args": []}),
            _ => json!({"sessionId": session}),
        });
        let answer = self.request_and_wait(method, &params)?;
        self.say(&format!("{method}: {answer}"));
        Ok(())
    }

    /// Asks the user something, and says what was answered.
    pub(super) fn elicit(&mut self) -> Step {
        let params = json!({
            "sessionId": self.session.id,
            "mode": "form",
            "message": "Which colour?",
            "requestedSchema": {
                "type": "object",
                "properties": {"colour": {"type": "string"}},
                "required": ["colour"],
            },
        });
        let answer = self.request_and_wait("elicitation/create", &params)?;
        self.say(&format!("elicitation: {answer}"));
        Ok(())
    }

    fn request_and_wait(&mut self, method: &str, params: &Value) -> Result<String, Outcome> {
        let request = self.agent.wire.request(method, params, &self.to_self);
        let answer = self.wait_for_answer(request, false)?;
        self.last_result = describe_answer(&answer);
        Ok(self.last_result.clone())
    }
}
