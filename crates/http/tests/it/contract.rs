//! The versioned routes: shapes, and the order in which things are refused.

use axum::{
    body::{Body, to_bytes},
    http::Request,
};
use serde_json::{Value, json};

use crate::world::{World, chain};

fn request(version: &str) -> Value {
    json!({"contract_version": version, "executor": "deterministic", "inputs": {}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_admitted_and_has_an_outcome() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("two-steps", "tool.plain", &["one", "two"]);
    document["steps"].as_array_mut().unwrap().push(json!({"id": "publish", "type": "artifact.task", "from": "two"}));
    world.save(&document).await;
    let reply = world.post("/api/v1/flows/two-steps/runs", &request("symphlo.run-request.v1")).await;
    let admission = reply.json();
    let run = admission["run_id"].as_str().unwrap().to_owned();
    assert_eq!(reply.status, 202);
    let keys: Vec<&String> = admission.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["contract_version", "flow_id", "run_id", "status"]);
    let outcome = world.ended(&run).await;
    let artifact = outcome["artifacts"][0]["artifact_id"].as_str().unwrap().to_owned();
    let content_url = format!("/api/v1/artifacts/{artifact}/content");
    assert_eq!(
        outcome,
        json!({
            "contract_version": "symphlo.run-outcome.v1",
            "run_id": run,
            "flow_id": "two-steps",
            "status": "succeeded",
            "started_at": outcome["started_at"],
            "finished_at": outcome["finished_at"],
            "progress": {"settled_nodes": 3, "total_nodes": 3},
            "nodes": [
                {"node_id": "one", "node_type": "tool.task", "status": "succeeded"},
                {"node_id": "two", "node_type": "tool.task", "status": "succeeded"},
                {"node_id": "publish", "node_type": "artifact.task", "status": "succeeded"},
            ],
            "artifacts": [{
                "artifact_id": artifact,
                "name": "result.md",
                "media_type": "text/markdown",
                "sha256": outcome["artifacts"][0]["sha256"],
                "content_url": content_url,
            }],
            "failure": null,
        })
    );
    let content = world.get(&content_url).await;
    assert_eq!((content.status, content.body.as_slice()), (200, b"two".as_slice()));
    assert_eq!(content.header("content-type"), "text/markdown");
    assert_eq!(content.header("content-disposition"), "inline; filename=\"result.md\"");
    let history = world.get("/api/v1/run-history?flow_id=two-steps&limit=5").await.json();
    assert_eq!(history["items"][0]["run_id"], run.as_str());
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    assert_eq!(evidence["nodes"][1]["output"], json!({"model_output": "two"}));
    assert_eq!(evidence["events"][0]["event_type"], "run.created");
    assert_eq!(evidence["artifacts"][0]["content_url"], content_url.as_str());
    let node = world.get(&format!("/api/v1/runs/{run}/nodes/two")).await;
    assert_eq!(node.json(), evidence["nodes"][1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_do_not_follow_their_contract_exactly_are_refused() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("one-step", "tool.plain", &["one"])).await;
    let with = |name: &str, value: Value| {
        let mut body = request("symphlo.run-request.v1");
        body[name] = value;
        body
    };
    for (what, body) in [
        ("a version that is not known", request("symphlo.run-request.v2")),
        ("a member too many", with("extra", Value::Null)),
        ("an authorization in the plain version", with("effect_authorization", Value::Null)),
        ("the authorized version without an authorization", request("symphlo.authorized-run-request.v1")),
        ("an executor that is not known", with("executor", "other".into())),
        ("no executor", with("executor", Value::Null)),
        ("inputs that are no object", with("inputs", json!([]))),
        ("an input that is not declared", with("inputs", json!({"x": 1}))),
        ("a version that is no text", with("contract_version", json!(1))),
        ("nothing", json!({})),
    ] {
        let reply = world.post("/api/v1/flows/one-step/runs", &body).await;
        assert_eq!(reply.status, 400, "{what}: {}", reply.json());
    }
    let unknown = world.post("/api/v1/flows/nothing-here/runs", &request("symphlo.run-request.v1")).await;
    assert_eq!(unknown.pair(), (404, json!({"error": "there is no flow \"nothing-here\""})));
    world.save(&chain("one-step", "tool.plain", &["one"])).await;
    let ambiguous = world.post("/api/v1/flows/one-step/runs", &request("symphlo.run-request.v1")).await;
    let (status, refused) = ambiguous.pair();
    let error = refused["error"].as_str().expect("a message");
    assert_eq!(status, 400, "{refused}");
    assert!(error.starts_with("2 saved flows have the id \"one-step\": task_"), "{refused}");
    assert_eq!(error.matches("task_").count(), 2, "both can be named: {refused}");
    assert_eq!(world.get("/api/v1/runs").await.json(), json!({"items": [], "next": null}));
}

/// Contract §4, §5: what the runtime knows, with what the local task says, and the resolved inputs.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_step_receives_the_runtime_keys_and_the_inputs() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let mut document = chain("some-inputs", "tool.plain", &["one", "two"]);
    document["description"] = "What it is about".into();
    document["x_symphlo"] = json!({"granularity": "fine"});
    document["inputs"] = json!({"n": {"type": "integer", "default": 3}, "m": {}, "report_focus": {}});
    let local = world.save(&document).await;
    let mut expected = json!({
        "goal": "What it is about", "topic": "What it is about",
        "audience": "People who decide with the result and did not follow the work", "granularity": "fine",
        "required_principles": ["Say what is known and what is assumed", "Keep names, figures and quotations exact",
            "Leave nothing out that would change the decision"],
        "workspace": "work", "n": 3,
    });
    for (inputs, topic) in [
        (json!({}), "What it is about"),
        (json!({"m": null, "report_focus": "Bees"}), "Bees"),
        (json!({"report_focus": " "}), "What it is about"),
    ] {
        let mut body = request("symphlo.run-request.v1");
        body["inputs"] = inputs;
        let run = world.post("/api/v1/flows/some-inputs/runs", &body).await.json()["run_id"].clone();
        world.ended(run.as_str().unwrap()).await;
        let evidence = world.get(&format!("/api/v1/runs/{}/evidence", run.as_str().unwrap())).await.json();
        expected["topic"] = topic.into();
        assert_eq!(evidence["nodes"][0]["input"], expected);
        assert_eq!(evidence["nodes"][1]["input"], json!({"model_output": "one"}), "nothing of it goes on by itself");
    }
    // The default of the topic's own input comes before the description; a template before what the document says.
    document["inputs"]["report_focus"]["default"] = "Wasps".into();
    let body = json!({"flow": document, "template_id": "compact"});
    assert_eq!(world.put(&format!("/api/flows/{local}"), &body).await.json()["template_id"], "compact");
    let run = world.admit("some-inputs").await;
    world.ended(&run).await;
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    expected["topic"] = "Wasps".into();
    expected["granularity"] = "compact".into();
    assert_eq!((&evidence["nodes"][0]["input"], &evidence["run"]["topic"]), (&expected, &json!("Wasps")));
}

/// Contract §3, §12.1: in a validation a problem like any other, on admission not found.
#[tokio::test(flavor = "multi_thread")]
async fn a_capability_that_is_not_there_is_not_found_on_admission() {
    let world = World::new().await;
    let golden = world.get("/api/flows").await.json()[0]["flow"].clone();
    let path = "/api/v1/flows/observable-golden-loop/runs";
    let message = "there is no capability \"agent.session-fixture\"";
    assert_eq!(world.post(path, &request("symphlo.run-request.v1")).await.pair(), (404, json!({"error": message})));
    let error = json!({"severity": "error", "code": "UNSUPPORTED_FLOW", "message": message});
    assert_eq!(
        world.post("/api/flows/validate", &golden).await.pair(),
        (200, json!({"valid": false, "errors": [error], "warnings": []}))
    );
    // What is saved and has no executor under the profile of the Run is refused with it.
    world.save(&json!({"id": "any-agent", "steps": [{"id": "any", "type": "agent.task", "prompt": "Go"}]})).await;
    let refused = world.post("/api/v1/flows/any-agent/runs", &request("symphlo.run-request.v1")).await;
    assert_eq!(refused.status, 400, "{}", refused.json());
    assert_eq!(world.get("/api/v1/runs").await.json(), json!({"items": [], "next": null}));
}

/// Contract §3, §4: what becomes the local task is shorter than what compiles.
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_is_saved_has_a_title_and_a_goal_of_bounded_length() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let with = |name: usize, description: usize, focus: usize| {
        let mut document = chain("long-words", "tool.plain", &["one"]);
        document["name"] = "é".repeat(name).into();
        document["description"] = "é".repeat(description).into();
        document["inputs"] = json!({"report_focus": {"default": "é".repeat(focus)}});
        document
    };
    for (document, status) in
        [(with(120, 500, 280), 201), (with(121, 500, 280), 400), (with(120, 501, 280), 400), (with(120, 500, 281), 400)]
    {
        assert_eq!(world.post("/api/flows", &json!({"flow": document})).await.status, status, "{document}");
        let compiled = world.post("/api/flows/validate", &document).await.json();
        assert_eq!(compiled["valid"], true, "{compiled}");
    }
    let mut bare = chain("no-words", "tool.plain", &["one"]);
    bare["name"] = "".into();
    let saved = world.post("/api/flows", &json!({"flow": bare})).await.json();
    for member in ["name", "description"] {
        assert!(!saved[member].as_str().unwrap().is_empty(), "{saved}");
    }
    assert_eq!((&saved["template_id"], &saved["flow"]["name"]), (&json!("balanced"), &json!("")));
    let odd = world.post("/api/flows", &json!({"flow": bare, "template_id": "huge"})).await;
    assert_eq!(odd.status, 400, "{}", odd.json());
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_are_challenged_and_the_same_authorization_admits() {
    let world = World::with_room(1).await;
    world.add_tool("tool.writes", &["write_local"]).await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("writing", "tool.writes", &["one"])).await;
    world.save(&chain("holding", "tool.plain", &["hold"])).await;
    let path = "/api/v1/flows/writing/runs";
    let challenge = world.post(path, &request("symphlo.run-request.v1")).await;
    assert_eq!(challenge.status, 428);
    let mut body = request("symphlo.authorized-run-request.v1");
    body["effect_authorization"] = json!({"authorization_id": "other"});
    let again = world.post(path, &body).await;
    assert_eq!(again.pair(), (428, challenge.json()), "an edited authorization is challenged again");
    body["effect_authorization"] = challenge.json()["authorization"].clone();
    let held = world.admit("holding").await;
    let busy = world.post(path, &body).await;
    assert_eq!(busy.pair(), (409, json!({"error": "at most 1 runs are active at once, and 1 are"})));
    assert_eq!(world.post(path, &request("symphlo.run-request.v1")).await.status, 409, "room comes before effects");
    world.open_gate();
    world.ended(&held).await;
    let admitted = world.post(path, &body).await;
    assert_eq!(admitted.status, 202);
    world.ended(admitted.json()["run_id"].as_str().unwrap()).await;
    let unneeded = world.post("/api/v1/flows/holding/runs", &body).await;
    assert_eq!(unneeded.status, 400, "an authorization that nothing needs");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_is_accepted_once() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold"])).await;
    let run = world.admit("holding").await;
    let path = format!("/api/v1/runs/{run}/cancellations");
    let body = |flow: &str| json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": flow});
    for bad in [" holding", "", &"x".repeat(129)] {
        assert_eq!(world.post(&path, &body(bad)).await.status, 400, "{bad:?}");
    }
    assert_eq!(world.post(&path, &body("other")).await.status, 409);
    assert_eq!(world.post(&format!("{path}?x=1"), &body("holding")).await.status, 400);
    let first = world.post(&path, &body("holding")).await;
    assert_eq!((first.status, &first.json()["accepted"]), (202, &json!(true)));
    world.ended(&run).await;
    let second = world.post(&path, &body("holding")).await;
    let expected = json!({"contract_version": "symphlo.run-cancellation.v1", "run_id": run, "flow_id": "holding",
        "status": "cancelled", "accepted": false});
    assert_eq!(second.pair(), (200, expected));
    let unknown = "/api/v1/runs/11111111-1111-4111-8111-111111111111/cancellations";
    assert_eq!(world.post(unknown, &body("holding")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn forks_are_admitted_compared_and_left_out_of_stability() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("failing", "tool.plain", &["one", "fail"])).await;
    let run = world.admit("failing").await;
    let outcome = world.ended(&run).await;
    assert_eq!(outcome["failure"], json!({"code": "node_failed", "node_id": "fail", "repair_from_node_id": null}));
    let path = format!("/api/v1/runs/{run}/forks");
    let body = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "fail"});
    let forked = world.post(&path, &body).await;
    let child = forked.json()["run_id"].as_str().unwrap().to_owned();
    let expected = json!({"contract_version": "symphlo.run-fork-admission.v1", "parent_run_id": run, "run_id": child,
        "from_node_id": "fail", "status": forked.json()["status"]});
    assert_eq!(forked.pair(), (202, expected));
    world.ended(&child).await;
    let summary = world.get(&format!("/api/v1/runs/{child}")).await.json();
    assert_eq!(summary["reused_node_ids"], json!(["one"]));
    let list = world.get("/api/v1/runs").await.json();
    assert_eq!(list["items"][0], summary);
    let report = world.get(&format!("/api/v1/runs/{run}/comparison?other_run_id={child}")).await.json();
    assert_eq!(report["lineage_relation"], "left_parent_of_right");
    let hash = summary["flow_hash"].as_str().unwrap();
    let stability = world.get(&format!("/api/v1/tasks/{local}/stability?flow_hash={hash}")).await.json();
    assert_eq!(stability["run_ids"], json!([run]));
    for (path, status) in [
        (format!("/api/v1/runs/{run}/comparison"), 400),
        (format!("/api/v1/runs/{run}/comparison?other_run_id={run}"), 400),
        (format!("/api/v1/runs/{run}/comparison?other_run_id={child}&other_run_id={child}"), 400),
        (format!("/api/v1/runs/{run}/comparison?other_run_id=nothing"), 404),
        (format!("/api/v1/tasks/{local}/stability"), 400),
        (format!("/api/v1/tasks/{local}/stability?flow_hash=abc"), 400),
        (format!("/api/v1/tasks/{local}/stability?flow_hash={}", "0".repeat(64)), 404),
        (format!("/api/v1/tasks/nothing/stability?flow_hash={hash}"), 404),
        ("/api/v1/run-history?flow_id=failing".to_owned(), 400),
        ("/api/v1/run-history?flow_id=failing&limit=0".to_owned(), 400),
        ("/api/v1/run-history?flow_id=failing&limit=%D9%A1".to_owned(), 400),
        ("/api/v1/run-history?flow_id=failing&limit=5&more=1".to_owned(), 400),
        (format!("/api/v1/runs/{run}/outcome?x=1"), 400),
        ("/api/v1/run-history?flow_id=never-saved&limit=5".to_owned(), 200),
    ] {
        assert_eq!(world.get(&path).await.status, status, "{path}");
    }
    for (body, status) in [
        (json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": " "}), 400),
        (json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "nothing"}), 400),
        (json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "one", "x": 1}), 400),
    ] {
        assert_eq!(world.post(&path, &body).await.status, status, "{body}");
    }
    assert_eq!(world.post("/api/v1/runs/nothing/forks", &body).await.status, 404);
    let why = world.get(&format!("/api/v1/runs/{run}/why")).await.json();
    assert_eq!(why["lines"], json!([{"node_id": "fail", "text": "failed after 1 call: Scripted: it was told to"}]));
    assert_eq!(why["fork_from"], "fail");
    let flow = world.get(&format!("/api/v1/runs/{run}/flow")).await.json();
    let summary = world.get(&format!("/api/v1/runs/{run}")).await.json();
    let ids: Vec<&Value> = flow["nodes"].as_array().into_iter().flatten().map(|node| &node["node_id"]).collect();
    assert_eq!(
        (&flow["run_id"], &flow["flow_id"], &flow["semantic_hash"], json!(ids)),
        (&summary["run_id"], &summary["flow_id"], &summary["flow_hash"], summary["node_order"].clone())
    );
}

