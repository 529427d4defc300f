//! The channel as its clients know it: every promise of the published contract, against the real server and a
//! real agent process. One file for each part of the contract.

mod conversation;
mod events;
mod failures;
mod kept;
mod listing;
mod options;
mod paging;
mod permissions;
mod probes;
mod recording;
mod resolving;
pub mod served;
mod spawn;
mod waiting;
