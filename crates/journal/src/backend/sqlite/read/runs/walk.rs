//! One walk along an index, place by place, and the statement that it is made of.

use std::{collections::VecDeque, slice};

use rusqlite::{Connection, Row, ToSql};

use crate::RunFilter;

/// A Run in the order of the list: the newest is the greatest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    started_at: i64,
    pub id: String,
    pub number: i64,
}

/// An index that ends in the order of the list, and what is fixed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Along {
    Open,
    Status(String),
    Column(Column, String, String),
}

/// A column that has an index of its own, with the status after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Flow,
    Task,
    Hash,
}

impl Column {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow_id",
            Self::Task => "task",
            Self::Hash => "flow_hash",
        }
    }

    pub const fn index(self) -> &'static str {
        match self {
            Self::Flow => "runs_by_flow",
            Self::Task => "runs_by_task",
            Self::Hash => "runs_by_hash",
        }
    }
}

/// What a walk has to look at, beside what it goes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// Nothing: all along the index fit.
    Fits,
    OfId,
    OfAny,
}

/// A walk reads one place at first, for it may be one of many, and then twice as many each time.
const PLACES_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct Walk {
    pub along: Along,
    text: Text,
    read: VecDeque<Place>,
    /// How many places are read next.
    stride: usize,
    ended: bool,
    /// The last place that was read.
    last: Option<(i64, String)>,
}

impl Walk {
    pub fn new(along: Along, text: Text) -> Self {
        Self { along, text, read: VecDeque::new(), stride: 1, ended: false, last: None }
    }

    pub fn next(&mut self, connection: &Connection, rest: &Rest<'_>) -> rusqlite::Result<Option<Place>> {
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

    /// The places behind the last one, as many as are read at once.
    fn read_on(&self, connection: &Connection, rest: &Rest<'_>) -> rusqlite::Result<Vec<Place>> {
        let stride = i64::try_from(self.stride).unwrap_or(i64::MAX);
        let (sql, values) = self.query(&stride, rest);
        let place = |row: &Row<'_>| Ok(Place { started_at: row.get(0)?, id: row.get(1)?, number: row.get(2)? });
        connection.prepare_cached(&sql)?.query_map(&values[..], place)?.collect()
    }

    /// The statement and its values.
    pub fn query<'v>(&'v self, stride: &'v i64, rest: &'v Rest<'_>) -> (String, Vec<&'v dyn ToSql>) {
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
        if let (Some(place), Text::OfId) = (&rest.not_before, self.text) {
            values.extend([&place.started_at as &dyn ToSql, &place.id]);
            sql += &format!(" AND (started_at, id) >= (?{}, ?{})", values.len() - 1, values.len());
        }
        rest.add(&mut sql, &mut values, self);
        values.push(stride);
        sql += &format!(" ORDER BY started_at DESC, id DESC LIMIT ?{}", values.len());
        (sql, values)
    }
}

/// The conditions of a filter.
#[derive(Debug)]
pub(super) struct Rest<'f> {
    filter: &'f RunFilter,
    /// Walks that look at ids end here.
    pub not_before: Option<Place>,
    pattern: Pattern,
}

/// How a column is compared with the text of a filter.
#[derive(Debug)]
enum Pattern {
    None,
    Like(String),
    /// In lower case; three times slower, and takes every text.
    Part(String),
}

/// SQLite takes patterns of 50,000 bytes. Nothing that is looked for is half as long as this.
const PATTERN_MAX: usize = 10_000;

impl Pattern {
    fn new(text: Option<&str>) -> Self {
        match text {
            None => Self::None,
            Some(text) if text.len() > PATTERN_MAX || text.contains('\0') => Self::Part(text.to_ascii_lowercase()),
            Some(text) => {
                let plain = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
                Self::Like(format!("%{plain}%"))
            }
        }
    }

    /// Adds the condition that one of the columns contains the text.
    fn add<'v>(&'v self, sql: &mut String, values: &mut Vec<&'v dyn ToSql>, columns: &[&str]) {
        let number = values.len() + 1;
        let contains = |column: &&str| match self {
            Self::None => String::new(),
            Self::Like(_) => format!("{column} LIKE ?{number} ESCAPE '\\'"),
            Self::Part(_) => format!("instr(lower({column}), ?{number}) > 0"),
        };
        if let Self::Like(text) | Self::Part(text) = self
            && !columns.is_empty()
        {
            *sql += &format!(" AND ({})", columns.iter().map(contains).collect::<Vec<_>>().join(" OR "));
            values.push(text);
        }
    }
}

impl<'f> Rest<'f> {
    pub fn new(filter: &'f RunFilter) -> Self {
        Self { filter, not_before: None, pattern: Pattern::new(filter.text.as_deref()) }
    }

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
        self.pattern.add(sql, values, columns);
    }
}
