//! Integration tests of the test kit.

mod acp_client;
mod http_client;
mod model_server;
mod program;
mod real_agents;
mod scripted_agent;
mod scripted_peer;
