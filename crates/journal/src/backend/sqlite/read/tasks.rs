//! Task rows.

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use crate::{InstanceId, TaskFilter, TaskPage, TaskRow};

const COLUMNS: &str = "tasks.id, tasks.server, tasks.status, tasks.ended, tasks.resolved, tasks.agent, \
    tasks.workspace, tasks.session, tasks.handle, tasks.client_key, tasks.created_at, tasks.finished_at, \
    tasks.last_seq, tasks.body";

fn task_row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: row.get(0)?,
        server: InstanceId(row.get(1)?),
        status: row.get(2)?,
        ended: row.get(3)?,
        resolved: row.get(4)?,
        agent: row.get(5)?,
        workspace: row.get(6)?,
        session: row.get(7)?,
        handle: row.get(8)?,
        client_key: row.get(9)?,
        prompt: None,
        created_at: row.get(10)?,
        finished_at: row.get(11)?,
        last_seq: row.get::<_, i64>(12)?.cast_unsigned(),
        body: row.get(13)?,
    })
}

/// The number of the column after those of [`COLUMNS`].
const ORDINAL: usize = 14;

pub(in super::super) fn task(connection: &Connection, id: &str) -> rusqlite::Result<Option<TaskRow>> {
    let sql = format!("SELECT {COLUMNS} FROM task_ids JOIN tasks USING (ordinal) WHERE task_ids.id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], task_row).optional()
}

pub(in super::super) fn tasks_by_id(connection: &Connection, ids: &[String]) -> rusqlite::Result<Vec<TaskRow>> {
    let snapshot = connection.unchecked_transaction()?;
    ids.iter().filter_map(|id| task(&snapshot, id).transpose()).collect()
}

pub(in super::super) fn task_by_key(connection: &Connection, key: &str) -> rusqlite::Result<Option<TaskRow>> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE client_key = ?1");
    connection.prepare_cached(&sql)?.query_row([key], task_row).optional()
}

/// Along the index of statuses only.
pub(in super::super) fn task_counts(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let sql = "SELECT status, count(*) FROM tasks INDEXED BY tasks_by_status GROUP BY status ORDER BY status";
    let count = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
    connection.prepare_cached(sql)?.query_map([], count)?.collect()
}

pub(in super::super) fn tasks_starting_with(
    connection: &Connection,
    prefix: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    // A range instead of LIKE: the index is used whatever the prefix holds.
    let beyond = format!("{prefix}{}", char::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection
        .prepare_cached(
            "SELECT task_ids.id FROM task_ids JOIN tasks USING (ordinal) \
             WHERE task_ids.id >= ?1 AND task_ids.id < ?2 ORDER BY task_ids.id LIMIT ?3",
        )?
        .query_map((prefix, beyond, limit), |row| row.get(0))?
        .collect()
}

pub(in super::super) fn prompt(connection: &Connection, id: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT prompt FROM task_ids JOIN prompts USING (ordinal) WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()
}

pub(in super::super) fn tasks(
    connection: &Connection,
    filter: &TaskFilter,
    limit: usize,
) -> rusqlite::Result<Option<TaskPage>> {
    let snapshot = connection.unchecked_transaction()?;
    let before = match &filter.after {
        None => i64::MAX,
        Some(id) => {
            let ordinal = snapshot
                .prepare_cached("SELECT ordinal FROM task_ids WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()?;
            match ordinal {
                Some(ordinal) => ordinal,
                None => return Ok(None),
            }
        }
    };
    // One more than asked for tells whether older ones remain.
    let wanted = limit.saturating_add(1);
    let mut found = Vec::new();
    if filter.status.is_empty() {
        found = walk(&snapshot, filter, None, before, wanted)?;
    } else {
        // Each status has its own index, and a sort of them all would grow with what is stored.
        let mut statuses: Vec<_> = filter.status.iter().collect();
        statuses.sort_unstable();
        statuses.dedup();
        for status in statuses {
            found.extend(walk(&snapshot, filter, Some(status), before, wanted)?);
        }
        found.sort_unstable_by_key(|(ordinal, _)| std::cmp::Reverse(*ordinal));
    }
    let more = found.len() > limit;
    Ok(Some(TaskPage { rows: found.into_iter().take(limit).map(|(_, row)| row).collect(), more }))
}

/// Tasks of at most one status, newest first, with their ordinals.
fn walk(
    connection: &Connection,
    filter: &TaskFilter,
    status: Option<&String>,
    before: i64,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, TaskRow)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut sql = format!("SELECT {COLUMNS}, tasks.ordinal FROM tasks WHERE ordinal < ?1");
    let mut values: Vec<&dyn ToSql> = vec![&before, &limit];
    if let Some(server) = &filter.server {
        values.push(&server.0);
        sql += &format!(" AND server = ?{}", values.len());
    }
    if let Some(status) = status {
        values.push(status);
        sql += &format!(" AND status = ?{}", values.len());
    }
    if let Some(agent) = &filter.agent {
        values.push(agent);
        // A server's tasks are walked rather than an agent's: they are fewer. The plus says so.
        let plus = if filter.server.is_some() { "+" } else { "" };
        sql += &format!(" AND {plus}agent = ?{}", values.len());
    }
    match filter.ended {
        // Written out, or the index of open tasks would not be used.
        Some(false) => sql += " AND ended = 0",
        Some(true) => sql += " AND ended = 1",
        None => {}
    }
    sql += " ORDER BY ordinal DESC LIMIT ?2";
    connection.prepare_cached(&sql)?.query_map(&values[..], |row| Ok((row.get(ORDINAL)?, task_row(row)?)))?.collect()
}
