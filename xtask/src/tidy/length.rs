//! No file grows to hold a whole product.

use super::{extension, is_generated};
use crate::{chore::Problem, repository::Repository};

/// Twice what a reader takes in at one sitting; most files are far below it.
const LINES_MAX: usize = 700;

const SOURCE: [&str; 7] = ["rs", "ts", "tsx", "css", "sh", "py", "js"];

/// Longer files, each with the reason why it is better whole.
const EXCEPTIONS: [(&str, &str); 0] = [];

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let excepted = |path: &str| EXCEPTIONS.iter().any(|(exception, _)| *exception == path);
    let mut problems: Vec<_> = repository
        .texts()
        .filter(|(path, _)| SOURCE.contains(&extension(path)) && !is_generated(path) && !excepted(path))
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            (lines > LINES_MAX).then(|| Problem::new(path, 0, format!("has {lines} lines, more than {LINES_MAX}")))
        })
        .collect();
    // An exception that is no longer needed would hide the next long file of that name.
    for (path, _) in EXCEPTIONS {
        if repository.text(path).is_none_or(|text| text.lines().count() <= LINES_MAX) {
            problems.push(Problem::new(path, 0, "is excepted from the length limit and does not need it"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::LINES_MAX;
    use crate::tidy::said;

    #[test]
    fn the_limit_is_for_source_that_people_write() {
        let (fits, long) = ("x\n".repeat(LINES_MAX), "x\n".repeat(LINES_MAX + 1));
        let files = [("a.rs", fits.as_str()), ("b.rs", &long), ("c.md", &long), ("d/package-lock.json", &long)];
        assert_eq!(said(super::check, &files), ["b.rs: has 701 lines, more than 700"]);
    }
}
