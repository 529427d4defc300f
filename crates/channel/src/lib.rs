//! The channel: dispatch, observe, keep and resolve tasks.
//!
//! It joins the record (`segue-journal`) and the agents (`segue-host`) by the rules of
//! `segue-model`. It does not know what MCP, HTTP or SQL are.

pub mod agent;
mod agents;
pub mod api;
mod caller;
pub mod error;
mod inbox;
mod leases;
mod ledger;
pub mod markers;
mod paging;
mod probes;
mod record;
mod recorder;
mod recover;
mod remnants;
mod service;
mod shared;
mod spawn;
#[cfg(test)]
mod testing;
mod view;
mod wait;
mod workspace;

pub use agent::SHUTDOWN;
pub use caller::Caller;
pub use error::{Code, Refusal};
pub use service::{Channel, ShutDown};
pub use shared::{Config, World};
