//! An agent that does what its prompts say; see [`segue_testkit::scripted_agent`].

use std::process::ExitCode;

fn main() -> ExitCode {
    segue_testkit::scripted_agent::main()
}
