//! JSON text to [`Json`]. `serde_json` judges the whole text first; what follows only cuts text that is
//! known to be well formed, and hands each string back to `serde_json` for its escapes.

use serde_json::value::RawValue;

use super::{Json, Number, Object};

/// Deeper nesting is refused. The same bound that `serde_json` has for its own values.
pub const MAX_DEPTH: usize = 128;

/// Why a text is not a value that can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("malformed JSON: {0}")]
    Malformed(String),
    #[error("number {0} is out of range")]
    OutOfRange(String),
    #[error("JSON is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

pub(super) fn parse(text: &str) -> Result<Json, ParseError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| ParseError::Malformed(error.to_string()))?;
    Cutter { rest: raw.get() }.value(0)
}

/// Walks over text whose grammar has been checked.
struct Cutter<'a> {
    rest: &'a str,
}

impl<'a> Cutter<'a> {
    fn value(&mut self, depth: usize) -> Result<Json, ParseError> {
        self.blanks();
        match self.peek() {
            b'{' | b'[' if depth == MAX_DEPTH => Err(ParseError::TooDeep),
            b'{' => self.object(depth + 1),
            b'[' => self.array(depth + 1),
            b'"' => self.string().map(Json::String),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, ParseError> {
        self.skip(1);
        let mut members = Object::new();
        while !self.closes(b'}') {
            let key = self.string()?;
            self.blanks();
            self.skip(1);
            let value = self.value(depth)?;
            // A repeated key keeps its first place and takes the last value.
            members.insert(key, value);
        }
        Ok(Json::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Json, ParseError> {
        self.skip(1);
        let mut items = Vec::new();
        while !self.closes(b']') {
            items.push(self.value(depth)?);
        }
        Ok(Json::Array(items))
    }

    /// Passes blanks, one comma, and the closing mark if it is next; the end of the text closes too, so
    /// that the walk ends whatever the text is.
    fn closes(&mut self, mark: u8) -> bool {
        self.blanks();
        if self.peek() == b',' {
            self.skip(1);
            self.blanks();
        }
        if self.peek() == mark {
            self.skip(1);
            return true;
        }
        self.rest.is_empty()
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let mut escaped = false;
        let inside = self.rest.bytes().skip(1).take_while(|&byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            !ends
        });
        let literal = self.take(inside.count() + 2);
        serde_json::from_str(literal).map_err(|error| ParseError::Malformed(error.to_string()))
    }

    fn number(&mut self) -> Result<Json, ParseError> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let literal = self.take(self.rest.bytes().take_while(is_part).count().max(1));
        Number::from_grammatical(literal).map(Json::Number).ok_or_else(|| ParseError::OutOfRange(literal.to_owned()))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, ParseError> {
        self.skip(word.len());
        Ok(value)
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn peek(&self) -> u8 {
        self.rest.as_bytes().first().copied().unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        self.take(bytes);
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(text: &str) -> ParseError {
        parse(text).expect_err(text)
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        assert_eq!(parse(r#"{"a":1,"b":2,"a":3}"#), parse(r#"{"a":3,"b":2}"#));
    }

    /// Contract §2: the words are invalid JSON here.
    #[test]
    fn what_json_cannot_say_is_refused() {
        for text in ["NaN", "Infinity", "[-Infinity]", "", "{", "[1,]", "01", "'a'", "{\"a\":1,}", "1 2", "\"\\ud800\""]
        {
            assert!(matches!(error(text), ParseError::Malformed(_)), "{text}");
        }
        assert_eq!(error("[1e999]"), ParseError::OutOfRange("1e999".into()));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(error(&nested(MAX_DEPTH + 1)), ParseError::TooDeep);
        assert_eq!(error(&nested(100_000)), ParseError::TooDeep);
    }

    #[test]
    fn blanks_and_escapes_are_read() {
        let text = " { \"a\\\"\\\\\" : [ true , false , null , \"\\u00e9\\ud83d\\ude00\\/\" ] , \"\" : -1.5E+3 } ";
        let expected = parse("{\"a\\\"\\\\\":[true,false,null,\"é😀/\"],\"\":-1500.0}");
        assert_eq!(parse(text), expected);
        assert!(expected.is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in r#"[\[\]{}",:\\0-9eE.+\-a-z \t\n]{0,40}"#) {
            let ours = parse(&text).is_ok();
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            prop_assert_eq!(ours, theirs);
        }
    }
}
