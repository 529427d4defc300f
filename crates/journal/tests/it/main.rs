//! The journal as its users see it: the common suite on both backends, and what only files and
//! processes can show.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and a child process tells by printing"
)]

mod blobs;
mod busy;
mod crash;
mod equal;
mod export;
mod full;
mod gone;
mod migration;
mod process;
mod processes;
mod refusals;
mod suite;
