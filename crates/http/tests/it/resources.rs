//! The other resources: flows, capabilities, tasks, what people say, agents.

use axum::http::Request;
use serde_json::{Value, json};

use crate::world::{World, chain, with_body};

#[tokio::test(flavor = "multi_thread")]
async fn flows_are_saved_listed_replaced_validated_and_deleted() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let document = chain("a-flow", "tool.plain", &["one"]);
    let local = world.save(&document).await;
    let path = format!("/api/flows/{local}");
    let saved = world.get(&path).await.json();
    let listed = world.get("/api/flows").await.json();
    assert_eq!(listed[0], saved);
    assert_eq!(listed.as_array().unwrap().len(), 2, "the golden flow is there as well");
    let replaced = world.put(&path, &json!({"flow": chain("a-flow", "tool.plain", &["one", "two"])})).await.json();
    assert_eq!(replaced["flow"]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(replaced["created_at"], saved["created_at"]);
    let validation = world.post("/api/flows/validate", &document).await.json();
    assert_eq!(validation, json!({"valid": true, "errors": [], "warnings": []}));
    let broken = world.post("/api/flows/validate", &json!({"id": "broken", "steps": []})).await;
    assert_eq!((broken.status, &broken.json()["valid"]), (200, &json!(false)));
    let used = world.delete("/api/v1/capabilities/tool.plain").await;
    assert_eq!(used.status, 409, "{}", used.json());
    assert_eq!(world.delete(&path).await.pair(), (200, json!({"deleted": true, "flow_id": local})));
    assert_eq!(world.get(&path).await.status, 404);
    assert_eq!(world.delete(&path).await.status, 404);
    assert_eq!(world.put(&path, &json!({"flow": document})).await.status, 404);
    let unknown = chain("b-flow", "tool.none", &["one"]);
    assert_eq!(world.post("/api/flows", &json!({"flow": unknown})).await.status, 404);
    assert_eq!(world.post("/api/flows", &json!({"flow": []})).await.status, 400);
    let deleted = world.delete("/api/v1/capabilities/tool.plain").await;
    assert_eq!(deleted.pair(), (200, json!({"deleted": true, "capability_id": "tool.plain"})));
}

