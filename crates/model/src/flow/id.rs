//! Ids of flows: each can only be built by parsing or from drawn bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{fields::trimmed, json::Json};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl From<&$name> for Json {
            fn from(id: &$name) -> Self {
                Json::String(id.0.clone())
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                match Self::parse(&text) {
                    Some(id) if id.0 == text => Ok(id),
                    _ => Err(format!("{text:?} is not {}", $what)),
                }
            }
        }
    };
}

text_id!(
    /// The id of a node in its flow: any text of 1 to 120 characters.
    NodeId, "the id of a node"
);
text_id!(
    /// A flow id that can be used in bundles, history and admission: 3 to 128 characters of
    /// `[A-Za-z0-9._-]`, the first a letter or digit.
    PortableId, "a portable flow id"
);
text_id!(
    /// The id of a saved capability: 3 to 64 characters of `[a-z0-9._-]`, the first a letter or digit.
    CapabilityId, "a capability id"
);
text_id!(
    /// The id of a Run: a lower-case UUID of version 4.
    RunId, "a run id"
);
text_id!(
    /// The id of an artifact: a lower-case UUID of version 4.
    ArtifactId, "an artifact id"
);

/// An ASCII text of `min` to `max` characters, the first of `first`, the others of `rest`.
#[must_use]
pub fn matches(text: &str, min: usize, max: usize, first: fn(u8) -> bool, rest: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    (min..=max).contains(&bytes.len())
        && bytes.iter().enumerate().all(|(i, b)| if i == 0 { first(*b) } else { rest(*b) })
}

const fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

const fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// `[A-Za-z0-9_-]`
#[must_use]
pub const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl NodeId {
    /// Characters at most.
    pub const MAX: usize = 120;

    /// Without surrounding white space.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        trimmed(text, Self::MAX).map(|text| Self(text.to_owned()))
    }
}

impl PortableId {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = matches(text, 3, 128, is_alphanumeric, |b| is_alphanumeric(b) || matches!(b, b'.' | b'_' | b'-'));
        is_id.then(|| Self(text.to_owned()))
    }
}

impl CapabilityId {
    /// Characters at most.
    pub const MAX: usize = 64;

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = matches(text, 3, Self::MAX, is_lower, Self::may_hold);
        is_id.then(|| Self(text.to_owned()))
    }

    /// A byte allowed after the first.
    #[must_use]
    pub(super) const fn may_hold(byte: u8) -> bool {
        is_lower(byte) || matches!(byte, b'.' | b'_' | b'-')
    }
}

/// Where the dashes of a UUID stand.
const DASHES: [usize; 4] = [8, 13, 18, 23];

fn is_uuid4(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            _ if DASHES.contains(&index) => byte == b'-',
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

fn uuid4(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    for dash in DASHES {
        text.insert(dash, '-');
    }
    text
}

macro_rules! drawn {
    ($name:ident) => {
        impl $name {
            /// From bytes drawn by the caller; the bits of the version are set here.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(uuid4(bytes))
            }

            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                is_uuid4(text).then(|| Self(text.to_owned()))
            }
        }
    };
}

drawn!(RunId);
drawn!(ArtifactId);

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract §1: run ids and artifact ids.
    #[test]
    fn a_drawn_id_is_a_lower_case_uuid_of_version_4() {
        let id = RunId::from_bytes([0xff; 16]);
        assert_eq!(id.as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(RunId::parse(id.as_str()), Some(id));
        assert_eq!(ArtifactId::from_bytes([0; 16]).as_str(), "00000000-0000-4000-8000-000000000000");
        for bad in [
            "",
            "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF",
            "ffffffff-ffff-1fff-bfff-ffffffffffff",
            "ffffffff-ffff-4fff-cfff-ffffffffffff",
            "ffffffffffff-4fff-bfff-ffffffffffff--",
            "../etc/passwd",
        ] {
            assert_eq!(RunId::parse(bad), None, "{bad}");
        }
    }

    /// Contract §3, §12.4: `[A-Za-z0-9][A-Za-z0-9._-]{2,127}`.
    #[test]
    fn portable_ids() {
        let longest = "a".repeat(128);
        for good in ["abc", "0.a", "Note_digest-1.0", &longest] {
            assert!(PortableId::parse(good).is_some(), "{good}");
        }
        for bad in ["", "ab", ".abc", "-abc", "a b c", "äbc", "abc\n", &format!("{longest}a")] {
            assert_eq!(PortableId::parse(bad), None, "{bad}");
        }
    }

    /// Contract §13: `[a-z0-9][a-z0-9._-]{2,63}`.
    #[test]
    fn capability_ids() {
        let longest = "a".repeat(64);
        for good in ["abc", "http.sample-json", &longest] {
            assert!(CapabilityId::parse(good).is_some(), "{good}");
        }
        for bad in ["ab", "Abc", "_abc", &format!("{longest}a")] {
            assert_eq!(CapabilityId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_node_id_is_trimmed_text() {
        assert_eq!(NodeId::parse("  a b \n").map(|id| id.as_str().to_owned()).as_deref(), Some("a b"));
        assert_eq!(NodeId::parse(" "), None);
        assert_eq!(NodeId::parse(&"é".repeat(121)), None);
        assert!(NodeId::parse(&"é".repeat(120)).is_some());
    }
}
