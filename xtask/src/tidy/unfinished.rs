//! Nothing is committed half done. What is left for later is an issue, not a comment.

use super::{extension, is_generated};
use crate::{chore::Problem, repository::Repository};

/// Built from pieces, or this file would be found.
const MARKS: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("dbg", "!("),
];

const LOOKED_AT: [&str; 10] = ["rs", "ts", "tsx", "css", "sh", "py", "js", "toml", "md", "yml"];

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let looked_at =
        |path: &str| !is_generated(path) && (LOOKED_AT.contains(&extension(path)) || path.ends_with("Makefile"));
    let mut problems = Vec::new();
    for (path, text) in repository.texts().filter(|(path, _)| looked_at(path)) {
        for (at, line) in text.lines().enumerate() {
            if let Some(mark) = MARKS.iter().find(|mark| stands_alone(line, mark)) {
                problems.push(Problem::new(path, at + 1, format!("{mark} marks work that is not done")));
            }
        }
    }
    problems
}

/// The mark is a word of its own: a template of `mktemp` ends in more of the same letter.
fn stands_alone(line: &str, mark: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(mark).any(|(at, _)| !line[..at].ends_with(word) && !line[at + mark.len()..].starts_with(word))
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_mark_is_a_word_of_its_own() {
        let files = [
            ("a.rs", concat!("x\n// TO", "DO: later\n")),
            ("b.sh", concat!("mktemp XX", "XX", "XX\n")),
            ("c.rs", concat!("todo", "!(\"later\")\n")),
            ("d.snap", concat!("FIX", "ME\n")),
        ];
        assert_eq!(
            said(super::check, &files),
            [
                concat!("a.rs:2: TO", "DO marks work that is not done"),
                concat!("c.rs:1: todo", "!( marks work that is not done")
            ]
        );
    }
}
