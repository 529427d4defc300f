//! Outcomes: progress, failures, and evidence that contradicts itself.

use NodeStatus::{Cancelled, Failed, Reused, Running, Skipped, Succeeded};
use serde_json::json;

use super::*;

fn artifact(owner: u8, node: &str) -> ArtifactFacts {
    ArtifactFacts {
        artifact_id: ArtifactId::from_bytes([9; 16]),
        run_id: run_id(owner),
        node_id: id(node),
        name: "result.md".into(),
        media_type: "text/markdown".into(),
        sha256: hash("bytes"),
    }
}

fn statuses(run: &RunFacts) -> String {
    let outcome = outcome(run).expect("consistent");
    let statuses: Vec<_> = outcome.nodes.iter().map(|node| node.status.as_str()).collect();
    format!("{} {}/{}", statuses.join(","), outcome.progress.settled_nodes, outcome.progress.total_nodes)
}

#[test]
fn the_reply_of_a_run_that_succeeded() {
    let mut run = succeeded(1);
    run.artifacts.push(artifact(1, "publish"));
    let expected = json!({
        "contract_version": "symphlo.run-outcome.v1",
        "run_id": "01010101-0101-4101-8101-010101010101",
        "flow_id": "note-digest",
        "status": "succeeded",
        "started_at": "1970-01-01T00:00:01.000000+00:00",
        "finished_at": "1970-01-01T00:00:02.000000+00:00",
        "progress": { "settled_nodes": 3, "total_nodes": 3 },
        "nodes": [
            { "node_id": "draft", "node_type": "model.task", "status": "succeeded" },
            { "node_id": "gate", "node_type": "evaluation.task", "status": "succeeded" },
            { "node_id": "publish", "node_type": "artifact.task", "status": "succeeded" },
        ],
        "artifacts": [{
            "artifact_id": "09090909-0909-4909-8909-090909090909",
            "name": "result.md",
            "media_type": "text/markdown",
            "sha256": hash("bytes").as_str(),
            "content_url": "/api/v1/artifacts/09090909-0909-4909-8909-090909090909/content",
        }],
        "failure": null,
    });
    assert_eq!(wire(&outcome(&run).expect("consistent")), expected);
}

/// What was not reached is pending while the Run goes on, and skipped once it has ended.
#[test]
fn nodes_that_were_not_reached() {
    use RunStatus::{CancelRequested, Cancelled as RunCancelled, Failed as RunFailed, Running as RunRunning};
    for (status, nodes, expected) in [
        (RunRunning, vec![], "pending,pending,pending 0/3"),
        (RunRunning, vec![("draft", Running)], "running,pending,pending 0/3"),
        (CancelRequested, vec![("draft", Succeeded), ("gate", Running)], "succeeded,running,pending 1/3"),
        (RunCancelled, vec![("draft", Succeeded), ("gate", Cancelled)], "succeeded,cancelled,skipped 3/3"),
        (RunCancelled, vec![], "skipped,skipped,skipped 3/3"),
        (RunFailed, vec![("draft", Reused), ("gate", Failed)], "reused,failed,skipped 3/3"),
    ] {
        assert_eq!(statuses(&run(1, chain(), status, &nodes)), expected);
    }
}

#[test]
fn why_a_run_failed() {
    let failure = |run: &RunFacts| wire(&outcome(run).expect("consistent").failure);
    let rejection = json!({ "code": "evaluation_rejected", "node_id": "gate", "repair_from_node_id": "draft" });
    assert_eq!(failure(&rejected(1)), rejection);
    let malformed = run(1, chain(), RunStatus::Failed, &[("draft", Succeeded), ("gate", Failed)]);
    let node = json!({ "code": "node_failed", "node_id": "gate", "repair_from_node_id": null });
    assert_eq!(failure(&malformed), node);
    let nothing = run(1, chain(), RunStatus::Failed, &[("draft", Succeeded)]);
    let none = json!({ "code": "run_failed", "node_id": null, "repair_from_node_id": null });
    assert_eq!(failure(&nothing), none);
    let cancelled = run(1, chain(), RunStatus::Cancelled, &[("draft", Cancelled)]);
    assert_eq!(failure(&cancelled), Value::Null);
}

