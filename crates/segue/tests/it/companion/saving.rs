//! Saving flows, which companions that bring their own do (§4, §20).

use serde_json::json;

use super::{Companion, chain, hash, plain, text};

#[test]
fn a_flow_is_saved_with_its_pins_listed_replaced_and_deleted() {
    let companion = Companion::new();
    let tool = companion.add("tool.echo", "cli", &["execute_process"], "cat");
    let mut flow = chain("kept-flow", &[("one", "tool.task", Some("tool.echo")), ("publish", "artifact.task", None)]);
    flow["x_of_ours"] = json!({"kept": ["as", "it", "is"]});
    flow["steps"][0]["ui"] = json!({"position": {"x": 1, "y": 2}});
    let mut pinned = flow.clone();
    pinned["steps"][0]["params"]["capability_fingerprint"] = tool["fingerprint"].clone();
    let saved = companion.post("/api/flows", &json!({"flow": flow, "template_id": "fine"}), 201);
    let local = text(&saved["flow_id"]);
    assert!(super::has_form(&local, "task_xxxxxxxxxxxx"), "{local}");
    let expected = json!({"flow_id": local, "name": "kept-flow", "description": "A chain", "template_id": "fine",
        "flow": pinned, "created_at": saved["created_at"], "updated_at": saved["created_at"]});
    assert_eq!(saved, expected, "nothing of the document is lost");
    assert_eq!(plain(&saved["created_at"], &[]), "MOMENT");
    assert_eq!(companion.get("/api/flows")[0], saved, "newest first");
    assert_eq!(companion.refused("DELETE", "/api/v1/capabilities/tool.echo", None), 409, "a saved flow needs it");
    flow["name"] = "Another name".into();
    let (status, replaced) = companion.ask("PUT", &format!("/api/flows/{local}"), Some(&json!({"flow": flow})));
    assert_eq!(
        (status, &replaced["name"], &replaced["created_at"]),
        (200, &json!("Another name"), &saved["created_at"])
    );
    assert_eq!(replaced["flow"]["steps"][0]["params"]["capability_fingerprint"], tool["fingerprint"], "pinned again");
    assert!(text(&replaced["updated_at"]) > text(&saved["updated_at"]), "{replaced}");
    assert_eq!(companion.get(&format!("/api/flows/{local}")), replaced);
    let valid = companion.post("/api/flows/validate", &flow, 200);
    assert_eq!(valid, json!({"valid": true, "errors": [], "warnings": []}));
    let deleted = companion.ask("DELETE", &format!("/api/flows/{local}"), None);
    assert_eq!(deleted, (200, json!({"deleted": true, "flow_id": local})));
    for method in ["GET", "DELETE"] {
        assert_eq!(companion.refused(method, &format!("/api/flows/{local}"), None), 404);
    }
    companion.end();
}

/// Each of these is refused by admission as well, before any Run exists.
#[test]
fn documents_that_cannot_run_are_said_to_be_so() {
    let companion = Companion::new();
    let tool = companion.add("tool.echo", "cli", &["execute_process"], "cat");
    companion.add("gate", "evaluator_cli", &["execute_process"], "cat");
    let good = chain("good-flow", &[("one", "tool.task", Some("tool.echo")), ("two", "tool.task", Some("tool.echo"))]);
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut flow = good.clone();
        change(&mut flow);
        flow
    };
    let second =
        |member: &'static str, value: serde_json::Value| with(&|flow| flow["steps"][1][member] = value.clone());
    let bound = |member: &'static str, value: serde_json::Value| {
        with(&|flow| flow["steps"][1]["params"][member] = value.clone())
    };
    for (what, flow) in [
        ("no steps", with(&|flow| flow["steps"] = json!([]))),
        ("steps that are none", with(&|flow| flow["steps"] = json!([1]))),
        ("a branch", second("from", json!("nothing"))),
        ("two beginnings", second("from", json!(null))),
        ("a fan-in", second("from", json!(["one"]))),
        ("an id twice", second("id", json!("one"))),
        ("a kind that there is not", second("type", json!("other.task"))),
        ("a capability of another kind", bound("capability_id", json!("gate"))),
        ("no capability", bound("capability_id", json!(null))),
        ("another pin", bound("capability_fingerprint", json!("0".repeat(64)))),
        ("a capability that is not there", bound("capability_id", json!("tool.none"))),
        ("a session where there is none", second("session_group", json!("loop"))),
        ("a reserved input", with(&|flow| flow["inputs"] = json!({"goal": {"type": "string"}}))),
        ("an input of no type", with(&|flow| flow["inputs"] = json!({"x": {"type": "other"}}))),
        ("a title of 241", bound("title", json!("x".repeat(241)))),
        (
            "a gate at the beginning",
            with(&|flow| {
                flow["steps"] = json!([{"id": "one", "type": "evaluation.task", "params": {"capability_id": "gate"}}]);
            }),
        ),
    ] {
        let result = companion.post("/api/flows/validate", &flow, 200);
        let error = json!({"severity": "error", "code": "UNSUPPORTED_FLOW", "message": result["errors"][0]["message"]});
        assert_eq!(result, json!({"valid": false, "errors": [error], "warnings": []}), "{what}");
        assert!(!text(&result["errors"][0]["message"]).is_empty());
    }
    let local = companion.save(&good);
    let saved = companion.get(&format!("/api/flows/{local}"));
    assert_eq!(saved["flow"]["steps"][0]["params"]["capability_fingerprint"], tool["fingerprint"]);
    companion.save(&good);
    let request = super::run_request(&json!({}));
    assert_eq!(companion.refused("POST", "/api/v1/flows/good-flow/runs", Some(&request)), 400, "two have the id");
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]));
    companion.end();
}

/// The hash of what a flow means, from the nodes that the contract lists, and nothing else of the document.
#[test]
fn the_semantic_hash_is_the_contracts() {
    let companion = Companion::new();
    let tool = companion.add("tool.echo", "cli", &["execute_process", "read_local"], "cat");
    let flow = chain("hashed-flow", &[("one", "tool.task", Some("tool.echo")), ("publish", "artifact.task", None)]);
    companion.save(&flow);
    let run = companion.admit("hashed-flow", &json!({}));
    companion.ended(&run);
    let executor = format!("capability.tool.echo.{}", &text(&tool["fingerprint"])[..16]);
    let nodes = json!([
        {"node_id": "one", "title": "ONE", "kind": "tool.task", "executor": {"executor_id": executor, "version": "1.0.0"},
            "effects": ["execute_process", "read_local"], "input_from": null, "instruction": "Do one"},
        {"node_id": "publish", "title": "PUBLISH", "kind": "artifact.task",
            "executor": {"executor_id": "builtin.markdown-publication", "version": "0.2.0"},
            "effects": ["pure_compute", "write_local"], "input_from": "one", "instruction": "Do publish"},
    ]);
    let definition = json!({"flow_id": "hashed-flow", "version": "1.0.0", "title": "hashed-flow", "nodes": nodes});
    assert_eq!(companion.evidence(&run)["run"]["flow_hash"], hash(&definition));
    companion.end();
}
