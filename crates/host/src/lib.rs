//! Supervised process trees, and the clients that speak through them.

pub mod acp;
pub mod adapters;
pub mod mcp_client;

mod facts;
mod folder;
mod guest;
mod launch;
mod limits;
mod link;
mod order;
mod protocol;
mod ready;
mod record;
mod recover;
mod spool;
mod spool_reader;
mod start;
mod start_pages;
#[cfg_attr(target_os = "linux", path = "tree_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "tree_other.rs")]
mod tree;
pub mod work_tree;

pub use facts::{
    AskedBy, EOF_GRACE_MS, EndRecord, EndedProcess, Exit, HOST_MARK, HostConfig, HostIdentity, How, ORPHAN_GRACE_MS,
    Offsets, OrphanPlan, ProcessId, SEGMENT_BYTES, SPOOL_LIMIT_BYTES, Step, StepTaken, StopReceipt, Survivor,
};
pub use guest::guest_main;
pub use launch::launch;
pub use limits::raise_open_files;
pub use link::{AttachError, Link, LinkClosed, LinkReceiver, LinkSender, stands_still};
pub use protocol::{Hello, INPUT_MAX_BYTES};
pub use ready::Ready;
pub use record::{HostEvent, Stream};
pub use recover::{HostState, identity, last_input, never_ran, place, state, survivors, sweep, sweep_also};
pub use spool_reader::SpoolReader;
pub use start::{HostSpec, StartError, Started, own_executable, remove, start, start_ready};
pub use start_pages::give_back as give_back_start_pages;
