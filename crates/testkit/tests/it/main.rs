//! Integration tests of the test kit.

mod acp_client;
mod real_agents;
