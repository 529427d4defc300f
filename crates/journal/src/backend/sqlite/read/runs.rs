//! Rows of Runs, and lists of them.
//!
//! A list is merged from walks, each along an index that ends in the order of the list: one for each
//! flow and each status, however many Runs are stored. What no index has (`ended`, forks) is looked at
//! on the way, and a walk passes over what does not fit. Only a text that few Runs have in their flow
//! or task is looked for in the ids of all, about 0.2 µs each.

mod walk;

use std::{collections::BinaryHeap, slice};

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use self::walk::{Along, Column, Place, Rest, Text, Walk};
use crate::{InstanceId, RunFilter, RunRow};

const COLUMNS: &str = "id, workspace, server, flow_id, task, flow_hash, status, ended, waiting, started_at, \
    finished_at, parent, forked_from, admission_key, last_seq, body";

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        workspace: row.get(1)?,
        server: InstanceId(row.get(2)?),
        flow_id: row.get(3)?,
        task: row.get(4)?,
        flow_hash: row.get(5)?,
        status: row.get(6)?,
        ended: row.get(7)?,
        waiting: row.get(8)?,
        started_at: row.get(9)?,
        finished_at: row.get(10)?,
        parent: row.get(11)?,
        forked_from: row.get(12)?,
        admission_key: row.get(13)?,
        last_seq: row.get::<_, i64>(14)?.cast_unsigned(),
        body: row.get(15)?,
    })
}

pub(in super::super) fn run(connection: &Connection, id: &str) -> rusqlite::Result<Option<RunRow>> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], run_row).optional()
}

pub(in super::super) fn run_by_key(
    connection: &Connection,
    workspace: &str,
    key: &str,
) -> rusqlite::Result<Option<RunRow>> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE workspace = ?1 AND admission_key = ?2");
    connection.prepare_cached(&sql)?.query_row([workspace, key], run_row).optional()
}

pub(in super::super) fn runs_starting_with(
    connection: &Connection,
    workspace: &str,
    prefix: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    // A range instead of LIKE: the index is used whatever the prefix holds. The plus keeps those of the workspace out.
    let beyond = format!("{prefix}{}", char::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection
        .prepare_cached("SELECT id FROM runs WHERE id >= ?1 AND id < ?2 AND +workspace = ?3 ORDER BY id LIMIT ?4")?
        .query_map((prefix, beyond, workspace, limit), |row| row.get(0))?
        .collect()
}

pub(in super::super) fn forks(
    connection: &Connection,
    workspace: &str,
    parent: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection.prepare_cached(FORKS)?.query_map((workspace, parent, limit), |row| row.get(0))?.collect()
}

const FORKS: &str =
    "SELECT id FROM runs WHERE workspace = ?1 AND parent = ?2 ORDER BY started_at DESC, id DESC LIMIT ?3";

pub(in super::super) fn active_runs(connection: &Connection, workspace: &str) -> rusqlite::Result<Vec<RunRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM runs WHERE workspace = ?1 AND ended = 0 ORDER BY started_at DESC, id DESC");
    connection.prepare_cached(&sql)?.query_map([workspace], run_row)?.collect()
}

/// Along the index of statuses only.
pub(in super::super) fn run_counts(connection: &Connection, workspace: &str) -> rusqlite::Result<Vec<(String, u64)>> {
    let sql = "SELECT status, count(*) FROM runs INDEXED BY runs_by_status WHERE workspace = ?1 \
        GROUP BY status ORDER BY status";
    let count = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
    connection.prepare_cached(sql)?.query_map([workspace], count)?.collect()
}

pub(in super::super) fn runs(
    connection: &Connection,
    filter: &RunFilter,
    limit: usize,
) -> rusqlite::Result<Vec<RunRow>> {
    let snapshot = connection.unchecked_transaction()?;
    let walks = walks(&snapshot, filter)?;
    let mut rest = Rest::new(filter);
    let mut places = merged(&snapshot, walks.narrow, &rest, limit)?;
    if !walks.of_ids.is_empty() {
        // What is older than a full list has no place in it.
        rest.not_before = places.get(limit.saturating_sub(1)).cloned();
        places.extend(merged(&snapshot, walks.of_ids, &rest, limit)?);
        places.sort_unstable_by(|a, b| b.cmp(a));
        // Found by its flow as well as by its id.
        places.dedup();
        places.truncate(limit);
    }
    let mut by_number = snapshot.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE number = ?1"))?;
    places.iter().map(|place| by_number.query_row([place.number], run_row)).collect()
}

/// The first places of several walks, each once.
fn merged(
    connection: &Connection,
    mut walks: Vec<Walk>,
    rest: &Rest<'_>,
    limit: usize,
) -> rusqlite::Result<Vec<Place>> {
    let mut heads = BinaryHeap::with_capacity(walks.len());
    for (number, walk) in walks.iter_mut().enumerate() {
        heads.extend(walk.next(connection, rest)?.map(|place| (place, number)));
    }
    let mut places = Vec::new();
    while places.len() < limit
        && let Some((place, number)) = heads.pop()
    {
        if places.last() != Some(&place) {
            places.push(place);
        }
        heads.extend(walks[number].next(connection, rest)?.map(|place| (place, number)));
    }
    Ok(places)
}

