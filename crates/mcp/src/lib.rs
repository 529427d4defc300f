//! The MCP face of the channel: thirteen tools over the Model Context Protocol.
//!
//! Owns what a client of the protocol sees: the tools with their schemas, how arguments are read, the
//! shape of results and failures, the server's instructions, and the standard input and output they
//! travel on. Knows nothing of agents, journals or processes: every call goes through [`Dispatch`],
//! which [`segue_channel::Channel`] implements.
//!
//! Requests are served concurrently, each on its own; a call that the client cancels is dropped where it
//! waits. What that means for the task behind it is the channel's decision.

mod args;
mod dispatch;
mod error;
mod instructions;
mod server;
mod stdio;
mod tools;
pub mod wire;

pub use dispatch::{Dispatch, Reply};
pub use server::Server;
pub use stdio::{LINE_BYTES_MAX, ServeEnd, Serving, serve, serve_stdio};
