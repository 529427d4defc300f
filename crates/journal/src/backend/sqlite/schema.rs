//! The tables, and how an older database comes to have them.
//!
//! A migration is one transaction that ends with the new number in `user_version`: a crash leaves
//! the old schema or the new one. A new database is made whole beside its place and then moved
//! there, so a file with the right name is never half made. Callers hold the gate.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use rusqlite::{Connection, OpenFlags};

use super::folder::private_file;

/// Says in the file's header whose database it is: "SegJ".
pub(super) const APPLICATION_ID: i32 = 0x5365_674a;

/// One step from a version to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    /// A process that knows only the version before can go on reading and writing. Otherwise the
    /// step waits until nobody else has the journal open.
    pub additive: bool,
    pub sql: &'static str,
}

/// All there ever were; the version of a database is the number of those it has had.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { additive: false, sql: include_str!("schema/1.sql") },
    Migration { additive: true, sql: include_str!("schema/2.sql") },
    Migration { additive: true, sql: include_str!("schema/3.sql") },
    Migration { additive: true, sql: include_str!("schema/4.sql") },
];

#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "there are few")]
pub(super) const VERSION: i32 = MIGRATIONS.len() as i32;

/// Where in the steps a migration is; for tests that end the process there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Begun(usize),
    Changed(usize),
    Committed(usize),
}

/// Why a database is not at the newest version.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The next step needs the journal alone.
    NotAlone,
    Newer(i32),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Stopped {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Brings the database to the newest of `known`. `alone` is asked before a step that needs it.
pub(super) fn migrate(
    connection: &Connection,
    known: &[Migration],
    alone: impl Fn() -> bool,
    mut at: impl FnMut(Step),
) -> Result<(), Stopped> {
    loop {
        let version = version(connection)?;
        let done = usize::try_from(version).map_err(|_| Stopped::Newer(version))?;
        if done > known.len() {
            return Err(Stopped::Newer(version));
        }
        let Some(step) = known.get(done) else { return Ok(()) };
        if !step.additive && !alone() {
            return Err(Stopped::NotAlone);
        }
        let transaction = rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
        at(Step::Begun(done));
        transaction.execute_batch(step.sql)?;
        transaction.pragma_update(None, "user_version", version + 1)?;
        at(Step::Changed(done));
        transaction.commit()?;
        at(Step::Committed(done));
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Why a new database could not be made.
#[derive(Debug)]
pub(super) enum Unmade {
    Io(io::Error),
    Sql(rusqlite::Error),
}

impl From<io::Error> for Unmade {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rusqlite::Error> for Unmade {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Makes the database at `path`, where there is none.
pub(super) fn create(path: &Path) -> Result<(), Unmade> {
    let beside = path.with_extension("sqlite3.new");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let file = private_file(&beside)?;
    let connection = Connection::open_with_flags(&beside, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Nobody sees this file before it is complete and synced, so it needs no journal of its own.
    connection.pragma_update(None, "journal_mode", "off")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    match migrate(&connection, MIGRATIONS, || true, |_| {}) {
        Ok(()) => {}
        Err(Stopped::Sql(error)) => return Err(error.into()),
        Err(Stopped::NotAlone | Stopped::Newer(_)) => unreachable!("a new file has version 0 and one user"),
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Looks at the root of every table and index: cheap, and enough to tell a database that can be
/// worked with from one whose pages are garbage.
pub(super) fn look_over(connection: &Connection) -> rusqlite::Result<()> {
    for table in TABLES {
        connection.query_row(&format!("SELECT EXISTS (SELECT 1 FROM {table})"), [], |_| Ok(()))?;
    }
    connection.query_row("SELECT position FROM head", [], |row| row.get::<_, i64>(0))?;
    Ok(())
}

const TABLES: [&str; 15] = [
    "head",
    "streams",
    "kinds",
    "events",
    "garbage",
    "task_ids",
    "tasks",
    "prompts",
    "leases",
    "hosts",
    "holds",
    "inbox",
    "runs",
    "artifacts",
    "documents",
];

#[cfg(test)]
mod tests;
