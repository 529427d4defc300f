//! Host processes that were started, and how far what they say was taken in.
//!
//! A host's row exists from before the host starts until its end was imported.

use crate::stream::{InstanceId, StreamName};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRow {
    pub id: String,
    /// The instance that has it now.
    pub server: InstanceId,
    /// The stream that its events go to at present: a task's, or none for a probe.
    pub stream: Option<StreamName>,
    /// Bytes of the program's standard output of which everything derived is committed.
    pub out: u64,
    /// The same for standard error.
    pub err: u64,
    /// Identity of the processes, conversation state and settings as JSON; what it means is the
    /// channel's affair.
    pub body: String,
}