/// Contract §10, §11: clients encode the ids in paths.
#[tokio::test(flavor = "multi_thread")]
async fn ids_in_paths_may_be_encoded() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("one.flow_1", "tool.plain", &["one"])).await;
    let started = world.post("/api/v1/flows/one%2Eflow%5f1/runs", &request("symphlo.run-request.v1")).await;
    assert_eq!(started.status, 202, "{}", started.json());
    let run = started.json()["run_id"].as_str().unwrap().to_owned();
    world.ended(&run).await;
    let encoded = run.replace('-', "%2D");
    assert_eq!(world.get(&format!("/api/v1/runs/{encoded}/outcome")).await.json()["run_id"], run.as_str());
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": " one "});
    let forked = world.post(&format!("/api/v1/runs/{encoded}/forks"), &fork).await;
    assert_eq!((forked.status, &forked.json()["from_node_id"]), (202, &json!("one")), "trimmed");
    let cancel = json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": "one.flow_1"});
    assert_eq!(world.post(&format!("/api/v1/runs/{encoded}/cancellations"), &cancel).await.status, 200);
    assert_eq!(world.get(&format!("/api/flows/{}", local.replace('_', "%5F"))).await.status, 200);
    // Not only ids: the whole path is decoded before it is looked for.
    let whole = Request::get(format!("/%61pi/v1/run%73/{encoded}/%6Futcome")).body(Body::empty()).unwrap();
    let (parts, body) = world.respond(whole).await.into_parts();
    let outcome: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
    assert_eq!((parts.status.as_u16(), &outcome["run_id"]), (200, &json!(run)));
    assert_eq!(world.get("/api/v1%2Fruns").await.status, 404, "a slash that is encoded separates nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_compared_is_refused() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("one-flow", "tool.plain", &["one"])).await;
    world.save(&chain("held-flow", "tool.plain", &["hold"])).await;
    let one = world.admit("one-flow").await;
    world.ended(&one).await;
    let held = world.admit("held-flow").await;
    let compared = async |left: &str, right: &str| {
        world.get(&format!("/api/v1/runs/{left}/comparison?other_run_id={right}")).await.status
    };
    assert_eq!((compared(&one, &held).await, compared(&held, &one).await), (400, 400), "one is active");
    world.open_gate();
    world.ended(&held).await;
    assert_eq!((compared(&one, &held).await, compared("nothing", &one).await), (400, 404), "another task");
    // Of the same task, but not of the same flow by now.
    assert_eq!(
        world
            .put(&format!("/api/flows/{local}"), &json!({"flow": chain("one-flow", "tool.plain", &["two"])}))
            .await
            .status,
        200
    );
    let two = world.admit("one-flow").await;
    world.ended(&two).await;
    assert_eq!(compared(&one, &two).await, 400, "another flow");
}

