//! The host with real processes: what a server sees, and what is left afterwards.

mod ending;
mod harness;
mod input;
mod measure;
mod orphan;
mod output;
mod recover;
mod start;
