//! Lenient reading: what a line of an agent is, and the fields of what it holds.
//!
//! A field of the wrong type is a missing field, a name given twice has its last value, and nothing
//! here fails for what it does not know. Values are passed over as raw text until they are wanted:
//! that is what keeps a line that is nested a million levels deep from overflowing the stack, and
//! most lines from being copied.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Noise, Piece};

/// How many characters of a noisy line are shown.
const NOISE_PREVIEW_CHARS: usize = 200;

/// The longest request id that is echoed, in bytes. Real ones have a few dozen.
const MAX_ID: usize = 1024;

/// What one line holds.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// A text chunk of a session update: nearly every line of a turn.
    Chunk {
        session: Cow<'a, str>,
        thought: bool,
        piece: Piece,
    },
    /// A request, or without an id a notification.
    Call {
        id: Option<&'a RawValue>,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// The answer to a request of ours. An id that cannot be one of ours is `None`.
    Answer {
        id: Option<u64>,
        outcome: Result<Option<&'a RawValue>, &'a RawValue>,
    },
    /// Nothing but white space.
    Blank,
    Noise,
}

/// The line as text in which every escape stands for a character. A byte order mark, a carriage
/// return and white space around it are gone.
pub(super) fn text_of(line: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    }
}

fn trim(text: &str) -> &str {
    text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_ascii_whitespace()).trim_end()
}

/// The chunk in a line of the usual shape, in one pass and without copying what is not its text.
/// Halves of characters survive here and only here: elsewhere nothing is ever joined.
pub(super) fn chunk(line: &str) -> Option<Message<'_>> {
    #[derive(Deserialize)]
    struct Line<'a> {
        method: &'a str,
        #[serde(borrow)]
        params: Params<'a>,
        #[serde(default)]
        id: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        session_id: Cow<'a, str>,
        #[serde(borrow)]
        update: Chunk<'a>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Chunk<'a> {
        session_update: &'a str,
        #[serde(borrow)]
        content: Content<'a>,
    }
    #[derive(Deserialize)]
    struct Content<'a> {
        r#type: &'a str,
        #[serde(borrow)]
        text: Wtf8<'a>,
    }

    // A line without these words is not worth the attempt.
    if !line.contains("agent_message_chunk") && !line.contains("agent_thought_chunk") {
        return None;
    }
    let read: Line<'_> = serde_json::from_str(line).ok()?;
    let thought = match read.params.update.session_update {
        "agent_message_chunk" => false,
        "agent_thought_chunk" => true,
        _ => return None,
    };
    if read.method != "session/update" || read.id.is_some() || read.params.update.content.r#type != "text" {
        return None;
    }
    let piece = Piece::from_wtf8(&read.params.update.content.text.0);
    Some(Message::Chunk { session: read.params.session_id, thought, piece })
}

/// A JSON string as bytes: UTF-8 but for halves of characters, which are encoded like others.
struct Wtf8<'a>(Cow<'a, [u8]>);

impl<'de: 'a, 'a> Deserialize<'de> for Wtf8<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Cow<'de, [u8]>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(bytes))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Cow::Owned(bytes.to_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes).map(Self)
    }
}

/// Any line, once [`mend`] has seen it.
pub(super) fn message(line: &str) -> Message<'_> {
    if line.is_empty() {
        return Message::Blank;
    }
    let Some(object) = Object::parse(line) else { return Message::Noise };
    if let Some(method) = object.text("method") {
        return match object.raw("id") {
            None => Message::Call { id: None, method, params: object.raw("params") },
            Some(id) if is_id(id) => Message::Call { id: Some(id), method, params: object.raw("params") },
            Some(_) => Message::Noise,
        };
    }
    let Some(id) = object.raw("id") else { return Message::Noise };
    let error = object.some("error");
    if error.is_none() && object.raw("result").is_none() {
        return Message::Noise;
    }
    Message::Answer { id: own_id(id), outcome: error.map_or(Ok(object.some("result")), Err) }
}

/// Agents may choose text, a number or null.
fn is_id(id: &RawValue) -> bool {
    let id = id.get();
    id.len() <= MAX_ID && !id.starts_with(['{', '[']) && id != "true" && id != "false"
}

/// Our ids are numbers; some agents hand them back as text.
fn own_id(id: &RawValue) -> Option<u64> {
    id.get().trim_matches('"').parse().ok()
}

