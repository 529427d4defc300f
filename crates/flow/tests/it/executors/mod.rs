//! Executors with real programs and real servers: what each attempt comes to, and what is left afterwards.

mod again;
mod harness;
mod mcp_stdio;
mod process;
mod protocols;
mod pure;
