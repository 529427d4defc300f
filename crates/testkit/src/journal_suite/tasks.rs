//! Task rows: order, filters, keys, forgetting.

use segue_journal::{
    AppendError, Authority, Batch, EventFilter, InstanceId, Journal, Row, StreamName, TaskFilter, TaskPage, TaskRow,
};

use super::{Home, append, create, one, put, rows, settled, steps, task_row, written};

fn id(number: usize) -> String {
    format!("task_{number}")
}

fn listed(journal: &dyn Journal, filter: &TaskFilter, limit: usize) -> (Vec<String>, bool) {
    let TaskPage { rows, more } = journal.tasks(filter, limit).expect("readable").expect("the place exists");
    (rows.into_iter().map(|row| row.id).collect(), more)
}

fn ids(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|number| id(*number)).collect()
}

fn after(number: usize) -> TaskFilter {
    TaskFilter { after: Some(id(number)), ..TaskFilter::default() }
}

pub fn tasks_are_listed_newest_first(home: &dyn Home) {
    let journal = home.open();
    for number in 1..=5 {
        let mut row = task_row(&id(number), journal.instance());
        // The clock went back: order is by creation all the same.
        row.created_at = -i64::try_from(number).expect("small");
        written(&*journal, rows(vec![put(&row)]));
    }
    // Later changes do not move a task.
    written(&*journal, rows(vec![put(&task_row(&id(2), journal.instance()))]));
    let all = TaskFilter::default();
    assert_eq!(listed(&*journal, &all, 9), (ids(&[5, 4, 3, 2, 1]), false));
    assert_eq!(listed(&*journal, &all, 5), (ids(&[5, 4, 3, 2, 1]), false));
    assert_eq!(listed(&*journal, &all, 2), (ids(&[5, 4]), true));
    assert_eq!(listed(&*journal, &after(4), 2), (ids(&[3, 2]), true));
    assert_eq!(listed(&*journal, &after(2), 2), (ids(&[1]), false));
    assert_eq!(listed(&*journal, &after(1), 2), (vec![], false));
    assert_eq!(journal.tasks(&after(9), 2), Ok(None));
    assert_eq!(journal.task_counts(), Ok(vec![("running".to_owned(), 5)]));
    let some = journal.tasks_by_id(&ids(&[3, 9, 1])).expect("readable");
    assert_eq!(some.into_iter().map(|row| row.id).collect::<Vec<_>>(), ids(&[3, 1]));
}

pub fn task_filters_combine(home: &dyn Home) {
    let journal = home.open();
    let servers = ["inst_a", "inst_b"].map(|id| InstanceId(id.to_owned()));
    let agents = ["claude", "codex", "gemini"];
    let statuses = ["running", "completed", "failed", "cancelled"];
    let stored: Vec<TaskRow> = (0..48)
        .map(|number| {
            let mut row = task_row(&id(number), &servers[number % 2]);
            row.agent = agents[number % 3].to_owned();
            row.status = statuses[number % 4].to_owned();
            row.ended = number % 4 != 0;
            row
        })
        .collect();
    written(&*journal, rows(stored.iter().map(put).collect()));
    for server in [None, Some(&servers[0]), Some(&servers[1])] {
        for agent in [None, Some("codex"), Some("nobody")] {
            for status in [&[][..], &["failed"], &["failed", "running", "failed"], &["unknown"]] {
                for ended in [None, Some(true), Some(false)] {
                    for start in [None, Some(30)] {
                        let filter = TaskFilter {
                            server: server.cloned(),
                            status: status.iter().map(|status| (*status).to_owned()).collect(),
                            agent: agent.map(str::to_owned),
                            ended,
                            after: start.map(id),
                        };
                        let wanted = |row: &&TaskRow| {
                            server.is_none_or(|server| row.server == *server)
                                && agent.is_none_or(|agent| row.agent == agent)
                                && (status.is_empty() || status.contains(&row.status.as_str()))
                                && ended.is_none_or(|ended| row.ended == ended)
                        };
                        let older = stored[..start.unwrap_or(stored.len())].iter().rev();
                        let expected: Vec<TaskRow> = older.filter(wanted).cloned().collect();
                        let more = expected.len() > 3;
                        let expected = TaskPage { rows: expected.into_iter().take(3).collect(), more };
                        assert_eq!(journal.tasks(&filter, 3), Ok(Some(expected)), "{filter:?}");
                    }
                }
            }
        }
    }
    // A row that changes is found under what it is now only.
    let mut row = stored[0].clone();
    row.status = "completed".to_owned();
    row.ended = true;
    written(&*journal, rows(vec![put(&row)]));
    let open = TaskFilter { ended: Some(false), ..TaskFilter::default() };
    let running = TaskFilter { status: vec!["running".to_owned()], ..TaskFilter::default() };
    let expected: Vec<_> = (1..12).rev().map(|number| id(number * 4)).collect();
    assert_eq!(listed(&*journal, &open, 99), (expected.clone(), false));
    assert_eq!(listed(&*journal, &running, 99), (expected, false));
    assert_eq!(journal.task(&id(0)), Ok(Some(row)));
}

