//! Forks, comparison and stability (§16–§18).

use serde_json::{Value, json};

use super::{Companion, authorized, chain, hash, plain, text};

const READS: &[&str] = &["execute_process", "read_local"];

/// read → write → last, of which the last one fails until it may not.
fn repairable(companion: &Companion) -> String {
    companion.add("tool.reads", "cli", READS, "cat");
    companion.add("tool.writes", "cli", &["execute_process", "write_local"], "echo >> writes; cat");
    companion.add("tool.last", "cli", READS, "[ -e repaired ] || exit 3; cat");
    companion.save(&chain(
        "repaired-flow",
        &[
            ("read", "tool.task", Some("tool.reads")),
            ("write", "tool.task", Some("tool.writes")),
            ("last", "tool.task", Some("tool.last")),
        ],
    ))
}

fn repair(companion: &Companion) {
    std::fs::write(companion.world.workspace().join("repaired"), "").expect("a file");
}

fn writes(companion: &Companion) -> usize {
    std::fs::read_to_string(companion.world.workspace().join("writes")).unwrap_or_default().lines().count()
}

fn fork(node: &str) -> Value {
    json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": node})
}

#[test]
fn a_fork_takes_over_what_was_accepted_and_runs_the_rest() {
    let companion = Companion::new();
    repairable(&companion);
    let parent = companion.admit("repaired-flow", &json!({}));
    assert_eq!(companion.ended(&parent)["status"], "failed");
    let before = companion.evidence(&parent);
    repair(&companion);
    let path = format!("/api/v1/runs/{parent}/forks");
    let admitted = companion.post(&path, &fork("last"), 202);
    let child = text(&admitted["run_id"]);
    let status = text(&admitted["status"]);
    let expected = json!({"contract_version": "symphlo.run-fork-admission.v1", "parent_run_id": parent,
        "run_id": child, "from_node_id": "last", "status": status});
    assert_eq!(admitted, expected, "the last node writes nothing, so nothing is to be authorized");
    let outcome = companion.ended(&child);
    let statuses: Vec<&Value> =
        outcome["nodes"].as_array().expect("nodes").iter().map(|node| &node["status"]).collect();
    assert_eq!(
        (outcome["status"].as_str(), statuses),
        (Some("succeeded"), vec![&json!("reused"), &json!("reused"), &json!("succeeded")])
    );
    assert_eq!(writes(&companion), 1);
    let evidence = companion.evidence(&child);
    assert_eq!(companion.evidence(&parent), before, "the parent is untouched");
    let (parents, childs) = (&before["nodes"], &evidence["nodes"]);
    for at in 0..2 {
        for member in ["executor_id", "executor_version", "effects_json", "evidence_level", "input_json", "output_json"]
        {
            assert_eq!(childs[at][member], parents[at][member], "{member} of node {at}");
        }
        assert_eq!(childs[at]["status"], "reused");
    }
    let kinds: Vec<Value> = evidence["events"].as_array().expect("events")[..5]
        .iter()
        .map(|event| {
            let payload: Value = serde_json::from_str(event["payload_json"].as_str().expect("text")).expect("JSON");
            json!([event["event_type"], event["node_id"], payload])
        })
        .collect();
    let scope = json!({"node_ids": ["last"], "parent_run_id": parent, "from_node_id": "last"});
    let evaluated = json!({"policy_version": "symphlo.effect-policy.v1", "approval_required": false,
        "input_hash": hash(&evidence["nodes"][0]["input"]), "effects": [], "scope": scope});
    assert_eq!((&kinds[0][0], &kinds[1]), (&json!("run.created"), &json!(["run.effects_evaluated", null, evaluated])));
    assert_eq!(
        kinds[2],
        json!(["run.forked", null, {"parent_run_id": parent, "from_node_id": "last", "reused_node_ids": ["read", "write"]}])
    );
    assert_eq!(kinds[3], json!(["node.reused", "read", {"parent_run_id": parent, "context_sequence": 1}]));
    assert_eq!(kinds[4], json!(["node.reused", "write", {"parent_run_id": parent, "context_sequence": 2}]));
    let run = &evidence["run"];
    let lineage = ["parent_run_id", "forked_from_node_id", "reused_node_ids"].map(|member| run[member].clone());
    assert_eq!(lineage, [json!(parent), json!("last"), json!(["read", "write"])]);
    let history = companion.get("/api/v1/run-history?flow_id=repaired-flow&limit=1");
    let item = &history["items"][0];
    assert_eq!(
        [&item["run_id"], &item["parent_run_id"], &item["forked_from_node_id"], &item["settled_nodes"]],
        [&json!(child), &json!(parent), &json!("last"), &json!(3)]
    );
    companion.end();
}

