//! Reading a call's arguments.
//!
//! Clients are sloppy in known ways, and calls are cheap to understand: a number may come as text, an
//! object or array as text that holds it, an optional argument as null. Text is never interpreted
//! otherwise: a note that reads `null` or `{"a": 1}` is that note. What decides how long an agent lives
//! or how much is shown (`keep_*`, `include_*`) is taken as exact JSON or refused.
//!
//! Arguments that no tool asks for are left lying.

use std::borrow::Cow;

use segue_channel::{Caller, Refusal};
use serde_json::{Map, Value};

use crate::error::ToolError;

/// How many characters of a wrong value are shown back.
pub const ECHO_CHARS: usize = 80;

/// The arguments of one call, and who makes it. Each can be taken once.
#[derive(Debug)]
pub struct Args {
    given: Map<String, Value>,
    caller: Caller,
}

type Taken<T> = Result<T, ToolError>;

impl Args {
    pub fn new(given: Map<String, Value>) -> Self {
        Self { given, caller: Caller::default() }
    }

    pub fn by(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    pub fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// The value, `None` when absent or null.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.given.swap_remove(name).filter(|value| !value.is_null())
    }

    pub fn text(&mut self, name: &'static str) -> Taken<String> {
        required(name, self.text_or_none(name)?)
    }

    pub fn text_or_none(&mut self, name: &'static str) -> Taken<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(unfit(name, "a string", &other)),
        }
    }

    /// One of the words that `parse` knows.
    pub fn choice_or_none<T>(
        &mut self,
        name: &'static str,
        words: &[&str],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Taken<Option<T>> {
        let Some(text) = self.text_or_none(name)? else { return Ok(None) };
        match parse(&text) {
            Some(choice) => Ok(Some(choice)),
            None => Err(unfit(name, &format!("one of {}", words.join(", ")), &Value::String(text))),
        }
    }

    pub fn choice<T>(&mut self, name: &'static str, words: &[&str], parse: impl Fn(&str) -> Option<T>) -> Taken<T> {
        required(name, self.choice_or_none(name, words, parse)?)
    }

    /// An integer, also as `5.0` or `"5"`. One beyond 64 bits counts as the nearest that fits.
    pub fn integer_or(&mut self, name: &'static str, default: i64) -> Taken<i64> {
        let Some(value) = self.take(name) else { return Ok(default) };
        integer(&value).ok_or_else(|| unfit(name, "an integer", &value))
    }

    /// A number, also as `"3"`.
    pub fn number_or_none(&mut self, name: &'static str) -> Taken<Option<f64>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| unfit(name, "a number", &value))
    }

    /// A JSON object, also as text that holds one.
    pub fn object_or_none(&mut self, name: &'static str) -> Taken<Option<Map<String, Value>>> {
        match self.take_structure(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(unfit(name, "an object", &other)),
        }
    }

    /// A JSON array of strings, also as text that holds one.
    pub fn texts_or_none(&mut self, name: &'static str) -> Taken<Option<Vec<String>>> {
        match self.take_structure(name) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let texts = items.into_iter().map(|item| match item {
                    Value::String(text) => Ok(text),
                    other => Err(unfit(name, "an array of strings", &other)),
                });
                texts.collect::<Taken<Vec<String>>>().map(Some)
            }
            Some(other) => Err(unfit(name, "an array of strings", &other)),
        }
    }

    pub fn texts(&mut self, name: &'static str) -> Taken<Vec<String>> {
        required(name, self.texts_or_none(name)?)
    }

    fn take_structure(&mut self, name: &str) -> Option<Value> {
        match self.take(name)? {
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Null) => None,
                Ok(value) => Some(value),
                Err(_) => Some(Value::String(text)),
            },
            value => Some(value),
        }
    }

    /// A JSON boolean and nothing else; false when absent.
    pub fn strict_flag(&mut self, name: &'static str) -> Taken<bool> {
        match self.given.swap_remove(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(Refusal::invalid(format!("{name} must be true or false, not {}", shown(&other))).into()),
        }
    }

    /// A JSON integer and nothing else; `None` when absent or null.
    pub fn strict_integer_or_none(&mut self, name: &'static str) -> Taken<Option<i64>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let exact = match &value {
            Value::Number(number) if number.is_u64() => Some(number.as_i64().unwrap_or(i64::MAX)),
            Value::Number(number) => number.as_i64(),
            _ => None,
        };
        match exact {
            Some(integer) => Ok(Some(integer)),
            None => Err(Refusal::invalid(format!("{name} must be an integer, not {}", shown(&value))).into()),
        }
    }
}

fn required<T>(name: &'static str, value: Option<T>) -> Taken<T> {
    value.ok_or_else(|| ToolError::Argument { name, problem: "is required".to_owned() })
}

fn unfit(name: &'static str, expected: &str, value: &Value) -> ToolError {
    ToolError::Argument { name, problem: format!("must be {expected}, not {}", shown(value)) }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?))
        }
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates, which is what is wanted")]
fn whole(number: f64) -> Option<i64> {
    (number.is_finite() && number.fract() == 0.0).then_some(number as i64)
}

/// A value as shown in a message: JSON, cut.
pub fn shown(value: &Value) -> String {
    let whole = match value {
        // Cut first, so that a value of megabytes is not encoded for a message of eighty characters.
        Value::String(text) if text.len() > ECHO_CHARS * 4 => {
            Value::String(text.chars().take(ECHO_CHARS).collect()).to_string() + "…"
        }
        Value::Array(items) => return format!("an array of {}", items.len()),
        Value::Object(_) => return "an object".to_owned(),
        other => other.to_string(),
    };
    cut(&whole, ECHO_CHARS).into_owned()
}

