//! Stability: what many Runs of one flow say about a node.

use NodeStatus::{Cancelled, Failed, Running, Skipped, Succeeded};
use serde_json::json;

use super::*;

const TASK: &str = "task_0123456789ab";

fn report(runs: &[RunFacts]) -> Value {
    wire(&stability(TASK, &chain(), runs).expect("consistent"))
}

fn failed(number: u8) -> RunFacts {
    run(number, chain(), RunStatus::Failed, &[("draft", Succeeded), ("gate", Failed)])
}

#[test]
fn the_reply_without_any_run() {
    let node = |id: &str| {
        json!({
            "node_id": id, "classification": "not_observed", "observed_run_count": 0, "succeeded_count": 0,
            "failure_count": 0, "latest_status": null, "executors": [], "evidence_levels": [],
        })
    };
    let expected = json!({
        "api_version": "symphlo.io/v1alpha1", "kind": "RunStabilityReport", "task_id": TASK,
        "flow_hash": chain().hash().as_str(), "comparable_run_count": 0, "run_ids": [],
        "nodes": [node("draft"), node("gate"), node("publish")],
    });
    assert_eq!(report(&[]), expected);
}

/// Contract §18: the five classifications.
#[test]
fn nodes_are_classified_by_what_was_observed() {
    let classes = |runs: &[RunFacts]| {
        let report = report(runs);
        let classes = report["nodes"].as_array().expect("nodes").iter().map(|node| node["classification"].as_str());
        classes.collect::<Option<Vec<_>>>().expect("words").join(" ")
    };
    let cancelled = run(3, chain(), RunStatus::Cancelled, &[("draft", Succeeded), ("gate", Cancelled)]);
    assert_eq!(classes(&[succeeded(1)]), "insufficient_evidence insufficient_evidence insufficient_evidence");
    assert_eq!(classes(&[failed(1)]), "insufficient_evidence insufficient_evidence not_observed");
    assert_eq!(classes(&[succeeded(1), succeeded(2)]), "stable_success stable_success stable_success");
    assert_eq!(classes(&[failed(1), cancelled]), "stable_success repeated_failure not_observed");
    assert_eq!(classes(&[succeeded(1), failed(2)]), "stable_success unstable insufficient_evidence");
}

/// Contract §18: terminal, non-fork Runs with that exact task and hash, chronologically.
#[test]
fn only_comparable_runs_count() {
    let mut other_task = succeeded(4);
    other_task.task_id = "task_other".into();
    let runs = [
        succeeded(3),
        failed(1),
        run(2, chain(), RunStatus::Running, &[("draft", Running)]),
        other_task,
        run(5, diamond(), RunStatus::Failed, &[("a", Failed)]),
        fork(6, &failed(1), "gate"),
    ];
    let report = report(&runs);
    assert_eq!(report["comparable_run_count"], 2);
    assert_eq!(report["run_ids"], json!([run_id(1).as_str(), run_id(3).as_str()]));
    assert_eq!(report["nodes"][1]["latest_status"], "succeeded");
    let counts =
        ["observed_run_count", "succeeded_count", "failure_count"].map(|count| report["nodes"][1][count].clone());
    assert_eq!(counts, [json!(2), json!(1), json!(1)]);
}

#[test]
fn executors_and_levels_are_sorted_and_distinct() {
    let mut runs = [succeeded(1), succeeded(2), succeeded(3)];
    runs[0].nodes[0].executor.version = "2".into();
    runs[1].nodes[0].executor.executor_id = "a".into();
    runs[0].nodes[0].evidence_level = EvidenceLevel::RealExecutor;
    runs[1].nodes[0].evidence_level = EvidenceLevel::Deterministic;
    let node = &report(&runs)["nodes"][0];
    let executor = |id: &str, version: &str| json!({ "executor_id": id, "version": version });
    assert_eq!(node["executors"], json!([executor("a", "1"), executor("x", "1"), executor("x", "2")]));
    assert_eq!(node["evidence_levels"], json!(["E1_DETERMINISTIC", "E2_REAL_EXECUTOR"]));
}

#[test]
fn a_skipped_node_was_not_observed_and_a_broken_run_fails_the_report() {
    let nodes = [("a", Succeeded), ("b", Skipped), ("c", Succeeded), ("d", Succeeded)];
    let skipped = run(1, diamond(), RunStatus::Succeeded, &nodes);
    let report = stability(TASK, &diamond(), [&skipped]).expect("consistent");
    assert_eq!(report.nodes[1].observed_run_count, 0);
    let mut broken = succeeded(1);
    broken.finished_at = None;
    assert_eq!(stability(TASK, &chain(), [&broken]), Err(Inconsistent::EndTime(RunStatus::Succeeded)));
}
