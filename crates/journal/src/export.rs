//! Evidence of Runs as a SQLite file of its own, with the six tables of the published contract (§8).
//!
//! It knows the tables and nothing of what stands in them: `…_json` is JSON text and times are text,
//! as the caller gives them. The file gets its name once it is whole and synced.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

use crate::backend::sqlite::private_file;

/// What a file of evidence holds, table by table, in the order in which rows are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    pub flows: Vec<FlowEvidence>,
    pub runs: Vec<RunEvidence>,
    pub node_runs: Vec<NodeRunEvidence>,
    pub events: Vec<EventEvidence>,
    pub context_entries: Vec<ContextEntryEvidence>,
    pub artifacts: Vec<ArtifactEvidence>,
}

/// Why no file was written. Whatever was at the path is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("no space left on the disk of {}", path.display())]
    Full { path: PathBuf },
    /// Also when two rows of a table have one key.
    #[error("write {}: {reason}", path.display())]
    Storage { path: PathBuf, reason: String },
}

/// A row type with its table: the columns, and how the schema names them.
macro_rules! table {
    (
        $(#[$doc:meta])* $name:ident = $table:literal ($key:literal) {
            $($field:ident: $type:ty = $column:literal,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            $(pub $field: $type,)+
        }

        impl Table for $name {
            const CREATE: &'static str = concat!(
                "CREATE TABLE ", $table, " (", $(stringify!($field), " ", $column, ", ",)+
                "PRIMARY KEY (", $key, ")) STRICT"
            );
            const INSERT: &'static str = concat!("INSERT INTO ", $table);
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),+];

            fn values(&self) -> Vec<&dyn ToSql> {
                vec![$(&self.$field),+]
            }
        }
    };
}

trait Table {
    const CREATE: &'static str;
    /// Without columns and values.
    const INSERT: &'static str;
    const COLUMNS: &'static [&'static str];
    fn values(&self) -> Vec<&dyn ToSql>;
}

table! {
    FlowEvidence = "flows" ("flow_id, version") {
        flow_id: String = "TEXT NOT NULL",
        version: String = "TEXT NOT NULL",
        semantic_hash: String = "TEXT NOT NULL",
        definition_json: String = "TEXT NOT NULL",
    }
}
table! {
    RunEvidence = "runs" ("run_id") {
        run_id: String = "TEXT NOT NULL",
        flow_id: String = "TEXT NOT NULL",
        flow_version: String = "TEXT NOT NULL",
        semantic_hash: String = "TEXT NOT NULL",
        status: String = "TEXT NOT NULL",
        started_at: String = "TEXT NOT NULL",
        finished_at: Option<String> = "TEXT",
    }
}
table! {
    NodeRunEvidence = "node_runs" ("run_id, node_id") {
        run_id: String = "TEXT NOT NULL",
        node_id: String = "TEXT NOT NULL",
        executor_id: String = "TEXT NOT NULL",
        executor_version: String = "TEXT NOT NULL",
        effects_json: String = "TEXT NOT NULL",
        evidence_level: String = "TEXT NOT NULL",
        status: String = "TEXT NOT NULL",
        input_json: String = "TEXT NOT NULL",
        output_json: Option<String> = "TEXT",
    }
}
table! {
    EventEvidence = "events" ("run_id, sequence") {
        run_id: String = "TEXT NOT NULL",
        sequence: i64 = "INTEGER NOT NULL",
        node_id: Option<String> = "TEXT",
        event_type: String = "TEXT NOT NULL",
        payload_json: String = "TEXT NOT NULL",
        recorded_at: String = "TEXT NOT NULL",
    }
}
table! {
    ContextEntryEvidence = "context_entries" ("run_id, sequence") {
        run_id: String = "TEXT NOT NULL",
        sequence: i64 = "INTEGER NOT NULL",
        node_id: String = "TEXT NOT NULL",
        value_json: String = "TEXT NOT NULL",
    }
}
table! {
    ArtifactEvidence = "artifacts" ("artifact_id") {
        artifact_id: String = "TEXT NOT NULL",
        run_id: String = "TEXT NOT NULL",
        node_id: String = "TEXT NOT NULL",
        name: String = "TEXT NOT NULL",
        media_type: String = "TEXT NOT NULL",
        relative_path: String = "TEXT NOT NULL",
        sha256: String = "TEXT NOT NULL",
    }
}

/// Writes a file of evidence, readable by its owner only, where there is none. A crash may leave a
/// file beside it that begins with a dot and ends with `.new`.
///
/// # Errors
/// When there is something at the path, or it cannot be written.
pub fn export_evidence(path: &Path, tables: &Evidence) -> Result<(), ExportError> {
    let beside = beside(path).map_err(|error| error.at(path))?;
    let written = write(&beside, tables).and_then(|()| Ok(name(&beside, path)?));
    if written.is_err()
        && let Err(error) = fs::remove_file(&beside)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, path = %beside.display(), "a half of an export was not removed");
    }
    written.map_err(|error| error.at(path))
}

/// A name in the same folder that nobody has.
fn beside(path: &Path) -> Result<PathBuf, Fault> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it does not name a file").into());
    };
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = format!(".{}.{:016x}.new", name.to_string_lossy(), u64::from_be_bytes(random));
    Ok(path.with_file_name(name))
}

fn write(path: &Path, tables: &Evidence) -> Result<(), Fault> {
    let file = private_file(path)?;
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Nobody sees this file before it is complete and synced, so it needs no journal of its own.
    connection.pragma_update(None, "journal_mode", "off")?;
    connection.pragma_update(None, "synchronous", "off")?;
    let transaction = connection.transaction()?;
    fill(&transaction, &tables.flows)?;
    fill(&transaction, &tables.runs)?;
    fill(&transaction, &tables.node_runs)?;
    fill(&transaction, &tables.events)?;
    fill(&transaction, &tables.context_entries)?;
    fill(&transaction, &tables.artifacts)?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    Ok(())
}

fn fill<T: Table>(connection: &Connection, rows: &[T]) -> rusqlite::Result<()> {
    connection.execute_batch(T::CREATE)?;
    let places = vec!["?"; T::COLUMNS.len()].join(", ");
    let mut insert = connection.prepare(&format!("{} ({}) VALUES ({places})", T::INSERT, T::COLUMNS.join(", ")))?;
    rows.iter().try_for_each(|row| insert.execute(&row.values()[..]).map(drop))
}

/// Gives the file its name, unless something has it.
fn name(beside: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, beside, CWD, path, RenameFlags::NOREPLACE) {
        // A file system that cannot do both in one.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if !path.try_exists()? => fs::rename(beside, path)?,
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => return Err(io::ErrorKind::AlreadyExists.into()),
        renamed => renamed?,
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// What went wrong, before it is known of which file.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    Sql(rusqlite::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    fn at(self, path: &Path) -> ExportError {
        let path = path.to_owned();
        match self {
            Self::Io(error) => match error.kind() {
                io::ErrorKind::AlreadyExists => ExportError::Exists { path },
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ExportError::Full { path },
                _ => ExportError::Storage { path, reason: error.to_string() },
            },
            Self::Sql(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => ExportError::Full { path },
            Self::Sql(error) => ExportError::Storage { path, reason: error.to_string() },
        }
    }
}
