//! Rows of Runs, and lists of them.
//!
//! A list is merged from walks, each along an index that ends in the order of the list: one for each
//! flow and each status, however many Runs are stored. What no index has (`ended`, forks, a part of
//! an id) is looked at on the way, and a walk passes over what does not fit.

use std::{
    collections::{BinaryHeap, VecDeque},
    slice,
};

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

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

pub(in super::super) fn active_runs(connection: &Connection, workspace: &str) -> rusqlite::Result<Vec<RunRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM runs WHERE workspace = ?1 AND ended = 0 ORDER BY started_at DESC, id DESC");
    connection.prepare_cached(&sql)?.query_map([workspace], run_row)?.collect()
}

pub(in super::super) fn runs(
    connection: &Connection,
    filter: &RunFilter,
    limit: usize,
) -> rusqlite::Result<Vec<RunRow>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut walks = walks(&snapshot, filter)?;
    let rest = Rest { text: filter.text.as_ref().map(|text| text.to_ascii_lowercase()), filter };
    let mut heads = BinaryHeap::with_capacity(walks.len());
    for (number, walk) in walks.iter_mut().enumerate() {
        heads.extend(walk.next(&snapshot, &rest)?.map(|place| (place, number)));
    }
    let mut found: Vec<RunRow> = Vec::new();
    let mut by_number = snapshot.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE number = ?1"))?;
    while found.len() < limit
        && let Some((place, number)) = heads.pop()
    {
        // Found by its flow as well as by its id, say.
        if found.last().is_none_or(|last| last.id != place.id) {
            found.push(by_number.query_row([place.number], run_row)?);
        }
        heads.extend(walks[number].next(&snapshot, &rest)?.map(|place| (place, number)));
    }
    Ok(found)
}

/// A Run in the order of the list: the newest is the greatest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    started_at: i64,
    id: String,
    number: i64,
}

/// An index that ends in the order of the list, and what is fixed before.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Along {
    Open,
    Status(String),
    Column(Column, String, String),
}

/// A column that has an index of its own, with the status after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Flow,
    Task,
    Hash,
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow_id",
            Self::Task => "task",
            Self::Hash => "flow_hash",
        }
    }

    const fn index(self) -> &'static str {
        match self {
            Self::Flow => "runs_by_flow",
            Self::Task => "runs_by_task",
            Self::Hash => "runs_by_hash",
        }
    }
}

/// What a walk has to look at, beside what it goes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// Nothing: all along the index fit.
    Fits,
    OfId,
    OfAny,
}

/// Where more names contain a text than this, it is a common one: a walk of all Runs finds enough soon.
const NAMES_MAX: usize = 64;
/// A walk reads one place at first, for it may be one of many, and then twice as many each time.
const PLACES_MAX: usize = 64;

#[derive(Debug)]
struct Walk {
    along: Along,
    text: Text,
    read: VecDeque<Place>,
    /// How many places are read next.
    stride: usize,
    ended: bool,
    /// The last place that was read.
    last: Option<(i64, String)>,
}

impl Walk {
    fn new(along: Along, text: Text) -> Self {
        Self { along, text, read: VecDeque::new(), stride: 1, ended: false, last: None }
    }

    fn next(&mut self, connection: &Connection, rest: &Rest<'_>) -> rusqlite::Result<Option<Place>> {
        if self.read.is_empty() && !self.ended {
            self.read = self.read_on(connection, rest)?.into();
            self.ended = self.read.len() < self.stride;
            self.stride = (self.stride * 2).min(PLACES_MAX);
            if let Some(place) = self.read.back() {
                self.last = Some((place.started_at, place.id.clone()));
            }
        }
        Ok(self.read.pop_front())
    }

    fn read_on(&self, connection: &Connection, rest: &Rest<'_>) -> rusqlite::Result<Vec<Place>> {
        let filter = rest.filter;
        let (index, fixed) = match &self.along {
            Along::Open => ("runs_open", "ended = 0".to_owned()),
            Along::Status(_) => ("runs_by_status", "status = ?2".to_owned()),
            Along::Column(column, ..) => (column.index(), format!("status = ?2 AND {} = ?3", column.name())),
        };
        let mut values: Vec<&dyn ToSql> = vec![&filter.workspace];
        match &self.along {
            Along::Open => {}
            Along::Status(status) => values.push(status),
            Along::Column(_, value, status) => values.extend([status as &dyn ToSql, value]),
        }
        let mut sql =
            format!("SELECT started_at, id, number FROM runs INDEXED BY {index} WHERE workspace = ?1 AND {fixed}");
        if let Some((started_at, id)) = self.last.as_ref().or(filter.before.as_ref()) {
            values.extend([started_at as &dyn ToSql, id]);
            sql += &format!(" AND (started_at, id) < (?{}, ?{})", values.len() - 1, values.len());
        }
        rest.add(&mut sql, &mut values, self);
        let stride = i64::try_from(self.stride).unwrap_or(i64::MAX);
        values.push(&stride);
        sql += &format!(" ORDER BY started_at DESC, id DESC LIMIT ?{}", values.len());
        let place = |row: &Row<'_>| Ok(Place { started_at: row.get(0)?, id: row.get(1)?, number: row.get(2)? });
        connection.prepare_cached(&sql)?.query_map(&values[..], place)?.collect()
    }
}

