//! Comparisons: what differs between two Runs, and which are refused.

use NodeStatus::{Cancelled, Failed, Reused, Succeeded};
use serde_json::json;

use super::{
    super::comparison::{ComparisonError, Report},
    *,
};

fn compared(left: &RunFacts, right: &RunFacts) -> Report {
    compare(left, right).expect("comparable")
}

/// For each node its comparison and differences, and where the Runs first diverge.
fn summary(left: &RunFacts, right: &RunFacts) -> (String, Option<String>) {
    let report = compared(left, right);
    let nodes = report.nodes.iter().map(|node| {
        let differences: Vec<_> = node.differences.iter().map(|difference| difference.as_str()).collect();
        format!("{}[{}]", node.comparison, differences.join(","))
    });
    let divergent = report.first_divergent_node_id.as_ref().map(ToString::to_string);
    assert_eq!(report.overall.as_str(), if divergent.is_some() { "diverged" } else { "equivalent" });
    (nodes.collect::<Vec<_>>().join(" "), divergent)
}

/// Equal runs.
#[test]
fn the_reply_for_equal_runs() {
    let (left, right) = (succeeded(1), succeeded(2));
    let report = wire(&compared(&left, &right));
    let run = |number: u8, second: u8| {
        json!({
            "run_id": run_id(number).as_str(), "status": "succeeded",
            "started_at": format!("1970-01-01T00:00:0{number}.000000+00:00"),
            "finished_at": format!("1970-01-01T00:00:0{second}.000000+00:00"),
            "parent_run_id": null, "forked_from_node_id": null,
        })
    };
    let side = json!({
        "status": "succeeded", "outcome": "succeeded", "execution_mode": "executed",
        "executor": { "executor_id": "x", "version": "1" }, "effects": ["read_local"],
        "evidence_level": "E2_REAL_EXECUTOR",
    });
    let node = |id: &str| {
        json!({
            "node_id": id, "comparison": "same", "differences": [], "same_input": true, "same_outcome": true,
            "same_executor": true, "same_effects": true, "same_output": true, "same_evidence_level": true,
            "left": side, "right": side,
        })
    };
    let expected = json!({
        "api_version": "symphlo.io/v1alpha1", "kind": "RunComparisonReport", "task_id": "task_0123456789ab",
        "flow_hash": chain().hash().as_str(), "overall": "equivalent", "first_divergent_node_id": null,
        "lineage_relation": "unrelated", "left_run": run(1, 2), "right_run": run(2, 3),
        "nodes": [node("draft"), node("gate"), node("publish")],
    });
    assert_eq!(report, expected);
    // No payload and no hash of one is in it.
    assert!(!report.to_string().contains(hash("output").as_str()));
    assert!(!report.to_string().contains(hash("draft").as_str()));
}

/// Different input, different executor version, and every other single difference.
#[test]
fn the_first_substantive_difference_is_the_divergence() {
    type Change = fn(&mut NodeFacts);
    let changes: [(Change, &str); 6] = [
        (|node| node.input_hash = hash("other"), "input"),
        (|node| node.executor.version = "2".into(), "executor"),
        (|node| node.effects = vec![Effect::ReadExternal], "effects"),
        (|node| node.output_hash = Some(hash("other")), "output"),
        (|node| node.output_hash = None, "output"),
        (|node| node.evidence_level = EvidenceLevel::Deterministic, "evidence_level"),
    ];
    for (change, difference) in changes {
        let mut right = succeeded(2);
        change(&mut right.nodes[1]);
        let expected = (format!("same[] changed[{difference}] same[]"), Some("gate".to_owned()));
        assert_eq!(summary(&succeeded(1), &right), expected);
        assert_eq!(summary(&right, &succeeded(1)), expected);
    }
    let mut right = succeeded(2);
    let change_all = |node: &mut NodeFacts| changes.iter().for_each(|(change, _)| change(node));
    right.nodes.iter_mut().for_each(change_all);
    let all = "changed[input,executor,effects,output,evidence_level]";
    assert_eq!(summary(&succeeded(1), &right), ([all; 3].join(" "), Some("draft".into())));
}

