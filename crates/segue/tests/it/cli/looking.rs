//! `segue tasks`, `task show`, `task events`: what is read of the record.

use serde_json::{Value, json};

use super::{assert_refused, assert_tame, document, lines};
use crate::contract::served::{Served, id_of};

/// A turn with one of nearly everything.
const RICH: &str =
    "[[think:hm]][[tool:read:a.rs]][[write:new.txt:text]][[run:exit 3]][[plan]][[usage:3:2]][[say:done]]";

/// Text that would take a terminal over.
const WILD: &str = "[[tool:read:t\\u{1b}]0;x\\u{7}]][[say:a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\nc]]";

fn rich(served: &Served) -> Value {
    served.run_with(json!({"prompt": RICH, "options": {"allow": ["edit"]}}))
}

#[test]
fn json_shows_a_task_as_get_task_does() {
    let served = Served::new();
    let task = rich(&served);
    let id = id_of(&task);
    let world = &served.world;
    let mut listed = task.clone();
    // How the prompt begins, cut.
    listed["title"] = json!(format!("{}…", &RICH[..79]));
    assert_eq!(document(&world.run(["tasks", "--json"])), json!({"tasks": [listed], "next": null}));
    assert_eq!(document(&world.run(["task", "show", &id, "--json"])), task);
    let mut with_prompt = served.call("get_task", json!({"task_id": id, "include_prompt": true}));
    assert_eq!(with_prompt["prompt"], RICH);
    assert_eq!(document(&world.run(["task", "show", &id, "--prompt", "--json"])), with_prompt.take());
    served.end();
}

#[test]
fn a_task_of_another_server_is_shown_while_it_runs() {
    let served = Served::new();
    let id = served.spawn("[[tool:read:a]][[say:so far]][[mark:here]][[wait_file:go]]");
    served.wait_mark("here");
    served.wait_event(&id, "agent_message", |_| true);
    let mut shown = document(&served.world.run(["task", "show", &id, "--json"]));
    let mut task = served.task(&id);
    assert_eq!(shown["live"]["waiting_for"], "owner");
    for value in [&mut shown, &mut task] {
        value.as_object_mut().expect("a task").remove("live");
    }
    assert_eq!(shown, task);
    let page = served.world.run(["task", "show", &id]);
    assert!(page.stdout.contains("run by another server"), "{page:?}");
    served.mark("go");
    served.ended(&id);
    served.end();
}

#[test]
fn lists_are_filtered_and_paged() {
    let served = Served::new();
    let ids = ["[[say:1]]", "[[exit:4]]", "[[say:3]]"].map(|prompt| id_of(&served.run(prompt)));
    let other = id_of(&served.run_with(json!({"prompt": "", "agent": "codex"})));
    let list = |arguments: &[&str]| {
        let listed = document(&served.world.run(["tasks", "--json"].iter().chain(arguments)));
        let tasks = listed["tasks"].as_array().expect("tasks").iter().map(id_of).collect::<Vec<_>>();
        (tasks, listed["next"].clone())
    };
    let [first, second, third] = ids.clone();
    assert_eq!(list(&[]), (vec![other.clone(), third.clone(), second.clone(), first.clone()], Value::Null));
    assert_eq!(list(&["--status", "failed"]), (vec![second.clone()], Value::Null));
    assert_eq!(list(&["--agent", "codex"]), (vec![other.clone()], Value::Null));
    assert_eq!(list(&["--limit", "2"]), (vec![other, third.clone()], json!(third)));
    assert_eq!(list(&["--after", &third]), (vec![second, first], Value::Null));
    // Another server's folder is the same folder.
    served.end();
}

#[test]
fn a_table_has_a_line_for_each_task() {
    let served = Served::new();
    assert_eq!(served.world.run(["tasks"]).stderr, "no tasks\n");
    served.run("\n  What to do\n[[say:the last words\nand more]]");
    let run = served.world.run(["tasks", "--limit", "1"]);
    let words: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["TASK", "AGENT", "STATUS", "CREATED", "TOOK", "JUDGED", "TITLE", "LATEST", "WORKSPACE"]);
    let row = words[1].join(" ");
    let masked: Vec<String> = served.plain(&json!(row)).as_str().expect("text").split(' ').map(str::to_owned).collect();
    assert_eq!(masked[..3], ["TASK", "claude_code", "succeeded"]);
    let end = format!("What to do the last words … {}", served.world.workspace().display());
    assert!(row.ends_with(&end), "{row}");
    assert_eq!((words.len(), run.stderr.as_str()), (2, ""));
    served.end();
}