#[test]
fn what_a_fork_would_write_is_authorized_for_that_fork() {
    let companion = Companion::new();
    repairable(&companion);
    let parent = companion.admit("repaired-flow", &json!({}));
    companion.ended(&parent);
    let path = format!("/api/v1/runs/{parent}/forks");
    let challenge = companion.post(&path, &fork("write"), 428);
    assert_eq!(
        challenge["scope"],
        json!({"node_ids": ["write", "last"], "parent_run_id": parent, "from_node_id": "write"})
    );
    let whole = companion.post("/api/v1/flows/repaired-flow/runs", &super::run_request(&json!({})), 428);
    assert_ne!(whole["authorization_id"], challenge["authorization_id"], "of another scope");
    assert_eq!(companion.post(&path, &authorized(fork("write"), &whole), 428), challenge);
    repair(&companion);
    let child = text(&companion.post(&path, &authorized(fork("write"), &challenge), 202)["run_id"]);
    assert_eq!((&companion.ended(&child)["status"], writes(&companion)), (&json!("succeeded"), 2));
    companion.end();
}

#[test]
fn a_fork_that_cannot_be_is_refused() {
    let companion = Companion::new();
    let local = repairable(&companion);
    let parent = companion.admit("repaired-flow", &json!({}));
    companion.ended(&parent);
    let path = format!("/api/v1/runs/{parent}/forks");
    let refused = |path: &str, body: &Value| companion.refused("POST", path, Some(body));
    let mut extra = fork("last");
    extra["x"] = 1.into();
    for (what, body) in [
        ("no such node", fork("nothing")),
        ("a blank node", fork("  ")),
        ("a member too many", extra),
        ("another version", json!({"contract_version": "symphlo.run-fork-request.v2", "from_node_id": "last"})),
    ] {
        assert_eq!(refused(&path, &body), 400, "{what}");
    }
    assert_eq!(refused("/api/v1/runs/11111111-1111-4111-8111-111111111111/forks", &fork("last")), 404);
    let mut flow = companion.get(&format!("/api/flows/{local}"))["flow"].clone();
    flow["steps"][2]["prompt"] = "Something else".into();
    assert_eq!(companion.ask("PUT", &format!("/api/flows/{local}"), Some(&json!({"flow": flow}))).0, 200);
    assert_eq!(refused(&path, &fork("last")), 400, "the flow is another one by now");
    assert_eq!(companion.ask("DELETE", &format!("/api/flows/{local}"), None).0, 200);
    assert_eq!(refused(&path, &fork("last")), 404, "its saved flow is gone");
    assert_eq!(companion.get("/api/v1/runs")["items"].as_array().map(Vec::len), Some(1));
    companion.end();
}

#[test]
fn runs_are_compared_member_by_member() {
    let companion = Companion::new();
    let local = repairable(&companion);
    let left = companion.admit("repaired-flow", &json!({}));
    companion.ended(&left);
    repair(&companion);
    let right = text(&companion.post(&format!("/api/v1/runs/{left}/forks"), &fork("last"), 202)["run_id"]);
    companion.ended(&right);
    let report = companion.get(&format!("/api/v1/runs/{left}/comparison?other_run_id={right}"));
    let flow_hash = text(&report["flow_hash"]);
    let run = |id: &str, status: &str, parent: Value, from: Value| {
        json!({"run_id": id, "status": status, "started_at": "MOMENT", "finished_at": "MOMENT", "parent_run_id": parent,
            "forked_from_node_id": from})
    };
    let executor = |id: &str| json!({"executor_id": id, "version": "1.0.0"});
    let side = |status: &str, outcome: &str, mode: &str, executor: &Value, effects: &[&str]| {
        json!({"status": status, "outcome": outcome, "execution_mode": mode, "executor": executor, "effects": effects,
            "evidence_level": "E2_REAL_EXECUTOR"})
    };
    let names: Vec<(String, String)> = (0..3)
        .map(|at| text(&report["nodes"][at]["left"]["executor"]["executor_id"]))
        .zip(["READ", "WRITE", "LAST"])
        .map(|(id, name)| (id, name.to_owned()))
        .collect();
    let names: Vec<(&str, &str)> = names.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
    let writes: &[&str] = &["execute_process", "write_local"];
    let taken_over = |id: &str, executor: &Value, effects: &[&str]| {
        json!({"node_id": id, "comparison": "execution_mode_changed", "differences": ["execution_mode"],
            "same_input": true, "same_outcome": true, "same_executor": true, "same_effects": true, "same_output": true,
            "same_evidence_level": true, "left": side("succeeded", "succeeded", "executed", executor, effects),
            "right": side("reused", "succeeded", "reused", executor, effects)})
    };
    let last = executor("LAST");
    let expected = json!({
        "api_version": "symphlo.io/v1alpha1", "kind": "RunComparisonReport", "task_id": local, "flow_hash": "DIGEST",
        "overall": "diverged", "first_divergent_node_id": "last", "lineage_relation": "left_parent_of_right",
        "left_run": run(&left, "failed", Value::Null, Value::Null),
        "right_run": run(&right, "succeeded", left.clone().into(), "last".into()),
        "nodes": [
            taken_over("read", &executor("READ"), READS),
            taken_over("write", &executor("WRITE"), writes),
            {"node_id": "last", "comparison": "changed", "differences": report["nodes"][2]["differences"],
                "same_input": true, "same_outcome": false, "same_executor": true, "same_effects": true,
                "same_output": false, "same_evidence_level": report["nodes"][2]["same_evidence_level"],
                "left": report["nodes"][2]["left"], "right": side("succeeded", "succeeded", "executed", &last, READS)},
        ],
    });
    let ids = [(left.as_str(), left.as_str())];
    let all: Vec<(&str, &str)> = names.iter().copied().chain(ids).collect();
    let shown = |value: &Value| plain_but_ids(value, &all, &[&left, &right]);
    assert_eq!(shown(&report), shown(&expected));
    assert_eq!(
        (report["nodes"][2]["left"]["status"].as_str(), report["nodes"][2]["left"]["outcome"].as_str()),
        (Some("failed"), Some("failed"))
    );
    let turned = companion.get(&format!("/api/v1/runs/{right}/comparison?other_run_id={left}"));
    assert_eq!(
        (&turned["lineage_relation"], &turned["left_run"]),
        (&json!("right_parent_of_left"), &report["right_run"])
    );
    for (wrong, status) in [
        (format!("{left}/comparison"), 400),
        (format!("{left}/comparison?other_run_id={left}"), 400),
        (format!("{left}/comparison?other_run_id={right}&x=1"), 400),
        (format!("{left}/comparison?other_run_id=11111111-1111-4111-8111-111111111111"), 404),
    ] {
        assert_eq!(companion.refused("GET", &format!("/api/v1/runs/{wrong}"), None), status, "{wrong}");
    }
    // Nothing of what was handed over is in it.
    assert!(!report.to_string().contains("Do read"), "{report}");
    let stability = companion.get(&format!("/api/v1/tasks/{local}/stability?flow_hash={flow_hash}"));
    assert_eq!(stability["run_ids"], json!([left]), "forks do not count");
    companion.end();
}

