//! Rows of Runs: order, filters, keys, forgetting.

use std::slice;

use segue_journal::{
    AppendError, Authority, Batch, EventFilter, InstanceId, Journal, Owner, Row, RunFilter, RunRow, StreamName,
};

use super::{Home, append, create, numbers, one, rows, settled, steps, stream, written};

/// A root Run that goes on.
#[must_use]
pub fn run_row(id: &str, server: &InstanceId) -> RunRow {
    RunRow {
        id: id.to_owned(),
        workspace: "w".to_owned(),
        server: server.clone(),
        flow_id: Some("flow.a".to_owned()),
        task: Some("task_1".to_owned()),
        flow_hash: "hash_a".to_owned(),
        status: "running".to_owned(),
        ended: false,
        waiting: false,
        started_at: 1,
        finished_at: None,
        parent: None,
        forked_from: None,
        admission_key: None,
        last_seq: 1,
        body: "{}".to_owned(),
    }
}

/// The row as an upsert.
#[must_use]
pub fn put_run(row: &RunRow) -> Row {
    Row::Run(Box::new(row.clone()))
}

/// The streams of Runs and their rows in one transaction, as an admission writes them.
#[must_use]
pub fn admission(admitted: &[RunRow]) -> Batch {
    Batch {
        appends: admitted.iter().map(|row| append(&stream(&row.id), Authority::Create, 0, steps(1))).collect(),
        rows: admitted.iter().map(put_run).collect(),
        ..Batch::default()
    }
}

/// All of the workspace of [`run_row`].
#[must_use]
pub fn all_runs() -> RunFilter {
    RunFilter { workspace: "w".to_owned(), ..RunFilter::default() }
}

fn ids(rows: Vec<RunRow>) -> Vec<String> {
    rows.into_iter().map(|row| row.id).collect()
}

fn listed(journal: &dyn Journal, filter: &RunFilter, limit: usize) -> Vec<String> {
    ids(journal.runs(filter, limit).expect("readable"))
}

pub fn a_run_is_kept_as_it_was(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    let mut row = run_row("r1", journal.instance());
    row.admission_key = Some("k".to_owned());
    written(&*journal, admission(slice::from_ref(&row)));
    assert_eq!(other.run("r1"), Ok(Some(row.clone())));
    assert_eq!(other.run("r2"), Ok(None));
    // Everything changes but what is kept.
    let later = RunRow {
        workspace: "another".to_owned(),
        server: other.instance().clone(),
        flow_id: None,
        task: None,
        flow_hash: "hash_b".to_owned(),
        status: "failed".to_owned(),
        ended: true,
        waiting: true,
        started_at: 5,
        finished_at: Some(9),
        parent: Some("r0".to_owned()),
        forked_from: Some("draft".to_owned()),
        admission_key: Some("another".to_owned()),
        last_seq: 7,
        body: "{\"x\":1}".to_owned(),
        ..row.clone()
    };
    written(&*journal, rows(vec![put_run(&later)]));
    let kept = RunRow { workspace: row.workspace, admission_key: row.admission_key, ..later.clone() };
    assert_eq!(other.run("r1"), Ok(Some(kept.clone())));
    // Only what no list selects by.
    let again = RunRow { waiting: false, finished_at: None, last_seq: 8, body: "{}".to_owned(), ..kept };
    written(&*journal, rows(vec![put_run(&again)]));
    assert_eq!(other.run_by_key("w", "k"), Ok(Some(again)));
    assert_eq!(other.run_by_key("another", "another"), Ok(None));
}

pub fn a_run_stands_beside_its_stream(home: &dyn Home) {
    let journal = home.open();
    let name = stream("r1");
    let row = run_row("r1", journal.instance());
    let alone = settled(journal.append(rows(vec![put_run(&row)])));
    assert_eq!(alone, Err(AppendError::NoStream { stream: name.clone() }));
    // The row of a refused append is not written either.
    written(&*journal, admission(slice::from_ref(&row)));
    let mut later = row.clone();
    later.status = "failed".to_owned();
    let batch = Batch { rows: vec![put_run(&later)], ..one(append(&name, Authority::Owner(1), 9, steps(1))) };
    let refused = settled(journal.append(batch));
    assert_eq!(refused, Err(AppendError::Conflict { stream: name, expected: 9, found: 1 }));
    assert_eq!(journal.run("r1"), Ok(Some(row)));
}

