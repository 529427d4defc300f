//! Appends and batches.

use segue_journal::{AppendError, Authority, Batch, Committed, HoldChange, HoldKey, Owner};

use super::{Home, append, create, numbers, one, put, settled, steps, stream, task_row, written};

pub fn numbers_have_no_gaps(home: &dyn Home) {
    let journal = home.open();
    let (a, b) = (stream("a"), stream("b"));
    let first = written(
        &*journal,
        Batch {
            appends: vec![append(&a, Authority::Create, 0, steps(2)), append(&b, Authority::Create, 0, steps(0))],
            ..Batch::default()
        },
    );
    let second = written(&*journal, one(append(&a, Authority::Owner(1), 2, steps(3))));
    assert_eq!(first, Committed { position: 1, last: vec![2, 0] });
    assert_eq!(second, Committed { position: 2, last: vec![5] });
    assert_eq!(numbers(&*journal, &a), [1, 2, 3, 4, 5]);
    assert_eq!(numbers(&*journal, &b), [0; 0]);
}

pub fn an_append_at_the_wrong_number_is_refused(home: &dyn Home) {
    let journal = home.open();
    let name = stream("a");
    create(&*journal, &name, 2);
    for expected in [0, 1, 3] {
        let refused = settled(journal.append(one(append(&name, Authority::Owner(1), expected, steps(1)))));
        assert_eq!(refused, Err(AppendError::Conflict { stream: name.clone(), expected, found: 2 }));
    }
    let missing = stream("missing");
    let refused = settled(journal.append(one(append(&missing, Authority::Owner(1), 0, steps(1)))));
    assert_eq!(refused, Err(AppendError::NoStream { stream: missing }));
    assert_eq!(numbers(&*journal, &name), [1, 2]);
}

pub fn a_stream_is_created_once(home: &dyn Home) {
    let (one_process, other) = (home.open(), home.open());
    let name = stream("a");
    let early = settled(one_process.append(one(append(&name, Authority::Create, 1, steps(1)))));
    assert_eq!(early, Err(AppendError::Conflict { stream: name.clone(), expected: 1, found: 0 }));
    create(&*one_process, &name, 2);
    for journal in [&one_process, &other] {
        let refused = settled(journal.append(one(append(&name, Authority::Create, 0, steps(1)))));
        assert_eq!(refused, Err(AppendError::Conflict { stream: name.clone(), expected: 0, found: 2 }));
    }
    let foreign = settled(other.append(one(append(&name, Authority::Owner(1), 2, steps(1)))));
    assert_eq!(foreign, Err(AppendError::Fenced { stream: name }));
}

pub fn a_stream_without_owner_needs_only_its_number(home: &dyn Home) {
    let (owner, other) = (home.open(), home.open());
    let name = stream("a");
    create(&*owner, &name, 1);
    let unowned = |expected| one(append(&name, Authority::Unowned, expected, steps(1)));
    assert_eq!(settled(other.append(unowned(1))), Err(AppendError::Fenced { stream: name.clone() }));
    let mut last = append(&name, Authority::Owner(1), 1, steps(1));
    last.release = true;
    written(&*owner, one(last));
    assert_eq!(owner.owner(&name), Ok(Some(Owner::Nobody)));
    written(&*other, unowned(2));
    let late = settled(owner.append(unowned(2)));
    assert_eq!(late, Err(AppendError::Conflict { stream: name.clone(), expected: 2, found: 3 }));
    let as_before = settled(owner.append(one(append(&name, Authority::Owner(1), 3, steps(1)))));
    assert_eq!(as_before, Err(AppendError::Fenced { stream: name }));
}

pub fn a_batch_is_written_whole_or_not_at_all(home: &dyn Home) {
    let journal = home.open();
    let (good, bad) = (stream("good"), stream("bad"));
    create(&*journal, &bad, 1);
    let key = HoldKey { agent: "claude".to_owned(), session: "s".to_owned() };
    let asked = journal.request(&bad, "{}".to_owned(), 1).expect("a request");
    let before = journal.changed_since(0, 10);
    let batch = Batch {
        appends: vec![append(&good, Authority::Create, 0, steps(1)), append(&bad, Authority::Owner(1), 9, steps(1))],
        rows: vec![put(&task_row("task_1", journal.instance()))],
        holds: vec![HoldChange::Take { key: key.clone(), holder: "task task_1".to_owned() }],
        answered: vec![asked],
        documents: Vec::new(),
    };
    let refused = settled(journal.append(batch));
    assert_eq!(refused, Err(AppendError::Conflict { stream: bad, expected: 9, found: 1 }));
    assert_eq!(journal.events(&good, 0, 9, &Default::default()), Ok(None));
    assert_eq!(journal.task("task_1"), Ok(None));
    assert_eq!(journal.holder(&key), Ok(None));
    assert_eq!(journal.waiting(asked), Ok(true));
    assert_eq!(journal.changed_since(0, 10), before);
}

pub fn a_batch_may_name_a_stream_twice(home: &dyn Home) {
    let journal = home.open();
    let name = stream("a");
    let mut last = append(&name, Authority::Owner(1), 1, steps(1));
    last.release = true;
    let batch = Batch {
        appends: vec![
            append(&name, Authority::Create, 0, steps(1)),
            last,
            append(&name, Authority::Unowned, 2, steps(1)),
        ],
        ..Batch::default()
    };
    assert_eq!(written(&*journal, batch).last, [1, 2, 3]);
    assert_eq!(numbers(&*journal, &name), [1, 2, 3]);
    assert_eq!(journal.owner(&name), Ok(Some(Owner::Nobody)));
}

/// Good and bad batches that are queued at once share commits.
pub fn a_refused_batch_does_not_harm_its_neighbours(home: &dyn Home) {
    const BATCHES: u64 = 300;
    let journal = home.open();
    let name = stream("a");
    create(&*journal, &name, 0);
    // Every third batch repeats a number and is refused; the others go on where the last good one ended.
    let mut next = 0;
    let mut expected = Vec::new();
    let mut queued = Vec::new();
    for batch in 0..BATCHES {
        let good = batch % 3 != 2;
        let at = if good { next } else { next - 1 };
        queued.push(journal.append(one(append(&name, Authority::Owner(1), at, steps(1)))));
        next += u64::from(good);
        expected.push(if good {
            Ok(vec![next])
        } else {
            Err(AppendError::Conflict { stream: name.clone(), expected: at, found: next })
        });
    }
    let results: Vec<_> = queued.into_iter().map(|pending| settled(pending).map(|done| done.last)).collect();
    assert_eq!(results, expected);
    assert_eq!(numbers(&*journal, &name), (1..=next).collect::<Vec<_>>());
}

pub fn batches_of_one_caller_keep_their_order(home: &dyn Home) {
    let journal = home.open();
    let names = [stream("a"), stream("b")];
    names.iter().for_each(|name| create(&*journal, name, 0));
    let queued: Vec<_> = (0..200_u64)
        .map(|number| {
            let name = &names[usize::from(number % 2 == 1)];
            journal.append(one(append(name, Authority::Owner(1), number / 2, steps(1))))
        })
        .collect();
    let positions: Vec<_> = queued.into_iter().map(|pending| settled(pending).expect("written").position).collect();
    assert_eq!(positions, (3..=202).collect::<Vec<_>>());
}

pub fn an_empty_batch_changes_nothing(home: &dyn Home) {
    let journal = home.open();
    create(&*journal, &stream("a"), 1);
    assert_eq!(written(&*journal, Batch::default()), Committed { position: 1, last: vec![] });
    assert_eq!(journal.changed_since(1, 10), Ok((vec![], 1)));
}
