//! Several real processes on one journal, and what is left when some of them are killed.

use std::{collections::BTreeMap, path::Path};

use rusqlite::Connection;
use segue_journal::{
    AppendError, Authority, Batch, EventFilter, InstanceId, Journal, OpenOptions, Owner, Row, StreamName, open,
};
use segue_testkit::journal_suite::{append, event, one, put, settled, task_row, written};
use tempfile::TempDir;

use crate::process::{Process, role, say, wait_for_go};

/// What the processes of these tests do.
#[test]
fn child() {
    let Some((role, folder)) = role() else { return };
    let journal = open(&OpenOptions::new(folder)).unwrap();
    say(&journal.instance().0);
    wait_for_go();
    match role.as_str() {
        "hammer" => hammer(&*journal, usize::MAX),
        "hammer_some" => hammer(&*journal, TURNS),
        "own" => {
            let shared = StreamName::new("run", "shared");
            written(&*journal, one(append(&shared, Authority::Create, 0, vec![event("step", 1)])));
            say("owned");
            wait_for_go();
        }
        "take" => {
            let taken = journal.take_over(&StreamName::new("run", "shared"));
            say(&format!("{taken:?}"));
            // The winner has to live until everyone tried.
            wait_for_go();
        }
        other => panic!("unknown role {other}"),
    }
    journal.close();
}

/// Appends to a task of its own, with its row; says each number that is durable.
fn hammer(journal: &dyn Journal, turns: usize) {
    let id = journal.instance().0.clone();
    let name = StreamName::new("task", &id);
    let mut last = 0;
    for turn in 0..turns {
        let events = (0..=turn % 3).map(|number| event(["text", "tool"][number % 2], turn)).collect::<Vec<_>>();
        let authority = if turn == 0 { Authority::Create } else { Authority::Owner(1) };
        let mut row = task_row(&id, journal.instance());
        row.last_seq = last + events.len() as u64;
        let batch = Batch { rows: vec![put(&row)], ..one(append(&name, authority, last, events)) };
        last = written(journal, batch).last[0];
        say(&last.to_string());
    }
}

/// How often each of the fair ones writes.
const TURNS: usize = 300;

/// Every stream is whole, and every row says what its stream says.
fn check(folder: &Path, expected: &BTreeMap<String, u64>) {
    let journal = open(&OpenOptions::new(folder)).unwrap();
    for (id, durable) in expected {
        let page = journal.events(&StreamName::new("task", id), 0, usize::MAX, &EventFilter::default()).unwrap();
        let page = page.unwrap_or_else(|| panic!("{id} is lost"));
        let numbers: Vec<_> = page.events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=page.last).collect::<Vec<_>>(), "{id}");
        assert_eq!(page.task.map(|row| row.last_seq), Some(page.last), "{id}");
        assert!(page.last >= *durable, "{id}: {durable} was answered, {} is stored", page.last);
    }
    journal.close();
    let connection = Connection::open(folder.join("journal.sqlite3")).unwrap();
    let integrity: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(integrity, "ok");
}

#[test]
fn killed_processes_leave_a_whole_journal() {
    const ROUNDS: u64 = 12;
    let folder = TempDir::new().unwrap();
    let mut durable = BTreeMap::new();
    // Where each is killed: spread without order, and the same in every run.
    let mut place = 7_u64;
    for _ in 0..ROUNDS {
        let mut processes: Vec<_> = (0..3).map(|_| Process::start("hammer", folder.path())).collect();
        let ids: Vec<_> = processes.iter().map(|process| process.line().expect("its id")).collect();
        processes.iter_mut().for_each(Process::go);
        for (mut process, id) in processes.into_iter().zip(ids) {
            place = place * 6_364_136_223 % 1_000_003;
            for _ in 0..=place % 60 {
                process.line().expect("it goes on until it is killed");
            }
            process.kill();
            let said = process.rest().pop().unwrap_or_default();
            durable.insert(id, said.parse().unwrap_or(1));
        }
        check(folder.path(), &durable);
    }
    // The dead are known to be dead, and their lock files are gone with the next start.
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    for id in durable.keys() {
        let dead = InstanceId(id.clone());
        assert_eq!(journal.owner(&StreamName::new("task", id)), Ok(Some(Owner::Dead(dead))));
    }
    let locks = std::fs::read_dir(folder.path().join("instances")).unwrap().count();
    assert_eq!(locks, 1);
}

