//! Lines end where their text ends, files end with one line end, and lines end in one way.

use super::is_generated;
use crate::{chore::Problem, repository::Repository};

/// Folders whose files are what they are on purpose.
const AS_THEY_ARE: [&str; 2] = ["/fixtures/", "/snapshots/"];

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let as_it_is = |path: &str| is_generated(path) || AS_THEY_ARE.iter().any(|folder| path.contains(folder));
    let mut problems = Vec::new();
    for (path, text) in repository.texts().filter(|(path, _)| !as_it_is(path)) {
        for (at, line) in text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) {
                problems.push(Problem::new(path, at + 1, "ends in white space"));
            }
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            problems.push(Problem::new(path, 0, "does not end with one line end"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn loose_ends_are_found() {
        let files = [("a.md", "x \ny\r\nz"), ("b.md", "x\n\n"), ("c.md", "x\n"), ("d/fixtures/e.txt", "x "), ("f", "")];
        assert_eq!(
            said(super::check, &files),
            [
                "a.md:1: ends in white space",
                "a.md:2: ends in white space",
                "a.md: does not end with one line end",
                "b.md: does not end with one line end"
            ]
        );
    }
}
