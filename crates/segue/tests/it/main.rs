//! The real `segue` against scripted and real agents.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "seeds and what was skipped have to be seen")]

mod cli;
mod companion;
mod contract;
mod crash;
mod examples;
mod flow_cli;
mod real_agents;
mod seen;
mod volume;
