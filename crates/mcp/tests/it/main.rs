//! The server over a real in-process connection, driven by raw lines, in front of a recording stand-in for
//! the channel.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod arguments;
mod client;
mod connection;
mod eras;
mod fake;
mod results;
mod schemas;
