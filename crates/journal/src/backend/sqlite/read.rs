//! Reads: a few connections that cannot write, and the queries of the trait.
//!
//! Each query, or each group that has to agree, is one snapshot; none outlives its call.

mod artifacts;
mod documents;
mod events;
mod rows;
mod runs;
mod tasks;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

pub(super) use self::{artifacts::*, documents::*, events::events, rows::*, runs::*, tasks::*};
use super::place::Place;
use crate::{InboxRequest, InstanceId, Position, ReadError, Seq, StreamName, judge::StreamFacts};

/// Connections kept for the next reader; more are opened when more read at the same time.
const KEPT: usize = 3;
/// Readers are never kept from reading for long in WAL mode; only recovery after a crash locks them out.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
/// Small, because an idle process keeps it: the operating system caches the file anyway.
const CACHE_KIB: i32 = 512;
/// More than are in use; a list's statement depends on what it is asked for.
const STATEMENTS: usize = 64;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    place: Arc<Place>,
    /// `None` once closed.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Readers {
    pub fn new(path: PathBuf, place: Arc<Place>) -> Self {
        Self { path, place, idle: Mutex::new(Some(Vec::new())) }
    }

    /// Runs one query, or several in a transaction of their own.
    pub fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ReadError> {
        self.place.known()?;
        let kept = self.lock().as_mut().ok_or_else(ReadError::closed)?.pop();
        let connection = match kept {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = query(&connection)?;
        if let Some(idle) = self.lock().as_mut().filter(|idle| idle.len() < KEPT) {
            idle.push(connection);
        }
        Ok(result)
    }

    pub fn close(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(&self) -> Result<Connection, ReadError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Whatever is at the path may have been opened just now: looked at afterwards, it is what we have.
        let opened = Connection::open_with_flags(&self.path, flags);
        self.place.look()?;
        let connection = opened?;
        connection.busy_timeout(BUSY_LIMIT)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    }
}

pub(super) fn position(connection: &Connection) -> rusqlite::Result<Position> {
    let position: i64 = connection.prepare_cached("SELECT position FROM head")?.query_row([], |row| row.get(0))?;
    Ok(position.cast_unsigned())
}

pub(super) fn stream(connection: &Connection, name: &StreamName) -> rusqlite::Result<Option<StreamFacts>> {
    connection
        .prepare_cached("SELECT owner, token, last FROM streams WHERE name = ?1")?
        .query_row([name.as_str()], |row| {
            Ok(StreamFacts {
                owner: row.get::<_, Option<String>>(0)?.map(InstanceId),
                token: row.get::<_, i64>(1)?.cast_unsigned(),
                last: row.get::<_, i64>(2)?.cast_unsigned(),
            })
        })
        .optional()
}

pub(super) fn inbox(connection: &Connection, me: &InstanceId) -> rusqlite::Result<Vec<InboxRequest>> {
    connection
        .prepare_cached(
            "SELECT inbox.id, inbox.stream, inbox.sender, inbox.at, inbox.body \
             FROM inbox CROSS JOIN streams ON streams.name = inbox.stream \
             WHERE streams.owner = ?1 ORDER BY inbox.id",
        )?
        .query_map([&me.0], |row| {
            Ok(InboxRequest {
                id: row.get(0)?,
                stream: StreamName::from_stored(row.get(1)?),
                from: InstanceId(row.get(2)?),
                at: row.get(3)?,
                body: row.get(4)?,
            })
        })?
        .collect()
}

pub(super) fn waiting(connection: &Connection, request: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM inbox WHERE id = ?1")?.exists([request])
}

pub(super) fn changed_since(
    connection: &Connection,
    position: Position,
    limit: usize,
) -> rusqlite::Result<(Vec<(StreamName, Seq)>, Position)> {
    let snapshot = connection.unchecked_transaction()?;
    let after = position.cast_signed();
    let offset = i64::try_from(limit.max(1) - 1).unwrap_or(i64::MAX);
    // A position is never split: all streams of the last one belong to the page.
    let full: Option<i64> = snapshot
        .prepare_cached("SELECT changed FROM streams WHERE changed > ?1 ORDER BY changed LIMIT 1 OFFSET ?2")?
        .query_row([after, offset], |row| row.get(0))
        .optional()?;
    let upto = match full {
        Some(upto) => upto.cast_unsigned(),
        None => self::position(&snapshot)?.max(position),
    };
    let changed = snapshot
        .prepare_cached("SELECT name, last FROM streams WHERE changed > ?1 AND changed <= ?2 ORDER BY changed, name")?
        .query_map(params![after, upto.cast_signed()], |row| {
            Ok((StreamName::from_stored(row.get(0)?), row.get::<_, i64>(1)?.cast_unsigned()))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok((changed, upto))
}
