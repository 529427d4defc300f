//! Statements that change projection rows.

use rusqlite::{Connection, named_params, params};

use crate::{
    HostRow, InstanceId, LeaseRow, StreamName, TaskRow,
    judge::{LEASE, RUN, TASK},
};

/// Inserts or replaces a task. A live task is replaced many times a second and only its unindexed
/// columns change, so that is tried first.
pub(super) fn put_task(connection: &Connection, row: &TaskRow) -> rusqlite::Result<()> {
    if !update_task(connection, row)? {
        let changed = connection
            .prepare_cached(
                "UPDATE tasks SET server = ?2, status = ?3, ended = ?4, agent = ?5 \
                 WHERE ordinal = (SELECT ordinal FROM task_ids WHERE id = ?1)",
            )?
            .execute(params![row.id, row.server.0, row.status, row.ended, row.agent])?;
        if changed == 0 {
            return insert_task(connection, row);
        }
        update_task(connection, row)?;
    }
    match &row.prompt {
        Some(prompt) => put_prompt(connection, &row.id, prompt),
        None => Ok(()),
    }
}

/// Writes the columns that no index has. False when there is no such task, or its other columns
/// change as well.
fn update_task(connection: &Connection, row: &TaskRow) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(
            "UPDATE tasks SET resolved = ?6, workspace = ?7, session = ?8, handle = ?9, created_at = ?10, \
             finished_at = ?11, last_seq = ?12, body = ?13 \
             WHERE ordinal = (SELECT ordinal FROM task_ids WHERE id = ?1) \
             AND +server = ?2 AND +status = ?3 AND ended = ?4 AND +agent = ?5",
        )?
        .execute(params![
            row.id,
            row.server.0,
            row.status,
            row.ended,
            row.agent,
            row.resolved,
            row.workspace,
            row.session,
            row.handle,
            row.created_at,
            row.finished_at,
            row.last_seq.cast_signed(),
            row.body,
        ])?;
    Ok(changed > 0)
}

fn insert_task(connection: &Connection, row: &TaskRow) -> rusqlite::Result<()> {
    let ordinal: i64 = connection
        .prepare_cached("INSERT INTO task_ids (id) VALUES (?1) RETURNING ordinal")?
        .query_row([&row.id], |given| given.get(0))?;
    connection
        .prepare_cached(
            "INSERT INTO tasks (ordinal, id, server, status, ended, agent, client_key, resolved, workspace, session, \
             handle, created_at, finished_at, last_seq, body) \
             VALUES (:ordinal, :id, :server, :status, :ended, :agent, :client_key, :resolved, :workspace, :session, \
             :handle, :created_at, :finished_at, :last_seq, :body)",
        )?
        .execute(named_params! {
            ":ordinal": ordinal,
            ":id": row.id,
            ":server": row.server.0,
            ":status": row.status,
            ":ended": row.ended,
            ":agent": row.agent,
            ":client_key": row.client_key,
            ":resolved": row.resolved,
            ":workspace": row.workspace,
            ":session": row.session,
            ":handle": row.handle,
            ":created_at": row.created_at,
            ":finished_at": row.finished_at,
            ":last_seq": row.last_seq.cast_signed(),
            ":body": row.body,
        })?;
    match &row.prompt {
        Some(prompt) => put_prompt(connection, &row.id, prompt),
        None => Ok(()),
    }
}

/// Keeps a prompt that is there.
fn put_prompt(connection: &Connection, id: &str, prompt: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO prompts (ordinal, prompt) SELECT ordinal, ?2 FROM task_ids WHERE id = ?1",
        )?
        .execute([id, prompt])?;
    Ok(())
}

/// Removes the row and the prompt; the id and its ordinal stay.
pub(super) fn forget_task(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM prompts WHERE ordinal = (SELECT ordinal FROM task_ids WHERE id = ?1)",
        "DELETE FROM tasks WHERE ordinal = (SELECT ordinal FROM task_ids WHERE id = ?1)",
    ] {
        connection.prepare_cached(sql)?.execute([id])?;
    }
    Ok(())
}

pub(super) fn put_lease(connection: &Connection, row: &LeaseRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO leases (handle, server, state, ended, last_seq, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (handle) DO UPDATE SET server = excluded.server, state = excluded.state, \
             ended = excluded.ended, last_seq = excluded.last_seq, body = excluded.body",
        )?
        .execute(params![row.handle, row.server.0, row.state, row.ended, row.last_seq.cast_signed(), row.body])?;
    Ok(())
}

pub(super) fn put_host(connection: &Connection, row: &HostRow) -> rusqlite::Result<()> {
    let stream = row.stream.as_ref().map(StreamName::as_str);
    connection
        .prepare_cached(
            "INSERT INTO hosts (id, server, stream, out, err, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (id) DO UPDATE SET server = excluded.server, stream = excluded.stream, \
             out = excluded.out, err = excluded.err, body = excluded.body",
        )?
        .execute(params![row.id, row.server.0, stream, row.out.cast_signed(), row.err.cast_signed(), row.body])?;
    Ok(())
}

pub(super) fn remove_host(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM hosts WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Gives the rows of a stream that name its old owner to the new one.
pub(super) fn hand_over(
    connection: &Connection,
    name: &StreamName,
    old: &InstanceId,
    new: &InstanceId,
) -> rusqlite::Result<()> {
    let own = match name.kind() {
        TASK => Some(
            "UPDATE tasks SET server = ?1 \
             WHERE ordinal = (SELECT ordinal FROM task_ids WHERE id = ?3) AND server = ?2",
        ),
        RUN => Some("UPDATE runs SET server = ?1 WHERE id = ?3 AND server = ?2"),
        LEASE => Some("UPDATE leases SET server = ?1 WHERE handle = ?3 AND server = ?2"),
        _ => None,
    };
    if let Some(sql) = own {
        connection.prepare_cached(sql)?.execute([&new.0, &old.0, name.id()])?;
    }
    connection.prepare_cached("UPDATE hosts SET server = ?1 WHERE stream = ?3 AND server = ?2")?.execute([
        &new.0,
        &old.0,
        name.as_str(),
    ])?;
    Ok(())
}
