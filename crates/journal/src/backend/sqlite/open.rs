//! Opening the journal: look first, touch nothing that is not ours, and never wait without a limit
//! that has a name.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tokio::sync::watch;

use super::{
    Running, Sqlite,
    bell::{Bell, Listener},
    blobs::Blobs,
    error::{OpenError, Trouble, trouble},
    folder,
    gate::Gate,
    header::Seen,
    instance::{self, Lock},
    place::Place,
    read::{self, Readers},
    schema::{self, Stopped, Unmade},
    write::Kinds,
    writer::Writer,
};
use crate::{InstanceId, Journal};

const DATABASE: &str = "journal.sqlite3";
const GATE: &str = "journal.gate";
const BELL: &str = "journal.bell";
const INSTANCES: &str = "instances";
const BLOBS: &str = "blobs";

/// How a journal is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The state folder; made, with mode 0700, when it is missing.
    pub dir: PathBuf,
    /// How long a write, or the start, waits for a program that is not Segue and has the database
    /// locked, before it fails with "database busy".
    pub busy_limit: Duration,
    /// How long the start waits for other Segue processes to end when the schema has to change in a
    /// way that they would not understand.
    pub alone_limit: Duration,
}

/// Backups and browsers of databases were seen to hold a lock for 15 s.
const BUSY_LIMIT: Duration = Duration::from_secs(45);
/// For so long the gate is held while another program has the lock; then others may pass.
const BUSY_ROUND: Duration = Duration::from_millis(100);
/// An editor that was just told to quit needs some seconds to end its agents.
const ALONE_LIMIT: Duration = Duration::from_secs(10);
/// How often is looked whether the others have ended.
const ALONE_LOOK: Duration = Duration::from_millis(100);

impl OpenOptions {
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), busy_limit: BUSY_LIMIT, alone_limit: ALONE_LIMIT }
    }
}

/// Pages that the writer keeps; an idle process keeps them too.
const CACHE_KIB: i32 = 4_096;
/// A checkpoint writes each page once however often the log has it, so a longer log saves writes;
/// after a crash it has to be read at the next start, which this bounds.
const LOG_PAGES: i64 = 2_000;
/// The log is cut to this after a checkpoint, so that one burst does not stay on the disk for ever.
const LOG_BYTES: i64 = 16 * 1024 * 1024;
/// More than there are different statements.
const STATEMENTS: usize = 64;

/// Opens the journal of a state folder, and makes it when there is none.
pub fn open(options: &OpenOptions) -> Result<Arc<dyn Journal>, OpenError> {
    folder::prepare(&options.dir)?;
    let instances = options.dir.join(INSTANCES);
    let in_folder = |name: &str| options.dir.join(name);
    let folder_fault = |source| OpenError::Folder { path: options.dir.clone(), source };
    folder::make(&instances).map_err(folder_fault)?;
    let gate = Gate::open(&in_folder(GATE)).map_err(folder_fault)?;
    let bell = Bell::open(&in_folder(BELL)).map_err(folder_fault)?;

    let database = Database { path: in_folder(DATABASE), instances: &instances, options };
    let Opened { connection, seen, me, lock, blobs } = database.open(&gate)?;
    let blobs = Arc::new(blobs);

    let place = Arc::new(Place::new(&options.dir, &database.path, seen.file()));
    let readers = Arc::new(Readers::new(database.path.clone(), Arc::clone(&place)));
    let sql = |error: rusqlite::Error| database.fault(&error);
    let position = read::position(&connection).map_err(sql)?;
    let garbage = connection.prepare("SELECT 1 FROM garbage").and_then(|mut any| any.exists([])).map_err(sql)?;
    let changes = Arc::new(watch::channel(position).0);
    let listener = Listener::start(&in_folder(BELL), Arc::clone(&place), Arc::clone(&readers), Arc::clone(&changes))
        .map_err(folder_fault)?;
    let writer = Writer {
        connection,
        gate,
        bell,
        me: me.clone(),
        instances: instances.clone(),
        place: Arc::clone(&place),
        blobs: Arc::clone(&blobs),
        changes: Arc::clone(&changes),
        kinds: Kinds::new(),
        busy_limit: options.busy_limit,
        garbage,
        company: 1,
        pace: Duration::ZERO,
    };
    let (queue, jobs) = channel();
    let writer = thread::Builder::new()
        .name("journal-writer".to_owned())
        .spawn(move || writer.run(&jobs))
        .map_err(folder_fault)?;
    Ok(Arc::new(Sqlite {
        me,
        instances,
        place,
        blobs,
        readers,
        queue: Mutex::new(Some(queue)),
        changes,
        running: Mutex::new(Some(Running { writer, listener, lock, _seen: seen })),
    }))
}

