//! Points in time as recorded.

use serde::{Deserialize, Serialize};

/// Microseconds since the Unix epoch, as a clock showed it. Two timestamps tell when something was
/// recorded; what came first is told by sequence numbers, since a clock can be set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Seconds since the Unix epoch.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "microseconds of this century fit into 53 bits")]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Seconds from `earlier` to this; never negative, also when the clock was set back.
    #[must_use]
    pub fn seconds_since(self, earlier: Self) -> f64 {
        Self(self.0.saturating_sub(earlier.0).max(0)).seconds()
    }
}