pub fn runs_are_listed_newest_first(home: &dyn Home) {
    let journal = home.open();
    let row = |id: &str, started_at| RunRow { started_at, ..run_row(id, journal.instance()) };
    // Not in the order of the list; three of one time.
    let stored = [row("c", 5), row("a", 5), row("e", 9), row("b", 5), row("d", -3)];
    written(&*journal, admission(&stored));
    let mut foreign = row("f", 7);
    foreign.workspace = "v".to_owned();
    written(&*journal, admission(&[foreign]));
    assert_eq!(listed(&*journal, &all_runs(), 9), ["e", "c", "b", "a", "d"]);
    assert_eq!(listed(&*journal, &all_runs(), 2), ["e", "c"]);
    assert_eq!(listed(&*journal, &all_runs(), 0), [""; 0]);
    let behind = |started_at, id: &str| RunFilter { before: Some((started_at, id.to_owned())), ..all_runs() };
    assert_eq!(listed(&*journal, &behind(5, "c"), 2), ["b", "a"]);
    assert_eq!(listed(&*journal, &behind(5, "a"), 9), ["d"]);
    assert_eq!(listed(&*journal, &behind(-3, "d"), 9), [""; 0]);
    // A place is a place also when no Run has it.
    assert_eq!(listed(&*journal, &behind(6, ""), 1), ["c"]);
    assert_eq!(listed(&*journal, &RunFilter::default(), 9), [""; 0]);
}

pub fn runs_are_counted_by_status(home: &dyn Home) {
    let journal = home.open();
    let mut admitted: Vec<RunRow> = (0..6).map(|n| run_row(&format!("r{n}"), journal.instance())).collect();
    admitted[1].status = "failed".to_owned();
    admitted[2].status = "failed".to_owned();
    admitted[5].workspace = "another".to_owned();
    written(&*journal, admission(&admitted));
    let counts = |counts: &[(&str, u64)]| Ok(counts.iter().map(|(status, n)| ((*status).to_owned(), *n)).collect());
    assert_eq!(journal.run_counts("w"), counts(&[("failed", 2), ("running", 3)]));
    assert_eq!(journal.run_counts("none"), counts(&[]));
    written(&*journal, rows(vec![Row::ForgetRun("r1".to_owned())]));
    assert_eq!(journal.run_counts("w"), counts(&[("failed", 1), ("running", 3)]));
}

pub fn active_runs_are_those_not_ended(home: &dyn Home) {
    let journal = home.open();
    let row = |id: &str, ended| RunRow { ended, started_at: 3, ..run_row(id, journal.instance()) };
    let mut foreign = row("d", false);
    foreign.workspace = "v".to_owned();
    written(&*journal, admission(&[row("a", false), row("b", true), row("c", false), foreign]));
    assert_eq!(journal.active_runs("w").map(ids), Ok(vec!["c".to_owned(), "a".to_owned()]));
    written(&*journal, rows(vec![put_run(&row("c", true))]));
    assert_eq!(journal.active_runs("w").map(ids), Ok(vec!["a".to_owned()]));
    assert_eq!(journal.active_runs("u").map(ids), Ok(vec![]));
}

