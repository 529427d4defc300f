//! Pages of a stream's events.
//!
//! A filtered page costs what its own events cost, however many others stand between them: each
//! wanted kind has an index in the order of numbers, and those are merged one event at a time.
//! "Without" is turned into the kinds that remain, which are few.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::tasks::task;
use crate::{EventFilter, EventPage, Seq, StoredEvent, StreamName, judge::TASK};

pub(in super::super) fn events(
    connection: &Connection,
    name: &StreamName,
    after: Seq,
    limit: usize,
    filter: &EventFilter,
) -> rusqlite::Result<Option<EventPage>> {
    let snapshot = connection.unchecked_transaction()?;
    let found: Option<(i64, i64)> = snapshot
        .prepare_cached("SELECT number, last FROM streams WHERE name = ?1")?
        .query_row([name.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((stream, last)) = found else { return Ok(None) };
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let events = if filter.kinds.is_empty() && filter.without.is_empty() {
        plain(&snapshot, stream, after, limit)?
    } else {
        merged(&snapshot, stream, after, limit, &wanted_kinds(&snapshot, stream, filter)?)?
    };
    let task = if name.kind() == TASK { task(&snapshot, name.id())? } else { None };
    Ok(Some(EventPage { events, last: last.cast_unsigned(), task }))
}

// The join order is fixed: for the planner a small table of kinds looks like a good place to start.
const PLAIN: &str = "SELECT events.seq, kinds.name, events.at, events.payload \
    FROM events CROSS JOIN kinds ON kinds.number = events.kind \
    WHERE events.stream = ?1 AND events.seq > ?2 ORDER BY events.seq LIMIT ?3";
const OF_KIND: &str = "SELECT seq FROM events WHERE stream = ?1 AND kind = ?2 AND seq > ?3 ORDER BY seq";
const ONE: &str = "SELECT seq, ?3, at, payload FROM events WHERE stream = ?1 AND seq = ?2";

fn plain(connection: &Connection, stream: i64, after: i64, limit: i64) -> rusqlite::Result<Vec<StoredEvent>> {
    connection.prepare_cached(PLAIN)?.query_map([stream, after, limit], stored)?.collect()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        seq: row.get::<_, i64>(0)?.cast_unsigned(),
        kind: row.get(1)?,
        at: row.get(2)?,
        payload: row.get(3)?,
    })
}

/// A kind's number and name.
type Kind = (i64, String);

/// The kinds that the filter lets through, of those that occur in the stream.
fn wanted_kinds(connection: &Connection, stream: i64, filter: &EventFilter) -> rusqlite::Result<Vec<Kind>> {
    let mut next = connection.prepare_cached(
        "SELECT kinds.number, kinds.name FROM events CROSS JOIN kinds ON kinds.number = events.kind \
         WHERE events.stream = ?1 AND events.kind > ?2 ORDER BY events.kind LIMIT 1",
    )?;
    let mut kinds = Vec::new();
    let mut last = i64::MIN;
    while let Some((number, name)) =
        next.query_row([stream, last], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).optional()?
    {
        last = number;
        if (filter.kinds.is_empty() || filter.kinds.contains(&name)) && !filter.without.contains(&name) {
            kinds.push((number, name));
        }
    }
    Ok(kinds)
}

fn merged(
    connection: &Connection,
    stream: i64,
    after: i64,
    limit: i64,
    kinds: &[Kind],
) -> rusqlite::Result<Vec<StoredEvent>> {
    let mut statements = kinds.iter().map(|_| connection.prepare(OF_KIND)).collect::<Result<Vec<_>, _>>()?;
    let mut cursors = Vec::with_capacity(kinds.len());
    for (statement, (number, name)) in statements.iter_mut().zip(kinds) {
        let mut rows = statement.query(params![stream, number, after])?;
        if let Some(seq) = next_seq(&mut rows)? {
            cursors.push((seq, name, rows));
        }
    }
    let mut one = connection.prepare_cached(ONE)?;
    let mut events = Vec::new();
    for _ in 0..limit {
        let lowest = cursors.iter().enumerate().min_by_key(|(_, (seq, ..))| *seq).map(|(index, _)| index);
        let Some(index) = lowest else { break };
        let (seq, name, rows) = &mut cursors[index];
        events.push(one.query_row(params![stream, *seq, name.as_str()], stored)?);
        match next_seq(rows)? {
            Some(next) => *seq = next,
            None => drop(cursors.swap_remove(index)),
        }
    }
    Ok(events)
}

fn next_seq(rows: &mut rusqlite::Rows<'_>) -> rusqlite::Result<Option<i64>> {
    rows.next()?.map(|row| row.get(0)).transpose()
}
