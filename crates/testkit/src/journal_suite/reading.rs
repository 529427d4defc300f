//! Events, leases and hosts as they are read.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use segue_journal::{
    Authority, Batch, EventFilter, EventPage, HostRow, Journal, LeaseRow, NewEvent, Row, Seq, StoredEvent, StreamName,
};

use super::{Home, append, create, event, one, put, rows, stream, task_row, written};

fn page(journal: &dyn Journal, name: &StreamName, after: Seq, limit: usize, filter: &EventFilter) -> Vec<Seq> {
    let page = journal.events(name, after, limit, filter).expect("readable").expect("the stream exists");
    page.events.iter().map(|event| event.seq).collect()
}

pub fn pages_join_without_gap(home: &dyn Home) {
    let journal = home.open();
    let name = stream("a");
    create(&*journal, &name, 10);
    let all = EventFilter::default();
    let first = journal.events(&name, 0, 1, &all);
    let expected = EventPage {
        events: vec![StoredEvent { seq: 1, kind: "step".to_owned(), at: 1_001, payload: "{\"n\":1}".to_owned() }],
        last: 10,
        task: None,
    };
    assert_eq!(first, Ok(Some(expected)));
    let read = |after, limit| page(&*journal, &name, after, limit, &all);
    assert_eq!([read(0, 4), read(4, 4), read(8, 4)].concat(), (1..=10).collect::<Vec<_>>());
    assert_eq!([read(10, 4), read(Seq::MAX, 4), read(0, 0)], [vec![0; 0], vec![], vec![]]);
    assert_eq!(read(7, usize::MAX), [8, 9, 10]);
    assert_eq!(journal.events(&stream("missing"), 0, 1, &all), Ok(None));
}

pub fn filters_choose_kinds(home: &dyn Home) {
    let journal = home.open();
    let (name, other) = (stream("a"), stream("b"));
    let kinds = ["text", "tool", "text", "end", "text", "tool", "late"];
    let events = kinds.iter().enumerate().map(|(number, kind)| event(kind, number)).collect();
    written(&*journal, one(append(&other, Authority::Create, 0, vec![event("tool", 1), event("elsewhere", 2)])));
    written(&*journal, one(append(&name, Authority::Create, 0, events)));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let read = |kinds: &[&str], without: &[&str], after, limit| {
        page(
            &*journal,
            &name,
            after,
            limit,
            &EventFilter { kinds: words(kinds), without: words(without), ..EventFilter::default() },
        )
    };
    assert_eq!(read(&["tool"], &[], 0, 9), [2, 6]);
    assert_eq!(read(&["late", "tool", "tool", "unknown", "elsewhere"], &[], 0, 9), [2, 6, 7]);
    assert_eq!(read(&["unknown"], &[], 0, 9), [0; 0]);
    assert_eq!(read(&[], &["text"], 0, 9), [2, 4, 6, 7]);
    assert_eq!(read(&[], &["text"], 2, 2), [4, 6]);
    assert_eq!(read(&["text", "tool"], &["text"], 0, 1), [2]);
    assert_eq!(read(&[], &["unknown"], 5, 9), [6, 7]);
    assert_eq!(read(&["text"], &[], 1, 1), [3]);
    let filter = EventFilter { kinds: words(&["end"]), ..EventFilter::default() };
    let expected = EventPage {
        events: vec![StoredEvent { seq: 4, kind: "end".to_owned(), at: 1_003, payload: "{\"n\":3}".to_owned() }],
        last: 7,
        task: None,
    };
    assert_eq!(journal.events(&name, 0, 9, &filter), Ok(Some(expected)));
}

pub fn pages_go_downwards_as_well(home: &dyn Home) {
    let journal = home.open();
    let name = stream("a");
    let kinds = ["text", "tool", "text", "end", "text", "tool", "late"];
    let events = kinds.iter().enumerate().map(|(number, kind)| event(kind, number)).collect();
    written(&*journal, one(append(&name, Authority::Create, 0, events)));
    let read = |kinds: &[&str], after, before, newest_first, limit| {
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let filter = EventFilter { kinds, before, newest_first, ..EventFilter::default() };
        page(&*journal, &name, after, limit, &filter)
    };
    assert_eq!(read(&[], 0, None, true, 3), [7, 6, 5]);
    assert_eq!(read(&[], 0, Some(5), true, 9), [4, 3, 2, 1]);
    assert_eq!(read(&[], 2, Some(5), true, 9), [4, 3]);
    assert_eq!(read(&[], 2, Some(5), false, 9), [3, 4]);
    assert_eq!(read(&["text", "tool"], 0, None, true, 4), [6, 5, 3, 2]);
    assert_eq!(read(&["text"], 0, Some(5), true, 1), [3]);
    assert_eq!(read(&[], 0, Some(Seq::MAX), true, 1), [7]);
    for (after, before) in [(0, Some(0)), (0, Some(1)), (4, Some(5)), (5, Some(3)), (7, None)] {
        assert_eq!(read(&[], after, before, true, 9), [0; 0], "{after} {before:?}");
        assert_eq!(read(&[], after, before, false, 9), [0; 0], "{after} {before:?}");
    }
}

