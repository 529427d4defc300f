//! `generate` and `check-generated`: pages that a program writes and a person reviews.
//!
//! Pages that need only a crate's own functions are kept by a test of that crate (`docs/design/task-states.md`);
//! here are those that need the built program.

use crate::{
    chore::{ChoreError, Problem},
    cli_page,
    repository::Repository,
};

/// One generated page.
struct Page {
    path: &'static str,
    /// `None`: the program that it is about has not been built.
    generate: fn(&Repository) -> Result<Option<String>, ChoreError>,
}

const PAGES: [Page; 1] = [Page { path: cli_page::PATH, generate: cli_page::generate }];

pub fn run(repository: &Repository, write: bool) -> Result<Vec<Problem>, ChoreError> {
    let mut problems = Vec::new();
    for page in &PAGES {
        match (page.generate)(repository)? {
            None => problems.push(Problem::new(
                page.path,
                0,
                "cannot be compared: build the program first (`cargo build --bins`)",
            )),
            Some(text) if write => repository.write(page.path, &text)?,
            Some(text) if repository.text(page.path) == Some(text.as_str()) => {}
            Some(_) => problems.push(Problem::new(
                page.path,
                0,
                "is stale: run `cargo xtask generate` and look at what changed",
            )),
        }
    }
    Ok(problems)
}