/// Contract §12.2, graph documents: any downward-closed set may be settled.
#[test]
fn a_graph_may_be_settled_anywhere_its_edges_allow() {
    use RunStatus::{Failed as RunFailed, Running as RunRunning, Succeeded as RunSucceeded};
    for (status, nodes, expected) in [
        (
            RunRunning,
            vec![("a", Succeeded), ("c", Succeeded), ("b", Running)],
            "succeeded,running,succeeded,pending 2/4",
        ),
        // One branch failed; the other is still under way, and nothing new starts.
        (RunRunning, vec![("a", Succeeded), ("b", Failed), ("c", Running)], "succeeded,failed,running,pending 2/4"),
        (RunFailed, vec![("a", Succeeded), ("b", Failed), ("c", Succeeded)], "succeeded,failed,succeeded,skipped 4/4"),
        (
            RunSucceeded,
            vec![("a", Succeeded), ("b", Skipped), ("c", Succeeded), ("d", Succeeded)],
            "succeeded,skipped,succeeded,succeeded 4/4",
        ),
    ] {
        assert_eq!(statuses(&run(1, diamond(), status, &nodes)), expected);
    }
    for nodes in [
        vec![("b", Running)],
        vec![("a", Running), ("b", Running)],
        vec![("a", Succeeded), ("b", Succeeded), ("d", Running)],
    ] {
        let broken = run(1, diamond(), RunRunning, &nodes);
        assert!(matches!(outcome(&broken), Err(Inconsistent::OutOfOrder(_))), "{nodes:?}");
    }
}

/// Contract §12.2: evidence that contradicts itself has no outcome. Unknown words and malformed digests cannot
/// become facts at all.
#[test]
fn contradictions_have_no_outcome() {
    use RunStatus::{Cancelled as RunCancelled, Failed as RunFailed, Running as RunRunning, Succeeded as RunSucceeded};
    let mut cases: Vec<(RunFacts, Inconsistent)> = Vec::new();
    let mut case = |run: RunFacts, why: Inconsistent| cases.push((run, why));
    let made = |status, nodes: &[(&str, NodeStatus)]| run(1, chain(), status, nodes);

    case(made(RunRunning, &[("other", Running)]), Inconsistent::UnknownNode(id("other")));
    case(made(RunRunning, &[("draft", Succeeded), ("draft", Succeeded)]), Inconsistent::DuplicateNode(id("draft")));
    case(made(RunRunning, &[("gate", Running)]), Inconsistent::OutOfOrder(id("gate")));
    case(made(RunRunning, &[("gate", Running), ("draft", Succeeded)]), Inconsistent::OutOfOrder(id("gate")));
    case(made(RunRunning, &[("draft", Running), ("gate", Running)]), Inconsistent::OutOfOrder(id("gate")));
    case(made(RunFailed, &[("draft", Failed), ("gate", Failed)]), Inconsistent::OutOfOrder(id("gate")));
    case(made(RunRunning, &[("draft", Skipped)]), Inconsistent::OutOfOrder(id("draft")));
    case(made(RunFailed, &[("draft", Running)]), Inconsistent::Unfinished(id("draft")));
    case(made(RunCancelled, &[("draft", Running)]), Inconsistent::Unfinished(id("draft")));
    case(made(RunSucceeded, &[("draft", Succeeded)]), Inconsistent::Unfinished(id("gate")));
    case(made(RunSucceeded, &[("draft", Failed)]), Inconsistent::Unfinished(id("draft")));

    let mut endless = succeeded(1);
    endless.finished_at = None;
    case(endless, Inconsistent::EndTime(RunSucceeded));
    let mut ended = made(RunRunning, &[]);
    ended.finished_at = Some(Timestamp(0));
    case(ended, Inconsistent::EndTime(RunRunning));

    for foreign in [artifact(2, "publish"), artifact(1, "other")] {
        let mut run = succeeded(1);
        let artifact_id = foreign.artifact_id.clone();
        run.artifacts.push(foreign);
        case(run, Inconsistent::ForeignArtifact(artifact_id));
    }

    let reject = |node: &str, from: &str| Some(Rejection { node_id: id(node), repair_from_node_id: id(from) });
    for (rejection, node) in [
        (reject("gate", "gate"), "gate"),
        (reject("gate", "publish"), "gate"),
        (reject("gate", "other"), "gate"),
        (reject("draft", "draft"), "draft"),
        (reject("other", "draft"), "other"),
    ] {
        let mut run = rejected(1);
        run.rejection = rejection;
        case(run, Inconsistent::Rejection(id(node)));
    }
    let mut passed = succeeded(1);
    passed.rejection = reject("gate", "draft");
    case(passed, Inconsistent::Rejection(id("gate")));

    let mut half = succeeded(1);
    half.parent_run_id = Some(run_id(2));
    case(half, Inconsistent::Lineage);
    let mut other_half = succeeded(1);
    other_half.forked_from_node_id = Some(id("gate"));
    case(other_half, Inconsistent::Lineage);
    let mut nowhere = fork(1, &rejected(2), "gate");
    nowhere.forked_from_node_id = Some(id("other"));
    case(nowhere, Inconsistent::UnknownNode(id("other")));

    for (run, why) in cases {
        assert_eq!(outcome(&run), Err(why));
    }
    assert_eq!(RunStatus::parse("paused"), None);
    assert_eq!(NodeStatus::parse("pending"), None);
}
