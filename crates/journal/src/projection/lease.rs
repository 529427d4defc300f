//! Kept agents.

use crate::stream::InstanceId;

/// One lease as queries see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRow {
    pub handle: String,
    pub server: InstanceId,
    pub state: String,
    /// The state is final.
    pub ended: bool,
    pub last_seq: u64,
    /// The derived state as JSON.
    pub body: String,
}
