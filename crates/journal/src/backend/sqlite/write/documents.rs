//! Statements that change documents. Versions were judged before.

use rusqlite::{Connection, params};

use crate::DocumentChange;

pub(super) fn change(connection: &Connection, change: &DocumentChange) -> rusqlite::Result<()> {
    match change {
        DocumentChange::Create { workspace, kind, id, at, body } => connection
            .prepare_cached(
                "INSERT INTO documents (workspace, kind, id, version, created_at, updated_at, body) \
                 VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)",
            )?
            .execute(params![workspace, kind, id, at, body])?,
        DocumentChange::Ensure { workspace, kind, id, at, body } => connection
            .prepare_cached(
                "INSERT INTO documents (workspace, kind, id, version, created_at, updated_at, body) \
                 SELECT ?1, ?2, ?3, 1, ?4, ?4, ?5 \
                 WHERE NOT EXISTS (SELECT 1 FROM documents WHERE workspace = ?1 AND kind = ?2 AND id = ?3)",
            )?
            .execute(params![workspace, kind, id, at, body])?,
        DocumentChange::Update { workspace, kind, id, at, body, expected: _ } => connection
            .prepare_cached(
                "UPDATE documents SET version = version + 1, updated_at = ?4, body = ?5 \
                 WHERE workspace = ?1 AND kind = ?2 AND id = ?3",
            )?
            .execute(params![workspace, kind, id, at, body])?,
        DocumentChange::Delete { workspace, kind, id, expected: _ } => connection
            .prepare_cached("DELETE FROM documents WHERE workspace = ?1 AND kind = ?2 AND id = ?3")?
            .execute([workspace, kind, id])?,
    };
    Ok(())
}
