//! Executors with real programs and real servers: what each attempt comes to, and what is left afterwards.

mod acp_agent;
mod again;
mod built_in;
mod discovery;
mod fixed;
mod harness;
mod http;
mod mcp_http;
mod mcp_stdio;
mod opencode_server;
mod probes;
mod process;
mod protocols;
mod pure;
mod server;
