//! Evidence as a file of its own.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use rusqlite::{Connection, types::Value};
use segue_journal::export::{
    ArtifactEvidence, ContextEntryEvidence, EventEvidence, Evidence, ExportError, FlowEvidence, NodeRunEvidence,
    RunEvidence, export_evidence,
};
use tempfile::TempDir;

fn text(text: &str) -> String {
    text.to_owned()
}

/// One row in each table, two events.
fn evidence() -> Evidence {
    let event = |sequence, node_id: Option<&str>| EventEvidence {
        run_id: text("r"),
        sequence,
        node_id: node_id.map(text),
        event_type: text("run.created"),
        payload_json: text("{}"),
        recorded_at: text("2026-01-02T03:04:05.678901+00:00"),
    };
    Evidence {
        flows: vec![FlowEvidence {
            flow_id: text("f"),
            version: text("1.0.0"),
            semantic_hash: text("h"),
            definition_json: text("{\"ü\":1}"),
        }],
        runs: vec![RunEvidence {
            run_id: text("r"),
            flow_id: text("f"),
            flow_version: text("1.0.0"),
            semantic_hash: text("h"),
            status: text("running"),
            started_at: text("t"),
            finished_at: None,
        }],
        node_runs: vec![NodeRunEvidence {
            run_id: text("r"),
            node_id: text("n"),
            executor_id: text("x"),
            executor_version: text("2"),
            effects_json: text("[]"),
            evidence_level: text("E1_DETERMINISTIC"),
            status: text("succeeded"),
            input_json: text("{}"),
            output_json: Some(text("{}")),
        }],
        events: vec![event(1, None), event(2, Some("n"))],
        context_entries: vec![ContextEntryEvidence {
            run_id: text("r"),
            sequence: 1,
            node_id: text("n"),
            value_json: text("{}"),
        }],
        artifacts: vec![ArtifactEvidence {
            artifact_id: text("a"),
            run_id: text("r"),
            node_id: text("n"),
            name: text("article.md"),
            media_type: text("text/markdown"),
            relative_path: text("artifacts/r/article.md"),
            sha256: text("00"),
        }],
    }
}

/// The tables with their keys, columns and rows.
fn told(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").unwrap();
    let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let table = |name: &String| {
        let mut key = connection.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk").unwrap();
        let key: Vec<String> = key.query_map([name], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let mut rows = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let values = |row: &rusqlite::Row<'_>| {
            (0..columns.len())
                .map(|column| match row.get(column)? {
                    Value::Null => Ok(text("null")),
                    Value::Integer(number) => Ok(number.to_string()),
                    Value::Text(text) => Ok(text),
                    other => panic!("{other:?}"),
                })
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows: Vec<_> = rows.query_map([], values).unwrap().map(|row| row.unwrap().join(" ")).collect();
        format!("{name} [{}] ({}): {}", key.join(" "), columns.join(" "), rows.join(" | "))
    };
    names.iter().map(table).collect()
}

#[test]
fn the_tables_are_those_of_the_contract() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("evidence.sqlite3");
    export_evidence(&path, &evidence()).unwrap();
    assert_eq!(
        told(&path),
        [
            "flows [flow_id version] (flow_id version semantic_hash definition_json): f 1.0.0 h {\"ü\":1}",
            "runs [run_id] (run_id flow_id flow_version semantic_hash status started_at finished_at): \
             r f 1.0.0 h running t null",
            "node_runs [run_id node_id] (run_id node_id executor_id executor_version effects_json evidence_level \
             status input_json output_json): r n x 2 [] E1_DETERMINISTIC succeeded {} {}",
            "events [run_id sequence] (run_id sequence node_id event_type payload_json recorded_at): \
             r 1 null run.created {} 2026-01-02T03:04:05.678901+00:00 | \
             r 2 n run.created {} 2026-01-02T03:04:05.678901+00:00",
            "context_entries [run_id sequence] (run_id sequence node_id value_json): r 1 n {}",
            "artifacts [artifact_id] (artifact_id run_id node_id name media_type relative_path sha256): \
             a r n article.md text/markdown artifacts/r/article.md 00",
        ]
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["evidence.sqlite3"]);
}

#[test]
fn what_is_there_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("evidence.sqlite3");
    let refused = |path: &Path, tables: &Evidence| export_evidence(path, tables).expect_err("it is refused");
    fs::write(&path, "mine").unwrap();
    assert!(matches!(refused(&path, &evidence()), ExportError::Exists { path: named } if named == path));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let twice = Evidence { events: [evidence().events, evidence().events].concat(), ..evidence() };
    assert!(matches!(refused(&folder.path().join("b"), &twice), ExportError::Storage { .. }));
    let nowhere = folder.path().join("missing/evidence.sqlite3");
    assert!(matches!(refused(&nowhere, &evidence()), ExportError::Storage { .. }));
    assert!(matches!(refused(Path::new("/"), &evidence()), ExportError::Storage { .. }));
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["evidence.sqlite3"]);
}
