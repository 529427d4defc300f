//! Flows: admit, drive, recover, fork and compare Runs.
//!
//! It joins the rules of `segue-model` (which decide), the journal (which keeps), the hosts (which hold
//! processes) and the channel (whose tasks are agent nodes). It does not know what HTTP or SQL are.

mod admit;
pub mod api;
mod around;
pub mod bindings;
mod bundles;
mod catalogue;
mod compile;
mod create;
mod drive;
pub mod error;
mod events;
mod evidence;
pub mod executors;
mod forget;
mod fork;
mod form;
mod frozen;
mod keyed;
mod node_detail;
mod payload;
mod people;
mod plan;
mod preview;
mod projection;
mod reads;
mod record;
mod recover;
mod row;
mod rules;
mod run_detail;
mod run_ids;
mod schedule;
mod service;
mod shared;
mod store;
mod subrun;
mod versions;
mod watch;
mod why;
mod workspace;

pub use bindings::{Executors, Standard};
pub use service::Flows;
pub use shared::{ACTIVE_RUNS, Config};