#[test]
fn an_id_may_be_abbreviated_while_it_is_unambiguous() {
    let served = Served::new();
    let world = &served.world;
    let task = served.run("[[say:1]]");
    let id = id_of(&task);
    for short in [&id[..], &id[..9], &id[5..8], &id[5..].to_uppercase()] {
        assert_eq!(document(&world.run(["task", "show", short, "--json"])), task, "{short}");
    }
    // Of seventeen ids two begin with the same digit.
    let missing = json!({"prompt": "", "workspace": "not-there"});
    let mut ids: Vec<String> = (0..16).map(|_| served.spawn_with(missing.clone())).collect();
    ids.push(id.clone());
    let digit = |id: &String| id[5..6].to_owned();
    let shared = ids.iter().map(digit).find(|d| ids.iter().filter(|id| digit(id) == *d).count() > 1).expect("two");
    assert_refused(&world.run(["task", "show", &shared]), 2, &["could be any of task_", &shared]);
    for (nothing, names) in [("task_000000000000", "task_not_found"), ("xyz", "not a task id"), ("", "not a task id")] {
        assert_refused(&world.run(["task", "show", nothing]), 2, &[names]);
    }
    served.end();
}

#[test]
fn events_are_those_of_get_events() {
    let served = Served::new();
    let id = id_of(&rich(&served));
    let whole = json!({"task_id": id, "limit": 500, "max_chars": 10_000_000});
    for (flags, more) in [
        (&[][..], json!({})),
        (&["--after", "5"][..], json!({"after_seq": 5})),
        (&["--after", "5000"][..], json!({"after_seq": 5000})),
        (
            &["--type", "tool_call", "--type", "agent_thought"][..],
            json!({"event_types": ["tool_call", "agent_thought"]}),
        ),
        (&["--thoughts"][..], json!({"include_thoughts": true})),
        (&["--raw"][..], json!({"include_raw": true})),
    ] {
        let mut arguments = whole.clone();
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let page = served.call("get_events", arguments);
        let command = ["task", "events", &id];
        let events = command.iter().chain(flags);
        assert_eq!(document(&served.world.run(events.clone().chain(&["--json"]))), page, "{flags:?}");
        // The end of the task is the end of following.
        let followed = served.world.run(events.clone().chain(&["--follow", "--json"]));
        assert_eq!((followed.ended.as_str(), json!(lines(&followed.stdout))), ("exit 0", page["events"].clone()));
        let text = served.world.run(events);
        let numbered = text.stdout.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(numbered.count(), page["events"].as_array().expect("events").len(), "{text:?}");
    }
    served.end();
}

#[test]
fn more_events_than_a_page_are_printed() {
    let served = Served::new();
    let id = id_of(&served.run("[[tools:700]]"));
    let whole = document(&served.world.run(["task", "events", &id, "--json"]));
    let numbers: Vec<u64> =
        whole["events"].as_array().expect("events").iter().filter_map(|e| e["seq"].as_u64()).collect();
    let last = whole["cursor"].as_u64().expect("a number");
    assert!(last > 1_400, "{last}");
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
    served.end();
}

#[test]
fn what_an_agent_says_does_not_reach_the_terminal_as_it_is() {
    let served = Served::new();
    let task = served.run(WILD);
    let id = id_of(&task);
    assert_eq!(task["final_message"], "a\u{1b}[2J\u{9b}31m\u{202e}b\nc");
    for command in [&["tasks"][..], &["task", "show", &id], &["task", "events", &id], &["task", "watch", &id]] {
        let run = served.world.run(command);
        assert_tame(&run.stdout);
        assert_tame(&run.stderr);
        assert_eq!(run.ended, "exit 0");
    }
    let shown = served.world.run(["task", "show", &id, "--json"]);
    assert_tame(&shown.stdout);
    assert_eq!(document(&shown), task);
    served.end();
}
