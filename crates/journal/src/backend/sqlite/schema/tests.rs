//! Migrations: whole or not at all, also when the process dies at any step.

use std::{env, fs, path::Path, process::Command};

use rusqlite::Connection;
use tempfile::TempDir;

use super::{MIGRATIONS, Migration, Step, Stopped, migrate, version};

/// A chain with one of each kind; the last needs the journal alone.
const CHAIN: &[Migration] = &[
    Migration { additive: true, sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1);" },
    Migration { additive: true, sql: "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1;" },
    Migration { additive: false, sql: "CREATE TABLE b AS SELECT y AS z FROM a; DROP TABLE a;" },
];
/// What the database looks like after so many of them.
const SHAPES: [&str; 4] = ["", "a(x)=1", "a(x,y)=1,2", "b(z)=2"];

fn database(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("db")).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection
}

fn shape(connection: &Connection) -> String {
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let described = tables.iter().map(|table| {
        let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_names().collect::<Vec<_>>().join(",");
        let count = rows.column_count();
        let values: Vec<String> = rows
            .query_row([], |row| (0..count).map(|at| row.get::<_, i64>(at).map(|value| value.to_string())).collect())
            .unwrap();
        format!("{table}({columns})={}", values.join(","))
    });
    described.collect::<Vec<_>>().join(";")
}

/// Every step at which the chain can be cut.
fn steps() -> Vec<Step> {
    (0..CHAIN.len()).flat_map(|number| [Step::Begun(number), Step::Changed(number), Step::Committed(number)]).collect()
}

const FOLDER: &str = "SEGUE_TEST_MIGRATION_FOLDER";
const CUT: &str = "SEGUE_TEST_MIGRATION_CUT";

/// The process that is killed: it migrates and ends itself at the step that the parent chose.
#[test]
fn child() {
    let (Ok(folder), Ok(cut)) = (env::var(FOLDER), env::var(CUT)) else { return };
    let cut = steps()[cut.parse::<usize>().unwrap()];
    let connection = database(Path::new(&folder));
    let at = |step| {
        if step == cut {
            let myself = rustix::process::getpid();
            rustix::process::kill_process(myself, rustix::process::Signal::KILL).unwrap();
        }
    };
    migrate(&connection, CHAIN, || true, at).unwrap();
}

#[test]
fn a_kill_at_any_step_leaves_one_schema_and_the_next_start_finishes() {
    for (number, step) in steps().into_iter().enumerate() {
        let folder = TempDir::new().unwrap();
        let ended = Command::new(env::current_exe().unwrap())
            .args(["--exact", "backend::sqlite::schema::tests::child"])
            .env(FOLDER, folder.path())
            .env(CUT, number.to_string())
            .output()
            .unwrap();
        assert!(!ended.status.success(), "the child was to be killed at {step:?}");
        let connection = database(folder.path());
        let done = match step {
            Step::Begun(done) | Step::Changed(done) => done,
            Step::Committed(done) => done + 1,
        };
        assert_eq!(
            (version(&connection).unwrap(), shape(&connection)),
            (done as i32, SHAPES[done].to_owned()),
            "{step:?}"
        );
        migrate(&connection, CHAIN, || true, |_| {}).unwrap();
        assert_eq!((version(&connection).unwrap(), shape(&connection)), (3, SHAPES[3].to_owned()));
    }
}

#[test]
fn a_step_that_fails_leaves_the_version_before_it() {
    let folder = TempDir::new().unwrap();
    let connection = database(folder.path());
    let broken = [CHAIN[0], Migration { additive: true, sql: "DELETE FROM a; SELECT * FROM missing;" }];
    assert!(matches!(migrate(&connection, &broken, || true, |_| {}), Err(Stopped::Sql(_))));
    assert_eq!((version(&connection).unwrap(), shape(&connection)), (1, SHAPES[1].to_owned()));
}

#[test]
fn a_step_that_is_not_additive_waits_until_alone() {
    let folder = TempDir::new().unwrap();
    let connection = database(folder.path());
    assert!(matches!(migrate(&connection, CHAIN, || false, |_| {}), Err(Stopped::NotAlone)));
    assert_eq!(shape(&connection), SHAPES[2]);
    migrate(&connection, CHAIN, || true, |_| {}).unwrap();
    assert_eq!(shape(&connection), SHAPES[3]);
    assert!(matches!(migrate(&connection, &CHAIN[..2], || true, |_| {}), Err(Stopped::Newer(3))));
}

#[test]
fn a_new_database_is_made_whole() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    // What a process left that was killed in the middle of making one.
    fs::write(folder.path().join("journal.sqlite3.new"), "half").unwrap();
    super::create(&path).unwrap();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["journal.sqlite3"]);
    let connection = Connection::open(&path).unwrap();
    assert_eq!(version(&connection).unwrap() as usize, MIGRATIONS.len());
    super::look_over(&connection).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

/// Versions before 3.51.3 could lose commits when a log was reset at the wrong moment.
#[test]
fn the_library_has_the_fix_for_the_reset_of_the_log() {
    assert!(rusqlite::version_number() >= 3_051_003, "SQLite {}", rusqlite::version());
}
