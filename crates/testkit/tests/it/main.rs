//! Integration tests of the test kit.

mod acp_client;
mod http_client;
mod model_server;
mod real_agents;
