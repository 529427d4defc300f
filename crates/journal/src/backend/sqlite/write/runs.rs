//! Statements that change rows of Runs and artifacts.

use rusqlite::{Connection, named_params, params};

use crate::{ArtifactRow, RunRow};

/// Inserts or replaces a Run. A live one is replaced at each step and only its unindexed columns
/// change, so that is tried first.
pub(super) fn put_run(connection: &Connection, row: &RunRow) -> rusqlite::Result<()> {
    if update_run(connection, row)? {
        return Ok(());
    }
    let changed = connection
        .prepare_cached(
            "UPDATE runs SET flow_id = ?2, task = ?3, flow_hash = ?4, status = ?5, ended = ?6, started_at = ?7 \
             WHERE id = ?1",
        )?
        .execute(params![row.id, row.flow_id, row.task, row.flow_hash, row.status, row.ended, row.started_at])?;
    if changed == 0 {
        return insert_run(connection, row);
    }
    update_run(connection, row)?;
    Ok(())
}

/// Writes the columns that no index has. False when there is no such Run, or its other columns
/// change as well.
fn update_run(connection: &Connection, row: &RunRow) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(
            "UPDATE runs SET server = ?8, waiting = ?9, finished_at = ?10, parent = ?11, forked_from = ?12, \
             last_seq = ?13, body = ?14 \
             WHERE id = ?1 AND +flow_id IS ?2 AND +task IS ?3 AND +flow_hash = ?4 AND +status = ?5 AND ended = ?6 \
             AND +started_at = ?7",
        )?
        .execute(params![
            row.id,
            row.flow_id,
            row.task,
            row.flow_hash,
            row.status,
            row.ended,
            row.started_at,
            row.server.0,
            row.waiting,
            row.finished_at,
            row.parent,
            row.forked_from,
            row.last_seq.cast_signed(),
            row.body,
        ])?;
    Ok(changed > 0)
}

fn insert_run(connection: &Connection, row: &RunRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO runs (id, workspace, server, flow_id, task, flow_hash, status, ended, parent, started_at, \
             admission_key, waiting, finished_at, forked_from, last_seq, body) \
             VALUES (:id, :workspace, :server, :flow_id, :task, :flow_hash, :status, :ended, :parent, :started_at, \
             :admission_key, :waiting, :finished_at, :forked_from, :last_seq, :body)",
        )?
        .execute(named_params! {
            ":id": row.id,
            ":workspace": row.workspace,
            ":server": row.server.0,
            ":flow_id": row.flow_id,
            ":task": row.task,
            ":flow_hash": row.flow_hash,
            ":status": row.status,
            ":ended": row.ended,
            ":parent": row.parent,
            ":started_at": row.started_at,
            ":admission_key": row.admission_key,
            ":waiting": row.waiting,
            ":finished_at": row.finished_at,
            ":forked_from": row.forked_from,
            ":last_seq": row.last_seq.cast_signed(),
            ":body": row.body,
        })?;
    Ok(())
}

/// Keeps an artifact that is there.
pub(super) fn put_artifact(connection: &Connection, row: &ArtifactRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO artifacts (id, workspace, run, node, name, media_type, sha256, bytes) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            row.id,
            row.workspace,
            row.run,
            row.node,
            row.name,
            row.media_type,
            row.sha256,
            row.bytes.cast_signed(),
        ])?;
    Ok(())
}

/// Notes that the events of a Run name a blob.
pub(super) fn name_blob(connection: &Connection, run: &str, sha256: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO run_blobs (sha256, run) VALUES (?1, ?2)")?
        .execute([sha256, run])?;
    Ok(())
}

/// Removes the rows of a Run and returns the digests that its artifacts and events named.
pub(super) fn forget_run(connection: &Connection, id: &str) -> rusqlite::Result<Vec<String>> {
    connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id])?;
    let mut named = Vec::new();
    for table in ["artifacts", "run_blobs"] {
        let mut removal = connection.prepare_cached(&format!("DELETE FROM {table} WHERE run = ?1 RETURNING sha256"))?;
        for sha256 in removal.query_map([id], |row| row.get::<_, String>(0))? {
            named.push(sha256?);
        }
    }
    Ok(named)
}
