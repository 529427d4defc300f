//! Versioned documents.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::Document;

const COLUMNS: &str = "workspace, kind, id, version, ordinal, created_at, updated_at, body";

fn document_row(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        workspace: row.get(0)?,
        kind: row.get(1)?,
        id: row.get(2)?,
        version: row.get::<_, i64>(3)?.cast_unsigned(),
        ordinal: row.get::<_, i64>(4)?.cast_unsigned(),
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
        body: row.get(7)?,
    })
}

pub(in super::super) fn document(
    connection: &Connection,
    workspace: &str,
    kind: &str,
    id: &str,
) -> rusqlite::Result<Option<Document>> {
    let sql = format!("SELECT {COLUMNS} FROM documents WHERE workspace = ?1 AND kind = ?2 AND id = ?3");
    connection.prepare_cached(&sql)?.query_row([workspace, kind, id], document_row).optional()
}

pub(in super::super) fn documents(
    connection: &Connection,
    workspace: &str,
    kind: &str,
) -> rusqlite::Result<Vec<Document>> {
    let sql = format!("SELECT {COLUMNS} FROM documents WHERE workspace = ?1 AND kind = ?2 ORDER BY ordinal");
    connection.prepare_cached(&sql)?.query_map([workspace, kind], document_row)?.collect()
}
