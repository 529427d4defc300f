//! Links between pages lead somewhere, headings included. The network is not asked.

use crate::{chore::Problem, repository::Repository};

pub(super) fn check(repository: &Repository) -> Vec<Problem> {
    let pages = repository.texts().filter(|(path, _)| path.ends_with(".md"));
    pages.flat_map(|(path, text)| of_page(repository, path, text)).collect()
}

fn of_page(repository: &Repository, path: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, line) in prose(text) {
        for link in links(line) {
            let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { Some(path.to_owned()) } else { resolve(path, file) };
            let problem = match target {
                None => format!("the link {link} leaves the repository"),
                Some(target) if !repository.holds(&target) => format!("the link {link} leads to nothing"),
                Some(target) if anchor.is_some_and(|anchor| !has_heading(repository, &target, anchor)) => {
                    format!("the link {link} leads to a heading that is not there")
                }
                Some(_) => continue,
            };
            problems.push(Problem::new(path, at, problem));
        }
    }
    problems
}

/// The numbered lines outside fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((at + 1, line))
    })
}

/// The targets of `[text](target)` in a line that stay in the repository.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
}

/// `link` as seen from `page`, as a path from the root.
fn resolve(page: &str, link: &str) -> Option<String> {
    let (absolute, link) = link.strip_prefix('/').map_or((false, link), |link| (true, link));
    let mut parts: Vec<&str> = if absolute { Vec::new() } else { page.split('/').collect() };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn has_heading(repository: &Repository, page: &str, anchor: &str) -> bool {
    let Some(text) = repository.text(page) else { return false };
    prose(text).filter_map(|(_, line)| line.strip_prefix('#')).any(|heading| slug(heading) == anchor)
}

/// A heading's anchor: lower case, punctuation dropped, spaces as hyphens.
fn slug(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use crate::tidy::said;

    #[test]
    fn a_link_is_followed_to_its_heading() {
        let page = "See [a](b.md#two-words), [c](../README.md), [d](#here), [e](https://example.org/x).\n\
                    [f](c.md) [g](b.md#three) [h](../../x)\n```\n[i](nothing)\n```\n# Here\n";
        let files = [("docs/a.md", page), ("docs/b.md", "## Two words!\n"), ("README.md", "x\n")];
        assert_eq!(
            said(super::check, &files),
            [
                "docs/a.md:2: the link c.md leads to nothing",
                "docs/a.md:2: the link b.md#three leads to a heading that is not there",
                "docs/a.md:2: the link ../../x leaves the repository",
            ]
        );
    }
}
