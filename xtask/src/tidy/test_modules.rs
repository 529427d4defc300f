//! A test file that no `main.rs` names is never compiled, and so never fails.

use crate::{chore::Problem, repository::Repository};

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, _) in repository.texts() {
        let Some((folder, module)) =
            path.rsplit_once('/').and_then(|(folder, file)| Some((folder, file.strip_suffix(".rs")?)))
        else {
            continue;
        };
        if !folder.ends_with("/tests/it") || module == "main" {
            continue;
        }
        let main = repository.text(&format!("{folder}/main.rs")).unwrap_or_default();
        if !main.lines().any(|line| line.trim().trim_start_matches("pub ") == format!("mod {module};")) {
            problems.push(Problem::new(path, 0, "is not a module of main.rs beside it: its tests never run"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_forgotten_module_is_found() {
        let files = [
            ("crates/a/tests/it/main.rs", "//! Tests.\n\nmod b;\n"),
            ("crates/a/tests/it/b.rs", ""),
            ("crates/a/tests/it/c.rs", ""),
            ("crates/a/tests/bin/d.rs", ""),
        ];
        assert_eq!(
            said(super::check, &files),
            ["crates/a/tests/it/c.rs: is not a module of main.rs beside it: its tests never run"]
        );
    }
}