/// Every combination of conditions, compared with the conditions themselves.
pub fn run_filters_combine(home: &dyn Home) {
    let journal = home.open();
    let statuses = ["running", "succeeded", "failed"];
    let stored: Vec<RunRow> = (0..72)
        .map(|number| {
            let mut row = run_row(&format!("id-{number:02}"), journal.instance());
            row.started_at = i64::from(number / 2);
            row.status = statuses[number as usize % 3].to_owned();
            row.ended = number % 3 != 0;
            row.flow_id = [None, Some("flow.a"), Some("flow.b"), Some("other")][number as usize % 4].map(str::to_owned);
            row.task = [Some("task_1"), None, Some("task_2")][number as usize / 3 % 3].map(str::to_owned);
            row.flow_hash = ["hash_a", "hash_b"][number as usize / 9 % 2].to_owned();
            row.parent = (number % 5 == 0).then(|| "id-01".to_owned());
            row
        })
        .collect();
    written(&*journal, admission(&stored));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let word = |word: Option<&str>| word.map(str::to_owned);
    let mut newest_first: Vec<_> = stored.iter().collect();
    newest_first.sort_by_key(|row| std::cmp::Reverse((row.started_at, &row.id)));
    let mut matches = 0;
    for flow_ids in [words(&[]), words(&["flow.b"]), words(&["other", "flow.a", "missing", "other"])] {
        for task in [None, Some("task_1"), Some("missing")] {
            for flow_hash in [None, Some("hash_b")] {
                for status in [words(&[]), words(&["failed", "running", "failed"])] {
                    for ended in [None, Some(true), Some(false)] {
                        for text in [None, Some("FLOW."), Some("-3"), Some("1"), Some("%")] {
                            let filter = RunFilter {
                                flow_ids: flow_ids.clone(),
                                task: word(task),
                                flow_hash: word(flow_hash),
                                status: status.clone(),
                                ended,
                                roots_only: matches % 2 == 0,
                                text: word(text),
                                before: (matches % 3 == 0).then(|| (30, "id-60".to_owned())),
                                ..all_runs()
                            };
                            let expected = newest_first.iter().filter(|row| fits(row, &filter)).take(7);
                            let expected: Vec<_> = expected.map(|row| row.id.clone()).collect();
                            assert_eq!(listed(&*journal, &filter, 7), expected, "{filter:?}");
                            matches += 1 + expected.len();
                        }
                    }
                }
            }
        }
    }
    assert!(matches > 540, "hardly a filter found anything: {matches}");
}

fn fits(row: &RunRow, filter: &RunFilter) -> bool {
    let any_of = |wanted: &[String], value: &Option<String>| {
        wanted.is_empty() || value.as_ref().is_some_and(|value| wanted.contains(value))
    };
    let text = filter.text.as_deref().unwrap_or_default().to_lowercase();
    let names = [Some(&row.id), row.flow_id.as_ref(), row.task.as_ref()];
    any_of(&filter.flow_ids, &row.flow_id)
        && (filter.task.is_none() || filter.task == row.task)
        && filter.flow_hash.as_ref().is_none_or(|hash| *hash == row.flow_hash)
        && any_of(&filter.status, &Some(row.status.clone()))
        && filter.ended.is_none_or(|ended| ended == row.ended)
        && (!filter.roots_only || row.parent.is_none())
        && names.iter().flatten().any(|name| name.contains(&text))
        && filter.before.as_ref().is_none_or(|(at, id)| (row.started_at, &row.id) < (*at, id))
}

/// More names contain the text than are looked up one by one.
pub fn a_text_that_many_flows_have_is_found(home: &dyn Home) {
    let journal = home.open();
    let stored: Vec<_> = (0..100)
        .map(|number| RunRow {
            started_at: number,
            flow_id: Some(format!("flow-{number}")),
            ..run_row(&format!("r{number}"), journal.instance())
        })
        .collect();
    written(&*journal, admission(&stored));
    let found = |text: &str| {
        let filter = RunFilter { text: Some(text.to_owned()), ..all_runs() };
        listed(&*journal, &filter, 3)
    };
    assert_eq!(found("flow-"), ["r99", "r98", "r97"]);
    // A Run whose flow and id have it is found once.
    assert_eq!(found("8"), ["r98", "r89", "r88"]);
    assert_eq!(found("flow-4"), ["r49", "r48", "r47"]);
    assert_eq!(found("r77"), ["r77"]);
    assert_eq!(found("K_1"), ["r99", "r98", "r97"]);
    // Nothing in it is a pattern.
    for nothing in ["flow_", "r%", "\\", "r7\0", &"r".repeat(60_000)] {
        assert_eq!(found(nothing), [""; 0], "{nothing}");
    }
}

