//! From admission to evidence (§5–§9, §12, §22).

use serde_json::{Value, json};

use super::{Companion, canonical, chain, digest, hash, plain, text, without};

/// The model of these tests: says what it was given.
const MODEL: &str = r#"cat > asked
printf '%s' '{"contract_version":"symphlo.model-inference-result.v1","output":" A digest \n"}'"#;

/// A gate that lets everything through, and one that nothing passes.
const PASS: &str = r#"cat > judged
printf '%s' '{"contract_version":"symphlo.evaluation-result.v1","verdict":"pass","summary":"Fine","findings":[]}'"#;
const FAIL: &str = r#"cat > /dev/null
printf '%s' '{"contract_version":"symphlo.evaluation-result.v1","verdict":"fail","summary":"Not yet","findings":[{"code":"names.missing","message":"A name is missing"},{"code":"a.b","message":"Too short"}]}'"#;

const READS: &[&str] = &["execute_process", "read_local"];

/// Type, node and payload of every event, in words that stay the same; numbers have no gap.
fn record(evidence: &Value, names: &[(&str, &str)]) -> Vec<Value> {
    let run = &evidence["run"]["run_id"];
    let events = evidence["events"].as_array().expect("events").iter();
    let rows = events.zip(1..).map(|(event, sequence)| {
        let payload: Value = serde_json::from_str(event["payload_json"].as_str().expect("text")).expect("JSON");
        assert_eq!(event["payload_json"], canonical(&payload));
        let row = without(event.clone(), &["payload"]);
        let expected = json!({"run_id": run, "sequence": sequence, "node_id": row["node_id"],
            "event_type": row["event_type"], "payload_json": row["payload_json"], "recorded_at": row["recorded_at"]});
        assert_eq!(row, expected);
        assert_eq!(plain(&row["recorded_at"], &[]), "MOMENT");
        json!([row["event_type"], row["node_id"], plain(&payload, names)])
    });
    rows.collect()
}

/// Executor, level, status, input and output of every node: the columns of the published table.
fn rows(evidence: &Value) -> Vec<Value> {
    let nodes = evidence["nodes"].as_array().expect("nodes").iter();
    let rows = nodes.map(|node| {
        let row = without(node.clone(), &["effects", "input", "output", "attempts", "round"]);
        assert_eq!(row["effects_json"], canonical(&node["effects"]));
        for (column, value) in [("input_json", &node["input"]), ("output_json", &node["output"])] {
            let expected = if value.is_null() { Value::Null } else { canonical(value).into() };
            assert_eq!(row[column], expected);
        }
        row
    });
    rows.collect()
}

