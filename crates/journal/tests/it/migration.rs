//! A journal that an older Segue wrote, opened by this one.

use std::{fs, path::Path};

use rusqlite::Connection;
use segue_journal::{
    Append, Authority, Batch, EventFilter, HoldKey, HostRow, InstanceId, LeaseRow, OpenOptions, Owner, StreamName,
    TaskFilter, TaskRow, open,
};
use segue_testkit::journal_suite::{admission, all_runs, event, numbers, run_row, task_row, written};
use tempfile::TempDir;

/// Makes the file that version 1 left, as [`version_1.sql`] describes it.
fn version_1(folder: &Path) {
    let connection = Connection::open(folder.join("journal.sqlite3")).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(include_str!("version_1.sql")).unwrap();
    connection.close().unwrap();
}

fn version(folder: &Path) -> i32 {
    let connection = Connection::open(folder.join("journal.sqlite3")).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// Names and texts of all tables and indexes.
fn schema(folder: &Path) -> Vec<(String, Option<String>)> {
    let connection = Connection::open(folder.join("journal.sqlite3")).unwrap();
    let mut all = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_version_1_stored_is_there_and_what_is_new_works() {
    let folder = TempDir::new().unwrap();
    version_1(folder.path());
    assert_eq!(version(folder.path()), 1);
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let server = InstanceId("inst_404f94675bf21963".to_owned());
    let ended = TaskRow {
        client_key: Some("key".to_owned()),
        status: "completed".to_owned(),
        ended: true,
        finished_at: Some(9),
        last_seq: 4,
        ..task_row("task_1", &server)
    };
    let running = TaskRow { last_seq: 3, ..task_row("task_3", &server) };
    let page = journal.tasks(&TaskFilter::default(), 9).unwrap().unwrap();
    assert_eq!((page.rows, page.more), (vec![running, ended], false));
    let behind_the_forgotten = TaskFilter { after: Some("task_2".to_owned()), ..TaskFilter::default() };
    assert_eq!(journal.tasks(&behind_the_forgotten, 9).unwrap().unwrap().rows.len(), 1);
    assert_eq!(journal.prompt("task_1"), Ok(Some("do 1".to_owned())));
    let name = |id: &str| StreamName::new("task", id);
    assert_eq!(
        (numbers(&*journal, &name("task_1")), numbers(&*journal, &name("task_3"))),
        (vec![1, 2, 3, 4], vec![1, 2, 3])
    );
    let messages = EventFilter { kinds: vec!["agent_message".to_owned()], ..EventFilter::default() };
    assert_eq!(journal.events(&name("task_1"), 0, 9, &messages).unwrap().unwrap().events.len(), 2);
    assert_eq!(journal.owner(&name("task_1")), Ok(Some(Owner::Nobody)));
    assert_eq!(journal.owner(&name("task_3")), Ok(Some(Owner::Dead(server.clone()))));
    let key = HoldKey { agent: "claude".to_owned(), session: "s".to_owned() };
    assert_eq!(journal.holder(&key), Ok(Some("task task_3".to_owned())));
    let lease = LeaseRow {
        handle: "agent_1".to_owned(),
        server: server.clone(),
        state: "idle".to_owned(),
        ended: false,
        last_seq: 1,
        body: "{}".to_owned(),
    };
    assert_eq!(journal.open_leases(), Ok(vec![lease]));
    // The dead server's task goes on here.
    assert_eq!(journal.take_over(&name("task_3")), Ok((2, 3)));
    let host = HostRow {
        id: "host_1".to_owned(),
        server: journal.instance().clone(),
        stream: Some(name("task_3")),
        out: 7,
        err: 9,
        body: "{}".to_owned(),
    };
    assert_eq!(journal.hosts(), Ok(vec![host]));
    let request = journal.inbox().unwrap().pop().expect("the request waits");
    assert_eq!((request.id, request.from), (1, server));
    let append = Append {
        stream: name("task_3"),
        authority: Authority::Owner(2),
        expected: 3,
        events: vec![event("task_ended", 4)],
        release: true,
    };
    let batch = Batch { answered: vec![1], appends: vec![append], ..Batch::default() };
    assert_eq!(written(&*journal, batch).position, 9);
    // And the new tables are there.
    let row = run_row("r1", journal.instance());
    written(&*journal, admission(std::slice::from_ref(&row)));
    assert_eq!(journal.runs(&all_runs(), 9), Ok(vec![row]));
    journal.close();
    let fresh = TempDir::new().unwrap();
    open(&OpenOptions::new(fresh.path())).unwrap().close();
    assert_eq!(version(folder.path()), version(fresh.path()));
    assert_eq!(schema(folder.path()), schema(fresh.path()));
}

#[test]
fn a_migration_does_not_wait_for_a_process_of_version_1() {
    let folder = TempDir::new().unwrap();
    version_1(folder.path());
    // A living instance of the older program: its lock is held, and it has the database open.
    let instances = folder.path().join("instances");
    fs::create_dir(&instances).unwrap();
    let lock = fs::File::create(instances.join("inst_00000000000000aa.lock")).unwrap();
    lock.lock().unwrap();
    let older = Connection::open(folder.path().join("journal.sqlite3")).unwrap();
    let position = || older.query_row("SELECT position FROM head", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(position(), 7);
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    written(&*journal, admission(&[run_row("r1", journal.instance())]));
    // It reads and writes on.
    assert_eq!(position(), 8);
    older.execute("UPDATE tasks SET status = 'failed' WHERE id = 'task_3'", []).unwrap();
    assert_eq!(journal.task("task_3").unwrap().unwrap().status, "failed");
}
