//! Several processes on one journal.

use std::{sync::Arc, thread, time::Duration};

use segue_journal::{
    AppendError, Authority, Batch, HostRow, InboxRequest, InstanceId, Journal, LeaseRow, Owner, ReadError, Row,
    StreamName,
};
use tokio::{runtime::Builder, time::timeout};

use super::{Home, append, create, numbers, one, put, rows, settled, steps, stream, task_row, written};

/// Long enough for the slowest machine, short enough to tell that nothing will come.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn a_stream_of_the_living_is_not_taken(home: &dyn Home) {
    let (owner, other) = (home.open(), home.open());
    let name = stream("a");
    create(&*owner, &name, 1);
    assert_eq!(other.take_over(&name), Err(AppendError::Fenced { stream: name.clone() }));
    assert_eq!(owner.take_over(&name), Ok((1, 1)));
    let missing = stream("missing");
    assert_eq!(other.take_over(&missing), Err(AppendError::NoStream { stream: missing }));
    written(&*owner, one(append(&name, Authority::Owner(1), 1, steps(1))));
}

pub fn the_old_owner_is_fenced(home: &dyn Home) {
    let (old, new) = (home.open(), home.open());
    let name = stream("a");
    create(&*old, &name, 1);
    home.lose(old.instance());
    // Thought dead, it writes on until somebody takes the stream.
    written(&*old, one(append(&name, Authority::Owner(1), 1, steps(1))));
    assert_eq!(new.take_over(&name), Ok((2, 2)));
    let zombie = settled(old.append(one(append(&name, Authority::Owner(1), 2, steps(1)))));
    assert_eq!(zombie, Err(AppendError::Fenced { stream: name.clone() }));
    written(&*new, one(append(&name, Authority::Owner(2), 2, steps(1))));
    let wrong_token = settled(new.append(one(append(&name, Authority::Owner(1), 3, steps(1)))));
    assert_eq!(wrong_token, Err(AppendError::Fenced { stream: name.clone() }));
    assert_eq!(numbers(&*new, &name), [1, 2, 3]);
    // A stream that was given up can be taken as well.
    let mut last = append(&name, Authority::Owner(2), 3, vec![]);
    last.release = true;
    written(&*new, one(last));
    assert_eq!(new.take_over(&name), Ok((3, 3)));
}

pub fn takeover_hands_the_rows_over(home: &dyn Home) {
    let (old, new, third) = (home.open(), home.open(), home.open());
    let (task, lease) = (StreamName::new("task", "task_1"), StreamName::new("lease", "agent_1"));
    let lease_row = |handle: &str, server: &InstanceId| LeaseRow {
        handle: handle.to_owned(),
        server: server.clone(),
        state: "idle".to_owned(),
        ended: false,
        last_seq: 1,
        body: "{}".to_owned(),
    };
    let host_row = |id: &str, server: &InstanceId, stream: Option<&StreamName>| HostRow {
        id: id.to_owned(),
        server: server.clone(),
        stream: stream.cloned(),
        out: 7,
        err: 9,
        body: "{}".to_owned(),
    };
    let batch = Batch {
        appends: vec![append(&task, Authority::Create, 0, steps(1)), append(&lease, Authority::Create, 0, steps(1))],
        rows: vec![
            put(&task_row("task_1", old.instance())),
            put(&task_row("task_2", old.instance())),
            Row::Lease(lease_row("agent_1", old.instance())),
            Row::Lease(lease_row("agent_2", old.instance())),
            Row::Host(Box::new(host_row("host_1", old.instance(), Some(&task)))),
            Row::Host(Box::new(host_row("host_2", third.instance(), Some(&task)))),
            Row::Host(Box::new(host_row("host_3", old.instance(), None))),
        ],
        ..Batch::default()
    };
    written(&*old, batch);
    home.lose(old.instance());
    assert_eq!(new.take_over(&task), Ok((2, 1)));
    let server = |id: &str| new.task(id).expect("readable").expect("the task exists").server;
    assert_eq!([server("task_1"), server("task_2")], [new.instance().clone(), old.instance().clone()]);
    let expected = vec![
        host_row("host_1", new.instance(), Some(&task)),
        host_row("host_2", third.instance(), Some(&task)),
        host_row("host_3", old.instance(), None),
    ];
    assert_eq!(new.hosts(), Ok(expected));
    assert_eq!(new.lease("agent_1"), Ok(Some(lease_row("agent_1", old.instance()))));
    assert_eq!(third.take_over(&lease), Ok((2, 1)));
    let leases = vec![lease_row("agent_1", third.instance()), lease_row("agent_2", old.instance())];
    assert_eq!(new.open_leases(), Ok(leases));
}

