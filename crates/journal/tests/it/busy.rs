//! Another program, which knows nothing of the gate, holds a lock on the database.

use std::{path::Path, thread, time::Duration};

use rusqlite::Connection;
use segue_journal::{AppendError, Authority, OpenError, OpenOptions, open};
use segue_testkit::journal_suite::{append, create, numbers, one, settled, steps, stream};
use tempfile::TempDir;

/// Short, for a lock that is never given up in time.
const SHORT: Duration = Duration::from_millis(200);

fn options(folder: &Path, busy_limit: Duration) -> OpenOptions {
    OpenOptions { busy_limit, ..OpenOptions::new(folder) }
}

fn lock(folder: &Path) -> Connection {
    let other = Connection::open(folder.join("journal.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

#[test]
fn writes_wait_for_the_lock_and_are_not_lost() {
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let name = stream("a");
    create(&*journal, &name, 1);
    let other = lock(folder.path());
    let queued: Vec<_> =
        (1..=3).map(|at| journal.append(one(append(&name, Authority::Owner(1), at, steps(1))))).collect();
    // Reads and a start do not wait for a writer.
    assert_eq!(numbers(&*journal, &name), [1]);
    let second = open(&OpenOptions::new(folder.path())).unwrap();
    assert_eq!(numbers(&*second, &name), [1]);
    other.execute_batch("COMMIT").unwrap();
    let last: Vec<_> = queued.into_iter().map(|pending| settled(pending).unwrap().last).collect();
    assert_eq!(last, [[2], [3], [4]]);
}

#[test]
fn a_lock_that_is_held_too_long_is_told_and_nothing_is_half_done() {
    let folder = TempDir::new().unwrap();
    let journal = open(&options(folder.path(), SHORT)).unwrap();
    let name = stream("a");
    create(&*journal, &name, 1);
    let other = lock(folder.path());
    let next = || journal.append(one(append(&name, Authority::Owner(1), 1, steps(1))));
    let (first, second) = (next(), next());
    for refused in [settled(first), settled(second)] {
        assert!(matches!(&refused, Err(AppendError::Busy(_))), "{refused:?}");
        assert!(refused.unwrap_err().to_string().starts_with("database busy"));
    }
    assert!(matches!(journal.take_over(&stream("b")), Err(AppendError::Busy(_))));
    assert!(matches!(journal.request(&name, "{}".to_owned(), 1), Err(AppendError::Busy(_))));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(settled(next()).unwrap().last, [2]);
    assert_eq!(numbers(&*journal, &name), [1, 2]);
}

#[test]
fn a_start_waits_for_a_database_that_is_locked_for_everyone() {
    let folder = TempDir::new().unwrap();
    open(&OpenOptions::new(folder.path())).unwrap().close();
    let other = Connection::open(folder.path().join("journal.sqlite3")).unwrap();
    other.execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE").unwrap();
    let refused = open(&options(folder.path(), SHORT)).expect_err("the database is locked");
    assert!(matches!(refused, OpenError::Busy { .. }), "{refused}");
    assert!(refused.to_string().starts_with("database busy"), "{refused}");
    thread::scope(|scope| {
        let start = scope.spawn(|| open(&OpenOptions::new(folder.path())));
        other.execute_batch("ROLLBACK").unwrap();
        other.close().unwrap();
        create(&*start.join().unwrap().unwrap(), &stream("a"), 1);
    });
}