/// As [`plain`], with these ids kept.
fn plain_but_ids(value: &Value, names: &[(&str, &str)], kept: &[&str]) -> Value {
    let marked: Vec<(String, String)> =
        kept.iter().enumerate().map(|(at, id)| ((*id).to_owned(), format!("RUN {at}"))).collect();
    let all: Vec<(&str, &str)> =
        marked.iter().map(|(id, name)| (id.as_str(), name.as_str())).chain(names.iter().copied()).collect();
    plain(value, &all)
}

#[test]
fn stability_counts_what_was_observed() {
    let companion = Companion::new();
    let local = repairable(&companion);
    let mut runs = Vec::new();
    let hash = {
        let run = companion.admit("repaired-flow", &json!({}));
        companion.ended(&run);
        let hash = text(&companion.evidence(&run)["run"]["flow_hash"]);
        runs.push(run);
        hash
    };
    let path = format!("/api/v1/tasks/{local}/stability?flow_hash={hash}");
    let classes = |report: &Value| -> Vec<Value> {
        report["nodes"].as_array().expect("nodes").iter().map(|node| node["classification"].clone()).collect()
    };
    assert_eq!(classes(&companion.get(&path)), ["insufficient_evidence"; 3]);
    let again = |runs: &mut Vec<String>| {
        let run = companion.admit("repaired-flow", &json!({}));
        companion.ended(&run);
        runs.push(run);
    };
    again(&mut runs);
    assert_eq!(classes(&companion.get(&path)), ["stable_success", "stable_success", "repeated_failure"]);
    repair(&companion);
    again(&mut runs);
    let report = companion.get(&path);
    let executor = |at: usize| companion.evidence(&runs[0])["nodes"][at]["executor_id"].clone();
    let node = |at: usize, id: &str, class: &str, failed: u64, latest: &str| {
        json!({"node_id": id, "classification": class, "observed_run_count": 3, "succeeded_count": 3 - failed,
            "failure_count": failed, "latest_status": latest,
            "executors": [{"executor_id": executor(at), "version": "1.0.0"}], "evidence_levels": ["E2_REAL_EXECUTOR"]})
    };
    assert_eq!(
        report,
        json!({
            "api_version": "symphlo.io/v1alpha1", "kind": "RunStabilityReport", "task_id": local, "flow_hash": hash,
            "comparable_run_count": 3, "run_ids": runs,
            "nodes": [node(0, "read", "stable_success", 0, "succeeded"), node(1, "write", "stable_success", 0, "succeeded"),
                node(2, "last", "unstable", 2, "succeeded")],
        })
    );
    for (wrong, status) in [
        (format!("{local}/stability"), 400),
        (format!("{local}/stability?flow_hash={}", &hash[1..]), 400),
        (format!("{local}/stability?flow_hash={}", hash.to_uppercase()), 400),
        (format!("{local}/stability?flow_hash={hash}&flow_hash={hash}"), 400),
        (format!("{local}/stability?flow_hash={}", "0".repeat(64)), 404),
        (format!("task_none/stability?flow_hash={hash}"), 404),
    ] {
        assert_eq!(companion.refused("GET", &format!("/api/v1/tasks/{wrong}"), None), status, "{wrong}");
    }
    companion.end();
}
