//! The host with real processes: what a server sees, and what is left afterwards.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod ending;
mod harness;
mod input;
mod measure;
mod orphan;
mod output;
mod ready;
mod recover;
mod start;