/// The database file while it is being opened.
struct Database<'o> {
    path: PathBuf,
    instances: &'o Path,
    options: &'o OpenOptions,
}

struct Opened {
    connection: Connection,
    seen: Seen,
    me: InstanceId,
    lock: Lock,
    blobs: Blobs,
}

impl Database<'_> {
    /// Everything happens under the gate: the file is made or brought up to date by one process, and
    /// an instance is never seen before its schema is the right one.
    fn open(&self, gate: &Gate) -> Result<Opened, OpenError> {
        let io = |source| OpenError::Folder { path: self.options.dir.clone(), source };
        let started = Instant::now();
        loop {
            let passage = gate.pass().map_err(io)?;
            let seen = match Seen::look(&self.path)? {
                Some(seen) => seen,
                None => self.create()?,
            };
            let living = instance::sweep(self.instances).map_err(io)?;
            let waited = started.elapsed();
            match self.connect_to_newest(living.is_empty()) {
                Ok(connection) => {
                    let (me, lock) = Lock::take(self.instances).map_err(io)?;
                    let blobs = Blobs::open(self.options.dir.join(BLOBS), me.clone(), &living).map_err(io)?;
                    return Ok(Opened { connection, seen, me, lock, blobs });
                }
                Err(Stopped::NotAlone) if waited < self.options.alone_limit => {
                    // The others need the gate to end what they do.
                    drop((seen, passage));
                    thread::sleep(ALONE_LOOK);
                }
                Err(Stopped::NotAlone) => {
                    return Err(OpenError::InUse { path: self.path.clone(), others: living });
                }
                Err(Stopped::Newer(found)) => {
                    let (path, known) = (self.path.clone(), schema::VERSION);
                    return Err(OpenError::Newer { path, found, known });
                }
                Err(Stopped::Sql(error)) if trouble(&error) == Trouble::Busy && waited < self.options.busy_limit => {}
                Err(Stopped::Sql(error)) => return Err(self.fault(&error)),
            }
        }
    }

    /// The writer's connection, with the newest schema.
    fn connect_to_newest(&self, alone: bool) -> Result<Connection, Stopped> {
        let connection = self.connect()?;
        schema::migrate(&connection, schema::MIGRATIONS, || alone, |_| {})?;
        self.settle(&connection)?;
        Ok(connection)
    }

    fn create(&self) -> Result<Seen, OpenError> {
        schema::create(&self.path).map_err(|unmade| match unmade {
            Unmade::Io(error) if error.kind() == io::ErrorKind::StorageFull => {
                OpenError::Full { path: self.path.clone() }
            }
            Unmade::Io(source) => OpenError::Folder { path: self.options.dir.clone(), source },
            Unmade::Sql(error) => self.fault(&error),
        })?;
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        Seen::look(&self.path)?.ok_or_else(|| OpenError::Unreadable { path: self.path.clone(), source: gone() })
    }

    /// A connection that has changed nothing yet, and that leaves the log alone if it is given up.
    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.busy_timeout(self.options.busy_limit.min(BUSY_ROUND))?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    }

    /// The file is ours and up to date: looks it over and makes the connection the writer's.
    fn settle(&self, connection: &Connection) -> rusqlite::Result<()> {
        schema::look_over(connection)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        Ok(())
    }

    fn fault(&self, error: &rusqlite::Error) -> OpenError {
        let path = self.path.clone();
        match trouble(error) {
            Trouble::Busy => OpenError::Busy { path, waited: self.options.busy_limit },
            Trouble::Full => OpenError::Full { path },
            Trouble::Damaged => OpenError::Damaged { path, reason: error.to_string() },
            Trouble::Other => OpenError::Storage { path, reason: error.to_string() },
        }
    }
}
