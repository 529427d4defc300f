//! Flows over real processes, real sockets and a journal in memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod executors;
mod flows;
