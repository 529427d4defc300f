use super::*;

fn replies(text: &str) -> Vec<Vec<Step>> {
    Script::parse(text).expect("a readable script").replies
}

fn say(text: &str) -> Step {
    Step::Say(text.to_owned())
}

#[test]
fn every_directive_is_read() {
    let text = r"[[think:hm]] [[say:a\: b\nc]] [[chunks:3]] [[chunks:3:40]] [[big:9]] [[delay:0.5]] [[sleep:2]]
        [[hang]] [[result]] [[error:500]] [[error_once:429:slow down]] [[drop]] [[stop:length]]
        [[stop:refusal]] [[usage:7:8]]";
    let steps = vec![
        Step::Think("hm".to_owned()),
        say("a: b\nc"),
        Step::Chunks { count: 3, bytes: 0 },
        Step::Chunks { count: 3, bytes: 40 },
        Step::Big(9),
        Step::Delay(Duration::from_millis(500)),
        Step::Sleep(Duration::from_secs(2)),
        Step::Hang,
        Step::Result,
        Step::Fail { status: 500, message: "scripted error".to_owned(), once: false },
        Step::Fail { status: 429, message: "slow down".to_owned(), once: true },
        Step::Drop,
        Step::Stop(Stop::Length),
        Step::Stop(Stop::Refusal),
        Step::Usage(Usage { input: 7, output: 8 }),
    ];
    assert_eq!(replies(text), vec![steps]);
}

#[test]
fn every_tool_job_is_read() {
    let text = r"[[tool:write:/a\:b:x:y]] [[tool:edit:/f:old:new]] [[tool:read:/f]] [[tool:shell:a:b]]
        [[tool:shell-ask:rm x]] [[tool:fetch:http://h/]] [[tool:search:fn]] [[tool:plan:A|B]]";
    let errands = [
        Errand::Write { path: "/a:b".to_owned(), text: "x:y".to_owned() },
        Errand::Edit { path: "/f".to_owned(), old: "old".to_owned(), new: "new".to_owned() },
        Errand::Read { path: "/f".to_owned() },
        Errand::Shell { command: "a:b".to_owned(), outside_sandbox: false },
        Errand::Shell { command: "rm x".to_owned(), outside_sandbox: true },
        Errand::Fetch { url: "http://h/".to_owned() },
        Errand::Search { pattern: "fn".to_owned() },
        Errand::Plan { items: vec!["A".to_owned(), "B".to_owned()] },
    ];
    let expected: Vec<Vec<Step>> = errands.map(|e| vec![Step::Tool(e)]).into();
    assert_eq!(replies(text), expected);
}

#[test]
fn a_tool_ends_a_reply_unless_it_is_marked_as_one_of_several() {
    let call = |tool: &str, arguments: &str| Step::Call { tool: tool.to_owned(), arguments: arguments.to_owned() };
    assert_eq!(
        replies(r#"[[say:a]][[call:one:{"x":1}]] [[call+:two]][[call:three]] [[say:b]]"#),
        vec![vec![say("a"), call("one", r#"{"x":1}"#)], vec![call("two", "{}"), call("three", "{}")], vec![say("b")],]
    );
}

#[test]
fn text_around_directives_does_not_matter() {
    let script = Script::parse("see [[wiki]] and [[[say:x]] then\n[[hang]]!").expect("readable");
    assert_eq!(script.text, "[[say:x]] [[hang]]");
    assert_eq!(script.replies, vec![vec![say("x"), Step::Hang]]);
}

#[test]
fn foreign_brackets_are_no_script() {
    assert!(!is_scripted("[[wiki]] [[say: no end"));
    assert!(is_scripted("so [[hang]]"));
}

#[test]
fn a_directive_that_cannot_be_understood_is_named() {
    let error = |text: &str| Script::parse(text).expect_err("unreadable").to_string();
    assert_eq!(error("[[big:x]]"), "directive [[big:x]]: the size is no number");
    assert_eq!(error("[[error:200]]"), "directive [[error:200]]: the status is not one of 400 to 599");
    assert_eq!(error("[[tool:dance]]"), "directive [[tool:dance]]: no such tool job");
    assert_eq!(error("[[sleep:-1]]"), "directive [[sleep:-1]]: not a number of seconds");
}
