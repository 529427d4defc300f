//! The chores of this repository: what a reviewer would otherwise have to remember.
//!
//! One file a chore. Each gives a list of problems; none changes a file unless it was asked to write.

mod chore;
mod cli_page;
mod generated;
mod layering;
mod lock_file;
mod metadata;
mod repository;
mod rooms;
mod third_party;
mod tidy;

use std::process::ExitCode;

use chore::{Chore, ChoreError, Problem};
use repository::Repository;

const USAGE: &str = "\
usage: cargo xtask <chore>

  layering              which crate may depend on which, and which may know what
  tidy                  sizes of files, unfinished work, links, head comments
  third-party [--check] writes THIRD_PARTY.md; with --check compares it
  generate              writes the generated pages
  check-generated       compares the generated pages
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(chore) = Chore::parse(&words) else {
        say(USAGE);
        return ExitCode::from(2);
    };
    match run(chore) {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            let lines: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
            say(&format!("{lines}{} found by {}\n", problems.len(), words.join(" ")));
            ExitCode::FAILURE
        }
        Err(error) => {
            say(&format!("failed to {error}{}\n", causes(&error)));
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<Vec<Problem>, ChoreError> {
    let repository = Repository::here()?;
    match chore {
        Chore::Layering => layering::check(&repository),
        Chore::Tidy => tidy::check(&repository),
        Chore::ThirdParty { write } => third_party::run(&repository, write),
        Chore::Generated { write } => generated::run(&repository, write),
    }
}

fn causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(error.source(), |cause| cause.source()).map(|cause| format!(": {cause}")).collect()
}

#[expect(clippy::print_stderr, reason = "a chore's report goes to whoever ran it")]
fn say(text: &str) {
    eprint!("{text}");
}
