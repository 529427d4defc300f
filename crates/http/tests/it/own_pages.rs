//! The routes that only the origin's own pages call (contract §20).

use serde_json::{Value, json};

use crate::world::{World, chain, with_body};

#[tokio::test(flavor = "multi_thread")]
async fn there_are_three_templates_and_cards_of_node_types() {
    let world = World::new().await;
    let templates = world.get("/api/flow-templates").await.json();
    let ids: Vec<&Value> = templates.as_array().unwrap().iter().map(|template| &template["template_id"]).collect();
    assert_eq!(ids, ["compact", "balanced", "fine"]);
    for template in templates.as_array().unwrap() {
        assert_eq!(template["slots"].as_array().unwrap().len(), 1);
        assert_eq!(
            (&template["slots"][0]["id"], &template["default_mode"]),
            (&json!("report_focus"), &json!("semi_auto"))
        );
        assert!(template["supported_modes"].as_array().unwrap().contains(&json!("semi_auto")));
    }
    let types = |cards: &Value| -> Vec<Value> {
        cards.as_array().unwrap().iter().map(|card| card["node_type"].clone()).collect()
    };
    let cards = world.get("/api/flow-nodes").await.json();
    assert_eq!(types(&cards), ["agent.task", "artifact.task", "tool.task"]);
    let all = world.get("/api/flow-nodes?all=true").await.json();
    assert_eq!(types(&all).len(), 8);
    assert_eq!(world.get("/api/flow-nodes?all=perhaps").await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_a_document_that_can_be_saved_and_run() {
    let world = World::new().await;
    let before = world.get("/api/flows").await.json();
    let draft = world.post("/api/flows/draft", &json!({"template_id": "compact", "user_request": "Bees"})).await.json();
    assert_eq!(
        draft,
        json!({
            "template_id": "compact",
            "template_name": "Compact: one writer",
            "filled_slots": {"report_focus": "Bees"},
            "missing_slots": [],
            "patches_applied": [
                {"path": "/id", "value": draft["flow_dsl"]["id"]},
                {"path": "/description", "value": "Bees"},
                {"path": "/inputs/report_focus/default", "value": "Bees"},
            ],
            "flow_dsl": {
                "schema_version": 1,
                "id": draft["flow_dsl"]["id"],
                "name": "Write an article in one step",
                "description": "Bees",
                "inputs": {"report_focus": draft["flow_dsl"]["inputs"]["report_focus"]},
                "steps": draft["flow_dsl"]["steps"],
                "x_symphlo": {"granularity": "compact"},
            },
            "missing_inputs": [],
            "assumptions": draft["assumptions"],
            "explanation": draft["explanation"],
            "validation": {"valid": true, "errors": [], "warnings": []},
            "plan": draft["plan"],
        })
    );
    assert_eq!(draft["plan"]["summary"], "2 steps in 2 stages");
    assert_eq!(world.get("/api/flows").await.json(), before, "nothing is stored");
    let local = world.save(&draft["flow_dsl"]).await;
    let run = world.post(&format!("/api/flows/{local}/runs"), &json!({})).await.json();
    let run = run["run"]["run_id"].as_str().unwrap();
    assert_eq!(world.ended(run).await["status"], "succeeded");
    assert_eq!(world.get(&format!("/api/flows/runs/{run}")).await.json()["inputs"], json!({"report_focus": "Bees"}));
    let unknown = world.post("/api/flows/draft", &json!({"template_id": "other", "report_focus": " "})).await.json();
    assert_eq!(
        (&unknown["template_id"], &unknown["filled_slots"], &unknown["missing_slots"]),
        (&json!("balanced"), &json!({}), &json!(["report_focus"]))
    );
    for bad in
        [json!({"report_focus": 1}), json!({"report_focus": "x".repeat(281)}), json!({"user_request": "x".repeat(501)})]
    {
        assert_eq!(world.post("/api/flows/draft", &bad).await.status, 400, "{bad}");
    }
}

/// Contract §27.4: the origin drops the connection.
#[tokio::test(flavor = "multi_thread")]
async fn every_document_has_a_plan_or_a_refusal() {
    let world = World::new().await;
    world.add_tool("tool.writes", &["write_external"]).await;
    let document = json!({"schema_version": 2, "name": "Both", "steps": [
        {"id": "one", "type": "tool.task", "prompt": "Send it", "params": {"capability_id": "tool.writes"}, "timeout_seconds": 5},
        {"id": "ask", "type": "human.task", "from": [], "params": null},
        {"id": "end", "type": "artifact.task", "from": ["one", "ask"], "params": {"title": "Publish"}},
    ]});
    let plan = world.post("/api/flows/render-plan", &document).await.json();
    assert_eq!(
        plan["steps"][0],
        json!({
            "step_id": "one", "title": "Send it", "node_type": "tool.task", "node_kind": "tool", "executor": "tool.writes",
            "completion": "output_accepted", "blocking": true, "risk_level": "high", "stage": 1, "prompt": "Send it",
            "internal_steps": [], "session_group": null, "from": [], "effects": ["write_external"],
            "rules": {"timeout_seconds": 5}, "problem": null,
        })
    );
    assert_eq!(
        (&plan["title"], &plan["summary"], &plan["mode"], &plan["requires_confirmation"], &plan["artifacts"]),
        (
            &json!("Both"),
            &json!("3 steps in 2 stages; 1 write outside of the record"),
            &json!("semi_auto"),
            &json!(true),
            &json!([{"step_id": "end", "title": "Publish", "media_type": "text/markdown"}]),
        )
    );
    for (document, status) in [
        (json!({"steps": [1]}), 400),
        (json!({"steps": [null]}), 400),
        (json!({"steps": {}}), 400),
        (json!({}), 200),
        (json!({"steps": [{}]}), 200),
        (json!({"steps": [{"id": 7, "type": [], "from": {}, "prompt": 1, "params": "x", "session_group": 9}]}), 200),
        (chain("a-flow", "tool.none", &["one"]), 200),
    ] {
        assert_eq!(world.post("/api/flows/render-plan", &document).await.status, status, "{document}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_with_all_that_its_steps_returned() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("a-flow", "tool.plain", &["one", "fail", "three"]);
    document["description"] = "What it is about".into();
    let local = world.save(&document).await;
    // The contract's word for an executor that is not known.
    let started = world.post(&format!("/api/flows/{local}/runs"), &json!({"executor": "odd", "inputs": {}})).await;
    assert_eq!((started.status, &started.json()["next_task"]), (202, &Value::Null));
    let run = started.json()["run"]["run_id"].as_str().unwrap().to_owned();
    world.ended(&run).await;
    let path = format!("/api/flows/runs/{run}");
    let shown = world.get(&path).await.json();
    let summary = world.get(&format!("/api/v1/runs/{run}")).await.json();
    let step = |at: usize, status: &str, attempts: u32, output: Value, error: Value| {
        let id = ["one", "fail", "three"][at];
        json!({"run_id": run, "step_id": id, "node_type": "tool.task", "status": status,
            "attempts": attempts, "output": output, "artifacts": [], "logs": [], "error": error,
            "repair_from_step_id": null, "session": null, "updated_at": shown["steps"][at]["updated_at"]})
    };
    assert_eq!(
        shown,
        json!({
            "run_id": run, "flow_id": "a-flow", "task_id": local, "flow_hash": summary["flow_hash"], "status": "failed",
            "parent_run_id": null, "forked_from_node_id": null, "reused_node_ids": [], "mode": "semi_auto",
            "inputs": {"report_focus": "What it is about"},
            "steps": [
                step(0, "succeeded", 1, json!({"model_output": "one"}), Value::Null),
                step(1, "failed", 1, Value::Null, json!({"code": "NODE_FAILED"})),
                step(2, "skipped", 0, Value::Null, Value::Null),
            ],
            "session_state": {},
            "created_at": summary["started_at"],
            "updated_at": summary["finished_at"],
        })
    );
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "fail"});
    let child = world.post(&format!("/api/v1/runs/{run}/forks"), &fork).await.json()["run_id"].clone();
    let child = child.as_str().unwrap();
    world.ended(child).await;
    let forked = world.get(&format!("/api/flows/runs/{child}")).await.json();
    assert_eq!(
        (&forked["parent_run_id"], &forked["forked_from_node_id"], &forked["reused_node_ids"]),
        (&json!(run), &json!("fail"), &json!(["one"]))
    );
    assert_eq!((&forked["steps"][0]["status"], &forked["steps"][0]["attempts"]), (&json!("reused"), &json!(0)));
    let list = world.get("/api/flows/runs").await.json();
    assert_eq!(list, json!([forked, shown]));
    assert_eq!(world.get("/api/flows/runs?limit=1").await.json(), json!([forked]));
    assert_eq!(world.get(&format!("/api/flows/runs?limit=1&before={child}")).await.json(), json!([shown]));
    assert_eq!(world.get(&format!("/api/flows/runs?before={run}")).await.json(), json!([]));
    for (query, status) in [("limit=0", 400), ("limit=101", 400), ("before=none", 404), ("other=1", 400)] {
        assert_eq!(world.get(&format!("/api/flows/runs?{query}")).await.status, status, "{query}");
    }
    assert_eq!(world.get("/api/flows/runs/none").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_is_shown_with_its_findings_and_the_step_to_repair() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.add_evaluator("eval.strict").await;
    let mut document = chain("a-flow", "tool.plain", &["one"]);
    let steps = document["steps"].as_array_mut().unwrap();
    steps.push(
        json!({"id": "reject", "type": "evaluation.task", "from": "one", "params": {"capability_id": "eval.strict"}}),
    );
    steps.push(json!({"id": "end", "type": "artifact.task", "from": "reject"}));
    world.save(&document).await;
    let run = world.admit("a-flow").await;
    world.ended(&run).await;
    let shown = world.get(&format!("/api/flows/runs/{run}")).await.json();
    let seen = |member: &str| -> Vec<&Value> { (0..3).map(|at| &shown["steps"][at][member]).collect() };
    assert_eq!(seen("status"), ["succeeded", "failed", "skipped"]);
    let rejected =
        json!({"code": "EVALUATION_REJECTED", "summary": "It will not do", "finding_codes": ["too.short", "dull"]});
    assert_eq!(seen("error"), [&Value::Null, &rejected, &Value::Null]);
    assert_eq!(seen("repair_from_step_id"), [&Value::Null, &json!("one"), &Value::Null]);
    assert_eq!(shown["steps"][1]["output"]["evaluation"]["verdict"], "fail", "what was returned is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_shown_by_group_and_by_step() {
    let world = World::new().await;
    let run = world.golden().await;
    let sessions = world.get(&format!("/api/flows/runs/{run}")).await.json();
    let (first, second) = (&sessions["steps"][1]["session"], &sessions["steps"][3]["session"]);
    assert_eq!(
        sessions["session_state"],
        json!({"worker_loop": {
            "conversation_ref": first["conversation_ref"],
            "node_ids": ["draft-article", "revise-article"],
            "turn_refs": [first["turn_ref"], second["turn_ref"]],
        }})
    );
    assert_eq!((&first["reused"], &second["reused"]), (&json!(false), &json!(true)));
    let artifact = &sessions["steps"][4]["artifacts"][0];
    assert_eq!((&artifact["type"], &artifact["metadata"]["filename"]), (&json!("text/markdown"), &json!("result.md")));
    let id = artifact["uri"].as_str().unwrap().strip_prefix("artifact://").unwrap();
    let private = world.get(&format!("/api/flow-artifacts/{id}")).await;
    let public = world.get(&format!("/api/v1/artifacts/{id}/content")).await;
    assert_eq!((private.status, &private.headers, &private.body), (200, &public.headers, &public.body));
    assert_eq!(world.get("/api/flow-artifacts/none").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_once() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold", "two"])).await;
    let run = world.admit("holding").await;
    let path = format!("/api/flows/runs/{run}/cancel");
    let first = world.post(&path, &json!({})).await;
    assert_eq!((first.status, &first.json()["run_id"]), (202, &json!(run)));
    world.ended(&run).await;
    let second = world.post(&path, &json!({})).await.pair();
    assert_eq!(second, (200, world.get(&format!("/api/flows/runs/{run}")).await.json()));
    assert_eq!(second.1["status"], "cancelled");
    assert_eq!(second.1["steps"][0]["error"], Value::Null);
    assert_eq!(world.post("/api/flows/runs/none/cancel", &json!({})).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_is_saved_and_run_or_neither() {
    let world = World::new().await;
    world.add_tool("tool.writes", &["write_local"]).await;
    let before = world.get("/api/flows").await.json();
    let mut document = chain("a-flow", "tool.writes", &["one"]);
    document.as_object_mut().unwrap().remove("id");
    let challenge = world.post("/api/flows/runs", &json!({"flow": document})).await;
    assert_eq!(challenge.status, 428);
    for (body, status) in [
        (json!({}), 400),
        (json!({"flow": []}), 400),
        (json!({"flow": {"steps": []}}), 400),
        (json!({"flow": document, "inputs": {"x": 1}}), 400),
        (json!({"flow": document, "inputs": []}), 400),
        (json!({"flow": chain("b-flow", "tool.none", &["one"])}), 404),
    ] {
        let reply = world.post("/api/flows/runs", &body).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.json());
    }
    assert_eq!(world.get("/api/flows").await.json(), before, "nothing is saved with what is refused");
    let body = json!({"flow": document, "effect_authorization": challenge.json()["authorization"]});
    let keyed =
        || with_body(axum::http::Request::post("/api/flows/runs").header("idempotency-key", "k"), &body.to_string());
    let started = world.send(keyed()).await;
    assert_eq!(started.status, 202, "{}", started.json());
    let run = started.json()["run"].clone();
    assert_eq!(world.ended(run["run_id"].as_str().unwrap()).await["status"], "succeeded");
    let again = world.send(keyed()).await.json();
    assert_eq!(again["run"]["run_id"], run["run_id"]);
    let flows = world.get("/api/flows").await.json();
    assert_eq!(flows.as_array().unwrap().len(), before.as_array().unwrap().len() + 1);
    assert_eq!((&flows[0]["flow_id"], &flows[0]["flow"]["id"]), (&run["task_id"], &run["flow_id"]));
}

/// A document without an id is the same flow each time that it is run under its local id.
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_without_an_id_can_be_authorized() {
    let world = World::new().await;
    world.add_tool("tool.writes", &["write_local"]).await;
    let mut document = chain("a-flow", "tool.writes", &["one"]);
    document.as_object_mut().unwrap().remove("id");
    let local = world.save(&document).await;
    let path = format!("/api/flows/{local}/runs");
    let challenge = world.post(&path, &json!({})).await;
    assert_eq!((challenge.status, challenge.json()), (428, world.post(&path, &json!({})).await.json()));
    let body = json!({"effect_authorization": challenge.json()["authorization"]});
    let started = world.post(&path, &body).await;
    assert_eq!(started.status, 202);
    let digits = local.strip_prefix("task_").unwrap();
    assert_eq!(started.json()["run"]["flow_id"], format!("console-{digits}"));
    world.ended(started.json()["run"]["run_id"].as_str().unwrap()).await;
}
