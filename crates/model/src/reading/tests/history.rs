//! Histories: which Runs a query lists, and what makes it fail.

use serde_json::json;

use super::{
    super::history::{Query, QueryError},
    *,
};

fn query(flow_ids: &[&str], limit: &str) -> Result<Query, QueryError> {
    let ids = flow_ids.iter().map(|id| ("flow_id", *id));
    Query::read(ids.chain([("limit", limit)]))
}

#[test]
fn a_query_is_exact() {
    let many: Vec<String> = (0..33).map(|index| format!("flow-{index}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(query(&many[..32], "100").map(|query| (query.flow_ids.len(), query.limit)), Ok((32, 100)));
    let (longest, longer) = ("x".repeat(128), "x".repeat(129));
    assert!(query(&[&longest, "Ab0", "0._-"], "1").is_ok());
    for ids in [&many[..], &[], &["ab"], &["a b c"], &["abc", "abc"], &[""], &["-abc"], &[".abc"], &[&longer]] {
        assert_eq!(query(ids, "1"), Err(QueryError::FlowIds), "{ids:?}");
    }
    for limit in ["0", "101", "", "+5", "-1", " 5", "5.0", "1e1", "٣", "99999999999999999999999"] {
        assert_eq!(query(&["abc"], limit), Err(QueryError::Limit), "{limit}");
    }
    assert_eq!(Query::read([("flow_id", "abc")]), Err(QueryError::Limit));
    assert_eq!(Query::read([("flow_id", "abc"), ("limit", "1"), ("limit", "1")]), Err(QueryError::Limit));
    assert_eq!(Query::read([("flow_id", "abc"), ("limit", "1"), ("page", "1")]), Err(QueryError::UnknownParameter));
    assert_eq!(Query::read([]), Err(QueryError::FlowIds));
}

#[test]
fn the_newest_come_first_and_the_rest_is_cut() {
    let parent = rejected(1);
    let child = fork(2, &parent, "gate");
    let mut twin = succeeded(3);
    twin.started_at = child.started_at;
    let mut other = succeeded(4);
    other.flow = flow(
        r#"{"node_id":"a","title":"a","kind":"artifact.task","executor":{"executor_id":"x","version":"1"},"effects":["read_local"],"input_from":null,"instruction":null}"#,
    );
    other.nodes.truncate(1);
    other.nodes[0].node_id = id("a");
    let runs = [parent, child, twin, other];
    let asked = query(&["note-digest", "nobody"], "100").expect("valid");
    let history = history(&asked, &runs).expect("consistent");
    let order: Vec<_> = history.items.iter().map(|item| item.run_id.clone()).collect();
    assert_eq!(order, [run_id(4), run_id(3), run_id(2), run_id(1)]);
    let expected = json!({
        "run_id": "02020202-0202-4202-8202-020202020202",
        "flow_id": "note-digest",
        "status": "succeeded",
        "started_at": "1970-01-01T00:00:02.000000+00:00",
        "finished_at": "1970-01-01T00:00:03.000000+00:00",
        "settled_nodes": 3,
        "total_nodes": 3,
        "parent_run_id": "01010101-0101-4101-8101-010101010101",
        "forked_from_node_id": "gate",
    });
    assert_eq!(wire(&history.items[2]), expected);
    assert_eq!(wire(&history)["flow_ids"], json!(["note-digest", "nobody"]));

    let two = super::history(&query(&["note-digest"], "2").expect("valid"), &runs).expect("consistent");
    assert_eq!(two.items.len(), 2);
    let nobody = super::history(&query(&["nobody"], "2").expect("valid"), &runs).expect("consistent");
    assert_eq!(
        wire(&nobody),
        json!({ "contract_version": "symphlo.run-history.v1", "flow_ids": ["nobody"], "items": [] })
    );
}

/// Contract §12.4: inconsistent matching evidence fails the whole request, and only matching evidence.
#[test]
fn one_broken_run_fails_the_history_of_its_flow() {
    let mut broken = succeeded(1);
    broken.finished_at = None;
    let runs = [succeeded(2), broken];
    let asked = |flow| history(&query(&[flow], "1").expect("valid"), &runs).is_ok();
    assert!(!asked("note-digest"));
    assert!(asked("other-flow"));
}