/// Replaces escaped halves of characters that stand alone, which no JSON reader takes.
pub(super) fn mend(line: Cow<'_, str>) -> Cow<'_, str> {
    if !line.contains("\\ud") && !line.contains("\\uD") {
        return line;
    }
    let bytes = line.as_bytes();
    let mut mended: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    while let Some(backslash) = bytes[at..].iter().position(|b| *b == b'\\').map(|found| at + found) {
        let next = match half_at(bytes, backslash) {
            None => backslash + 2,
            Some(0xD800..0xDC00) if matches!(half_at(bytes, backslash + 6), Some(0xDC00..)) => backslash + 12,
            Some(_) => {
                let out = mended.get_or_insert_default();
                out.push_str(&line[kept..backslash]);
                out.push_str("\\ufffd");
                kept = backslash + 6;
                kept
            }
        };
        at = next.min(bytes.len());
    }
    match mended {
        None => line,
        Some(mut out) => {
            out.push_str(&line[kept..]);
            Cow::Owned(out)
        }
    }
}

/// The half of a character that is escaped at `at`, if one is.
fn half_at(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !escape.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let unit = u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()?;
    (0xD800..0xE000).contains(&unit).then_some(unit)
}

/// The fields of a JSON object, unread.
#[derive(Debug, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// `None` for anything but an object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn of(raw: Option<&'a RawValue>) -> Option<Self> {
        Self::parse(raw?.get())
    }

    pub(super) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// As [`Object::raw`], with null as missing.
    pub(super) fn some(&self, name: &str) -> Option<&'a RawValue> {
        self.raw(name).filter(|raw| raw.get() != "null")
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.raw(name)?)
    }

    pub(super) fn object(&self, name: &str) -> Option<Self> {
        Self::of(self.raw(name))
    }

    /// The value read; `None` when it is missing, null or nested too deeply.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        value(self.some(name)?)
    }

    /// The elements of an array, unread; empty for anything else.
    pub(super) fn array(&self, name: &str) -> Vec<&'a RawValue> {
        self.raw(name).and_then(array).unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    fields.push((key, map.next_value()?));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A text that is borrowed where it can be, also as the key of a map.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

pub(super) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Key<'_>>(raw.get()).ok().map(|key| key.0)
}

pub(super) fn value(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

pub(super) fn array(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

/// The value, or when its encoding has more than `max_chars` characters the beginning of that.
pub(super) fn bounded(value: Value, max_chars: usize) -> Value {
    let encoded = value.to_string();
    match encoded.char_indices().nth(max_chars) {
        None => value,
        Some((at, _)) => json!({"truncated": true, "preview": &encoded[..at]}),
    }
}

/// At most `max_chars` characters of `text`, the cut marked.
pub(super) fn cut(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}

impl Noise {
    /// A line that is no message.
    #[must_use]
    pub fn line(line: &[u8]) -> Self {
        // A character has at most four bytes, so this holds more than is shown.
        let start = &line[..line.len().min(NOISE_PREVIEW_CHARS * 4 + 4)];
        let preview = cut(&String::from_utf8_lossy(start), NOISE_PREVIEW_CHARS).into_owned();
        Self { bytes: line.len() as u64, preview }
    }

    /// A line that was longer than [`super::MAX_LINE`] and was skipped.
    #[must_use]
    pub fn too_long(bytes: u64) -> Self {
        Self { bytes, preview: format!("a line of {bytes} bytes was skipped; at most {} are read", super::MAX_LINE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        mend(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn lone_halves_are_mended_and_whole_characters_are_not() {
        for (given, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D\uDE00""#, r#""\uD83D\uDE00""#),
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ude00b""#, r#""\ufffdb""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\ud83""#, r#""\ud83""#),
            (r"\ud83d\", r"\ufffd\"),
        ] {
            assert_eq!(mended(given), expected);
        }
    }

    #[test]
    fn the_kinds_of_line() {
        for (line, expected) in [
            ("", "Blank"),
            ("42", "Noise"),
            ("\"text\"", "Noise"),
            ("[{\"jsonrpc\":\"2.0\"}]", "Noise"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"resu", "Noise"),
            ("{}", "Noise"),
            ("{\"id\":1}", "Noise"),
            ("{\"id\":{},\"method\":\"x\"}", "Noise"),
            ("{\"method\":5}", "Noise"),
            ("{\"method\":\"x\"}", "Call"),
            ("{\"method\":\"x\",\"id\":null}", "Call"),
            ("{\"id\":1,\"result\":null}", "Answer"),
            ("{\"id\":1,\"error\":null,\"result\":{}}", "Answer"),
        ] {
            let message = format!("{:?}", message(line));
            assert!(message.starts_with(expected), "{line}: {message}");
        }
    }

    #[test]
    fn an_own_id_may_come_back_as_text() {
        for (id, expected) in
            [("3", Some(3)), ("\"3\"", Some(3)), ("3.5", None), ("null", None), ("-3", None), ("\"x\"", None)]
        {
            assert_eq!(own_id(&RawValue::from_string(id.into()).unwrap()), expected, "{id}");
        }
    }

    #[test]
    fn the_last_of_equal_names_counts_and_wrong_types_are_missing() {
        let object = Object::parse(r#"{"a":"1","a":"2","b":5,"c":null,"\u0064":"x"}"#).unwrap();
        assert_eq!(object.text("a").as_deref(), Some("2"));
        assert_eq!((object.text("b"), object.value("b")), (None, Some(json!(5))));
        assert!(object.raw("c").is_some() && object.some("c").is_none() && object.object("c").is_none());
        assert_eq!(object.text("d").as_deref(), Some("x"));
    }

    #[test]
    fn long_things_are_cut() {
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(bounded(json!("äöü"), 5), json!("äöü"));
        assert_eq!(bounded(json!("äöü"), 3), json!({"truncated": true, "preview": "\"äö"}));
        assert_eq!(Noise::line(&[b'x'; 5000]).preview.chars().count(), NOISE_PREVIEW_CHARS + 1);
    }
}
