//! What a task is called in lists.

/// As much as fits into a row of a list beside what else it shows.
const CHARS: usize = 80;

/// The first line of a prompt that is not empty, cut to what a list shows of it. `None` when it has none.
#[must_use]
pub fn title(prompt: &str) -> Option<String> {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut chars = line.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut title: String = chars.by_ref().take(CHARS).collect();
    if chars.next().is_some() {
        title.pop();
        title.push('…');
    }
    Some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_called_what_its_prompt_begins_with() {
        for (prompt, expected) in [
            ("Fix the test.", Some("Fix the test.")),
            ("\n \r\n  Fix the test.  \r\nIt fails on Mondays.", Some("Fix the test.")),
            ("a\tb\u{1b}[2J", Some("a b [2J")),
            (" \n\t\n", None),
            ("", None),
        ] {
            assert_eq!(title(prompt).as_deref(), expected, "{prompt:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let whole = "ü".repeat(CHARS);
        assert_eq!(title(&whole), Some(whole.clone()));
        let cut = format!("{}…", "ü".repeat(CHARS - 1));
        assert_eq!(title(&format!("{whole}ü")), Some(cut.clone()));
        assert_eq!(title(&format!("{whole}{whole}\nmore")), Some(cut));
    }
}
