//! The real `segue` against scripted and real agents.

mod cli;
mod contract;
mod crash;
mod flow_cli;
mod real_agents;
mod seen;
