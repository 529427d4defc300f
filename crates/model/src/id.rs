//! Ids: newtypes that are built by parsing or from drawn bytes only.

use std::fmt;

use serde::{Deserialize, Serialize};

const HEX: &[u8; 16] = b"0123456789abcdef";

fn hex(prefix: &str, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(prefix.len() + bytes.len() * 2);
    text.push_str(prefix);
    for byte in bytes {
        text.push(char::from(HEX[usize::from(byte >> 4)]));
        text.push(char::from(HEX[usize::from(byte & 15)]));
    }
    text
}

fn is_id(text: &str, prefix: &str, digits: usize) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| rest.len() == digits && rest.bytes().all(|b| HEX.contains(&b)))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// How many random bytes make one.
            pub const BYTES: usize = $bytes;

            /// An id from bytes drawn by the caller.
            #[must_use]
            pub fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(hex($prefix, &bytes))
            }

            /// `None` for anything that is not exactly of the form.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                is_id(text, $prefix, $bytes * 2).then(|| Self(text.to_owned()))
            }

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

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                if is_id(&text, $prefix, $bytes * 2) { Ok(Self(text)) } else { Err(format!("{text:?} is not an id of the form {}…", $prefix)) }
            }
        }
    };
}

id!(
    /// A task of the channel: `task_` and 12 lowercase hex digits.
    TaskId, "task_", 6
);
id!(
    /// The handle of a kept agent: `agent_` and 12 lowercase hex digits.
    AgentHandle, "agent_", 6
);
id!(
    /// A host process: `host_` and 16 lowercase hex digits.
    HostId, "host_", 8
);
id!(
    /// A schedule: `schedule_` and 12 lowercase hex digits.
    ScheduleId, "schedule_", 6
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_an_id() {
        assert_eq!(TaskId::from_bytes([0, 1, 0xab, 0xff, 16, 9]).as_str(), "task_0001abff1009");
        assert!(TaskId::parse("task_0001abff1009").is_some());
        for bad in [
            "",
            "task_",
            "task_0001ABFF1009",
            "task_0001abff100",
            "task_0001abff10099",
            "agent_0001abff1009",
            "task_0001abff100g",
        ] {
            assert_eq!(TaskId::parse(bad), None, "{bad}");
        }
    }
}
