//! Flows: admit, drive, recover, fork and compare Runs.
//!
//! It joins the rules of `segue-model` (which decide), the journal (which keeps), the hosts (which hold
//! processes) and the channel (whose tasks are agent nodes). It does not know what HTTP or SQL are.

pub mod executors;