/// Where more names contain a text than this, it is a common one: a walk of all Runs finds enough soon.
const NAMES_MAX: usize = 64;

/// The walks that together pass by all Runs that are wanted.
#[derive(Debug)]
struct Walks {
    /// Those that find what they look for.
    narrow: Vec<Walk>,
    /// Those that look at the id of every Run.
    of_ids: Vec<Walk>,
}

fn walks(connection: &Connection, filter: &RunFilter) -> rusqlite::Result<Walks> {
    let only = |narrow| Ok(Walks { narrow, of_ids: Vec::new() });
    let text = if filter.text.is_some() { Text::OfAny } else { Text::Fits };
    if filter.ended == Some(false) {
        return only(vec![Walk::new(Along::Open, text)]);
    }
    let of = |column, values: &[String], text| -> rusqlite::Result<Vec<Walk>> {
        let mut walks = Vec::new();
        for value in values {
            let statuses = statuses(connection, filter, Some((column, value)))?;
            walks.extend(statuses.map(|status| Walk::new(Along::Column(column, value.clone(), status), text)));
        }
        Ok(walks)
    };
    let of_all = |text| -> rusqlite::Result<_> {
        Ok(statuses(connection, filter, None)?.map(move |status| Walk::new(Along::Status(status), text)))
    };
    // The narrowest first.
    if let Some(hash) = &filter.flow_hash {
        return only(of(Column::Hash, slice::from_ref(hash), text)?);
    }
    if let Some(task) = &filter.task {
        return only(of(Column::Task, slice::from_ref(task), text)?);
    }
    if !filter.flow_ids.is_empty() {
        return only(of(Column::Flow, &distinct(&filter.flow_ids), text)?);
    }
    if let Some(part) = &filter.text {
        let part = part.to_ascii_lowercase();
        let flows = names_with(connection, filter, Column::Flow, &part)?;
        let tasks = names_with(connection, filter, Column::Task, &part)?;
        if flows.len() + tasks.len() <= NAMES_MAX {
            let mut narrow = of(Column::Flow, &flows, Text::Fits)?;
            narrow.extend(of(Column::Task, &tasks, Text::Fits)?);
            return Ok(Walks { narrow, of_ids: of_all(Text::OfId)?.collect() });
        }
    }
    only(of_all(text)?.collect())
}

fn distinct(values: &[String]) -> Vec<String> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values
}

/// The statuses to be walked: those asked for, or all that occur.
fn statuses(
    connection: &Connection,
    filter: &RunFilter,
    of: Option<(Column, &String)>,
) -> rusqlite::Result<impl Iterator<Item = String>> {
    let statuses = if filter.status.is_empty() {
        match of {
            Some((column, value)) => {
                let fixed = format!("INDEXED BY {} WHERE workspace = ?1 AND {} = ?3", column.index(), column.name());
                names(connection, "status", &fixed, &[&filter.workspace, value])?
            }
            None => {
                names(connection, "status", "INDEXED BY runs_by_status WHERE workspace = ?1", &[&filter.workspace])?
            }
        }
    } else {
        distinct(&filter.status)
    };
    Ok(statuses.into_iter())
}

/// Names of a workspace that contain a text in lower case.
fn names_with(
    connection: &Connection,
    filter: &RunFilter,
    column: Column,
    part: &str,
) -> rusqlite::Result<Vec<String>> {
    let fixed = format!("INDEXED BY {} WHERE workspace = ?1", column.index());
    let mut names = names(connection, column.name(), &fixed, &[&filter.workspace])?;
    names.retain(|name| name.to_ascii_lowercase().contains(part));
    Ok(names)
}

/// What stands in a column of an index, each once: one look-up from one to the next. `?2` of the
/// statement is the one before.
fn names(connection: &Connection, column: &str, fixed: &str, of: &[&dyn ToSql]) -> rusqlite::Result<Vec<String>> {
    let next = |behind| format!("SELECT {column} FROM runs {fixed} AND {column} {behind} ?2 ORDER BY {column} LIMIT 1");
    let (mut first, mut next) = (connection.prepare_cached(&next(">="))?, connection.prepare_cached(&next(">"))?);
    let mut names: Vec<String> = Vec::new();
    loop {
        let next = if names.is_empty() { &mut first } else { &mut next };
        let last = names.last().cloned().unwrap_or_default();
        let mut values: Vec<&dyn ToSql> = vec![of[0], &last];
        values.extend(&of[1..]);
        match next.query_row(&values[..], |row| row.get(0)).optional()? {
            Some(name) => names.push(name),
            None => return Ok(names),
        }
    }
}

#[cfg(test)]
mod tests;
