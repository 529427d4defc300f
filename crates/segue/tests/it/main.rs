//! The real `segue` against scripted and real agents.

mod cli;
mod contract;
mod crash;
mod real_agents;
mod seen;
