//! What the tests of Segue's crates play against: scripted peers, and the means to start real ones.
//!
//! Nothing here is part of the product, and no other crate depends on it but for its tests.

pub mod app_server;
pub mod bench;
pub mod journal_suite;
pub mod leftovers;
pub mod mcp_client;
pub mod model_server;
pub mod program;
pub mod real_agents;
pub mod scripted_agent;
