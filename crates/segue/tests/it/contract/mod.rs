//! The channel as its clients know it: every promise of the published contract, against the real server and a
//! real agent process. One file for each part of the contract.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod additions;
mod arguments;
mod concurrency;
mod conversation;
mod events;
mod failures;
mod initialize;
mod kept;
mod listing;
mod markers;
mod nesting;
mod options;
mod output;
mod paging;
mod permissions;
mod probes;
mod recording;
mod resolving;
pub mod served;
mod spawn;
mod stopping;
mod waiting;