pub fn owners_are_told_apart(home: &dyn Home) {
    let (owner, other) = (home.open(), home.open());
    let name = stream("a");
    assert_eq!(owner.owner(&name), Ok(None));
    create(&*owner, &name, 1);
    let id = owner.instance().clone();
    assert_ne!(id, *other.instance());
    assert!(owner.alive(&id) && other.alive(&id));
    assert_eq!(owner.owner(&name), Ok(Some(Owner::Here(1))));
    assert_eq!(other.owner(&name), Ok(Some(Owner::Elsewhere(id.clone()))));
    home.lose(&id);
    assert!(!other.alive(&id));
    assert_eq!(other.owner(&name), Ok(Some(Owner::Dead(id))));
    assert!(!other.alive(&InstanceId("inst_../../x".to_owned())));
}

pub fn of_many_who_take_over_one_wins(home: &dyn Home) {
    let owner = home.open();
    let names: Vec<_> = (0..8).map(|number| stream(&number.to_string())).collect();
    names.iter().for_each(|name| create(&*owner, name, 1));
    home.lose(owner.instance());
    let others = [home.open(), home.open(), home.open()];
    for name in &names {
        let results: Vec<_> = thread::scope(|scope| {
            let takers: Vec<_> = others.iter().map(|other| scope.spawn(|| other.take_over(name))).collect();
            takers.into_iter().map(|taker| taker.join().expect("no panic")).collect()
        });
        let mut sorted = results.clone();
        sorted.sort_by_key(Result::is_err);
        let fenced = || Err(AppendError::Fenced { stream: name.clone() });
        assert_eq!(sorted, [Ok((2, 1)), fenced(), fenced()]);
        let winner = results.iter().position(Result::is_ok).expect("one won");
        assert_eq!(others[winner].owner(name), Ok(Some(Owner::Here(2))));
    }
}

pub fn a_request_reaches_the_owner_and_is_answered(home: &dyn Home) {
    let (owner, asker) = (home.open(), home.open());
    let (name, unrelated) = (stream("a"), stream("b"));
    create(&*owner, &name, 1);
    create(&*asker, &unrelated, 1);
    let first = asker.request(&name, "{\"cancel\":1}".to_owned(), 5).expect("a request");
    let second = asker.request(&name, "{\"cancel\":2}".to_owned(), 6).expect("a request");
    assert!(first < second);
    let request = |id, at, number| InboxRequest {
        id,
        stream: name.clone(),
        from: asker.instance().clone(),
        at,
        body: format!("{{\"cancel\":{number}}}"),
    };
    assert_eq!(owner.inbox(), Ok(vec![request(first, 5, 1), request(second, 6, 2)]));
    assert_eq!(asker.inbox(), Ok(vec![]));
    let answer = Batch { answered: vec![first, 999], ..one(append(&name, Authority::Owner(1), 1, steps(1))) };
    written(&*owner, answer);
    assert_eq!([asker.waiting(first), asker.waiting(second)], [Ok(false), Ok(true)]);
    // Who takes the stream over finds what its owner left unanswered.
    home.lose(owner.instance());
    asker.take_over(&name).expect("its owner is dead");
    assert_eq!(asker.inbox(), Ok(vec![request(second, 6, 2)]));
    let missing = stream("missing");
    let refused = asker.request(&missing, "{}".to_owned(), 7);
    assert_eq!(refused, Err(AppendError::NoStream { stream: missing }));
}