/// The conditions of a filter, with its text in lower case.
#[derive(Debug)]
struct Rest<'f> {
    filter: &'f RunFilter,
    text: Option<String>,
}

impl Rest<'_> {
    /// Adds the conditions that a walk does not keep by going along its index.
    fn add<'v>(&'v self, sql: &mut String, values: &mut Vec<&'v dyn ToSql>, walk: &Walk) {
        let kept = |column| matches!(walk.along, Along::Column(along, ..) if along == column);
        let filter = self.filter;
        let mut any_of = |column: &str, wanted: &'v [String]| {
            let first = values.len() + 1;
            values.extend(wanted.iter().map(|value| value as &dyn ToSql));
            let places: Vec<_> = (first..=values.len()).map(|number| format!("?{number}")).collect();
            // The plus keeps the walk on its index.
            *sql += &format!(" AND +{column} IN ({})", places.join(", "));
        };
        if !filter.flow_ids.is_empty() && !kept(Column::Flow) {
            any_of("flow_id", &filter.flow_ids);
        }
        if let (Some(task), false) = (&filter.task, kept(Column::Task)) {
            any_of("task", slice::from_ref(task));
        }
        if let (Some(hash), false) = (&filter.flow_hash, kept(Column::Hash)) {
            any_of("flow_hash", slice::from_ref(hash));
        }
        if !filter.status.is_empty() && walk.along == Along::Open {
            any_of("status", &filter.status);
        }
        match filter.ended {
            Some(ended) if walk.along != Along::Open => *sql += if ended { " AND ended = 1" } else { " AND ended = 0" },
            _ => {}
        }
        if filter.roots_only {
            *sql += " AND parent IS NULL";
        }
        let columns: &[&str] = match walk.text {
            Text::Fits => &[],
            Text::OfId => &["id"],
            Text::OfAny => &["id", "flow_id", "task"],
        };
        if let (Some(text), false) = (&self.text, columns.is_empty()) {
            values.push(text);
            let contains = |column: &&str| format!("instr(lower({column}), ?{}) > 0", values.len());
            *sql += &format!(" AND ({})", columns.iter().map(contains).collect::<Vec<_>>().join(" OR "));
        }
    }
}

/// The walks that together pass by all Runs that are wanted.
fn walks(connection: &Connection, filter: &RunFilter) -> rusqlite::Result<Vec<Walk>> {
    let text = if filter.text.is_some() { Text::OfAny } else { Text::Fits };
    if filter.ended == Some(false) {
        return Ok(vec![Walk::new(Along::Open, text)]);
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
        return of(Column::Hash, slice::from_ref(hash), text);
    }
    if let Some(task) = &filter.task {
        return of(Column::Task, slice::from_ref(task), text);
    }
    if !filter.flow_ids.is_empty() {
        return of(Column::Flow, &distinct(&filter.flow_ids), text);
    }
    if let Some(part) = &filter.text {
        let part = part.to_ascii_lowercase();
        let flows = names_with(connection, filter, Column::Flow, &part)?;
        let tasks = names_with(connection, filter, Column::Task, &part)?;
        if flows.len() + tasks.len() <= NAMES_MAX {
            let mut walks = of(Column::Flow, &flows, Text::Fits)?;
            walks.extend(of(Column::Task, &tasks, Text::Fits)?);
            walks.extend(of_all(Text::OfId)?);
            return Ok(walks);
        }
    }
    Ok(of_all(text)?.collect())
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
    let sql = format!("SELECT {column} FROM runs {fixed} AND {column} > ?2 ORDER BY {column} LIMIT 1");
    let mut next = connection.prepare_cached(&sql)?;
    let mut names: Vec<String> = Vec::new();
    loop {
        let last = names.last().cloned().unwrap_or_default();
        let mut values: Vec<&dyn ToSql> = vec![of[0], &last];
        values.extend(&of[1..]);
        match next.query_row(&values[..], |row| row.get(0)).optional()? {
            Some(name) => names.push(name),
            None => return Ok(names),
        }
    }
}
