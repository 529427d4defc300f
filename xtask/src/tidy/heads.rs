//! Every Rust file begins by saying what it owns.

use crate::{chore::Problem, repository::Repository};

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let ours = |path: &str| path.ends_with(".rs") && !path.ends_with("tests.rs") && path.contains("/src/");
    repository
        .texts()
        .filter(|(path, text)| ours(path) && !text.starts_with("//! "))
        .map(|(path, _)| Problem::new(path, 1, "has no head comment that says what the file owns"))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_file_without_a_head_is_found() {
        let files = [
            ("crates/a/src/lib.rs", "//! Owns a.\n"),
            ("crates/a/src/b.rs", "use a;\n"),
            ("crates/a/src/tests.rs", "use a;\n"),
            ("crates/a/tests/it/main.rs", "mod b;\n"),
        ];
        assert_eq!(
            said(super::check, &files),
            ["crates/a/src/b.rs:1: has no head comment that says what the file owns"]
        );
    }
}