/// Two windows: who opened the flow before the other saved it undoes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_is_replaced_only_as_the_version_that_was_read() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one"])).await;
    let path = format!("/api/flows/{local}");
    let body = json!({"flow": chain("a-flow", "tool.plain", &["one", "two"])}).to_string();
    let put = |tag: &str| world.send(with_body(Request::put(&path).header("if-match", tag), &body));
    let read = world.get(&path).await.header("etag").to_owned();
    let mine = put(&read).await;
    assert_eq!((mine.status, mine.header("etag") == read), (200, false));
    let theirs = put(&read).await;
    assert_eq!(theirs.status, 412, "{}", theirs.json());
    assert_eq!(world.get(&path).await.header("etag"), mine.header("etag"));
    assert_eq!(put("*").await.status, 200);
    for odd in ["", "7", "\"x\"", "W/\"1\"", "\"1\", \"2\""] {
        assert_eq!(put(odd).await.status, 400, "{odd}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_is_deleted_only_as_the_version_that_was_read() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one"])).await;
    let path = format!("/api/flows/{local}");
    let delete = |tag: &str| world.send(with_body(Request::delete(&path).header("if-match", tag), ""));
    let read = world.get(&path).await.header("etag").to_owned();
    assert_eq!(world.put(&path, &json!({"flow": chain("a-flow", "tool.plain", &["one", "two"])})).await.status, 200);
    let theirs = delete(&read).await;
    assert_eq!(theirs.status, 412, "{}", theirs.json());
    assert_eq!(delete("7").await.status, 400);
    let now = world.get(&path).await.header("etag").to_owned();
    assert_eq!(delete(&now).await.pair(), (200, json!({"deleted": true, "flow_id": local})));
    assert_eq!(delete(&now).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_flow_is_run_by_its_local_id_once_for_each_key() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one"])).await;
    let path = format!("/api/flows/{local}/runs");
    let keyed = || with_body(axum::http::Request::post(&path).header("idempotency-key", "mine"), "{}");
    let first = world.send(keyed()).await;
    assert_eq!((first.status, &first.json()["next_task"]), (202, &Value::Null));
    let again = world.send(keyed()).await;
    assert_eq!(first.json()["run"]["run_id"], again.json()["run"]["run_id"]);
    let others = world.save(&chain("b-flow", "tool.plain", &["one"])).await;
    let others = format!("/api/flows/{others}/runs");
    let taken = world.send(with_body(Request::post(&others).header("idempotency-key", "mine"), "{}")).await;
    assert_eq!((taken.status, &taken.json()["code"]), (409, &json!("key_taken")), "{}", taken.json());
    let twice = Request::post(&path).header("idempotency-key", "mine").header("idempotency-key", "yours");
    assert_eq!(world.send(with_body(twice, "{}")).await.status, 400, "which of the two is meant?");
    let other = world.post(&path, &json!({"executor": "deterministic", "inputs": {}})).await;
    assert_ne!(first.json()["run"]["run_id"], other.json()["run"]["run_id"]);
    for run in [&first, &other] {
        world.ended(run.json()["run"]["run_id"].as_str().unwrap()).await;
    }
    let page = world.get("/api/v1/runs?limit=1").await.json();
    let next = page["next"].as_str().unwrap();
    let rest = world.get(&format!("/api/v1/runs?limit=5&before={next}")).await.json();
    assert_eq!(rest["items"][0]["run_id"], first.json()["run"]["run_id"]);
    assert_eq!(world.get("/api/v1/runs?status=failed").await.json(), json!({"items": [], "next": null}));
    for bad in ["limit=0", "limit=1001", "limit=x", "status=odd", "before=x", "other=1", "limit=1&limit=2"] {
        assert_eq!(world.get(&format!("/api/v1/runs?{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn local_tasks_run_the_built_in_flow_of_their_granularity() {
    let world = World::new().await;
    let task = json!({"title": "Write", "goal": "An article", "topic": "Bees", "granularity": "compact"});
    let added = world.post("/api/v1/tasks", &task).await;
    assert_eq!(added.status, 201);
    let added = added.json();
    assert_eq!(world.get("/api/v1/tasks").await.json()["items"][0], added);
    assert_eq!(world.get("/api/v1/flows").await.json()["items"][0], added["flow"]);
    let body = json!({"task_id": added["task_id"], "executor": "deterministic"});
    let run = world.post("/api/v1/runs", &body).await;
    assert_eq!(run.status, 202);
    let outcome = world.ended(run.json()["run_id"].as_str().unwrap()).await;
    assert_eq!((&outcome["status"], &outcome["artifacts"][0]["name"]), (&json!("succeeded"), &json!("article.md")));
    for (member, value, status) in
        [("executor", json!("other"), 400), ("executor", Value::Null, 400), ("task_id", json!("task_0"), 404)]
    {
        let mut body = body.clone();
        body[member] = value;
        assert_eq!(world.post("/api/v1/runs", &body).await.status, status, "{body}");
    }
    for missing in ["title", "goal", "topic", "granularity"] {
        let mut task = task.clone();
        task.as_object_mut().unwrap().remove(missing);
        assert_eq!(world.post("/api/v1/tasks", &task).await.status, 400, "{missing}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn capabilities_are_checked_probed_and_saved_once() {
    let world = World::new().await;
    let definition = json!({"kind": "http", "name": "x", "config": {"url": "http://127.0.0.1:1/x"}});
    let checked = world.post("/api/v1/capabilities/validate", &json!({"capability": definition})).await.json();
    assert_eq!(
        checked["capability"]["fingerprint"],
        "8e382b95313965d0b405bd70852b533f5f558c418631c36bf465ab485ce20b27"
    );
    assert_eq!(checked.get("probe"), None);
    let probed = json!({"capability": definition, "probe": true});
    let probed = world.post("/api/v1/capabilities/validate", &probed).await.json();
    assert_eq!(probed["probe"]["summary"], "it answers");
    assert_eq!(world.get("/api/v1/capabilities").await.json(), json!({"items": []}), "nothing is stored");
    assert_eq!(world.post("/api/v1/capabilities", &json!({"capability": definition})).await.status, 201);
    assert_eq!(world.post("/api/v1/capabilities", &definition).await.status, 400, "the id is taken");
    let ready = world.post("/api/v1/capabilities/http-x/probe", &json!({})).await.json();
    assert_eq!(world.get("/api/v1/capabilities").await.json(), json!({"items": [ready]}));
    assert_eq!(ready["status"], "ready");
    assert_eq!(world.post("/api/v1/capabilities/discover", &json!({})).await.json(), json!({"items": []}));
    let mut sample = definition.clone();
    sample["source"] = "sample".into();
    assert_eq!(world.post("/api/v1/capabilities", &sample).await.status, 400);
    assert_eq!(world.post("/api/v1/capabilities/none/probe", &json!({})).await.status, 404);
    assert_eq!(world.delete("/api/v1/capabilities/none").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_answers_once() {
    let world = World::new().await;
    let document = json!({"schema_version": 2, "id": "asking", "name": "Asking",
        "steps": [{"id": "ask", "type": "human.task", "from": null, "prompt": "Go on?"}]});
    world.save(&document).await;
    let run = world.admit("asking").await;
    let path = format!("/api/v1/runs/{run}/nodes/ask/answers");
    for (body, status) in [
        (json!({"option": "perhaps"}), 400),
        (json!({"option": "approve", "form": {"x": 1}}), 400),
        (json!({"option": "approve", "other": 1}), 400),
        (json!({}), 400),
    ] {
        let reply = world.post(&path, &body).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.json());
    }
    let elsewhere = format!("/api/v1/runs/{run}/nodes/none/answers");
    assert_eq!(world.post(&elsewhere, &json!({"option": "approve"})).await.status, 404);
    let decision = format!("/api/v1/runs/{run}/nodes/ask/decisions");
    assert_eq!(world.post(&decision, &json!({"decision": "repeat"})).await.status, 409);
    assert_eq!(world.post(&decision, &json!({"decision": "perhaps"})).await.status, 400);
    assert_eq!(world.get(&format!("/api/v1/runs/{run}")).await.json()["waiting"], true);
    let answered = world.post(&path, &json!({"option": "approve", "actor": "ann"})).await;
    assert_eq!(answered.pair(), (200, json!({"run_id": run, "node_id": "ask", "recorded": true})));
    assert_eq!(world.ended(&run).await["status"], "succeeded");
    assert_eq!(world.post(&path, &json!({"option": "approve"})).await.status, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_says_what_it_takes_over() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one", "two"])).await;
    let run = world.admit("a-flow").await;
    world.ended(&run).await;
    let nothing = world.post(&format!("/api/v1/runs/{run}/replays"), &json!({})).await;
    assert_eq!(nothing.pair(), (400, json!({"error": "nothing is left to run: every node is unchanged"})));
    world.put(&format!("/api/flows/{local}"), &json!({"flow": chain("a-flow", "tool.plain", &["one", "three"])})).await;
    let plan = world.post(&format!("/api/v1/runs/{run}/replay-plan"), &json!({})).await.json();
    assert_eq!(
        plan["nodes"],
        json!([
            {"node_id": "one", "reused": true, "because": null},
            {"node_id": "three", "reused": false, "because": {"code": "new", "text": "it is new"}},
        ])
    );
    let replayed = world.post(&format!("/api/v1/runs/{run}/replays"), &json!({})).await;
    assert_eq!(replayed.status, 202);
    assert_eq!(world.ended(replayed.json()["run_id"].as_str().unwrap()).await["status"], "succeeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_say_where_things_are_and_never_the_token() {
    let world = World::new().await;
    let reply = world.get("/api/v1/system/settings").await;
    let status = world.get("/api/v1/system/status").await.json();
    let workspace = world.app.flows().workspace().path().to_string_lossy().into_owned();
    assert_eq!(
        reply.json(),
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "workspace": workspace,
            "workspace_id": status["workspace_id"],
            "workspace_name": status["workspace_name"],
            "state_root": "/state",
            "state_is_usual": false,
            "token_file": "/state/http-token",
            "agents": ["claude_code", "cline", "codex", "copilot", "cursor", "opencode"],
            "nested": false,
        })
    );
    assert!(!String::from_utf8_lossy(&reply.body).contains("0707"), "the token of the tests");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_the_samples_and_the_channel_answer() {
    let world = World::new().await;
    let status = world.get("/api/v1/system/status").await.json();
    let executor = |id: &str, label: &str, available: bool, level: &str| json!({"id": id, "label": label, "available": available, "evidence_level": level});
    assert_eq!(
        status,
        json!({
            "status": "ready",
            "workspace_id": status["workspace_id"],
            "workspace_name": "work",
            "state_root": "/state",
            "executors": [
                executor("deterministic", "Deterministic", true, "E1_DETERMINISTIC"),
                executor("codex", "Codex", false, "E2_REAL_EXECUTOR"),
                executor("opencode", "OpenCode", false, "E2_REAL_EXECUTOR"),
            ],
        })
    );
    let sample = json!({"contract_version": "1.0", "context": {"a": 1.0}});
    assert_eq!(
        world.post("/api/v1/samples/http-json", &sample).await.json(),
        json!({"a": 1.0, "http_sample": {"accepted": true, "contract_version": "1.0", "sample_id": "http.sample-json"}})
    );
    assert_eq!(world.post("/api/v1/samples/http-json", &json!({"contract_version": "2"})).await.status, 400);
    assert_eq!(world.get("/api/v1/channel/tasks").await.json(), json!({"items": [], "next": null}));
    let agents = world.get("/api/v1/channel/agents").await.json();
    let missing = "the executable 'codex-acp' was not found on PATH; it is yours to install";
    let codex = json!({"agent": "codex", "path": null, "problem": missing});
    assert!(agents["items"].as_array().unwrap().contains(&codex), "{agents}");
    let code = |reply: &crate::world::Reply| (reply.status, reply.json()["code"].clone());
    let task = json!({"agent": "nobody", "prompt": "x"});
    assert_eq!(code(&world.post("/api/v1/channel/tasks", &task).await), (404, json!("unknown_agent")));
    let task = json!({"agent": "codex", "prompt": "x", "other": 1});
    assert_eq!(code(&world.post("/api/v1/channel/tasks", &task).await), (400, json!("invalid_request")));
    for path in
        ["/api/v1/channel/tasks/none", "/api/v1/channel/tasks/none/events", "/api/v1/channel/tasks/none/events/stream"]
    {
        assert_eq!(code(&world.get(path).await), (404, json!("task_not_found")), "{path}");
    }
    assert_eq!(code(&world.delete("/api/v1/channel/tasks/none").await), (404, json!("task_not_found")));
    assert_eq!(code(&world.delete("/api/v1/channel/kept-agents/none").await), (404, json!("agent_gone")));
    assert_eq!(world.get("/api/v1/openapi.json").await.json(), segue_http::openapi::document());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_cannot_start_is_there_with_its_reason() {
    let world = World::new().await;
    let task = json!({"agent": "codex", "prompt": "Say hello", "client_key": "one"});
    let dispatched = world.post("/api/v1/channel/tasks", &task).await;
    assert_eq!((dispatched.status, &dispatched.json()["status"]), (201, &json!("failed")), "{}", dispatched.json());
    let dispatched = dispatched.json();
    let path = format!("/api/v1/channel/tasks/{}", dispatched["task_id"].as_str().unwrap());
    assert_eq!(world.post("/api/v1/channel/tasks", &task).await.json()["task_id"], dispatched["task_id"]);
    assert_eq!(world.get(&format!("{path}?include_prompt=true")).await.json()["prompt"], "Say hello");
    let listed = world.get("/api/v1/channel/tasks?status=failed&limit=1").await.json();
    assert_eq!(listed["items"][0]["error"], dispatched["error"]);
    let because = |task: &Value| task["ended_because"].clone();
    assert_eq!([because(&listed["items"][0]), because(&dispatched)], ["not_started", "not_started"]);
    assert_eq!([&listed["items"][0]["title"], &dispatched["title"]], ["Say hello", "Say hello"]);
    let page = world.get(&format!("{path}/events")).await.json();
    assert_eq!(page["cursor"], page["events"].as_array().unwrap().last().unwrap()["sequence"]);
    let stream = world.get(&format!("{path}/events/stream")).await;
    let text = String::from_utf8(stream.body).unwrap();
    let shown: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    let (end, events) = shown.split_last().unwrap();
    assert_eq!((Value::from(events), end), (page["events"].clone(), &json!({"status": "failed"})));
    let last =
        axum::http::Request::get(format!("{path}/events/stream")).header("last-event-id", page["cursor"].to_string());
    assert_eq!(world.send(last.body(axum::body::Body::empty()).unwrap()).await.status, 204);
    assert_eq!(world.delete(&path).await.status, 409, "nobody has judged it");
    assert_eq!(world.post(&format!("{path}/cancellations"), &json!({})).await.json()["status"], "failed");
    assert_eq!(world.post(&format!("{path}/resolutions"), &json!({"resolution": "perhaps"})).await.status, 400);
    let judged = world.post(&format!("{path}/resolutions"), &json!({"resolution": "rejected", "note": "no"})).await;
    assert_eq!((&judged.json()["resolution"], &judged.json()["resolution_note"]), (&json!("rejected"), &json!("no")));
    assert_eq!(world.delete(&path).await.json()["forgotten"], true);
    assert_eq!(world.get(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_are_added_shown_turned_off_and_removed() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.add_tool("tool.writes", &["write_external"]).await;
    let local = world.save(&chain("a-flow", "tool.plain", &["one"])).await;
    world.save(&chain("b-flow", "tool.writes", &["one"])).await;
    let path = "/api/v1/schedules";
    let request = json!({"flow_id": "a-flow", "cron": "0 9 * * MON-FRI", "time_zone": "europe/berlin"});
    let added = world.post(path, &request).await;
    let schedule = added.json();
    let id = schedule["schedule_id"].as_str().unwrap().to_owned();
    let mut expected = json!({
        "schedule_id": id, "flow_id": "a-flow", "local_flow_id": local, "version": "latest", "flow_hash": null,
        "cron": "0 9 * * MON-FRI", "time_zone": "Europe/Berlin", "missed": "skip", "overlap": "skip",
        "executor": "deterministic", "inputs": {}, "authorized": null, "enabled": true, "last_run_id": null,
    });
    for of_now in ["created_at", "next_tick", "next_local"] {
        assert!(schedule[of_now].is_string(), "{of_now}: {schedule}");
        expected[of_now] = schedule[of_now].clone();
    }
    assert_eq!(added.pair(), (201, expected.clone()));
    assert_eq!(world.get(path).await.pair(), (200, json!({"items": [expected]})));
    let one = format!("{path}/{id}");
    let shown = world.get(&one).await.json();
    assert_eq!(shown["schedule"], schedule);
    assert_eq!(
        shown["events"],
        json!([{
            "sequence": 1, "recorded_at": schedule["created_at"], "event_type": "schedule.added", "tick": null,
            "run_id": null, "run_status": null, "refused": null, "missed": null, "clock": null,
        }])
    );

    let writes = json!({"flow_id": "b-flow", "cron": "@daily", "time_zone": "UTC", "version": "pinned"});
    let challenge = world.post(path, &writes).await;
    assert_eq!((challenge.status, &challenge.json()["flow_id"]), (428, &json!("b-flow")));
    let mut authorized = writes.clone();
    authorized["effect_authorization"] = challenge.json()["authorization"].clone();
    let pinned = world.post(path, &authorized).await;
    assert_eq!((pinned.status, &pinned.json()["authorized"]), (201, &challenge.json()));
    assert_eq!(pinned.json()["flow_hash"], challenge.json()["flow_hash"]);

    let off = world.put(&one, &json!({"enabled": false})).await;
    assert_eq!((off.status, &off.json()["enabled"], &off.json()["next_tick"]), (200, &json!(false), &Value::Null));
    assert_eq!(world.get(&format!("{one}?limit=1")).await.json()["events"][0]["event_type"], "schedule.disabled");
    let removed = json!({"removed": true, "schedule_id": id});
    assert_eq!(world.delete(&one).await.pair(), (200, removed));
    for reply in [
        world.get(&one).await,
        world.put(&one, &json!({"enabled": true})).await,
        world.delete(&one).await,
        world.get(&format!("{path}/x")).await,
        world.post(path, &json!({"flow_id": "none", "cron": "@daily", "time_zone": "UTC"})).await,
    ] {
        assert_eq!(reply.status, 404, "{}", reply.json());
    }
    for bad in [
        json!({}),
        json!({"flow_id": "a-flow", "cron": "@daily"}),
        json!({"flow_id": "a-flow", "cron": "0 0 30 2 *", "time_zone": "UTC"}),
        json!({"flow_id": "a-flow", "cron": "0 9 * * *", "time_zone": "Mars/Olympus"}),
        json!({"flow_id": "a-flow", "cron": "0 9 * * *", "time_zone": "UTC", "missed": "odd"}),
        json!({"flow_id": "a-flow", "cron": "0 9 * * *", "time_zone": "UTC", "extra": 1}),
        json!({"flow_id": "a-flow", "cron": "0 9 * * *", "time_zone": "UTC", "inputs": {"x": 1}}),
        json!({"flow_id": "a-flow", "cron": "0 9 * * *", "time_zone": "UTC", "effect_authorization": "yes"}),
    ] {
        let reply = world.post(path, &bad).await;
        assert_eq!((reply.status, reply.json()["error"].is_string()), (400, true), "{bad}");
    }
    for query in ["limit=0", "limit=201", "other=1"] {
        assert_eq!(world.get(&format!("{one}?{query}")).await.status, 400, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_ticks_of_a_pattern_are_told_before_anything_is_added() {
    let world = World::new().await;
    let path = "/api/v1/schedule-previews";
    let told = world.post(path, &json!({"cron": "0 9 29 2 *", "time_zone": "europe/berlin"})).await;
    let ticks = told.json()["ticks"].clone();
    let local: Vec<&str> = ticks.as_array().unwrap().iter().map(|tick| tick["local"].as_str().unwrap()).collect();
    assert_eq!((told.status, local.len()), (200, 3), "{ticks}");
    for (tick, local) in ticks.as_array().unwrap().iter().zip(local) {
        assert!(local.ends_with("-02-29 09:00 +01:00"), "{local}");
        assert!(tick["at"].as_str().unwrap().contains("-02-29T08:00:00"), "{tick}");
    }
    for (bad, says) in [
        (json!({"cron": "every day", "time_zone": "UTC"}), "no cron pattern"),
        (json!({"cron": "0 0 30 2 *", "time_zone": "UTC"}), "never comes"),
        (json!({"cron": "@daily", "time_zone": "Mars/Olympus"}), "no time zone"),
        (json!({"cron": "@daily"}), "time_zone"),
        (json!({"cron": "@daily", "time_zone": "UTC", "extra": 1}), "extra"),
    ] {
        let reply = world.post(path, &bad).await;
        let said = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(reply.status == 400 && said.contains(says), "{bad}: {} {said}", reply.status);
    }
    assert_eq!(world.get("/api/v1/schedules").await.json(), json!({"items": []}));
}
