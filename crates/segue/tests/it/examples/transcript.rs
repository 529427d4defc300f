//! Pages are followed as a reader would: what stands in a `console` block is typed and has to print what the page says.
//!
//! A line `$ COMMAND` is run by a shell, in the workspace. The lines after it are its standard output, and a last line
//! `[exit N]` its exit status where that is not 0. What differs from one time to the next is written as a word: `RUN`,
//! also in commands, is the run that was named first by the last command that named one, `ID` any other id, `task_…` a
//! local id, and `after …,` how long a run took.

use segue_testkit::program::Program;

use super::shell;

#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    printed: String,
    exit: String,
}

/// Runs every step of a page.
#[track_caller]
pub fn follow(world: &Program, page: &str) {
    let text = super::file(world, page);
    let steps = steps(&text);
    assert!(!steps.is_empty(), "{page} has no console block");
    let mut run_id = None;
    for step in steps {
        let command = words(&step.command, |word| (word == "RUN").then(|| run_id.clone().expect("a run")));
        let run = shell(world, &command);
        run_id = run.stdout.split(' ').next().filter(|word| is_id(word)).map(str::to_owned).or(run_id);
        let printed = plain(&run.stdout, run_id.as_deref());
        assert_eq!(
            (printed.trim_end(), run.ended.as_str()),
            (step.printed.trim_end(), format!("exit {}", step.exit).as_str()),
            "{page}: $ {}\n{}",
            step.command,
            run.stderr
        );
    }
}

/// Whether a page has anything to follow.
pub fn has_steps(text: &str) -> bool {
    !steps(text).is_empty()
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { command: command.to_owned(), printed: String::new(), exit: "0".to_owned() });
                }
                (None, Some(step)) => match line.strip_prefix("[exit ").and_then(|rest| rest.strip_suffix(']')) {
                    Some(exit) => exit.clone_into(&mut step.exit),
                    None => step.printed.push_str(&format!("{line}\n")),
                },
                (None, None) => panic!("output without a command: {line:?}"),
            },
            (false, _) => {}
        }
    }
    steps
}

/// What was printed, with words for what differs.
fn plain(text: &str, run_id: Option<&str>) -> String {
    let lines: Vec<String> = text.lines().map(without_duration).collect();
    words(&lines.join("\n"), |word| match word {
        _ if Some(word) == run_id => Some("RUN".to_owned()),
        _ if is_id(word) => Some("ID".to_owned()),
        _ if word.strip_prefix("task_").is_some_and(|rest| rest.len() == 12) => Some("task_…".to_owned()),
        _ => None,
    })
}

/// The end of a run is told with how long it took.
fn without_duration(line: &str) -> String {
    let parts = line.split_once(" after ").and_then(|(head, rest)| Some((head, rest.split_once(", ")?.1)));
    parts.map_or_else(|| line.to_owned(), |(head, tail)| format!("{head} after …, {tail}"))
}

/// The text with some of its words replaced. Words are letters, digits, `-`, `_` and `.`.
fn words(text: &str, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let first = rest.find(is_word).unwrap_or(rest.len());
        result.push_str(&rest[..first]);
        rest = &rest[first..];
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        result.push_str(&replace(word).unwrap_or_else(|| word.to_owned()));
        rest = after;
    }
    result
}

fn is_id(word: &str) -> bool {
    let parts: Vec<usize> = word.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[test]
fn a_page_is_read_as_commands_with_their_output() {
    let page = "Text\n```sh\n$ not this\n```\n```console\n$ one\nfirst\n\nsecond\n[exit 4]\n$ two\n```\n$ nor this\n";
    let step = |command: &str, printed: &str, exit: &str| Step {
        command: command.to_owned(),
        printed: printed.to_owned(),
        exit: exit.to_owned(),
    };
    assert_eq!(steps(page), [step("one", "first\n\nsecond\n", "4"), step("two", "", "0")]);
}

#[test]
fn what_differs_is_a_word() {
    let run = "92b8ea83-d25b-4742-ae98-acf7173bf8f7";
    let text = format!(
        "{run} failed after 1 min 3 s, 4 of 4 nodes (c61c62bd-1810-4e28-bd19-349cd4976396)\ntask_f8cc125e6e8f\n"
    );
    assert_eq!(plain(&text, Some(run)), "RUN failed after …, 4 of 4 nodes (ID)\ntask_…");
    assert_eq!(
        words("segue show RUN --artifact a.RUN", |w| (w == "RUN").then(|| "x".into())),
        "segue show x --artifact a.RUN"
    );
}
