//! Rows of leases, hosts and holds.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::{HoldKey, HostRow, InstanceId, LeaseRow, StreamName};

fn lease_row(row: &Row<'_>) -> rusqlite::Result<LeaseRow> {
    Ok(LeaseRow {
        handle: row.get(0)?,
        server: InstanceId(row.get(1)?),
        state: row.get(2)?,
        ended: row.get(3)?,
        last_seq: row.get::<_, i64>(4)?.cast_unsigned(),
        body: row.get(5)?,
    })
}

pub(in super::super) fn lease(connection: &Connection, handle: &str) -> rusqlite::Result<Option<LeaseRow>> {
    connection
        .prepare_cached("SELECT handle, server, state, ended, last_seq, body FROM leases WHERE handle = ?1")?
        .query_row([handle], lease_row)
        .optional()
}

pub(in super::super) fn open_leases(connection: &Connection) -> rusqlite::Result<Vec<LeaseRow>> {
    connection
        .prepare_cached(
            "SELECT handle, server, state, ended, last_seq, body FROM leases WHERE ended = 0 ORDER BY handle",
        )?
        .query_map([], lease_row)?
        .collect()
}

fn host_row(row: &Row<'_>) -> rusqlite::Result<HostRow> {
    Ok(HostRow {
        id: row.get(0)?,
        server: InstanceId(row.get(1)?),
        stream: row.get::<_, Option<String>>(2)?.map(StreamName::from_stored),
        out: row.get::<_, i64>(3)?.cast_unsigned(),
        err: row.get::<_, i64>(4)?.cast_unsigned(),
        body: row.get(5)?,
    })
}

pub(in super::super) fn host(connection: &Connection, id: &str) -> rusqlite::Result<Option<HostRow>> {
    connection
        .prepare_cached("SELECT id, server, stream, out, err, body FROM hosts WHERE id = ?1")?
        .query_row([id], host_row)
        .optional()
}

pub(in super::super) fn hosts(connection: &Connection) -> rusqlite::Result<Vec<HostRow>> {
    connection
        .prepare_cached("SELECT id, server, stream, out, err, body FROM hosts ORDER BY id")?
        .query_map([], host_row)?
        .collect()
}

pub(in super::super) fn holder(connection: &Connection, key: &HoldKey) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT holder FROM holds WHERE agent = ?1 AND session = ?2")?
        .query_row([&key.agent, &key.session], |row| row.get(0))
        .optional()
}
