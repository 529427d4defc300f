//! Canonical JSON and the hashes over it (contract §2). This form is not RFC 8785: keys are sorted by code
//! point, floats keep `.0`, integers have any size.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::json::{Json, Object};

/// The canonical text of a value. Every [`Json`] has one, since it cannot hold NaN or an infinity.
#[must_use]
pub fn canonical(value: &Json) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// As [`canonical`], of an object.
#[must_use]
pub fn canonical_object(object: &Object) -> String {
    let mut text = String::new();
    write_object(&mut text, object);
    text
}

/// As [`canonical_object`] of `object` with `value` as its member `key`, without a copy of that.
#[must_use]
pub fn canonical_with(object: &Object, key: &str, value: &Object) -> String {
    let mut text = String::new();
    let others = object.iter().filter(|(name, _)| *name != key).map(|(name, value)| (name.as_str(), Ok(value)));
    write_members(&mut text, others.chain([(key, Err(value))]), |out, member| match member {
        Ok(value) => write_value(out, value),
        Err(object) => write_object(out, object),
    });
    text
}

fn write_object(out: &mut String, object: &Object) {
    write_members(out, object.iter().map(|(key, value)| (key.as_str(), value)), write_value);
}

fn write_members<'m, M>(
    out: &mut String,
    members: impl Iterator<Item = (&'m str, M)>,
    mut write: impl FnMut(&mut String, M),
) {
    // UTF-8 bytes sort as code points do.
    let mut sorted: Vec<_> = members.collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        separate(out, index);
        write_string(out, key);
        out.push(':');
        write(out, value);
    }
    out.push('}');
}

fn write_value(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&number.to_string()),
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(out, index);
                write_value(out, item);
            }
            out.push(']');
        }
        Json::Object(members) => write_object(out, members),
    }
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// SHA-256 in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash(String);

impl Hash {
    /// Digits in the text form.
    pub const DIGITS: usize = 64;

    /// Of the canonical text of a value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        Self::of_bytes(canonical(value).as_bytes())
    }

    /// As [`Hash::of`], of an object.
    #[must_use]
    pub fn of_object(object: &Object) -> Self {
        Self::of_bytes(canonical_object(object).as_bytes())
    }

    /// Of bytes as they are, for instance of an artifact.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut text = String::with_capacity(Self::DIGITS);
        for byte in Sha256::digest(bytes) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// `None` for anything but 64 lower-case hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == Self::DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first digits, as ids of executors and phrases carry them; `digits` is at most 64.
    #[must_use]
    pub fn prefix(&self, digits: usize) -> &str {
        &self.0[..digits.min(Self::DIGITS)]
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.0
    }
}

impl From<&Hash> for Json {
    fn from(hash: &Hash) -> Self {
        Json::String(hash.0.clone())
    }
}

impl TryFrom<String> for Hash {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is not a SHA-256 in lower-case hex"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow::json::Number;

    fn hash(text: &str) -> String {
        Hash::of(&Json::parse(text).expect("valid JSON")).to_string()
    }

    #[test]
    fn a_member_that_is_lent_stands_in_its_order() {
        let object = |text: &str| Json::parse(text).expect("valid JSON").as_object().expect("an object").clone();
        let (fixed, lent) = (object(r#"{"z":1,"a":{"y":2,"x":[]},"m":"gone"}"#), object(r#"{"b":true,"a":null}"#));
        let text = r#"{"a":{"x":[],"y":2},"m":{"a":null,"b":true},"z":1}"#;
        assert_eq!(canonical_with(&fixed, "m", &lent), text);
        assert_eq!(canonical_object(&object(text)), text);
        assert_eq!(Hash::of_object(&object(text)), Hash::of_bytes(text.as_bytes()));
    }

    /// Contract §2, reference vectors 1 to 3.
    #[test]
    fn the_reference_vectors() {
        assert_eq!(hash("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assert_eq!(
            hash(r#"{"topic":"é","n":1,"x":1.0}"#),
            "6156946cdd236b95a87040b946ef793aca7512516aeaf2fe60facf31428813be"
        );
        let odd = r#"{"😀":1,"\uffff":2,"é":"\u2028\u007f\u0001\"\\/","b":1.0,
            "a":[1e16,0.1,-0.0,1e-7,123456789012345678901234567890]}"#;
        assert_eq!(hash(odd), "188848522773bbecfb1203c8659ac9afc371e4233f8fd785fe63a8b1e74b9f20");
    }

    /// Contract §2: which characters are escaped, and how.
    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        let text = Json::from("\"\\\u{8}\t\n\u{c}\r\0\u{1f}\u{7f}\u{2028}\u{2029}/é😀");
        let escaped = "\"\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{2028}\u{2029}/é😀\"";
        assert_eq!(canonical(&text), escaped);
    }

    /// Numbers as an independent implementation of the contract's rule (CPython's) writes them.
    #[test]
    fn numbers_are_written_as_elsewhere() {
        for line in include_str!("../../fixtures/canonical/numbers.tsv").lines() {
            let (text, expected) = line.split_once('\t').expect("two columns");
            assert_eq!(canonical(&Json::parse(text).expect("a number")), expected, "{text}");
        }
    }

    #[test]
    fn an_integer_and_a_float_hash_differently() {
        assert_ne!(hash("1"), hash("1.0"));
        assert_eq!(hash("1.0"), hash("10E-1"));
        assert_eq!(hash("-0"), hash("0"));
    }

    #[test]
    fn only_lower_case_hex_is_a_hash() {
        let good = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(Hash::parse(good).map(|h| h.prefix(12).to_owned()).as_deref(), Some("44136fa355b3"));
        for bad in ["", "44136fa3", &good.to_uppercase(), &format!("{good}0"), &good.replace('4', "g")] {
            assert_eq!(Hash::parse(bad), None, "{bad}");
        }
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            "-?[1-9][0-9]{18,40}".prop_map(|digits| Json::parse(&digits).expect("an integer")),
            any::<f64>().prop_filter_map("finite", Number::from_f64).prop_map(Json::Number),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Json::Object(members.into_iter().collect::<Object>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn canonical_text_reads_back_as_the_same_value(value in any_json()) {
            let text = canonical(&value);
            let read = Json::parse(&text).expect("canonical text is JSON");
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(canonical(&read), text);
        }

        #[test]
        fn serde_keeps_every_number(value in any_json()) {
            let text = serde_json::to_string(&value).expect("serialisable");
            let read: Json = serde_json::from_str(&text).expect("valid");
            prop_assert_eq!(read, value);
        }
    }
}
