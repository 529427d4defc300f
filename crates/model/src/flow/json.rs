//! A JSON value that keeps what the flow contract hashes: integers of any size stay integers, floats
//! stay floats, and an object keeps its order.
//!
//! `serde_json::Value` loses both (an integer beyond 64 bits becomes a float, `-0` becomes `-0.0`), and its
//! `arbitrary_precision` feature would change numbers for the whole workspace. So flows have a value of
//! their own; `serde_json` still judges the grammar. Nothing here knows what a flow is.

mod number;
mod parse;

use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::Error as _,
    ser::{SerializeMap, SerializeSeq},
};
use serde_json::value::RawValue;

pub use number::Number;
pub use parse::{MAX_DEPTH, ParseError};

/// Members in the order of their first appearance; for a repeated key the last value counts.
pub type Object = IndexMap<String, Json>;

/// Any JSON value. `Deserialize` needs the text itself, so it works with `serde_json` over text only
/// and fails loudly elsewhere (buffered enum contents), instead of losing digits in silence.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Object),
}

impl Json {
    /// # Errors
    /// Text that is not JSON (the words `NaN` and `Infinity` are not), a float beyond the range of a
    /// double, a lone surrogate, or nesting deeper than [`MAX_DEPTH`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse::parse(text)
    }

    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// An integer within 64 bits. `1.0` is not an integer, and `true` is not a number.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A member of an object; `None` also when this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// What the contract calls non-blank: a string with something besides white space.
    #[must_use]
    pub fn non_blank(&self) -> Option<&str> {
        self.as_str().filter(|text| !text.trim().is_empty())
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(Number::from(value))
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Number(Number::from(i64::from(value)))
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl From<Object> for Json {
    fn from(members: Object) -> Self {
        Self::Object(members)
    }
}

/// An object from named members, in the order given.
#[must_use]
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Object {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// For values that our own code made or that came through another parser. Digits that `serde_json`
/// dropped are not brought back.
impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(Number::from(&number)),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(key, value)| (key, value.into())).collect())
            }
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    sequence.serialize_element(item)?;
                }
                sequence.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(D::Error::custom)
    }
}