pub fn the_end_of_ownership_answers_requests(home: &dyn Home) {
    let (owner, asker) = (home.open(), home.open());
    let name = stream("a");
    create(&*owner, &name, 1);
    let before = asker.request(&name, "{}".to_owned(), 5).expect("a request");
    let mut last = append(&name, Authority::Owner(1), 1, steps(1));
    last.release = true;
    written(&*owner, one(last));
    let after = asker.request(&name, "{}".to_owned(), 6).expect("a request");
    assert!(after > before);
    assert_eq!([asker.waiting(before), asker.waiting(after)], [Ok(false), Ok(false)]);
}

pub fn a_commit_wakes_other_instances(home: &dyn Home) {
    let (writer, reader) = (home.open(), home.open());
    let mut changes = reader.changes();
    let own = writer.changes();
    for number in 1..=5_u64 {
        create(&*writer, &stream(&number.to_string()), 1);
        assert_eq!(*own.borrow(), number);
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let woken = runtime.block_on(async {
            let woken = changes.wait_for(|position| *position >= number);
            timeout(PATIENCE, woken).await.map(|woken| woken.is_ok())
        });
        assert_eq!(woken, Ok(true), "woken in time");
        assert_eq!(numbers(&*reader, &stream(&number.to_string())), [1]);
    }
}

pub fn changed_streams_are_told_in_order(home: &dyn Home) {
    let (one_process, other) = (home.open(), home.open());
    let [a, b, c, d] = ["a", "b", "c", "d"].map(stream);
    create(&*one_process, &a, 1);
    create(&*other, &b, 1);
    let both = Batch {
        appends: vec![append(&d, Authority::Create, 0, steps(2)), append(&c, Authority::Create, 0, vec![])],
        ..Batch::default()
    };
    written(&*one_process, both);
    let all = vec![(a.clone(), 1), (b.clone(), 1), (c.clone(), 0), (d.clone(), 2)];
    assert_eq!(other.changed_since(0, 10), Ok((all.clone(), 3)));
    assert_eq!(other.changed_since(0, 2), Ok((all[..2].to_vec(), 2)));
    assert_eq!(other.changed_since(2, 1), Ok((all[2..].to_vec(), 3)));
    assert_eq!(other.changed_since(3, 10), Ok((vec![], 3)));
    // A later change moves a stream; rows alone move the position only; a forgotten stream is gone.
    written(&*one_process, one(append(&a, Authority::Owner(1), 1, steps(1))));
    written(&*one_process, rows(vec![Row::RemoveHost("host_1".to_owned())]));
    assert_eq!(other.changed_since(1, 10), Ok((vec![all[1].clone(), all[2].clone(), all[3].clone(), (a, 2)], 5)));
    let task = StreamName::new("task", "task_1");
    create(&*one_process, &task, 1);
    written(&*one_process, rows(vec![Row::ForgetTask("task_1".to_owned())]));
    assert_eq!(other.changed_since(5, 10), Ok((vec![], 7)));
}

pub fn close_writes_what_is_queued(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    let name = stream("a");
    create(&*journal, &name, 0);
    let queued: Vec<_> =
        (0..50).map(|at| journal.append(one(append(&name, Authority::Owner(1), at, steps(1))))).collect();
    journal.close();
    journal.close();
    let results: Vec<_> = queued.into_iter().map(|pending| settled(pending).map(|done| done.last)).collect();
    assert_eq!(results, (1..=50).map(|last| Ok(vec![last])).collect::<Vec<_>>());
    assert_eq!(
        settled(journal.append(one(append(&name, Authority::Owner(1), 50, steps(1))))),
        Err(AppendError::Closed)
    );
    assert_eq!(journal.take_over(&name), Err(AppendError::Closed));
    assert_eq!(journal.request(&name, "{}".to_owned(), 1), Err(AppendError::Closed));
    assert!(matches!(journal.task("task_1"), Err(ReadError::Storage(_))));
    assert_eq!(numbers(&*other, &name), (1..=50).collect::<Vec<_>>());
    assert_eq!(other.owner(&name), Ok(Some(Owner::Dead(journal.instance().clone()))));
    assert_eq!(other.take_over(&name), Ok((2, 50)));
    // Letting go of a journal closes it as well.
    let dropped: Arc<dyn Journal> = home.open();
    let id = dropped.instance().clone();
    home.lose(&id);
    drop(dropped);
    assert!(!other.alive(&id));
}
