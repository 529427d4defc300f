//! A test that a page names exists.
//!
//! `SECURITY.md` names one for each threat, `docs/contracts.md` one for each clause. A name that no longer exists would be
//! a promise that nobody keeps.

use std::collections::BTreeSet;

use crate::{chore::Problem, repository::Repository};

/// The pages, and the heading of the columns that name tests.
const PAGES: [&str; 2] = ["SECURITY.md", "docs/contracts.md"];
const COLUMN: &str = "Test";

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let tests: BTreeSet<&str> = repository.texts().flat_map(|(path, text)| names(path, text)).collect();
    PAGES.iter().flat_map(|page| missing(page, repository.text(page).unwrap_or_default(), &tests)).collect()
}

/// What a page names and is not there.
fn missing(path: &'static str, page: &str, tests: &BTreeSet<&str>) -> Vec<Problem> {
    let mut column = None;
    let mut problems = Vec::new();
    for (at, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        // Outside a table nothing is a column.
        if !line.starts_with('|') {
            column = None;
            continue;
        }
        let Some(column) = column else {
            column = Some(cells.iter().position(|cell| *cell == COLUMN).unwrap_or(usize::MAX));
            continue;
        };
        let named = cells.get(column).into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
        let missing = named.filter(|name| !tests.contains(name));
        problems.extend(missing.map(|name| Problem::new(path, at + 1, format!("there is no test {name}"))));
    }
    problems
}

/// Functions, and the titles of the console's tests.
fn names<'a>(path: &str, text: &'a str) -> Vec<&'a str> {
    let after = |start: &'static str| text.split(start).skip(1);
    if path.ends_with(".rs") {
        after("fn ").filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
    } else if [".e2e.ts", ".test.ts", ".test.tsx"].iter().any(|end| path.ends_with(end)) {
        after("\ntest(\"").filter_map(|rest| rest.split('"').next()).collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_name_in_the_column_is_looked_for() {
        let page = "`not_a_row`\n\n| Threat | Test |\n| --- | --- |\n| `x` | `a_is_refused`, `b_is_refused` |\n\n| Other |\n| --- |\n| `y` |\n";
        let files = [("SECURITY.md", page), ("crates/a/src/x.rs", "#[test]\nfn a_is_refused() {}\n")];
        assert_eq!(said(super::check, &files), ["SECURITY.md:5: there is no test b_is_refused"]);
    }

    #[test]
    fn a_title_of_a_test_of_the_console_is_a_name() {
        let page = "| Threat | Test |\n| --- | --- |\n| `x` | `a page is refused`, `a word is`, `another` |\n";
        let files = [
            ("SECURITY.md", page),
            ("console/e2e/x.e2e.ts", "\ntest(\"a page is refused\", async () => {});\n"),
            ("console/src/x.test.ts", "\ntest(\"a word is\", () => {});\n"),
        ];
        assert_eq!(said(super::check, &files), ["SECURITY.md:3: there is no test another"]);
    }
}