/// Contract §18: a task that never ran has the nodes of its built-in flow, and no other hash is known of it.
#[tokio::test(flavor = "multi_thread")]
async fn the_stability_of_a_task_that_never_ran_is_that_of_its_built_in_flow() {
    let world = World::new().await;
    let task = json!({"title": "Bees", "goal": "Write about bees", "topic": "Bees", "granularity": "compact"});
    let task = world.post("/api/v1/tasks", &task).await.json();
    let (id, flow) = (task["task_id"].as_str().unwrap(), &task["flow"]);
    let of = async |hash: &str| world.get(&format!("/api/v1/tasks/{id}/stability?flow_hash={hash}")).await;
    let report = of(flow["semantic_hash"].as_str().unwrap()).await.json();
    assert_eq!((&report["comparable_run_count"], &report["run_ids"]), (&json!(0), &json!([])));
    let nodes: Vec<(&Value, &Value)> =
        report["nodes"].as_array().unwrap().iter().map(|node| (&node["node_id"], &node["classification"])).collect();
    let none = json!("not_observed");
    assert_eq!(nodes, [(&json!("write-article"), &none), (&json!("publish-article"), &none)]);
    assert_eq!(of(&"0".repeat(64)).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_is_previewed_installed_and_installed_again() {
    let world = World::new().await;
    let flow = json!({"schema_version": 1, "id": "from-bundle", "name": "From a bundle",
        "steps": [{"id": "write-article", "type": "agent.task", "params": {"title": "Write"}}]});
    let bundle = json!({"contract_version": "symphlo.integration-bundle.v1", "bundle_id": "one.bundle",
        "bundle_version": "1.0", "name": "One", "publisher": "Us", "capabilities": [], "flows": [flow]});
    let preview = json!({"contract_version": "symphlo.integration-bundle-preview-request.v1", "bundle": bundle});
    let plan = world.post("/api/v1/integration-bundles/preview", &preview).await;
    assert_eq!(plan.status, 200, "{}", plan.json());
    let plan = plan.json();
    let mut install = json!({"contract_version": "symphlo.integration-bundle-install-request.v1", "bundle": bundle,
        "bundle_hash": plan["bundle_hash"], "confirmation_phrase": "INSTALL something else"});
    assert_eq!(world.post("/api/v1/integration-bundles", &install).await.status, 400);
    install["confirmation_phrase"] = plan["confirmation_phrase"].clone();
    let first = world.post("/api/v1/integration-bundles", &install).await;
    assert_eq!((first.status, &first.json()["created_flow_ids"]), (201, &json!(["from-bundle"])));
    let second = world.post("/api/v1/integration-bundles", &install).await;
    assert_eq!((second.status, &second.json()["reused_flow_ids"]), (201, &json!(["from-bundle"])));
    install["extra"] = json!(1);
    assert_eq!(world.post("/api/v1/integration-bundles", &install).await.status, 400);
}
