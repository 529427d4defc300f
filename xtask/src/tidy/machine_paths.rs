//! No file names a place that exists on one machine only.

use super::is_generated;
use crate::{chore::Problem, repository::Repository};

/// Beginnings of such places; the letter that makes it one follows. Built from pieces, or this file would be found.
const ANYWHERE: [&str; 2] = [concat!("/tm", "p/"), concat!("/wor", "k/")];
/// The same for pages; in code a home folder can be sample data.
const IN_PAGES: [&str; 3] = [concat!("/hom", "e/"), concat!("/roo", "t/"), concat!("/User", "s/")];

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in repository.texts().filter(|(path, _)| !is_generated(path)) {
        let beginnings = || ANYWHERE.iter().chain(path.ends_with(".md").then_some(&IN_PAGES).into_iter().flatten());
        for (at, line) in text.lines().enumerate() {
            if let Some(beginning) = beginnings().find(|beginning| names_a_place(line, beginning)) {
                problems.push(Problem::new(path, at + 1, format!("names a place of one machine ({beginning}…)")));
            }
        }
    }
    problems
}

fn names_a_place(line: &str, beginning: &str) -> bool {
    // Part of a longer path (`docs/tmp/`) or of a word is something else.
    let starts =
        |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '/'));
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    line.match_indices(beginning).any(|(at, _)| starts(at) && goes_on(&line[at + beginning.len()..]))
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_place_is_found_where_it_begins() {
        let place = concat!("see /tm", "p/log\n");
        let files = [
            ("a.rs", place),
            ("b.rs", concat!("x/tm", "p/log, /tm", "p/ and /hom", "e/user\n")),
            ("c.md", concat!("\n/hom", "e/user\n")),
        ];
        let found = [
            concat!("a.rs:1: names a place of one machine (/tm", "p/…)"),
            concat!("c.md:2: names a place of one machine (/hom", "e/…)"),
        ];
        assert_eq!(said(super::check, &files), found);
    }
}