pub fn a_text_is_found_in_flows_and_ids_together(home: &dyn Home) {
    let journal = home.open();
    let row = |id: &str, flow_id: &str, started_at| RunRow {
        started_at,
        flow_id: Some(flow_id.to_owned()),
        ..run_row(id, journal.instance())
    };
    let stored = [
        row("x1", "a", 6),
        row("1", "x", 5),
        row("2", "x", 4),
        row("x2", "x", 4),
        row("3", "x", 3),
        row("x3", "a", 2),
        row("4", "x_y", 1),
        row("a%b", "a\\b", 0),
    ];
    written(&*journal, admission(&stored));
    let found = |text: &str, limit| {
        let filter = RunFilter { text: Some(text.to_owned()), ..all_runs() };
        listed(&*journal, &filter, limit)
    };
    assert_eq!(found("X", 9), ["x1", "1", "x2", "2", "3", "x3", "4"]);
    for limit in 1..7 {
        assert_eq!(found("x", limit), ["x1", "1", "x2", "2", "3", "x3", "4"][..limit]);
    }
    assert_eq!(
        (found("x_", 9), found("A%", 9), found("\\", 9)),
        (vec!["4".to_owned()], vec!["a%b".to_owned()], vec!["a%b".to_owned()])
    );
}

pub fn a_runs_forks_are_found(home: &dyn Home) {
    let journal = home.open();
    let fork = |id: &str, parent: &str, started_at| RunRow {
        started_at,
        parent: Some(parent.to_owned()),
        forked_from: Some("n".to_owned()),
        ..run_row(id, journal.instance())
    };
    let mut stored = vec![run_row("p", journal.instance()), fork("a", "p", 3), fork("c", "p", 4), fork("b", "p", 4)];
    stored.extend([fork("d", "a", 5), RunRow { workspace: "other".to_owned(), ..fork("e", "p", 6) }]);
    written(&*journal, admission(&stored));
    let found = |parent, limit| journal.forks("w", parent, limit).expect("readable");
    assert_eq!(found("p", 9), ["c", "b", "a"]);
    assert_eq!(found("p", 2), ["c", "b"]);
    assert_eq!(found("a", 9), ["d"]);
    assert_eq!((found("d", 9).len(), found("nobody", 9).len()), (0, 0));
}

/// However many ids have it elsewhere, and however old the Run is.
pub fn runs_are_found_by_the_beginning_of_their_id(home: &dyn Home) {
    let journal = home.open();
    let row = |id: &str, started_at| RunRow { started_at, ..run_row(id, journal.instance()) };
    let mut stored: Vec<_> = (0..40).map(|number| row(&format!("r{number:02}-ab"), 1 + number)).collect();
    stored.extend([row("ab", 0), row("abc", 0)]);
    stored.push(RunRow { workspace: "other".to_owned(), ..row("abd", 0) });
    written(&*journal, admission(&stored));
    let found = |prefix, limit| journal.runs_starting_with("w", prefix, limit).expect("readable");
    assert_eq!(found("ab", 6), ["ab", "abc"]);
    assert_eq!(found("abc", 6), ["abc"]);
    assert_eq!(found("r0", 3), ["r00-ab", "r01-ab", "r02-ab"]);
    assert_eq!(found("r", 99).len(), 40);
    assert_eq!(found("r39", 6), ["r39-ab"]);
    assert_eq!(journal.runs_starting_with("other", "ab", 6), Ok(vec!["abd".to_owned()]));
    // Nothing in it is a pattern.
    for nothing in ["abd", "a%", "r__", "R00", "r00-abc"] {
        assert_eq!(found(nothing, 6), [""; 0], "{nothing}");
    }
}

