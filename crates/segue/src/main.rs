//! `segue`: picks the parts, owns start and stop, knows the clock, chance and the environment.

mod agents_file;
mod brief;
mod browser;
mod cli;
mod clients;
mod commands;
mod document_file;
mod exit;
mod flows;
mod nesting;
mod output;
mod places;
mod report;
mod shutdown;
mod terminal;
mod wiring;
mod world;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // A host must hold nothing of what a command line needs, so it is told apart first.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "host") {
        return exit::code(segue_host::guest_main(words));
    }
    segue_host::raise_open_files();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    wiring::start_logging(cli.global.verbose);
    commands::run(cli)
}
