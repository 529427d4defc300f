//! The plans of the statements: whatever is asked for, an index is searched and nothing is sorted.

use rusqlite::{Connection, ToSql};

use super::{
    super::super::schema::{MIGRATIONS, migrate},
    FORKS, RunFilter, Walks, names,
    walk::{Along, Column, Rest},
    walks,
};

/// A journal with a few Runs, so that there are statuses to walk along.
fn stored() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    migrate(&connection, MIGRATIONS, || true, |_| {}).unwrap();
    for (number, status) in [(1, "running"), (2, "failed"), (3, "succeeded")] {
        connection
            .execute(
                "INSERT INTO runs (id, workspace, server, flow_id, task, flow_hash, status, ended, started_at, waiting, \
                 last_seq, body) VALUES (?1, 'w', 's', 'flow', 'task', 'hash', ?2, 0, ?1, 0, 1, '')",
                (number, status),
            )
            .unwrap();
    }
    connection
}

fn plan(connection: &Connection, sql: &str, values: &[&dyn ToSql]) -> Vec<String> {
    let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    plan.query_map(values, |row| row.get(3)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn every_walk_searches_its_index_in_the_order_of_the_list() {
    let connection = stored();
    let some = |word: &str, given: bool| given.then(|| word.to_owned());
    for case in 0..256_u32 {
        let given = |bit: u32| case >> bit & 1 == 1;
        let filter = RunFilter {
            workspace: "w".to_owned(),
            flow_ids: some("flow", given(0)).into_iter().collect(),
            task: some("task", given(1)),
            flow_hash: some("hash", given(2)),
            status: some("failed", given(3)).into_iter().collect(),
            ended: [None, Some(true), Some(false)][case as usize % 3],
            roots_only: given(4),
            text: some("a", given(5)),
            before: given(6).then(|| (7, "r".to_owned())),
        };
        let rest = Rest::new(&filter);
        let Walks { mut narrow, of_ids } = walks(&connection, &filter).unwrap();
        narrow.extend(of_ids);
        assert!(!narrow.is_empty());
        for walk in narrow {
            let (sql, values) = walk.query(&1, &rest);
            let plan = plan(&connection, &sql, &values);
            let index = match &walk.along {
                Along::Open => "runs_open (workspace=?".to_owned(),
                Along::Status(_) => "runs_by_status (workspace=? AND status=?".to_owned(),
                Along::Column(column, ..) => {
                    format!("{} (workspace=? AND {}=? AND status=?", column.index(), column.name())
                }
            };
            let place = if filter.before.is_some() { " AND (started_at,id)<(?,?))" } else { ")" };
            let [step] = &plan[..] else { panic!("{plan:?} for {sql}") };
            assert!(step.starts_with("SEARCH runs USING ") && step.ends_with(&format!("{index}{place}")), "{step}");
        }
    }
}

#[test]
fn forks_are_found_in_their_order() {
    let step = "SEARCH runs USING COVERING INDEX runs_by_parent (workspace=? AND parent=?)";
    assert_eq!(plan(&stored(), FORKS, &[&"w", &"p", &9]), [step]);
}

#[test]
fn names_are_found_one_look_up_each() {
    let connection = stored();
    for (column, name) in [(Column::Flow, "flow"), (Column::Task, "task"), (Column::Hash, "hash")] {
        let fixed = format!("INDEXED BY {} WHERE workspace = ?1", column.index());
        assert_eq!(names(&connection, column.name(), &fixed, &[&"w"]).unwrap(), [name]);
        let sql = format!("SELECT {0} FROM runs {fixed} AND {0} > ?2 ORDER BY {0} LIMIT 1", column.name());
        let step = format!("SEARCH runs USING COVERING INDEX {} (workspace=? AND {}>?)", column.index(), column.name());
        assert_eq!(plan(&connection, &sql, &[&"w", &""]), [step]);
    }
}
