//! `tidy`: what makes a repository look cared for, as rules over its text.
//!
//! One file a rule. A rule is given the whole repository and says what is wrong.

mod heads;
mod length;
mod links;
mod machine_paths;
mod named_tests;
mod test_modules;
mod unfinished;
mod whitespace;

use crate::{
    chore::{ChoreError, Problem},
    repository::Repository,
};

type Rule = fn(&Repository) -> Vec<Problem>;

const RULES: [Rule; 8] = [
    heads::check,
    length::check,
    links::check,
    machine_paths::check,
    named_tests::check,
    test_modules::check,
    unfinished::check,
    whitespace::check,
];

#[expect(clippy::unnecessary_wraps, reason = "every chore has this shape")]
pub fn check(repository: &Repository) -> Result<Vec<Problem>, ChoreError> {
    let mut problems: Vec<_> = RULES.iter().flat_map(|rule| rule(repository)).collect();
    problems.sort();
    Ok(problems)
}

/// Written by a program of ours or of others: only its own check looks at it.
fn is_generated(path: &str) -> bool {
    path.ends_with(".lock")
        || path.ends_with("package-lock.json")
        || path.ends_with(".snap")
        || path == "THIRD_PARTY.md"
        || path == "console/src/api/schema.d.ts"
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
fn said(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
    rule(&Repository::of(files)).iter().map(ToString::to_string).collect()
}