#[test]
fn no_writer_starves_at_the_gate() {
    let folder = TempDir::new().unwrap();
    let mut processes: Vec<_> = (0..4).map(|_| Process::start("hammer_some", folder.path())).collect();
    let ids: Vec<_> = processes.iter().map(|process| process.line().expect("its id")).collect();
    processes.iter_mut().for_each(Process::go);
    for _ in 0..TURNS {
        processes[0].line().expect("a number");
    }
    // When the first is done, each of the others was let through often as well.
    for process in &processes[1..] {
        let so_far = process.said_so_far();
        assert!(so_far.len() >= TURNS / 20, "{so_far:?}");
    }
    let total = (0..TURNS).map(|turn| turn as u64 % 3 + 1).sum::<u64>();
    processes.iter().for_each(|process| drop(process.rest()));
    check(folder.path(), &ids.into_iter().map(|id| (id, total)).collect());
}

#[test]
fn of_two_processes_one_takes_the_stream_of_a_killed_one() {
    for _ in 0..5 {
        let folder = TempDir::new().unwrap();
        let mut owner = Process::start("own", folder.path());
        let dead = InstanceId(owner.line().expect("its id"));
        owner.go();
        assert_eq!(owner.line().as_deref(), Some("owned"));
        let shared = StreamName::new("run", "shared");
        let journal = open(&OpenOptions::new(folder.path())).unwrap();
        assert_eq!(journal.owner(&shared), Ok(Some(Owner::Elsewhere(dead.clone()))));
        assert_eq!(journal.take_over(&shared), Err(AppendError::Fenced { stream: shared.clone() }));
        owner.kill();
        assert_eq!(journal.owner(&shared), Ok(Some(Owner::Dead(dead))));
        let mut takers: Vec<_> = (0..2).map(|_| Process::start("take", folder.path())).collect();
        let ids: Vec<_> = takers.iter().map(|taker| InstanceId(taker.line().expect("its id"))).collect();
        takers.iter_mut().for_each(Process::go);
        let results: Vec<_> = takers.iter().map(|taker| taker.line().expect("a result")).collect();
        let winner = results.iter().position(|result| result == "Ok((2, 1))").expect("one won");
        let fenced: Result<(u64, u64), _> = Err(AppendError::Fenced { stream: shared.clone() });
        assert_eq!(results[1 - winner], format!("{fenced:?}"));
        assert_eq!(journal.owner(&shared), Ok(Some(Owner::Elsewhere(ids[winner].clone()))));
        let late = settled(journal.append(one(append(&shared, Authority::Owner(2), 1, vec![]))));
        assert_eq!(late, Err(AppendError::Fenced { stream: shared }));
    }
}

#[test]
fn a_process_that_ends_in_order_leaves_no_lock_and_no_log() {
    let folder = TempDir::new().unwrap();
    let mut process = Process::start("own", folder.path());
    process.line().expect("its id");
    process.go();
    assert_eq!(process.line().as_deref(), Some("owned"));
    process.go();
    assert_eq!(process.rest(), [""; 0]);
    let locks = std::fs::read_dir(folder.path().join("instances")).unwrap().count();
    assert_eq!((locks, folder.path().join("journal.sqlite3-wal").exists()), (0, false));
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    written(&*journal, Batch { rows: vec![Row::RemoveHost("host_1".to_owned())], ..Batch::default() });
    journal.take_over(&StreamName::new("run", "shared")).unwrap();
}