/// Fork against parent. The reused prefix is not blamed.
#[test]
fn a_fork_against_its_parent() {
    let parent = rejected(1);
    let child = fork(2, &parent, "gate");
    let expected = "execution_mode_changed[execution_mode] changed[outcome,output] only_right_observed[observation]";
    assert_eq!(summary(&parent, &child), (expected.to_owned(), Some("gate".into())));
    assert_eq!(wire(&compared(&parent, &child))["lineage_relation"], "left_parent_of_right");
    assert_eq!(wire(&compared(&child, &parent))["lineage_relation"], "right_parent_of_left");
    let node = &wire(&compared(&parent, &child))["nodes"][0]["right"];
    assert_eq!(
        (&node["status"], &node["outcome"], &node["execution_mode"]),
        (&json!("reused"), &json!("succeeded"), &json!("reused"))
    );

    let again = fork(3, &succeeded(1), "publish");
    let same = "execution_mode_changed[execution_mode] execution_mode_changed[execution_mode] same[]";
    assert_eq!(summary(&succeeded(1), &again), (same.to_owned(), None));
    assert_eq!(again.nodes[0].status, Reused);
}

/// A failed run against a good one.
#[test]
fn nodes_that_only_one_run_reached() {
    let failed = run(1, chain(), RunStatus::Failed, &[("draft", Failed)]);
    let only_right = "changed[outcome,output] only_right_observed[observation] only_right_observed[observation]";
    assert_eq!(summary(&failed, &succeeded(2)), (only_right.to_owned(), Some("draft".into())));
    let only_left = "changed[outcome,output] only_left_observed[observation] only_left_observed[observation]";
    assert_eq!(summary(&succeeded(2), &failed), (only_left.to_owned(), Some("draft".into())));
    let stopped = run(3, chain(), RunStatus::Cancelled, &[("draft", Succeeded)]);
    let observation = "same[] only_right_observed[observation] only_right_observed[observation]";
    assert_eq!(summary(&stopped, &succeeded(2)), (observation.to_owned(), Some("gate".into())));
    let cancelled = run(4, chain(), RunStatus::Cancelled, &[("draft", Cancelled)]);
    let neither = "changed[outcome] not_observed[] not_observed[]";
    assert_eq!(summary(&failed, &cancelled), (neither.to_owned(), Some("draft".into())));
    let node = &wire(&compared(&failed, &cancelled))["nodes"][1];
    for member in [
        "same_input",
        "same_outcome",
        "same_executor",
        "same_effects",
        "same_output",
        "same_evidence_level",
        "left",
        "right",
    ] {
        assert_eq!(node[member], Value::Null, "{member}");
    }
}

/// Two different flows; one still running. And contract §17: the same Run, another task.
#[test]
fn what_cannot_be_compared() {
    let left = succeeded(1);
    assert_eq!(compare(&left, &left), Err(ComparisonError::Same));
    for status in [RunStatus::Running, RunStatus::CancelRequested] {
        let active = run(2, chain(), status, &[]);
        assert_eq!(compare(&left, &active), Err(ComparisonError::Active(run_id(2))));
        assert_eq!(compare(&active, &left), Err(ComparisonError::Active(run_id(2))));
    }
    let mut other_task = succeeded(2);
    other_task.task_id = "task_other".into();
    assert_eq!(compare(&left, &other_task), Err(ComparisonError::Task));
    let other_flow = run(2, diamond(), RunStatus::Failed, &[]);
    assert_eq!(compare(&left, &other_flow), Err(ComparisonError::Flow));
    let mut broken = succeeded(2);
    broken.nodes.pop();
    let why = Inconsistent::Unfinished(id("publish"));
    assert_eq!(compare(&left, &broken), Err(ComparisonError::Inconsistent(run_id(2), why)));
}
