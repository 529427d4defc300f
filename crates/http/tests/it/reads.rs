//! What a console reads beyond the contract: Runs beside their nodes, nodes in full, events downwards, versions of flows,
//! previews.

use axum::{body::Body, http::Request};
use serde_json::{Value, json};

use crate::{
    streams::Client,
    world::{World, chain},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_run_keeps_what_it_executes_whatever_becomes_of_the_flow() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("a-flow", "tool.plain", &["one", "two"]);
    document["x_layout"] = json!({"zoom": 2});
    let local = world.save(&document).await;
    let saved = world.get(&format!("/api/flows/{local}")).await.json()["flow"].clone();
    let run = world.admit("a-flow").await;
    world.ended(&run).await;
    let path = format!("/api/v1/runs/{run}/flow");
    let first = world.get(&path).await.json();
    assert_eq!((&first["document"], &first["saved_version"], &first["task_id"]), (&saved, &json!(1), &json!(local)));
    let hash = world.get(&format!("/api/v1/runs/{run}")).await.json()["flow_hash"].clone();
    assert_eq!((&first["semantic_hash"], &first["flow_id"]), (&hash, &json!("a-flow")));
    assert_eq!(first["nodes"][1]["input_from"], "one");
    let executor = first["nodes"][0]["executor"]["executor_id"].as_str().unwrap();
    assert_eq!(first["capabilities"], json!({executor: {"id": "tool.plain", "kind": "cli", "timeout_seconds": 30}}));
    // Edited: the version that was run is still there.
    world.put(&format!("/api/flows/{local}"), &json!({"flow": chain("a-flow", "tool.plain", &["one"])})).await;
    assert_eq!(world.get(&path).await.json(), first);
    // Deleted: a document is made of what was executed.
    assert_eq!(world.delete(&format!("/api/flows/{local}")).await.status, 200);
    let mut last = world.get(&path).await.json();
    let restored = std::mem::take(&mut last["document"]);
    assert_eq!((&last["nodes"], &last["saved_version"]), (&first["nodes"], &Value::Null));
    let again = world.save(&restored).await;
    let second = world.post(&format!("/api/flows/{again}/runs"), &json!({})).await.json();
    assert_eq!(second["run"]["flow_hash"], hash);
    world.ended(second["run"]["run_id"].as_str().unwrap()).await;
    assert_eq!(world.get("/api/v1/runs/none/flow").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_says_where_it_came_from_and_what_it_was_allowed() {
    let world = World::new().await;
    world.add_tool("tool.writes", &["write_local"]).await;
    let local = world.save(&chain("writing", "tool.writes", &["one", "fail", "three"])).await;
    let preview = world.post("/api/v1/flows/writing/preview", &json!({})).await.json();
    let authorization = &preview["challenge"]["authorization"];
    let started =
        world.post(&format!("/api/flows/{local}/runs"), &json!({"effect_authorization": authorization})).await;
    assert_eq!(started.status, 202, "{}", started.json());
    let run = started.json()["run"]["run_id"].as_str().unwrap().to_owned();
    world.ended(&run).await;
    let detail = world.get(&format!("/api/v1/runs/{run}/detail")).await.json();
    assert_eq!(
        detail,
        json!({
            "run": world.get(&format!("/api/v1/runs/{run}")).await.json(),
            "flow_version": "1.0.0",
            "flow_title": "writing",
            "task_exists": true,
            "saved_version": 1,
            "saved_version_is_current": true,
            "executor": "deterministic",
            "capability_ids": ["tool.writes"],
            "origin": null,
            "flow_input": preview["flow_input"],
            "authorization": {
                "required": true,
                "authorization_id": preview["challenge"]["authorization_id"],
                "policy_version": "symphlo.effect-policy.v1",
                "input_hash": preview["input_hash"],
                "node_ids": ["one", "fail", "three"],
                "effects": preview["challenge"]["effects"],
                "recorded_at": detail["authorization"]["recorded_at"],
            },
            "cancellation": null,
            "failure": {"error_type": "Scripted", "message": "it was told to"},
            "interrupted": false,
            "forks": [],
            "unconfirmed": [],
            "quarantined": null,
        })
    );
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "fail"});
    let challenge = world.post(&format!("/api/v1/runs/{run}/forks"), &fork).await;
    assert_eq!(challenge.status, 428);
    let fork = json!({"contract_version": "symphlo.authorized-run-fork-request.v1", "from_node_id": "fail",
        "effect_authorization": challenge.json()["authorization"]});
    let forked = world.post(&format!("/api/v1/runs/{run}/forks"), &fork).await.json();
    let child = forked["run_id"].as_str().unwrap();
    world.ended(child).await;
    let origin = world.get(&format!("/api/v1/runs/{child}/detail")).await.json()["origin"].clone();
    let hash = detail["run"]["flow_hash"].clone();
    assert_eq!(
        origin,
        json!({"how": "fork", "parent_run_id": run, "from_node_id": "fail", "parent_flow_hash": hash, "reused_node_ids": ["one"]})
    );
    world
        .put(&format!("/api/flows/{local}"), &json!({"flow": chain("writing", "tool.writes", &["one", "other"])}))
        .await;
    let challenge = world.post(&format!("/api/v1/runs/{run}/replays"), &json!({})).await.json();
    let replay = json!({"effect_authorization": challenge["authorization"]});
    let replayed = world.post(&format!("/api/v1/runs/{run}/replays"), &replay).await.json();
    let replayed = replayed["run_id"].as_str().unwrap();
    world.ended(replayed).await;
    let detail = world.get(&format!("/api/v1/runs/{replayed}/detail")).await.json();
    assert_eq!((&detail["origin"]["how"], &detail["saved_version"]), (&json!("replay"), &json!(2)));
    let parent = world.get(&format!("/api/v1/runs/{run}/detail")).await.json();
    assert_eq!(parent["forks"], json!([replayed, child]));
    assert_eq!((&parent["saved_version"], &parent["saved_version_is_current"]), (&json!(1), &json!(false)));
    assert_eq!(world.get("/api/v1/runs/none/detail").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_has_a_receipt() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold", "two"])).await;
    let run = world.admit("holding").await;
    world.post(&format!("/api/flows/runs/{run}/cancel"), &json!({})).await;
    world.ended(&run).await;
    let detail = world.get(&format!("/api/v1/runs/{run}/detail")).await.json();
    let receipt = &detail["cancellation"];
    assert_eq!(
        *receipt,
        json!({
            "requested_at": receipt["requested_at"],
            "reason": "user_requested",
            "actor": null,
            "cancelled_node_ids": ["hold"],
            "unconfirmed_node_ids": [],
            "ended_at": detail["run"]["finished_at"],
        })
    );
    assert_eq!(detail["authorization"]["required"], false);
    let node = world.get(&format!("/api/v1/runs/{run}/nodes/hold/detail")).await.json();
    assert_eq!((&node["status"], &node["calls"][0]["result"]), (&json!("cancelled"), &json!("ended")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_shown_in_full() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("a-flow", "tool.plain", &["one", "fail", "three"]);
    document["steps"][0]["prompt"] = "Do it".into();
    world.save(&document).await;
    let run = world.admit("a-flow").await;
    world.ended(&run).await;
    let node = |id: &str| format!("/api/v1/runs/{run}/nodes/{id}/detail");
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    let one = world.get(&node("one")).await.json();
    let call = &one["calls"][0];
    assert_eq!(
        one,
        json!({
            "run_id": run, "node_id": "one", "title": "one", "node_type": "tool.task", "status": "succeeded", "from": [],
            "instruction": "Do it", "session_group": null,
            "executor": {"executor_id": evidence["nodes"][0]["executor_id"], "version": "1.0.0"},
            "capability": {"id": "tool.plain", "kind": "cli", "timeout_seconds": 30},
            "effects": ["execute_process"], "evidence_level": "E2_REAL_EXECUTOR", "round": 1, "attempts": 1,
            "input": evidence["nodes"][0]["input"],
            "input_bytes": evidence["nodes"][0]["input_json"].as_str().unwrap().len(),
            "items": null,
            "output": {"model_output": "one"}, "output_bytes": r#"{"model_output":"one"}"#.len(),
            "ready_at": one["ready_at"], "settled_at": one["settled_at"], "duration_seconds": one["duration_seconds"],
            "calls": [{
                "round": 1, "index": null, "attempt": 1, "started_at": call["started_at"], "ended_at": call["ended_at"],
                "duration_seconds": call["duration_seconds"], "result": "succeeded", "failure": null, "retry_at": null,
                "subrun_id": null, "task": null, "lost_task_ids": [],
            }],
            "session": null, "artifacts": [], "verdict": null, "question": null, "answer": null, "failure": null,
            "reused_from_run_id": null, "skipped_because": null,
        })
    );
    let failed = world.get(&node("fail")).await.json();
    let failure = json!({"error_type": "Scripted", "message": "it was told to"});
    assert_eq!((&failed["status"], &failed["failure"]), (&json!("failed"), &failure));
    assert_eq!((&failed["calls"][0]["result"], &failed["calls"][0]["failure"]), (&json!("failed"), &failure));
    let unreached = world.get(&node("three")).await.json();
    assert_eq!(
        (&unreached["status"], &unreached["input"], &unreached["calls"], &unreached["duration_seconds"]),
        (&json!("skipped"), &Value::Null, &json!([]), &Value::Null)
    );
    let lean = world.get(&format!("{}?values=false", node("one"))).await.json();
    assert_eq!((&lean["input"], &lean["output"]), (&Value::Null, &Value::Null));
    assert_eq!(lean["output_bytes"], one["output_bytes"]);
    for (path, status) in [
        (node("none"), 404),
        ("/api/v1/runs/none/nodes/one/detail".to_owned(), 404),
        (format!("{}?values=x", node("one")), 400),
    ] {
        assert_eq!(world.get(&path).await.status, status, "{path}");
    }
    let short = async |id: &str| world.get(&format!("/api/v1/runs/{run}/nodes/{id}")).await;
    assert_eq!(short("one").await.json(), evidence["nodes"][0]);
    assert_eq!(short("fail").await.json(), evidence["nodes"][1]);
    assert_eq!((short("three").await.status, short("none").await.status), (404, 404));
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "fail"});
    let child = world.post(&format!("/api/v1/runs/{run}/forks"), &fork).await.json()["run_id"].clone();
    let child = child.as_str().unwrap();
    world.ended(child).await;
    let reused = world.get(&format!("/api/v1/runs/{child}/nodes/one/detail")).await.json();
    assert_eq!(
        (&reused["status"], &reused["reused_from_run_id"], &reused["attempts"]),
        (&json!("reused"), &json!(run), &json!(0))
    );
    let golden = world.golden().await;
    let revised = world.get(&format!("/api/v1/runs/{golden}/nodes/revise-article/detail")).await.json();
    assert_eq!(
        (&revised["session"]["session_group"], &revised["session"]["reused"]),
        (&json!("worker_loop"), &json!(true))
    );
    let published = world.get(&format!("/api/v1/runs/{golden}/nodes/publish-article/detail")).await.json();
    let artifact = &published["artifacts"][0];
    let content = world.get(artifact["content_url"].as_str().unwrap()).await;
    assert_eq!(artifact["bytes"], content.body.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_somebody_is_in_one_list() {
    let world = World::new().await;
    assert_eq!(world.get("/api/v1/waiting").await.json(), json!({"items": []}));
    let form = json!({"type": "object", "properties": {"note": {"type": "string"}}});
    let document = json!({"schema_version": 2, "id": "asking", "name": "Asking", "steps": [{"id": "ask", "type": "human.task",
        "prompt": "Go on?", "params": {"form": form, "options": [{"id": "yes", "label": "Yes"}]}}]});
    world.save(&document).await;
    let (first, second) = (world.admit("asking").await, world.admit("asking").await);
    let items = world.get("/api/v1/waiting").await.json()["items"].clone();
    let item = &items[0];
    let outcome = world.get(&format!("/api/v1/runs/{first}/outcome")).await.json();
    assert_eq!((&outcome["status"], &outcome["nodes"][0]["status"]), (&json!("running"), &json!("running")));
    let node = world.get(&format!("/api/v1/runs/{first}/nodes/ask/detail")).await.json();
    assert_eq!(
        *item,
        json!({
            "kind": "question", "run_id": first, "flow_id": "asking", "task_id": item["task_id"], "task_title": "Asking",
            "node_id": "ask", "node_type": "human.task", "title": "Go on?", "instruction": "Go on?",
            "since": item["question"]["asked_at"],
            "question": {"asked_at": item["since"], "expires_at": null, "options": [{"id": "yes", "label": "Yes"}], "form": form},
            "input": node["input"], "decision": null,
        })
    );
    assert_eq!(
        (&items[1]["run_id"], &node["question"], &node["status"]),
        (&json!(second), &item["question"], &json!("running"))
    );
    let list = world.get("/api/v1/runs?waiting=true&counts=true").await.json();
    assert_eq!((list["items"].as_array().unwrap().len(), &list["counts"]), (2, &json!({"running": 2})));
    let answer = json!({"option": "yes", "form": {"note": "fine"}, "actor": "ann"});
    world.post(&format!("/api/v1/runs/{first}/nodes/ask/answers"), &answer).await;
    world.ended(&first).await;
    let node = world.get(&format!("/api/v1/runs/{first}/nodes/ask/detail")).await.json();
    assert_eq!(
        node["answer"],
        json!({"option": "yes", "form": {"note": "fine"}, "actor": "ann", "answered_at": node["answer"]["answered_at"]})
    );
    assert_eq!(world.get("/api/v1/waiting").await.json()["items"].as_array().unwrap().len(), 1);
    let ids = |list: Value| -> Vec<String> {
        list["items"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(world.get("/api/v1/runs?active=true").await.json()), std::slice::from_ref(&second));
    let all = world.get("/api/v1/runs").await.json();
    let at = |n: usize| all["items"][n]["started_at"].as_str().unwrap().replace('+', "%2B");
    assert_eq!(ids(world.get(&format!("/api/v1/runs?since={}", at(0))).await.json())[0], second);
    assert_eq!(ids(world.get(&format!("/api/v1/runs?until={}", at(1))).await.json()), [""; 0]);
    assert_eq!(ids(world.get(&format!("/api/v1/runs?since={}", at(1))).await.json()).len(), 2);
    for bad in ["since=yesterday", "until=1", "active=1", "waiting=x", "counts=x"] {
        assert_eq!(world.get(&format!("/api/v1/runs?{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_runs_says_what_each_was_given() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("a-flow", "tool.plain", &["one"]);
    document["inputs"] =
        json!({"note": {}, "n": {"type": "integer", "default": 3}, "tags": {"type": "array"}, "unsaid": {}});
    world.save(&document).await;
    let inputs = json!({"note": "é".repeat(121), "tags": ["a", "b"]});
    let request = json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": inputs});
    let admitted = world.post("/api/v1/flows/a-flow/runs", &request).await.json();
    world.ended(admitted["run_id"].as_str().unwrap()).await;
    assert_eq!(
        world.get("/api/v1/runs").await.json()["items"][0]["inputs"],
        json!([
            {"name": "note", "text": "é".repeat(120), "cut": true},
            {"name": "n", "text": "3", "cut": false},
            {"name": "tags", "text": "[\"a\",\"b\"]", "cut": false},
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_read_downwards_and_by_node_and_type() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("three", "tool.plain", &["one", "two", "three"])).await;
    let run = world.admit("three").await;
    world.ended(&run).await;
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    let all = evidence["events"].as_array().unwrap().clone();
    let page = async |query: &str| world.get(&format!("/api/v1/runs/{run}/events?{query}")).await.json();
    let mut downwards = Vec::new();
    let mut before = String::new();
    loop {
        let found = page(&format!("first=newest&limit=4{before}")).await;
        downwards.extend(found["events"].as_array().unwrap().iter().cloned());
        before = format!("&before={}", found["cursor"]);
        if found["has_more"] == json!(false) {
            break;
        }
    }
    downwards.reverse();
    assert_eq!(downwards, all);
    let whole = page("").await;
    assert_eq!((&whole["events"], &whole["ended"], &whole["total"]), (&json!(all), &json!(true), &json!(all.len())));
    let of_two: Vec<&Value> = all.iter().filter(|event| event["node_id"] == "two").collect();
    assert_eq!(page("node_id=two").await["events"], json!(of_two));
    let some = page("node_id=two&limit=2").await;
    assert_eq!((&some["events"], &some["has_more"]), (&json!(of_two[..2]), &json!(true)));
    let rest = page(&format!("node_id=two&after={}", some["cursor"])).await;
    assert_eq!(
        (&rest["events"], &rest["has_more"], &rest["ended"]),
        (&json!(of_two[2..]), &json!(false), &json!(true))
    );
    let kinds = page("event_type=node.ready&event_type=run.succeeded&first=newest").await;
    let kinds: Vec<&Value> = kinds["events"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
    assert_eq!(kinds, ["run.succeeded", "node.ready", "node.ready", "node.ready"]);
    assert_eq!(page("node_id=none").await["events"], json!([]));
    let between = page("after=2&before=5").await;
    assert_eq!((&between["events"], &between["ended"]), (&json!(all[2..4]), &json!(false)));
    for bad in ["first=odd", "event_type=odd", "before=-1", "node_id=a&node_id=b"] {
        assert_eq!(world.get(&format!("/api/v1/runs/{run}/events?{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_flow_was_is_kept_and_compared() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one", "two"])).await;
    let path = format!("/api/flows/{local}");
    let first = world.get(&path).await.json();
    let mut edited = chain("a-flow", "tool.plain", &["one", "three"]);
    edited["name"] = "Another name".into();
    edited["steps"][0]["params"]["title"] = "First".into();
    world.put(&path, &json!({"flow": edited})).await;
    let second = world.get(&path).await.json();
    let mut moved = second["flow"].clone();
    moved["steps"][0]["ui"] = json!({"position": {"x": 1, "y": 2}});
    world.put(&path, &json!({"flow": moved})).await;
    let list = world.get("/api/v1/flows/a-flow/versions").await.json();
    assert_eq!(world.get(&format!("/api/v1/flows/{local}/versions")).await.json(), list);
    let row = |version: u64, current: bool, name: &str, saved: &Value| {
        json!({"task_id": local, "version": version, "current": current, "name": name, "description": first["description"],
            "saved_at": saved, "flow_hash": list["items"][3 - usize::try_from(version).unwrap()]["flow_hash"], "step_count": 2})
    };
    let third = world.get(&path).await.json();
    assert_eq!(
        list,
        json!({"items": [
            row(3, true, "Another name", &third["updated_at"]),
            row(2, false, "Another name", &second["updated_at"]),
            row(1, false, "a-flow", &first["updated_at"]),
        ], "next": null})
    );
    let page = world.get("/api/v1/flows/a-flow/versions?limit=1&before=3").await.json();
    assert_eq!(page, json!({"items": [list["items"][1]], "next": 2}));
    let mut one = world.get("/api/v1/flows/a-flow/versions/1").await.json();
    assert_eq!(one["flow"].take(), first["flow"]);
    assert_eq!(list["items"][1]["flow_hash"], list["items"][0]["flow_hash"], "a layout is no part of the flow");
    let difference = world.get("/api/v1/flows/a-flow/difference?before=1&after=2").await.json();
    assert_eq!(
        difference,
        json!({
            "before": list["items"][2], "after": list["items"][1], "same_flow": false,
            "fields": [{"path": "/name", "before": "a-flow", "after": "Another name", "layout": false}],
            "added": ["three"], "removed": ["two"],
            "changed": [{"step_id": "one", "fields": [{"path": "/params/title", "before": "one", "after": "First", "layout": false}]}],
            "reordered": false,
        })
    );
    let layout = world.get("/api/v1/flows/a-flow/difference?before=2&after=3").await.json();
    assert_eq!((&layout["same_flow"], &layout["changed"][0]["fields"][0]["layout"]), (&json!(true), &json!(true)));
    for (path, status) in [
        ("/api/v1/flows/a-flow/versions/4", 404),
        ("/api/v1/flows/a-flow/versions/0", 404),
        ("/api/v1/flows/a-flow/versions/x", 400),
        ("/api/v1/flows/none/versions", 404),
        ("/api/v1/flows/none/versions/1", 404),
        ("/api/v1/flows/a-flow/difference", 400),
        ("/api/v1/flows/a-flow/difference?before=1&after=9", 404),
        ("/api/v1/flows/a-flow/versions?limit=0", 400),
    ] {
        assert_eq!(world.get(path).await.status, status, "{path}");
    }
    // The same id again is another flow.
    world.delete(&path).await;
    assert_eq!(world.get("/api/v1/flows/a-flow/versions").await.status, 404);
    world.save(&chain("a-flow", "tool.plain", &["one"])).await;
    assert_eq!(world.get("/api/v1/flows/a-flow/versions").await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_says_who_does_what_where() {
    let world = World::new().await;
    world.add_tool("tool.writes", &["execute_process", "write_local"]).await;
    let mut document = chain("writing", "tool.writes", &["one"]);
    document["inputs"] = json!({"note": {"required": true}});
    document["steps"].as_array_mut().unwrap().push(json!({"id": "end", "type": "artifact.task", "from": "one"}));
    let local = world.save(&document).await;
    let body = json!({"executor": "deterministic", "inputs": {"note": "x"}});
    let preview = world.post("/api/v1/flows/writing/preview", &body).await.json();
    assert_eq!(world.post(&format!("/api/v1/flows/{local}/preview"), &body).await.json(), preview);
    let place = preview["effects"][0]["where"].as_str().unwrap();
    assert!(place.ends_with("/work") && place.contains("/tool.writes in "), "{place}");
    let line = |node: &str, what: &str, who: &str, place: &str, risk: Value| json!({"node_id": node, "title": node, "what": what, "who": who, "where": place, "risk": risk});
    let risk = json!("May create, change or delete files on this machine.");
    assert_eq!(
        preview["effects"],
        json!([
            line("one", "execute_process", "tool.writes", place, Value::Null),
            line("one", "write_local", "tool.writes", place, risk),
            line("end", "pure_compute", "builtin.markdown-publication", "the record of this run", Value::Null),
            line("end", "write_local", "builtin.markdown-publication", "the record of this run", Value::Null),
        ])
    );
    assert_eq!((&preview["flow_input"]["note"], &preview["missing"]), (&json!("x"), &json!([])));
    let request =
        json!({"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": {"note": "x"}});
    let challenge = world.post("/api/v1/flows/writing/runs", &request).await;
    assert_eq!((challenge.status, challenge.json()), (428, preview["challenge"].clone()));
    assert_eq!(world.get("/api/v1/runs").await.json()["items"], json!([]), "nothing is stored");
    for (path, body, status) in [
        ("/api/v1/flows/none/preview", json!({}), 404),
        ("/api/v1/flows/writing/preview", json!({}), 400),
        ("/api/v1/flows/writing/preview", json!({"inputs": {"other": 1}}), 400),
        ("/api/v1/flows/writing/preview", json!({"executor": "odd"}), 400),
        ("/api/v1/flows/writing/preview", json!({"odd": 1}), 400),
    ] {
        assert_eq!(world.post(path, &body).await.status, status, "{path} {body}");
    }
    world.remove_program("tool.writes");
    let gone = world.post("/api/v1/flows/writing/preview", &body).await.json();
    assert_eq!(gone["missing"], json!([{"node_id": "one", "capability_id": "tool.writes"}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_description_has_a_suggested_granularity() {
    let world = World::new().await;
    let body = json!({"description": "Research the sources and review them"});
    let suggestion = world.post("/api/v1/flow-suggestions", &body).await.json();
    assert_eq!(
        suggestion,
        json!({
            "granularity": "fine",
            "because": ["it asks for care: research, source, review"],
            "template": world.get("/api/flow-templates").await.json()[2],
            "steps": ["Research the angle", "Outline the article", "Draft the article", "Review the draft", "Revise the article"],
            "executors": [
                {"id": "deterministic", "available": true},
                {"id": "codex", "available": false},
                {"id": "opencode", "available": false},
            ],
            "capabilities": [],
        })
    );
    for bad in [
        json!({}),
        json!({"description": " "}),
        json!({"description": "x".repeat(501)}),
        json!({"description": "x", "y": 1}),
    ] {
        assert_eq!(world.post("/api/v1/flow-suggestions", &bad).await.status, 400, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channel_says_what_there_is() {
    let world = World::new().await;
    assert_eq!(world.get("/api/v1/channel/kept-agents").await.json(), json!({"items": []}));
    assert_eq!(world.get("/api/v1/channel/task-counts").await.json(), json!({"total": 0, "by_status": {}}));
    world.post("/api/v1/channel/tasks", &json!({"agent": "codex", "prompt": "Say hello"})).await;
    assert_eq!(world.get("/api/v1/channel/task-counts").await.json(), json!({"total": 1, "by_status": {"failed": 1}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_runs_and_tasks_are_told_as_they_happen() {
    const PATH: &str = "/api/v1/events/stream";
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold"])).await;
    let mut client = Client::open(&world, PATH, None).await.unwrap();
    let first = client.next().await.unwrap();
    let start = first.id.unwrap();
    assert_eq!(first.data, Some(json!({"kind": "position", "position": start})));
    let run = world.admit("holding").await;
    let told = client.next().await.unwrap().data.unwrap();
    assert_eq!((&told["kind"], &told["run_id"], &told["status"]), (&json!("run"), &json!(run), &json!("running")));
    world.open_gate();
    world.ended(&run).await;
    let ended = loop {
        let told = client.next().await.unwrap();
        if told.data.as_ref().unwrap()["ended"] == json!(true) {
            break told;
        }
    };
    let events = world.get(&format!("/api/v1/runs/{run}/events")).await.json()["total"].clone();
    let expected = json!({"kind": "run", "run_id": run, "status": "succeeded", "waiting": false, "ended": true, "sequence": events});
    assert_eq!(ended.data, Some(expected.clone()));
    let task = world.post("/api/v1/channel/tasks", &json!({"agent": "codex", "prompt": "Say hello"})).await.json();
    let told = loop {
        let told = client.next().await.unwrap().data.unwrap();
        if told["status"] == json!("failed") {
            break told;
        }
    };
    assert_eq!((&told["kind"], &told["task_id"]), (&json!("task"), &task["task_id"]));
    drop(client);
    // Who was away hears of each once, as it is now.
    let mut later = Client::open(&world, PATH, Some(start)).await.unwrap();
    assert_eq!(later.next().await.unwrap().data, Some(json!({"kind": "position", "position": start})));
    assert_eq!(later.next().await.unwrap().data, Some(expected));
    assert_eq!(later.next().await.unwrap().data.unwrap()["task_id"], task["task_id"]);
    // A position of another record, further on than this one: from now on.
    let mut odd = Client::open(&world, &format!("{PATH}?after=999999999"), None).await.unwrap();
    assert!(odd.next().await.unwrap().id.unwrap() < 1_000_000);
    let bad = Request::get(PATH).header("last-event-id", "x").body(Body::empty()).unwrap();
    assert_eq!(world.send(bad).await.status, 400);
    assert_eq!(world.get(&format!("{PATH}?after=x")).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_has_ended_can_be_let_go() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("a-flow", "tool.plain", &["one", "hold"])).await;
    let run = world.admit("a-flow").await;
    let path = format!("/api/v1/runs/{run}");
    let active = world.delete(&path).await;
    let text = format!("run {run} has not ended; cancel it first");
    assert_eq!(active.pair(), (409, json!({"error": text})));
    world.open_gate();
    world.ended(&run).await;
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "hold"});
    let child = world.post(&format!("{path}/forks"), &fork).await.json()["run_id"].as_str().unwrap().to_owned();
    world.ended(&child).await;
    let restored = world.post(&format!("{path}/restorations"), &json!({})).await;
    assert_eq!(restored.pair(), (409, json!({"error": format!("run {run} is not quarantined")})));
    assert_eq!(world.delete(&path).await.pair(), (200, json!({"run_id": run, "forgotten": true})));
    for path in [path.clone(), format!("{path}/outcome"), format!("{path}/detail"), format!("{path}/events")] {
        assert_eq!(world.get(&path).await.status, 404, "{path}");
    }
    assert_eq!(world.delete(&path).await.status, 404);
    let kept = world.get(&format!("/api/v1/runs/{child}/outcome")).await.json();
    assert_eq!(kept["nodes"][0]["status"], "reused");
    assert_eq!(world.get("/api/v1/runs").await.json()["items"].as_array().unwrap().len(), 1);
}