#[test]
fn the_golden_flow_leaves_the_evidence_that_is_published() {
    let companion = Companion::new();
    let admitted = companion.post("/api/v1/flows/observable-golden-loop/runs", &super::run_request(&json!({})), 202);
    let run = text(&admitted["run_id"]);
    let status = text(&admitted["status"]);
    assert!(["running", "succeeded"].contains(&status.as_str()), "{admitted}");
    assert_eq!(
        plain(&admitted, &[(&run, "RUN"), (&status, "STATUS")]),
        json!({"contract_version": "symphlo.run-admission.v1", "flow_id": "observable-golden-loop", "run_id": "RUN",
            "status": "STATUS"})
    );
    let outcome = companion.ended(&run);
    let artifact = outcome["artifacts"][0].clone();
    let artifact_id = text(&artifact["artifact_id"]);
    let node = |id: &str, kind: &str| json!({"node_id": id, "node_type": kind, "status": "succeeded"});
    let order = ["plan-article", "draft-article", "review-draft", "revise-article", "publish-article"];
    assert_eq!(
        plain(&outcome, &[(&run, "RUN"), (&artifact_id, "ARTIFACT")]),
        json!({
            "contract_version": "symphlo.run-outcome.v1", "run_id": "RUN", "flow_id": "observable-golden-loop",
            "status": "succeeded", "started_at": "MOMENT", "finished_at": "MOMENT",
            "progress": {"settled_nodes": 5, "total_nodes": 5},
            "nodes": [node(order[0], "agent.task"), node(order[1], "agent.task"), node(order[2], "agent.task"),
                node(order[3], "agent.task"), node(order[4], "artifact.task")],
            "artifacts": [{"artifact_id": "ARTIFACT", "name": "article.md", "media_type": "text/markdown",
                "sha256": "DIGEST", "content_url": "/api/v1/artifacts/ARTIFACT/content"}],
            "failure": null,
        })
    );
    let content = companion.server.send("GET", &text(&artifact["content_url"]), None);
    assert_eq!(content.status, 200);
    assert_eq!(digest(&content.body), artifact["sha256"]);
    assert!(String::from_utf8_lossy(&content.body).contains("No model took part"), "the fixture says what it is");
    let headers = ["content-type", "content-disposition", "cache-control"].map(|name| content.header(name));
    assert_eq!(headers, ["text/markdown", "inline; filename=\"article.md\"", "no-store"]);
    let evidence = companion.evidence(&run);
    let kinds: Vec<&str> = evidence["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter_map(|event| event["event_type"].as_str())
        .collect();
    let plain_node = ["node.ready", "executor.started", "result.accepted", "node.succeeded"];
    let session = |kind| ["node.ready", "executor.started", kind, "result.accepted", "node.succeeded"];
    let expected = [
        &["run.created", "run.effects_evaluated"][..],
        &plain_node,
        &session("executor.session.bound"),
        &plain_node,
        &session("executor.session.reused"),
        &["node.ready", "executor.started", "result.accepted", "artifact.created", "node.succeeded"],
        &["run.succeeded"],
    ];
    assert_eq!(kinds, expected.concat());
    assert_eq!(kinds.len(), 26);
    let input = &evidence["nodes"][0]["input"];
    assert_eq!(input["topic"], "How durable hand-offs keep agents honest", "the default of report_focus");
    assert_eq!(input.get("report_focus"), None, "it replaces the topic");
    let record = record(&evidence, &[(&run, "RUN")]);
    let flow_hash = text(&evidence["run"]["flow_hash"]);
    let scope = json!({"node_ids": order, "parent_run_id": null, "from_node_id": null});
    assert_eq!(
        record[0][2],
        plain(&json!({"flow_id": "observable-golden-loop", "version": "1.0.0", "semantic_hash": flow_hash}), &[])
    );
    assert_eq!(
        record[1][2],
        json!({"policy_version": "symphlo.effect-policy.v1", "approval_required": false, "input_hash": "DIGEST",
            "effects": [], "scope": scope})
    );
    let payload = |at: usize| -> Value {
        serde_json::from_str(evidence["events"][at]["payload_json"].as_str().expect("text")).expect("JSON")
    };
    assert_eq!(payload(1)["input_hash"], hash(input), "the hash of the resolved input");
    let (bound, reused) = (payload(8), payload(17));
    assert_eq!((&bound["session_group"], &bound["reused"]), (&json!("worker_loop"), &json!(false)));
    assert_eq!((&reused["session_group"], &reused["reused"]), (&json!("worker_loop"), &json!(true)));
    assert_eq!(bound["conversation_ref"], reused["conversation_ref"]);
    assert_ne!(bound["turn_ref"], reused["turn_ref"]);
    let levels: Vec<Value> = rows(&evidence).iter().map(|row| row["evidence_level"].clone()).collect();
    let (e1, e2) = ("E1_DETERMINISTIC", "E2_REAL_EXECUTOR");
    assert_eq!(levels, [e1, e2, e1, e2, e1]);
    let history = companion.get("/api/v1/run-history?flow_id=observable-golden-loop&limit=10");
    assert_eq!(
        history,
        json!({
            "contract_version": "symphlo.run-history.v1", "flow_ids": ["observable-golden-loop"],
            "items": [{"run_id": run, "flow_id": "observable-golden-loop", "status": "succeeded",
                "started_at": outcome["started_at"], "finished_at": outcome["finished_at"], "settled_nodes": 5,
                "total_nodes": 5, "parent_run_id": null, "forked_from_node_id": null}],
        })
    );
    let expected = json!({
        "schema_version": 1, "run_id": run, "task_id": "task_canonical_writing", "task_title": "Observable golden loop",
        "topic": "How durable hand-offs keep agents honest", "granularity": "balanced", "executor_id": "deterministic",
        "executor_profile": "deterministic+agent.session-fixture", "flow_id": "observable-golden-loop",
        "flow_hash": flow_hash,
        "node_types": {"plan-article": "agent.task", "draft-article": "agent.task", "review-draft": "agent.task",
            "revise-article": "agent.task", "publish-article": "artifact.task"},
        "node_order": order, "state_dir": companion.server.state_root(), "started_at": outcome["started_at"],
        "finished_at": outcome["finished_at"], "status": "succeeded", "node_count": 5, "event_count": 26,
        "artifact_count": 1, "artifact_id": artifact_id, "artifact_name": "article.md",
    });
    let added = ["settled_node_count", "waiting", "inputs"];
    assert_eq!(without(evidence["run"].clone(), &added), expected);
    let listed = companion.get("/api/v1/runs");
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(without(listed["items"][0].clone(), &added), expected);
    let members: Vec<&String> = evidence.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["run", "nodes", "events", "context", "artifacts"]);
    companion.end();
}