/// At most that many characters, and a sign where something was cut.
pub fn cut(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: Value) -> Args {
        Args::new(json!({"x": value}).as_object().cloned().unwrap_or_default())
    }

    fn refused(problem: &str) -> ToolError {
        ToolError::Argument { name: "x", problem: problem.to_owned() }
    }

    fn invalid(message: &str) -> ToolError {
        ToolError::Refused(Refusal::invalid(message))
    }

    #[test]
    fn integers_come_in_several_dresses() {
        for (given, taken) in [
            (json!(5), Ok(5)),
            (json!(5.0), Ok(5)),
            (json!("5"), Ok(5)),
            (json!(" 5 "), Ok(5)),
            (json!("5.0"), Ok(5)),
            (json!(-1), Ok(-1)),
            (json!(null), Ok(50)),
            (json!(u64::MAX), Ok(i64::MAX)),
            (json!(1e300), Ok(i64::MAX)),
            (json!(2.5), Err(refused("must be an integer, not 2.5"))),
            (json!("2.5"), Err(refused("must be an integer, not \"2.5\""))),
            (json!("five"), Err(refused("must be an integer, not \"five\""))),
            (json!(true), Err(refused("must be an integer, not true"))),
            (json!([5]), Err(refused("must be an integer, not an array of 1"))),
            (json!("nan"), Err(refused("must be an integer, not \"nan\""))),
        ] {
            assert_eq!(args(given.clone()).integer_or("x", 50), taken, "{given}");
        }
        assert_eq!(Args::new(Map::new()).integer_or("x", 50), Ok(50));
    }

    #[test]
    fn numbers_may_be_text() {
        for (given, taken) in [
            (json!(3), Ok(Some(3.0))),
            (json!(0.5), Ok(Some(0.5))),
            (json!("3"), Ok(Some(3.0))),
            (json!(null), Ok(None)),
            (json!(false), Err(refused("must be a number, not false"))),
            (json!("soon"), Err(refused("must be a number, not \"soon\""))),
        ] {
            assert_eq!(args(given.clone()).number_or_none("x"), taken, "{given}");
        }
    }

    #[test]
    fn structures_may_be_text_that_holds_them() {
        let object = json!({"allow": ["edit"]}).as_object().cloned();
        for (given, taken) in [
            (json!({"allow": ["edit"]}), Ok(object.clone())),
            (json!("{\"allow\": [\"edit\"]}"), Ok(object)),
            (json!("null"), Ok(None)),
            (json!(null), Ok(None)),
            (json!("[]"), Err(refused("must be an object, not an array of 0"))),
            (json!("allow"), Err(refused("must be an object, not \"allow\""))),
        ] {
            assert_eq!(args(given.clone()).object_or_none("x"), taken, "{given}");
        }
        for (given, taken) in [
            (json!(["a", "null"]), Ok(vec!["a".to_owned(), "null".to_owned()])),
            (json!("[\"a\", \"null\"]"), Ok(vec!["a".to_owned(), "null".to_owned()])),
            (json!([]), Ok(vec![])),
            (json!(null), Err(refused("is required"))),
            (json!("a"), Err(refused("must be an array of strings, not \"a\""))),
            (json!([1]), Err(refused("must be an array of strings, not 1"))),
        ] {
            assert_eq!(args(given.clone()).texts("x"), taken, "{given}");
        }
    }

    #[test]
    fn text_is_taken_as_it_is() {
        for given in ["", "null", "{\"a\": 1}", "[1]", "5", "true"] {
            assert_eq!(args(json!(given)).text_or_none("x"), Ok(Some(given.to_owned())));
        }
        assert_eq!(args(json!(null)).text_or_none("x"), Ok(None));
        assert_eq!(args(json!(5)).text_or_none("x"), Err(refused("must be a string, not 5")));
        assert_eq!(args(json!(null)).text("x"), Err(refused("is required")));
    }

    #[test]
    fn flags_and_bounds_are_exact_json() {
        for (given, taken) in [
            (json!(true), Ok(true)),
            (json!(false), Ok(false)),
            (json!(1), Err(invalid("x must be true or false, not 1"))),
            (json!("true"), Err(invalid("x must be true or false, not \"true\""))),
            (json!(null), Err(invalid("x must be true or false, not null"))),
        ] {
            assert_eq!(args(given.clone()).strict_flag("x"), taken, "{given}");
        }
        assert_eq!(Args::new(Map::new()).strict_flag("x"), Ok(false));
        for (given, taken) in [
            (json!(5), Ok(Some(5))),
            (json!(-5), Ok(Some(-5))),
            (json!(null), Ok(None)),
            (json!(u64::MAX), Ok(Some(i64::MAX))),
            (json!(true), Err(invalid("x must be an integer, not true"))),
            (json!(1.0), Err(invalid("x must be an integer, not 1.0"))),
            (json!("5"), Err(invalid("x must be an integer, not \"5\""))),
        ] {
            assert_eq!(args(given.clone()).strict_integer_or_none("x"), taken, "{given}");
        }
    }

    #[test]
    fn what_is_echoed_is_short() {
        assert!(shown(&json!("ä".repeat(1_000_000))).chars().count() <= ECHO_CHARS + 1);
        assert!(shown(&json!("\u{1}".repeat(200))).chars().count() <= ECHO_CHARS + 1);
    }
}