pub fn a_forgotten_task_keeps_its_place(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    for number in 1..=3 {
        let name = StreamName::new("task", &id(number));
        let mut row = task_row(&id(number), journal.instance());
        row.prompt = Some("do it".to_owned());
        let first = one(append(&name, Authority::Create, 0, steps(3)));
        written(&*journal, Batch { rows: vec![put(&row)], ..first });
    }
    let name = StreamName::new("task", &id(2));
    let asked = other.request(&name, "{}".to_owned(), 1).expect("a request");
    // The condition for forgetting and the forgetting are one transaction.
    let forget = |expected| Batch {
        rows: vec![Row::ForgetTask(id(2))],
        ..one(append(&name, Authority::Owner(1), expected, vec![]))
    };
    let early = settled(journal.append(forget(2)));
    assert_eq!(early, Err(AppendError::Conflict { stream: name.clone(), expected: 2, found: 3 }));
    written(&*journal, forget(3));
    assert_eq!(journal.task(&id(2)), Ok(None));
    assert_eq!(journal.prompt(&id(2)), Ok(None));
    assert_eq!(journal.events(&name, 0, 9, &EventFilter::default()), Ok(None));
    assert_eq!(journal.owner(&name), Ok(None));
    assert_eq!(other.waiting(asked), Ok(false));
    assert_eq!(listed(&*journal, &TaskFilter::default(), 9), (ids(&[3, 1]), false));
    assert_eq!(listed(&*journal, &after(2), 9), (ids(&[1]), false));
    let again = settled(journal.append(rows(vec![put(&task_row(&id(2), journal.instance()))])));
    assert_eq!(again, Err(AppendError::NoStream { stream: name }));
    // Forgetting what is not there, or was forgotten, is done already.
    written(&*other, rows(vec![Row::ForgetTask(id(2)), Row::ForgetTask(id(9))]));
    // A long stream goes as a short one does.
    let long = StreamName::new("task", &id(4));
    create(&*journal, &long, 2_500);
    written(&*journal, rows(vec![put(&task_row(&id(4), journal.instance()))]));
    written(&*journal, rows(vec![Row::ForgetTask(id(4))]));
    assert_eq!(journal.events(&long, 0, 9, &EventFilter::default()), Ok(None));
    create(&*journal, &long, 1);
    assert_eq!(super::numbers(&*journal, &long), [1]);
    assert_eq!(journal.tasks(&after(9), 2), Ok(None));
}

pub fn tasks_are_found_by_the_beginning_of_their_id(home: &dyn Home) {
    let journal = home.open();
    for id in ["task_ab1", "task_b", "task_ab", "task_ac", "task_ab0"] {
        written(&*journal, rows(vec![put(&task_row(id, journal.instance()))]));
    }
    written(&*journal, rows(vec![Row::ForgetTask("task_ab0".to_owned())]));
    let found = |prefix, limit| journal.tasks_starting_with(prefix, limit).expect("readable");
    assert_eq!(found("task_ab", 9), ["task_ab", "task_ab1"]);
    assert_eq!(found("task_", 3), ["task_ab", "task_ab1", "task_ac"]);
    assert_eq!(found("task_ab1", 9), ["task_ab1"]);
    // Nothing in it is a pattern.
    for nothing in ["task%", "task_ab0", "TASK_AB", "x"] {
        assert_eq!(found(nothing, 9), [""; 0], "{nothing}");
    }
}

pub fn a_client_key_is_used_once(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    let keyed = |number, key: &str| {
        let mut row = task_row(&id(number), journal.instance());
        row.client_key = Some(key.to_owned());
        row
    };
    let duplicate = |number| Err(AppendError::DuplicateKey { task: id(number) });
    written(&*journal, rows(vec![put(&keyed(1, "k"))]));
    assert_eq!(
        settled(other.append(rows(vec![put(&task_row("x", other.instance())), put(&keyed(2, "k"))]))),
        duplicate(1)
    );
    assert_eq!(other.task("x"), Ok(None));
    assert_eq!(settled(other.append(rows(vec![put(&keyed(2, "l")), put(&keyed(3, "l"))]))), duplicate(2));
    assert_eq!(other.task_by_key("k"), Ok(Some(keyed(1, "k"))));
    assert_eq!(other.task_by_key("l"), Ok(None));
    // The same task again is no second one, and a forgotten task gives its key back.
    written(&*journal, rows(vec![put(&keyed(1, "k"))]));
    written(&*journal, rows(vec![Row::ForgetTask(id(1)), put(&keyed(4, "k"))]));
    assert_eq!(other.task_by_key("k"), Ok(Some(keyed(4, "k"))));
}

pub fn prompt_and_key_are_kept(home: &dyn Home) {
    let journal = home.open();
    let mut row = task_row(&id(1), journal.instance());
    row.client_key = Some("k".to_owned());
    row.prompt = Some("first".to_owned());
    written(&*journal, rows(vec![put(&row)]));
    let mut later = task_row(&id(1), journal.instance());
    later.status = "completed".to_owned();
    later.ended = true;
    later.finished_at = Some(9);
    later.session = Some("s".to_owned());
    later.handle = Some("agent_1".to_owned());
    later.resolved = true;
    later.last_seq = 7;
    later.body = "{\"x\":1}".to_owned();
    written(&*journal, rows(vec![put(&later)]));
    assert_eq!(journal.task(&id(1)), Ok(Some(TaskRow { client_key: Some("k".to_owned()), ..later.clone() })));
    assert_eq!(journal.prompt(&id(1)), Ok(Some("first".to_owned())));
    // Another prompt or key does not replace what was given first.
    later.prompt = Some("second".to_owned());
    later.client_key = Some("other".to_owned());
    written(&*journal, rows(vec![put(&later)]));
    assert_eq!(journal.prompt(&id(1)), Ok(Some("first".to_owned())));
    assert_eq!(journal.task_by_key("other"), Ok(None));
    // A task inserted without one may be given its prompt later.
    written(&*journal, rows(vec![put(&task_row(&id(2), journal.instance()))]));
    assert_eq!(journal.prompt(&id(2)), Ok(None));
}