pub fn a_page_and_its_task_are_one_snapshot(home: &dyn Home) {
    const EVENTS: Seq = 200;
    let (writer, reader) = (home.open(), home.open());
    let name = StreamName::new("task", "task_1");
    let mut row = task_row("task_1", writer.instance());
    row.prompt = Some("do it".to_owned());
    let first = Batch { rows: vec![put(&row)], ..one(append(&name, Authority::Create, 0, vec![event("step", 1)])) };
    written(&*writer, first);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for last in 1..EVENTS {
                let mut row = task_row("task_1", writer.instance());
                row.last_seq = last + 1;
                let append = append(&name, Authority::Owner(1), last, vec![event("step", 1)]);
                written(&*writer, Batch { rows: vec![put(&row)], ..one(append) });
            }
            done.store(true, Ordering::SeqCst);
        });
        loop {
            let last_look = done.load(Ordering::SeqCst);
            let page = reader.events(&name, 0, usize::MAX, &EventFilter::default()).expect("readable");
            let EventPage { events, last, task } = page.expect("the stream exists");
            assert_eq!((events.len() as Seq, task.map(|row| (row.last_seq, row.prompt))), (last, Some((last, None))));
            if last_look {
                assert_eq!(last, EVENTS);
                break;
            }
        }
    });
}

pub fn text_comes_back_as_it_was(home: &dyn Home) {
    let (writer, reader) = (home.open(), home.open());
    let text = "NUL \0 FF \u{c} DEL \u{7f} LS \u{2028} e\u{301} \u{1f680} '\" \\";
    let name = StreamName::new("task", "task_1");
    let event = NewEvent { kind: "said".into(), at: -1, payload: text.to_owned() };
    let mut row = task_row("task_1", writer.instance());
    row.prompt = Some(text.to_owned());
    row.body = text.to_owned();
    written(&*writer, Batch { rows: vec![put(&row)], ..one(append(&name, Authority::Create, 0, vec![event])) });
    row.prompt = None;
    let expected = EventPage {
        events: vec![StoredEvent { seq: 1, kind: "said".to_owned(), at: -1, payload: text.to_owned() }],
        last: 1,
        task: Some(row),
    };
    assert_eq!(reader.events(&name, 0, 9, &EventFilter::default()), Ok(Some(expected)));
    assert_eq!(reader.prompt("task_1"), Ok(Some(text.to_owned())));
}

pub fn leases_and_hosts_are_kept(home: &dyn Home) {
    let journal = home.open();
    let lease = |handle: &str, ended| LeaseRow {
        handle: handle.to_owned(),
        server: journal.instance().clone(),
        state: if ended { "gone" } else { "idle" }.to_owned(),
        ended,
        last_seq: 3,
        body: "{}".to_owned(),
    };
    let host = |id: &str, out| HostRow {
        id: id.to_owned(),
        server: journal.instance().clone(),
        stream: Some(stream("a")),
        out,
        err: 2,
        body: "{}".to_owned(),
    };
    let leases = ["agent_b", "agent_a", "agent_c"].map(|handle| Row::Lease(lease(handle, false)));
    let hosts = ["host_b", "host_a"].map(|id| Row::Host(Box::new(host(id, 1))));
    written(&*journal, rows(leases.into_iter().chain(hosts).collect()));
    written(
        &*journal,
        rows(vec![
            Row::Lease(lease("agent_b", true)),
            Row::Host(Box::new(host("host_b", 5))),
            Row::RemoveHost("host_a".to_owned()),
            Row::RemoveHost("host_x".to_owned()),
        ]),
    );
    assert_eq!(journal.open_leases(), Ok(vec![lease("agent_a", false), lease("agent_c", false)]));
    assert_eq!(journal.lease("agent_b"), Ok(Some(lease("agent_b", true))));
    assert_eq!(journal.lease("agent_x"), Ok(None));
    assert_eq!(journal.hosts(), Ok(vec![host("host_b", 5)]));
    assert_eq!([journal.host("host_b"), journal.host("host_a")], [Ok(Some(host("host_b", 5))), Ok(None)]);
}
