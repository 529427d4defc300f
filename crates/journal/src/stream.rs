//! Names and positions of streams.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a stream: a kind and an id, `task/task_0123456789ab`, `lease/agent_…`, `run/…`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamName(String);

impl StreamName {
    /// A stream of `kind` (one plain word) for `id`.
    #[must_use]
    pub fn new(kind: &str, id: &str) -> Self {
        debug_assert!(!kind.is_empty() && !kind.contains('/'), "a stream kind is one plain word");
        Self(format!("{kind}/{id}"))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The word before the slash.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split_once('/').map_or(self.0.as_str(), |(kind, _)| kind)
    }

    /// What stands after the slash.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, id)| id)
    }

    /// A name read back from storage or from a peer.
    #[must_use]
    pub fn from_stored(name: String) -> Self {
        Self(name)
    }
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of an event in its stream: 1 for the first, no gaps; 0 means "no event yet".
pub type Seq = u64;

/// The fencing token of a stream's ownership: raised by one at each takeover. An append that
/// carries an older one is refused, so an owner that was thought dead cannot write any more.
pub type Token = u64;

/// A process instance that opened the journal: `inst_` + 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(pub String);

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A position in the journal as a whole: one for each commit that changed anything, ascending.
pub type Position = u64;
