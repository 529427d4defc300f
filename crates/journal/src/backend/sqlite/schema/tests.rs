//! Migrations: whole or not at all, also when the process dies at any step.

use std::{env, fs, os::unix::process::ExitStatusExt, path::Path, process::Command};

use rusqlite::{Connection, types::Value};
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

/// Every step at which a chain of so many can be cut.
fn steps(count: usize) -> Vec<Step> {
    (0..count).flat_map(|number| [Step::Begun(number), Step::Changed(number), Step::Committed(number)]).collect()
}

const FOLDER: &str = "SEGUE_TEST_MIGRATION_FOLDER";
const CUT: &str = "SEGUE_TEST_MIGRATION_CUT";
/// The journal's own migrations instead of the chain.
const OWN: &str = "SEGUE_TEST_MIGRATION_OWN";

/// The process that is killed: it migrates and ends itself at the step that the parent chose.
#[test]
fn child() {
    let (Ok(folder), Ok(cut)) = (env::var(FOLDER), env::var(CUT)) else { return };
    let chain = if env::var(OWN).is_ok() { MIGRATIONS } else { CHAIN };
    let cut = steps(chain.len())[cut.parse::<usize>().unwrap()];
    let connection = database(Path::new(&folder));
    let at = |step| {
        if step == cut {
            let myself = rustix::process::getpid();
            rustix::process::kill_process(myself, rustix::process::Signal::KILL).unwrap();
        }
    };
    migrate(&connection, chain, || true, at).unwrap();
}

/// Migrates in a process that is killed at the step of this number.
fn killed_at(number: usize, folder: &Path, own: bool) {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "backend::sqlite::schema::tests::child"]).env(FOLDER, folder).env(CUT, number.to_string());
    if own {
        child.env(OWN, "1");
    }
    let ended = child.output().unwrap();
    assert_eq!(ended.status.signal(), Some(9), "the child was to be killed at step {number}");
}

#[test]
fn a_kill_at_any_step_leaves_one_schema_and_the_next_start_finishes() {
    for (number, step) in steps(CHAIN.len()).into_iter().enumerate() {
        let folder = TempDir::new().unwrap();
        killed_at(number, folder.path(), false);
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

/// Every table with its rows, and every index.
fn contents(connection: &Connection) -> Vec<String> {
    let mut all = connection.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    let all = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let mut told: Vec<_> = all
        .map(|found| {
            let (kind, name, sql): (String, String, String) = found.unwrap();
            if kind != "table" {
                return sql;
            }
            let mut rows = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
            let count = rows.column_count();
            let values = |row: &rusqlite::Row<'_>| {
                (0..count).map(|at| row.get::<_, Value>(at)).collect::<rusqlite::Result<Vec<_>>>()
            };
            let rows: Vec<_> = rows.query_map([], values).unwrap().map(Result::unwrap).collect();
            format!("{sql} {rows:?}")
        })
        .collect();
    told.sort();
    told
}

#[test]
fn a_journal_of_version_1_is_whole_after_a_kill_at_any_step() {
    let before = |folder: &Path| {
        let connection = database(folder);
        connection.execute_batch(include_str!("../../../../tests/it/version_1.sql")).unwrap();
        connection
    };
    let told = |folder: &Path| contents(&database(folder));
    let whole = TempDir::new().unwrap();
    let migrated = before(whole.path());
    // What there is at each version, from the first on.
    let versions: Vec<Vec<String>> = (1..=MIGRATIONS.len())
        .map(|known| {
            migrate(&migrated, &MIGRATIONS[..known], || true, |_| {}).unwrap();
            contents(&migrated)
        })
        .collect();
    let newest = versions.last().unwrap();
    for (older, newer) in versions.iter().zip(&versions[1..]) {
        assert!(older.iter().all(|stored| newer.contains(stored)), "an additive step leaves the rest alone");
    }
    // Cuts before version 1 was reached have nothing to cut here.
    for (number, step) in steps(MIGRATIONS.len()).into_iter().enumerate().skip(3) {
        let folder = TempDir::new().unwrap();
        drop(before(folder.path()));
        killed_at(number, folder.path(), true);
        let reached = match step {
            Step::Begun(done) | Step::Changed(done) => done,
            Step::Committed(done) => done + 1,
        };
        assert_eq!(told(folder.path()), versions[reached - 1], "{step:?}");
        migrate(&database(folder.path()), MIGRATIONS, || true, |_| {}).unwrap();
        assert_eq!(told(folder.path()), *newest);
    }
}

#[test]
fn blobs_that_older_events_name_are_known_by_their_runs() {
    let folder = TempDir::new().unwrap();
    let connection = database(folder.path());
    migrate(&connection, &MIGRATIONS[..2], || true, |_| {}).unwrap();
    connection
        .execute_batch(
            r#"INSERT INTO kinds VALUES (1, 'node.ready');
            INSERT INTO streams VALUES (1, 'run/r1', NULL, 1, 4, 1), (2, 'run/r2', NULL, 1, 1, 1), (3, 'task/t', NULL, 1, 1, 1);
            INSERT INTO events VALUES
                (1, 1, 1, 0, '{"_":{"input":null},"_blobs":{"input":"aa","items":"bb"}}'),
                (1, 1, 2, 0, '{"_":{"input":null},"_blobs":{"input":"aa"}}'),
                (1, 1, 3, 0, '{"_":{"input":{"text":"says \"_blobs\""}}}'),
                (1, 1, 4, 0, 'no JSON "_blobs"'),
                (2, 1, 1, 0, '{"_":{"input":null},"_blobs":{"input":"aa"}}'),
                (3, 1, 1, 0, '{"_blobs":{"input":"cc"}}');"#,
        )
        .unwrap();
    migrate(&connection, MIGRATIONS, || true, |_| {}).unwrap();
    let mut rows = connection.prepare("SELECT run, sha256 FROM run_blobs ORDER BY run, sha256").unwrap();
    let pairs = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let pairs: Vec<String> = pairs.map(|pair| pair.map(|(run, sha256)| format!("{run} {sha256}")).unwrap()).collect();
    assert_eq!(pairs, ["r1 aa", "r1 bb", "r2 aa"]);
}

/// What was released is not changed, only added to.
#[test]
fn version_1_is_what_it_was() {
    let folder = TempDir::new().unwrap();
    let stored = Connection::open_in_memory().unwrap();
    stored.execute_batch(include_str!("../../../../tests/it/version_1.sql")).unwrap();
    let made = database(folder.path());
    migrate(&made, &MIGRATIONS[..1], || true, |_| {}).unwrap();
    let schema = |connection: &Connection| -> Vec<Option<String>> {
        let mut all = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
        all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(schema(&stored), schema(&made));
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
