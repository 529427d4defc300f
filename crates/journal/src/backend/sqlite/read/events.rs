//! Pages of a stream's events.
//!
//! Events are stored by kind, so a filtered page costs what its own events cost, however many others
//! stand between them. A page of several kinds is merged from one cursor for each, one event at a
//! time, upwards or downwards. "Without" and "all" are turned into the kinds that occur in the stream, which are few.

use rusqlite::{Connection, OptionalExtension, Rows, Statement, params};

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
    let before = filter.before.map_or(i64::MAX, |before| i64::try_from(before).unwrap_or(i64::MAX));
    let events = if after < last && limit > 0 {
        let kinds = wanted_kinds(&snapshot, stream, filter)?;
        merged(&snapshot, (stream, after, before), limit, &kinds, filter.newest_first)?
    } else {
        Vec::new()
    };
    let task = if name.kind() == TASK { task(&snapshot, name.id())? } else { None };
    Ok(Some(EventPage { events, last: last.cast_unsigned(), task }))
}

/// A kind's number and name.
type Kind = (i64, String);

// Each step of this walk is one look-up: from one kind to the next, however many events it has.
const NEXT_KIND: &str = "SELECT kinds.number, kinds.name FROM events CROSS JOIN kinds ON kinds.number = events.kind \
    WHERE events.stream = ?1 AND events.kind > ?2 ORDER BY events.kind LIMIT 1";
const UPWARDS: &str =
    "SELECT seq, at, payload FROM events WHERE stream = ?1 AND kind = ?2 AND seq > ?3 AND seq < ?4 ORDER BY seq";
const DOWNWARDS: &str =
    "SELECT seq, at, payload FROM events WHERE stream = ?1 AND kind = ?2 AND seq > ?3 AND seq < ?4 ORDER BY seq DESC";

/// A stream's number, and between which of its events those of a page are.
type Place = (i64, i64, i64);

/// The kinds that the filter lets through, of those that occur in the stream.
fn wanted_kinds(connection: &Connection, stream: i64, filter: &EventFilter) -> rusqlite::Result<Vec<Kind>> {
    let mut next = connection.prepare_cached(NEXT_KIND)?;
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

/// The events of one kind, of which the next one is known.
struct Cursor<'s> {
    next: StoredEvent,
    rows: Rows<'s>,
}

impl<'s> Cursor<'s> {
    /// `None` when there is no event.
    fn start(statement: &'s mut Statement<'_>, place: Place, kind: &Kind) -> rusqlite::Result<Option<Self>> {
        let (stream, after, before) = place;
        let mut rows = statement.query(params![stream, kind.0, after, before])?;
        Ok(read(&mut rows, &kind.1)?.map(|next| Self { next, rows }))
    }

    /// The event at hand, and whether another one follows.
    fn take(&mut self) -> rusqlite::Result<(StoredEvent, bool)> {
        let following = read(&mut self.rows, &self.next.kind)?;
        let more = following.is_some();
        let taken = match following {
            Some(following) => std::mem::replace(&mut self.next, following),
            None => self.next.clone(),
        };
        Ok((taken, more))
    }
}

fn read(rows: &mut Rows<'_>, kind: &str) -> rusqlite::Result<Option<StoredEvent>> {
    let Some(row) = rows.next()? else { return Ok(None) };
    let seq = row.get::<_, i64>(0)?.cast_unsigned();
    Ok(Some(StoredEvent { seq, kind: kind.to_owned(), at: row.get(1)?, payload: row.get(2)? }))
}

fn merged(
    connection: &Connection,
    place: Place,
    limit: usize,
    kinds: &[Kind],
    downwards: bool,
) -> rusqlite::Result<Vec<StoredEvent>> {
    let sql = if downwards { DOWNWARDS } else { UPWARDS };
    let mut statements = kinds.iter().map(|_| connection.prepare_cached(sql)).collect::<Result<Vec<_>, _>>()?;
    let mut cursors = Vec::with_capacity(kinds.len());
    for (statement, kind) in statements.iter_mut().zip(kinds) {
        cursors.extend(Cursor::start(statement, place, kind)?);
    }
    let mut events = Vec::new();
    while events.len() < limit {
        // Downwards the largest number is the next one; its complement is the smallest.
        let place = |seq: Seq| if downwards { !seq } else { seq };
        let next = cursors.iter().enumerate().min_by_key(|(_, cursor)| place(cursor.next.seq)).map(|(index, _)| index);
        let Some(index) = next else { break };
        let (event, more) = cursors[index].take()?;
        events.push(event);
        if !more {
            drop(cursors.swap_remove(index));
        }
    }
    Ok(events)
}