pub fn an_admission_key_is_used_once_in_a_workspace(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    let keyed = |id: &str, key: &str| RunRow { admission_key: Some(key.to_owned()), ..run_row(id, journal.instance()) };
    let duplicate = |id: &str| Err(AppendError::DuplicateKey { task: id.to_owned() });
    written(&*journal, admission(&[keyed("r1", "k")]));
    assert_eq!(settled(other.append(admission(&[run_row("x", other.instance()), keyed("r2", "k")]))), duplicate("r1"));
    // Nothing of it was written, the streams included.
    assert_eq!(other.run("x"), Ok(None));
    assert_eq!(other.owner(&stream("r2")), Ok(None));
    assert_eq!(settled(other.append(admission(&[keyed("r2", "l"), keyed("r3", "l")]))), duplicate("r2"));
    assert_eq!(other.run_by_key("w", "k"), Ok(Some(keyed("r1", "k"))));
    assert_eq!(other.run_by_key("w", "l"), Ok(None));
    let elsewhere = RunRow { workspace: "v".to_owned(), ..keyed("r4", "k") };
    written(&*journal, admission(slice::from_ref(&elsewhere)));
    assert_eq!(other.run_by_key("v", "k"), Ok(Some(elsewhere)));
    // The same Run again is no second one, and a forgotten one gives its key back.
    written(&*journal, rows(vec![put_run(&keyed("r1", "k"))]));
    let mut batch = admission(&[keyed("r5", "k")]);
    batch.rows.insert(0, Row::ForgetRun("r1".to_owned()));
    written(&*journal, batch);
    assert_eq!(other.run_by_key("w", "k"), Ok(Some(keyed("r5", "k"))));
}

pub fn takeover_of_a_run_hands_its_row_over(home: &dyn Home) {
    let (old, new) = (home.open(), home.open());
    written(&*old, admission(&[run_row("r1", old.instance()), run_row("r2", old.instance())]));
    home.lose(old.instance());
    assert_eq!(new.take_over(&stream("r1")), Ok((2, 1)));
    assert_eq!(new.run("r1"), Ok(Some(run_row("r1", new.instance()))));
    assert_eq!(new.run("r2"), Ok(Some(run_row("r2", old.instance()))));
    // The old owner's late row is refused with its append.
    let late = Batch {
        rows: vec![put_run(&run_row("r1", old.instance()))],
        ..one(append(&stream("r1"), Authority::Owner(1), 1, steps(1)))
    };
    assert_eq!(settled(old.append(late)), Err(AppendError::Fenced { stream: stream("r1") }));
    assert_eq!(new.owner(&stream("r1")), Ok(Some(Owner::Here(2))));
}

pub fn a_forgotten_run_is_gone(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    written(&*journal, admission(&[run_row("r1", journal.instance()), run_row("r2", journal.instance())]));
    let name = stream("r1");
    let asked = other.request(&name, "{}".to_owned(), 1).expect("a request");
    written(&*journal, rows(vec![Row::ForgetRun("r1".to_owned())]));
    assert_eq!(journal.run("r1"), Ok(None));
    assert_eq!(journal.events(&name, 0, 9, &EventFilter::default()), Ok(None));
    assert_eq!(journal.owner(&name), Ok(None));
    assert_eq!(other.waiting(asked), Ok(false));
    assert_eq!(listed(&*journal, &all_runs(), 9), ["r2"]);
    // Neither a late row nor a late append brings it back.
    let late = settled(journal.append(rows(vec![put_run(&run_row("r1", journal.instance()))])));
    assert_eq!(late, Err(AppendError::NoStream { stream: name.clone() }));
    let late = settled(journal.append(one(append(&name, Authority::Owner(1), 1, steps(1)))));
    assert_eq!(late, Err(AppendError::NoStream { stream: name }));
    let both = rows(vec![Row::ForgetRun("r2".to_owned()), put_run(&run_row("r2", journal.instance()))]);
    assert_eq!(settled(journal.append(both)), Err(AppendError::NoStream { stream: stream("r2") }));
    // Forgetting what is not there is done already.
    written(&*other, rows(vec![Row::ForgetRun("r1".to_owned())]));
    // A long stream goes as a short one does, and the name can be used again.
    let long = StreamName::new("run", "r3");
    create(&*journal, &long, 2_500);
    written(&*journal, rows(vec![put_run(&run_row("r3", journal.instance()))]));
    written(&*journal, rows(vec![Row::ForgetRun("r3".to_owned())]));
    written(&*journal, admission(&[run_row("r3", journal.instance())]));
    assert_eq!(numbers(&*journal, &long), [1]);
}
