//! Lines into messages.
//!
//! A line that is no message must never end the connection, and a request must be answered whenever its id
//! can be read: a client that waits for an answer that never comes hangs. The library does neither for all
//! lines, so they are looked at here before it sees them.

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
};
use serde_json::Value;

/// What a line turned out to be.
#[derive(Debug, Default)]
pub struct Read {
    pub messages: Vec<ClientJsonRpcMessage>,
    /// Answers that are due at once.
    pub refusals: Vec<ServerJsonRpcMessage>,
}

/// The answer to a line that was too long to be read.
pub fn too_long(bytes_max: usize) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(
        ErrorData::invalid_request(format!("the message is longer than {bytes_max} bytes"), None),
        None,
    )
}

/// Reads a line. A byte order mark, white space around the message and an empty line mean nothing.
pub fn read(line: &[u8]) -> Read {
    let mut read = Read::default();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return read;
    }
    match parse(line) {
        Ok(Value::Array(batch)) if !batch.is_empty() => batch.into_iter().for_each(|value| read.add(value)),
        Ok(value) => read.add(value),
        Err(error) => {
            read.refusals.push(ServerJsonRpcMessage::error(
                ErrorData::parse_error(format!("the line is not JSON: {error}"), None),
                id_of(line),
            ));
        }
    }
    read
}

/// The id of a line that is nested too deeply to be read whole; what is skipped may be as deep as it likes.
fn id_of(line: &[u8]) -> Option<RequestId> {
    #[derive(serde::Deserialize)]
    struct Envelope {
        id: RequestId,
    }
    serde_json::from_slice::<Envelope>(line).ok().map(|envelope| envelope.id)
}

impl Read {
    fn add(&mut self, value: Value) {
        let (asked, id) = (value.get("method").is_some_and(Value::is_string), value.get("id").cloned());
        let answer = value.get("result").is_some() || value.get("error").is_some();
        match serde_json::from_value(value) {
            Ok(message) => self.messages.push(message),
            // Nothing is ever asked of a client here, so an answer that cannot be read is nobody's; and a
            // notification is never answered.
            Err(_) if answer || (asked && id.is_none()) => {}
            Err(_) => {
                let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
                self.refusals.push(ServerJsonRpcMessage::error(
                    ErrorData::invalid_request("the message is not a JSON-RPC 2.0 request", None),
                    id,
                ));
            }
        }
    }
}

/// Halves of a character, which JavaScript writes as `\ud83d`, and bytes that are not UTF-8 become U+FFFD
/// instead of making the message unreadable.
fn parse(line: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(line).or_else(|error| {
        let text = String::from_utf8_lossy(line);
        let mended = without_lone_halves(&text);
        if mended.as_bytes() == line { Err(error) } else { serde_json::from_str(&mended) }
    })
}

fn without_lone_halves(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let taken = match (half(escape), escape.get(6..).and_then(half)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            // The escaped character belongs to the backslash, or `\\ud83d` would be taken for an escape.
            _ => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&escape[..taken]);
        rest = &escape[taken..];
    }
    out.push_str(rest);
    out
}

/// The code unit of the escape (`\u` and four digits) that stands at the beginning.
fn half(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(line: &[u8]) -> (Vec<Value>, Vec<Value>) {
        let read = read(line);
        let shown = |message| serde_json::to_value(message).unwrap();
        (
            read.messages.iter().map(shown).collect(),
            read.refusals.iter().map(|m| serde_json::to_value(m).unwrap()).collect(),
        )
    }

    fn ping(id: i64) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
    }

    #[test]
    fn messages_are_found_in_what_surrounds_them() {
        for line in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"[..],
            b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
            b" \t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null} \r",
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        ] {
            assert_eq!(outcome(line), (vec![ping(1)], vec![]));
        }
        assert_eq!(outcome(b"\r"), (vec![], vec![]));
    }

    #[test]
    fn what_is_no_message_is_answered_where_an_answer_is_due() {
        let refusal = |code: i64, id: Value| {
            let mut refusal = json!({"jsonrpc": "2.0", "error": {"code": code}});
            if !id.is_null() {
                refusal["id"] = id;
            }
            refusal
        };
        let (parse, invalid) = (-32700, -32600);
        for (line, expected) in [
            ("{\"jsonrpc\":", Some(refusal(parse, json!(null)))),
            ("banner", Some(refusal(parse, json!(null)))),
            ("5", Some(refusal(invalid, json!(null)))),
            ("null", Some(refusal(invalid, json!(null)))),
            ("\"text\"", Some(refusal(invalid, json!(null)))),
            ("[]", Some(refusal(invalid, json!(null)))),
            ("{}", Some(refusal(invalid, json!(null)))),
            (r#"{"id": 7, "method": "ping"}"#, Some(refusal(invalid, json!(7)))),
            (r#"{"jsonrpc": "1.0", "id": "a", "method": "ping"}"#, Some(refusal(invalid, json!("a")))),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, Some(refusal(invalid, json!(null)))),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, Some(refusal(invalid, json!(null)))),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": 5}"#, Some(refusal(invalid, json!(7)))),
            (r#"{"method": "notifications/cancelled"}"#, None),
            (r#"{"jsonrpc": "1.0", "id": 7, "result": {}}"#, None),
        ] {
            let (messages, mut refusals) = outcome(line.as_bytes());
            assert_eq!(messages, Vec::<Value>::new(), "{line}");
            for refusal in &mut refusals {
                refusal["error"].as_object_mut().unwrap().remove("message");
            }
            assert_eq!(refusals, expected.into_iter().collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn a_request_that_is_nested_too_deeply_is_answered() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let line = format!(r#"{{"jsonrpc":"2.0","params":{deep},"id":7,"method":"ping"}}"#);
        let (messages, refusals) = outcome(line.as_bytes());
        assert_eq!(messages, Vec::<Value>::new());
        assert_eq!(refusals.len(), 1);
        assert_eq!((&refusals[0]["id"], &refusals[0]["error"]["code"]), (&json!(7), &json!(-32700)));
        let (_, refusals) = outcome(deep.as_bytes());
        assert_eq!((refusals.len(), refusals[0].get("id")), (1, None));
    }

    #[test]
    fn a_batch_is_taken_apart() {
        let (messages, refusals) =
            outcome(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}, 5, {"jsonrpc":"2.0","id":2,"method":"ping"}]"#);
        assert_eq!((messages, refusals.len()), (vec![ping(1), ping(2)], 1));
    }

    #[test]
    fn text_that_is_broken_inside_is_mended() {
        for (given, read) in [
            (&br#"["a\ud83db"]"#[..], "a\u{fffd}b"),
            (br#"["\ude00\ud83d\ude00"]"#, "\u{fffd}\u{1f600}"),
            (br#"["\\ud83d\ud83d"]"#, "\\ud83d\u{fffd}"),
            (br#"["\ud83d\n"]"#, "\u{fffd}\n"),
            (b"[\"a\xffb\"]", "a\u{fffd}b"),
        ] {
            assert_eq!(parse(given).unwrap(), json!([read]));
        }
        assert!(parse(br#"["\ud83d"#).is_err());
        assert!(parse(br#"["\u12"]"#).is_err());
    }
}
