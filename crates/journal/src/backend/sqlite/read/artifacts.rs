//! Artifact rows.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::ArtifactRow;

const COLUMNS: &str = "id, workspace, run, node, name, media_type, sha256, bytes";

fn artifact_row(row: &Row<'_>) -> rusqlite::Result<ArtifactRow> {
    Ok(ArtifactRow {
        id: row.get(0)?,
        workspace: row.get(1)?,
        run: row.get(2)?,
        node: row.get(3)?,
        name: row.get(4)?,
        media_type: row.get(5)?,
        sha256: row.get(6)?,
        bytes: row.get::<_, i64>(7)?.cast_unsigned(),
    })
}

pub(in super::super) fn artifact(connection: &Connection, id: &str) -> rusqlite::Result<Option<ArtifactRow>> {
    let sql = format!("SELECT {COLUMNS} FROM artifacts WHERE id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], artifact_row).optional()
}

pub(in super::super) fn artifacts_of(connection: &Connection, run: &str) -> rusqlite::Result<Vec<ArtifactRow>> {
    let sql = format!("SELECT {COLUMNS} FROM artifacts WHERE run = ?1 ORDER BY number");
    connection.prepare_cached(&sql)?.query_map([run], artifact_row)?.collect()
}

pub(in super::super) fn names_blob(connection: &Connection, sha256: &str) -> rusqlite::Result<bool> {
    let of = "SELECT 1 FROM artifacts WHERE sha256 = ?1 UNION ALL SELECT 1 FROM run_blobs WHERE sha256 = ?1";
    connection.prepare_cached(of)?.exists([sha256])
}