/// A flow whose evaluator may be either one.
fn gated(companion: &Companion, gate: &str) -> (Value, Value) {
    let model = companion.add("the.model", "model_cli", READS, MODEL);
    let gate = companion.add("the.gate", "evaluator_cli", READS, gate);
    let mut flow = chain(
        "gated-flow",
        &[
            ("digest", "model.task", Some("the.model")),
            ("gate", "evaluation.task", Some("the.gate")),
            ("publish", "artifact.task", None),
        ],
    );
    flow["inputs"] = json!({"note": {"type": "string", "required": true}, "n": {"type": "integer", "default": 3}});
    companion.save(&flow);
    (model, gate)
}

#[test]
fn every_event_of_a_gated_chain_is_the_published_one() {
    let companion = Companion::new();
    let (model, gate) = gated(&companion, PASS);
    let run = companion.admit("gated-flow", &json!({"note": "Ship \u{2028}é on Friday"}));
    let outcome = companion.ended(&run);
    assert_eq!(outcome["status"], "succeeded", "{outcome}");
    let evidence = companion.evidence(&run);
    assert_eq!(evidence["run"]["executor_profile"], "deterministic+the.gate,the.model", "each once, sorted");
    let reference = |saved: &Value| {
        let executor = format!("capability.{}.{}", text(&saved["id"]), &text(&saved["fingerprint"])[..16]);
        json!({"executor_id": executor, "version": "1.0.0"})
    };
    let input = &evidence["nodes"][0]["input"];
    let given: Vec<&String> = input.as_object().expect("an object").keys().collect();
    assert_eq!(given, ["goal", "topic", "audience", "granularity", "required_principles", "workspace", "note", "n"]);
    assert_eq!(
        (&input["note"], &input["n"], &input["workspace"]),
        (&json!("Ship \u{2028}é on Friday"), &json!(3), &json!("work"))
    );
    let digest_output = json!({"capability_id": "the.model", "capability_fingerprint": model["fingerprint"],
        "contract_version": "symphlo.model-inference-result.v1", "model_output": "A digest"});
    let result = json!({"contract_version": "symphlo.evaluation-result.v1", "verdict": "pass", "summary": "Fine", "findings": []});
    let gate_output = json!({"capability_id": "the.gate", "capability_fingerprint": gate["fingerprint"],
        "candidate": digest_output, "evaluation": result});
    let artifact = &evidence["artifacts"][0];
    let given = |file: &str| -> Value {
        let text = std::fs::read_to_string(companion.world.workspace().join(file)).expect("it was asked");
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!(
        [given("asked"), given("judged")],
        [
            json!({"contract_version": "symphlo.model-inference-request.v1", "run_id": run, "node_id": "digest",
                "instruction": "Do digest", "context": input}),
            json!({"contract_version": "symphlo.evaluation-request.v1", "run_id": run, "node_id": "gate",
                "instruction": "Do gate", "candidate": digest_output, "flow_input": input}),
        ],
        "an evaluator is given the immutable input of the flow as well"
    );
    let publish_output = json!({"role": "publisher", "topic": null, "granularity": "balanced",
        "accepted_source_hash": null, "artifact_name": "result.md", "content_sha256": artifact["sha256"]});
    assert_eq!(artifact["sha256"], digest(b"A digest"));
    let outputs = [&digest_output, &gate_output, &evidence["nodes"][2]["output"]];
    let inputs = [input, outputs[0], outputs[1]];
    let executors = [
        reference(&model),
        reference(&gate),
        json!({"executor_id": "builtin.markdown-publication", "version": "0.2.0"}),
    ];
    let ids = ["digest", "gate", "publish"];
    let levels = ["E2_REAL_EXECUTOR", "E2_REAL_EXECUTOR", "E1_DETERMINISTIC"];
    let effects = [json!(READS), json!(READS), json!(["pure_compute", "write_local"])];
    for (member, value) in publish_output.as_object().expect("an object") {
        if !["topic", "granularity"].contains(&member.as_str()) {
            assert_eq!(&outputs[2][member], value, "{member}");
        }
    }
    let expected: Vec<Value> = (0..3)
        .map(|at| {
            json!({"run_id": run, "node_id": ids[at], "executor_id": executors[at]["executor_id"],
                "executor_version": executors[at]["version"], "effects_json": canonical(&effects[at]),
                "evidence_level": levels[at], "status": "succeeded", "input_json": canonical(inputs[at]),
                "output_json": canonical(outputs[at])})
        })
        .collect();
    assert_eq!(rows(&evidence), expected);
    let context: Vec<Value> = (0..3)
        .map(|at| json!({"run_id": run, "sequence": at + 1, "node_id": ids[at], "value": outputs[at], "value_json": canonical(outputs[at])}))
        .collect();
    assert_eq!(evidence["context"], Value::Array(context));
    let keys = |output: &Value| {
        let mut keys: Vec<&String> = output.as_object().expect("an object").keys().collect();
        keys.sort();
        json!(keys)
    };
    let artifact_id = text(&artifact["artifact_id"]);
    let names = [(artifact_id.as_str(), "ARTIFACT")];
    let accepted = |at: usize| json!({"evidence_level": levels[at], "context_sequence": at + 1});
    let started = |at: usize| json!(["executor.started", ids[at], {"executor": executors[at]}]);
    let scope = json!({"node_ids": ids, "parent_run_id": null, "from_node_id": null});
    let expected = json!([
        ["run.created", null, {"flow_id": "gated-flow", "version": "1.0.0", "semantic_hash": "DIGEST"}],
        ["run.effects_evaluated", null, {"policy_version": "symphlo.effect-policy.v1", "approval_required": false,
            "input_hash": "DIGEST", "effects": [], "scope": scope}],
        ["node.ready", "digest", {"input_from": null}],
        started(0),
        ["result.accepted", "digest", accepted(0)],
        ["node.succeeded", "digest", {"output_keys": keys(outputs[0])}],
        ["node.ready", "gate", {"input_from": "digest"}],
        started(1),
        ["evaluation.passed", "gate", {"contract_version": "symphlo.evaluation-result.v1", "verdict": "pass", "summary": "Fine"}],
        ["result.accepted", "gate", accepted(1)],
        ["node.succeeded", "gate", {"output_keys": keys(outputs[1])}],
        ["node.ready", "publish", {"input_from": "gate"}],
        started(2),
        ["result.accepted", "publish", accepted(2)],
        ["artifact.created", "publish", {"artifact_id": "ARTIFACT", "name": "result.md", "sha256": "DIGEST"}],
        ["node.succeeded", "publish", {"output_keys": keys(outputs[2])}],
        ["run.succeeded", null, {}],
    ]);
    assert_eq!(Value::from(record(&evidence, &names)), expected);
    let expected = json!([{"artifact_id": artifact_id, "run_id": run, "node_id": "publish", "name": "result.md",
        "media_type": "text/markdown", "relative_path": format!("artifacts/{run}/result.md"),
        "sha256": artifact["sha256"], "content_url": format!("/api/v1/artifacts/{artifact_id}/content")}]);
    assert_eq!(evidence["artifacts"], expected);
    companion.end();
}

#[test]
fn a_rejection_names_the_producer_and_publishes_nothing() {
    let companion = Companion::new();
    gated(&companion, FAIL);
    let run = companion.admit("gated-flow", &json!({"note": "x"}));
    let outcome = companion.ended(&run);
    let node = |id: &str, kind: &str, status: &str| json!({"node_id": id, "node_type": kind, "status": status});
    assert_eq!(
        plain(&outcome, &[(&run, "RUN")]),
        json!({
            "contract_version": "symphlo.run-outcome.v1", "run_id": "RUN", "flow_id": "gated-flow", "status": "failed",
            "started_at": "MOMENT", "finished_at": "MOMENT", "progress": {"settled_nodes": 3, "total_nodes": 3},
            "nodes": [node("digest", "model.task", "succeeded"), node("gate", "evaluation.task", "failed"),
                node("publish", "artifact.task", "skipped")],
            "artifacts": [],
            "failure": {"code": "evaluation_rejected", "node_id": "gate", "repair_from_node_id": "digest"},
        })
    );
    let evidence = companion.evidence(&run);
    let record = record(&evidence, &[]);
    let expected = json!([
        ["result.accepted", "gate", {"evidence_level": "E2_REAL_EXECUTOR", "control_outcome": "rejected"}],
        ["evaluation.rejected", "gate", {"contract_version": "symphlo.evaluation-result.v1", "verdict": "fail",
            "summary": "Not yet", "finding_codes": ["names.missing", "a.b"], "repair_from_node_id": "digest"}],
        ["node.failed", "gate", {"reason": "evaluation_rejected"}],
    ]);
    let from =
        record.iter().position(|event| event[0] == "result.accepted" && event[1] == "gate").expect("it was judged");
    assert_eq!(Value::from(record[from..from + 3].to_vec()), expected);
    let last = &record[from + 3..];
    assert_eq!((last.len(), &last[0][0]), (1, &json!("run.failed")));
    let members: Vec<&String> = last[0][2].as_object().expect("an object").keys().collect();
    assert_eq!(members, ["error_type", "message"]);
    assert_eq!((evidence["context"].as_array().map(Vec::len), &evidence["artifacts"]), (Some(1), &json!([])));
    assert_eq!(evidence["nodes"].as_array().map(Vec::len), Some(2), "a node that was not reached has no row");
    assert_eq!(rows(&evidence)[1]["status"], "failed");
    assert!(rows(&evidence)[1]["output_json"].is_string(), "its output is kept");
    companion.end();
}

/// What a tool is given on its standard input, and what becomes of the forms in which it may answer.
#[test]
fn a_tool_gets_its_request_and_its_answer_is_evidence() {
    let companion = Companion::new();
    let tool = companion.add("tool.any", "cli", READS, "cat");
    companion.add("tool.list", "cli", READS, "cat > /dev/null; echo '[1,2]'");
    companion.add("tool.text", "cli", READS, "cat > /dev/null; echo ' some text '");
    let steps = [
        ("any", "tool.task", Some("tool.any")),
        ("list", "capability.task", Some("tool.list")),
        ("text", "tool.task", Some("tool.text")),
    ];
    companion.save(&chain("tool-flow", &steps));
    let run = companion.admit("tool-flow", &json!({}));
    assert_eq!(companion.ended(&run)["status"], "succeeded");
    let nodes = companion.evidence(&run)["nodes"].clone();
    let call = json!({"contract_version": "symphlo.tool-call-evidence.v1", "capability_id": "tool.any",
        "capability_fingerprint": tool["fingerprint"], "transport": "cli", "operation": "tool.any"});
    let expected = json!({"run_id": run, "node_id": "any", "instruction": "Do any", "context": nodes[0]["input"],
        "capability_id": "tool.any", "capability_fingerprint": tool["fingerprint"], "tool_call": call});
    assert_eq!(nodes[0]["output"], expected);
    assert_eq!(nodes[1]["input"], expected, "exactly what the node before returned");
    assert_eq!((&nodes[1]["output"]["value"], &nodes[2]["output"]["text"]), (&json!([1, 2]), &json!("some text")));
    companion.end();
}

#[test]
fn a_failure_says_which_node_and_nothing_of_what_it_said() {
    let companion = Companion::new();
    for (name, script) in [
        ("exits", "echo SECRET >&2; exit 7"),
        ("silent", "exit 0"),
        ("floods", "head -c 1000001 /dev/zero | tr '\\0' x"),
    ] {
        companion.add(name, "cli", READS, script);
        let flow = format!("{name}-flow");
        companion.save(&chain(&flow, &[("only", "tool.task", Some(name)), ("publish", "artifact.task", None)]));
        let run = companion.admit(&flow, &json!({}));
        let outcome = companion.ended(&run);
        let seen = ["status", "failure"].map(|member| &outcome[member]);
        let failure = json!({"code": "node_failed", "node_id": "only", "repair_from_node_id": null});
        assert_eq!(seen, [&json!("failed"), &failure], "{name}");
        let evidence = companion.evidence(&run).to_string();
        assert!(!evidence.contains("SECRET"), "{evidence}");
    }
    companion.end();
}

#[test]
fn history_is_newest_first_of_the_flows_that_were_asked_for() {
    let companion = Companion::new();
    companion.add("tool.any", "cli", READS, "cat");
    let flows = ["flow-a", "flow-b", "flow-c"];
    let runs: Vec<String> = flows
        .iter()
        .map(|flow| {
            companion.save(&chain(flow, &[("only", "tool.task", Some("tool.any"))]));
            let run = companion.admit(flow, &json!({}));
            companion.ended(&run);
            run
        })
        .collect();
    let ids = |query: &str| -> Vec<Value> {
        let history = companion.get(&format!("/api/v1/run-history?{query}"));
        history["items"].as_array().expect("items").iter().map(|item| item["run_id"].clone()).collect()
    };
    assert_eq!(ids("flow_id=flow-a&flow_id=flow-c&flow_id=never-there&limit=100"), [&*runs[2], &*runs[0]]);
    assert_eq!(ids("limit=1&flow_id=flow-a&flow_id=flow-b"), [&*runs[1]]);
    let many: String = (0..33).map(|at| format!("flow_id=flow-{at}x&")).collect();
    for wrong in [
        "",
        "limit=5",
        "flow_id=flow-a",
        "flow_id=flow-a&limit=0",
        "flow_id=flow-a&limit=101",
        "flow_id=flow-a&limit=+5",
        "flow_id=flow-a&limit=5&limit=5",
        "flow_id=flow-a&flow_id=flow-a&limit=5",
        "flow_id=a&limit=5",
        "flow_id=flow%20a&limit=5",
        "flow_id=flow-a&limit=5&other=1",
        &format!("{many}limit=5"),
    ] {
        assert_eq!(companion.refused("GET", &format!("/api/v1/run-history?{wrong}"), None), 400, "{wrong}");
    }
    companion.end();
}
