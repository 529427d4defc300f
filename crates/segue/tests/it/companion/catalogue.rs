//! What a companion finds: status, capabilities, local tasks, built-in flows, the sample (§11, §13).

use serde_json::{Value, json};

use super::{Companion, assert_error, canonical, hash, plain, text};

#[test]
fn the_status_names_workspace_state_and_executors() {
    let companion = Companion::new();
    let status = companion.get("/api/v1/system/status");
    let executor = |id: &str, label: &str, available: bool, level: &str| json!({"id": id, "label": label, "available": available, "evidence_level": level});
    assert_eq!(
        status,
        json!({
            "status": "ready",
            "workspace_id": text(&status["workspace_id"]),
            "workspace_name": "work",
            "state_root": companion.server.state_root(),
            "executors": [
                executor("deterministic", "Deterministic", true, "E1_DETERMINISTIC"),
                executor("codex", "Codex", false, "E2_REAL_EXECUTOR"),
                executor("opencode", "OpenCode", false, "E2_REAL_EXECUTOR"),
            ],
        })
    );
    companion.world.install_script("codex", "exit 0");
    assert_eq!(companion.get("/api/v1/system/status")["executors"][1]["available"], true, "found on PATH now");
    companion.end();
}

#[test]
fn a_fresh_workspace_has_the_golden_flow_and_two_samples() {
    let companion = Companion::new();
    let capabilities = companion.get("/api/v1/capabilities");
    let ids: Vec<&Value> = capabilities["items"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["agent.session-fixture", "http.sample-json"]);
    let sample = &capabilities["items"][1];
    let url = format!("http://{}/api/v1/samples/http-json", companion.server.address());
    let config = json!({"url": url, "method": "POST", "body": {"contract_version": "1.0"}, "context_key": "context"});
    let fingerprint = fingerprint(sample);
    assert_eq!(
        sample,
        &json!({
            "id": "http.sample-json", "version": "1.0.0", "name": sample["name"], "kind": "http", "source": "sample",
            "description": sample["description"], "effects": ["read_external"], "timeout_seconds": 30, "config": config,
            "fingerprint": fingerprint, "status": "ready", "last_probe": null,
        })
    );
    let fixture = &capabilities["items"][0];
    let session = ["input_mode", "output_format", "session_protocol"].map(|name| &fixture["config"][name]);
    assert_eq!(session, ["session_json", "session_json", "symphlo.agent-session.v1"]);
    let seen = ["kind", "source", "effects", "timeout_seconds", "status"].map(|name| &fixture[name]);
    assert_eq!(seen, [&json!("agent_cli"), &json!("sample"), &json!(["execute_process"]), &json!(30), &json!("ready")]);
    let flows = companion.get("/api/flows");
    assert_eq!(flows.as_array().map(Vec::len), Some(1));
    let golden = &flows[0];
    assert_eq!(
        (&golden["flow_id"], &golden["flow"]["id"]),
        (&json!("task_canonical_writing"), &json!("observable-golden-loop"))
    );
    let pins: Vec<&Value> = golden["flow"]["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| &step["params"]["capability_fingerprint"])
        .collect();
    let pin = &fixture["fingerprint"];
    assert_eq!(pins, [&Value::Null, pin, &Value::Null, pin, &Value::Null]);
    let tasks = companion.get("/api/v1/tasks");
    assert_eq!(tasks["items"][0]["task_id"], "task_canonical_writing");
    assert_eq!(companion.get("/api/v1/flows")["items"][0], tasks["items"][0]["flow"]);
    companion.end();
}

/// What the runtime brings it brings at each start, at the address that it then has.
#[test]
fn samples_are_there_again_after_a_restart() {
    let mut companion = Companion::new();
    let before = companion.get("/api/v1/capabilities");
    let deleted = companion.ask("DELETE", "/api/v1/capabilities/http.sample-json", None);
    assert_eq!(deleted, (200, json!({"deleted": true, "capability_id": "http.sample-json"})));
    assert_eq!(companion.refused("DELETE", "/api/v1/capabilities/agent.session-fixture", None), 409, "a flow uses it");
    let next = super::AppServer::start(&companion.world);
    let first = std::mem::replace(&mut companion.server, next);
    let url = |server: &super::AppServer| json!(format!("http://{}/api/v1/samples/http-json", server.address()));
    assert_eq!(before["items"][1]["config"]["url"], url(&first));
    assert_eq!(first.stop(rustix::process::Signal::TERM), "exit 0");
    let mut expected = before;
    expected["items"][1]["config"]["url"] = url(&companion.server);
    expected["items"][1]["fingerprint"] = json!(fingerprint(&expected["items"][1]));
    assert_eq!(companion.get("/api/v1/capabilities"), expected);
    companion.end();
}

/// The hash of kind, effects, timeout and normalised config (§2).
fn fingerprint(capability: &Value) -> String {
    let mut hashed = json!({});
    for name in ["kind", "effects", "timeout_seconds", "config"] {
        hashed[name] = capability[name].clone();
    }
    hash(&hashed)
}

#[test]
fn a_capability_is_validated_saved_tried_and_deleted() {
    let companion = Companion::new();
    let definition = json!({"kind": "http", "name": "x", "config": {"url": "http://127.0.0.1:1/x"}});
    let expected = json!({
        "id": "http-x", "version": "1.0.0", "name": "x", "kind": "http", "source": "manual", "description": "",
        "effects": ["read_external", "write_external"], "timeout_seconds": 30,
        "config": {"url": "http://127.0.0.1:1/x", "method": "POST", "body": {}, "context_key": "context"},
        "fingerprint": "8e382b95313965d0b405bd70852b533f5f558c418631c36bf465ab485ce20b27",
        "status": "validated", "last_probe": null,
    });
    let checked = companion.post("/api/v1/capabilities/validate", &json!({"capability": definition}), 200);
    assert_eq!(checked, json!({"valid": true, "capability": expected, "problems": []}));
    assert_eq!(companion.post("/api/v1/capabilities/validate", &definition, 200), checked, "bare");
    assert_eq!(companion.get("/api/v1/capabilities")["items"].as_array().map(Vec::len), Some(2), "nothing is stored");
    let tried = companion.post("/api/v1/capabilities/validate", &json!({"capability": definition, "probe": true}), 200);
    let probe = json!({"ok": false, "checked_at": "MOMENT", "summary": tried["probe"]["summary"],
        "details": {"error_type": tried["probe"]["details"]["error_type"]}});
    assert_eq!(plain(&tried["probe"], &[]), probe, "nobody listens there: {tried}");
    assert_eq!(companion.post("/api/v1/capabilities", &json!({"capability": definition}), 201), expected);
    assert_eq!(companion.refused("POST", "/api/v1/capabilities", Some(&definition)), 400, "the id is taken");
    let probed = companion.post("/api/v1/capabilities/http-x/probe", &json!({}), 200);
    assert_eq!((&probed["status"], &probed["last_probe"]["ok"]), (&json!("unavailable"), &json!(false)));
    let listed = companion.get("/api/v1/capabilities");
    assert!(listed["items"].as_array().expect("a list").contains(&probed), "what was seen is stored");
    let deleted = companion.ask("DELETE", "/api/v1/capabilities/http-x", None);
    assert_eq!(deleted, (200, json!({"deleted": true, "capability_id": "http-x"})));
    assert_eq!(companion.refused("DELETE", "/api/v1/capabilities/http-x", None), 404);
    assert_eq!(companion.refused("POST", "/api/v1/capabilities/http-x/probe", Some(&json!({}))), 404);
    for (what, wrong) in [
        (
            "a source of the runtime",
            json!({"kind": "http", "name": "x", "source": "sample", "config": {"url": "http://a/"}}),
        ),
        ("no config", json!({"kind": "http", "name": "x"})),
        ("credentials in a URL", json!({"kind": "http", "name": "x", "config": {"url": "http://a:b@c/"}})),
        ("a program that is not there", json!({"kind": "cli", "name": "x", "config": {"executable": "not-on-path"}})),
        (
            "an evaluator that writes",
            json!({"kind": "evaluator_cli", "name": "x", "effects": ["write_local"],
            "config": {"executable": "sh", "protocol": "symphlo.evaluation.v1"}}),
        ),
        (
            "an effect twice",
            json!({"kind": "cli", "name": "x", "effects": ["read_local", "read_local"], "config": {"executable": "sh"}}),
        ),
        ("no time", json!({"kind": "cli", "name": "x", "timeout_seconds": 0, "config": {"executable": "sh"}})),
        ("a kind that there is not", json!({"kind": "other", "name": "x", "config": {}})),
    ] {
        for path in ["/api/v1/capabilities", "/api/v1/capabilities/validate"] {
            assert_eq!(companion.refused("POST", path, Some(&wrong)), 400, "{what}, {path}");
        }
    }
    companion.end();
}

#[test]
fn tests_of_a_connection_are_real_calls() {
    let companion = Companion::new();
    companion.add("tool.echo", "cli", &["execute_process"], "cat");
    let probed = companion.post("/api/v1/capabilities/tool.echo/probe", &json!({}), 200);
    assert_eq!((&probed["status"], &probed["last_probe"]["ok"]), (&json!("ready"), &json!(true)), "{probed}");
    let keys =
        json!(["capability_fingerprint", "capability_id", "context", "instruction", "node_id", "run_id", "tool_call"]);
    assert_eq!(probed["last_probe"]["details"], json!({"output_keys": keys}));
    let sample = companion.post("/api/v1/capabilities/http.sample-json/probe", &json!({}), 200);
    assert_eq!((&sample["status"], &sample["last_probe"]["ok"]), (&json!("ready"), &json!(true)), "{sample}");
    let body = json!({"contract_version": "1.0", "context": {"a": 1, "b": [true]}});
    let marked = json!({"accepted": true, "contract_version": "1.0", "sample_id": "http.sample-json"});
    assert_eq!(
        companion.post("/api/v1/samples/http-json", &body, 200),
        json!({"a": 1, "b": [true], "http_sample": marked})
    );
    companion.end();
}

#[test]
fn programs_of_known_agents_are_discovered_and_not_stored() {
    let companion = Companion::new();
    assert_eq!(companion.post("/api/v1/capabilities/discover", &json!({}), 200), json!({"items": []}));
    companion.world.install_script("codex", "echo codex-cli 1.2.3");
    let found = companion.post("/api/v1/capabilities/discover", &json!({}), 200);
    let codex = &found["items"][0];
    let seen = ["id", "kind", "source", "status"].map(|name| &codex[name]);
    assert_eq!(seen, [&json!("agent.codex"), &json!("agent_cli"), &json!("discovered"), &json!("validated")]);
    assert_eq!(codex["config"]["version"], "codex-cli 1.2.3");
    assert_eq!(codex["fingerprint"], fingerprint(codex));
    let kept = companion.get("/api/v1/capabilities");
    assert_eq!(kept["items"].as_array().map(Vec::len), Some(2));
    // The user's own, behind them; a file that is none is told.
    companion.world.install_script("mine", "echo mine 7");
    let folder = companion.world.home().join(".config/segue");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("agent-cli-descriptors.json");
    let mut descriptors =
        json!({"version": 1, "agents": [{"id": "agent.mine", "name": "Mine", "executable_names": ["mine"]}]});
    std::fs::write(&file, descriptors.to_string()).expect("a file");
    let found = companion.post("/api/v1/capabilities/discover", &json!({}), 200);
    let mine = &found["items"][1];
    let seen = [&found["items"][0], &mine["id"], &mine["source"], &mine["timeout_seconds"], &mine["config"]["version"]];
    assert_eq!(seen, [codex, &json!("agent.mine"), &json!("discovered"), &json!(300), &json!("mine 7")]);
    descriptors["version"] = 2.into();
    std::fs::write(&file, descriptors.to_string()).expect("a file");
    assert_eq!(companion.refused("POST", "/api/v1/capabilities/discover", Some(&json!({}))), 400);
    companion.end();
}

/// §11: the Run of a local task is authorized as any other is.
#[test]
fn a_local_task_that_an_agent_writes_is_challenged() {
    let companion = Companion::new();
    companion.world.install_script(
        "codex",
        "[ \"$1\" = --version ] && echo codex-cli 1 && exit; cat > /dev/null; echo '# Written'",
    );
    let task = json!({"title": "T", "goal": "G", "topic": "O", "granularity": "compact"});
    let task = text(&companion.post("/api/v1/tasks", &task, 201)["task_id"]);
    let mut request = json!({"task_id": task, "executor": "codex"});
    let challenge = companion.post("/api/v1/runs", &request, 428);
    assert_eq!(challenge["scope"]["node_ids"], json!(["write-article", "publish-article"]));
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]));
    request["effect_authorization"] = challenge["authorization"].clone();
    let run = companion.post("/api/v1/runs", &request, 202);
    let seen = ["task_id", "executor_id", "executor_profile", "flow_hash"].map(|member| &run[member]);
    assert_eq!(seen, [&json!(task), &json!("codex"), &json!("codex"), &challenge["flow_hash"]]);
    assert_eq!(companion.ended(&text(&run["run_id"]))["status"], "succeeded");
    companion.end();
}

#[test]
fn a_local_task_carries_the_built_in_flow_and_runs_it() {
    let companion = Companion::new();
    for (granularity, nodes) in [
        ("compact", &["write-article", "publish-article"][..]),
        ("balanced", &["plan-article", "draft-article", "edit-article", "publish-article"]),
        (
            "fine",
            &[
                "research-angle",
                "outline-article",
                "draft-article",
                "review-draft",
                "revise-article",
                "publish-article",
            ],
        ),
    ] {
        let fields = json!({"title": "Write", "goal": "An article", "topic": "Bees", "granularity": granularity});
        let task = companion.post("/api/v1/tasks", &fields, 201);
        let flow = &task["flow"];
        let mut expected = fields.clone();
        expected["task_id"] = task["task_id"].clone();
        expected["created_at"] = "MOMENT".into();
        expected["flow"] = plain(flow, &[]);
        assert_eq!(plain(&task, &[]), expected);
        let id = text(&task["task_id"]);
        assert!(super::has_form(&id, "task_xxxxxxxxxxxx"), "{id}");
        let ids: Vec<&Value> = flow["nodes"].as_array().expect("nodes").iter().map(|node| &node["node_id"]).collect();
        assert_eq!(
            (&flow["flow_id"], ids),
            (
                &json!(format!("multi-agent-writing-{granularity}")),
                nodes.iter().map(|id| json!(id)).collect::<Vec<_>>().iter().collect()
            )
        );
        let mut hashed = flow.clone();
        hashed.as_object_mut().expect("an object").remove("semantic_hash");
        assert_eq!(flow["semantic_hash"], hash(&hashed), "{}", canonical(&hashed));
        assert_eq!(companion.get("/api/v1/tasks")["items"][0], task, "newest first");
        let unused = companion.get(&format!("/api/v1/tasks/{id}/stability?flow_hash={}", text(&flow["semantic_hash"])));
        assert_eq!(
            (&unused["comparable_run_count"], &unused["nodes"][0]["classification"]),
            (&json!(0), &json!("not_observed"))
        );
        let run = companion.post("/api/v1/runs", &json!({"task_id": id, "executor": "deterministic"}), 202);
        assert_eq!((&run["task_id"], &run["executor_profile"]), (&json!(id), &json!("deterministic")));
        let outcome = companion.ended(&text(&run["run_id"]));
        assert_eq!((&outcome["status"], &outcome["artifacts"][0]["name"]), (&json!("succeeded"), &json!("article.md")));
    }
    let task = json!({"title": "T", "goal": "G", "topic": "O", "granularity": "fine"});
    for (member, wrong) in [
        ("title", json!("x".repeat(121))),
        ("goal", json!("x".repeat(501))),
        ("topic", json!("x".repeat(281))),
        ("goal", json!("")),
        ("topic", json!(1)),
        ("granularity", json!("other")),
    ] {
        let mut task = task.clone();
        task[member] = wrong;
        assert_eq!(companion.refused("POST", "/api/v1/tasks", Some(&task)), 400, "{member}");
    }
    let mut longest = task.clone();
    for (member, length) in [("title", 120), ("goal", 500), ("topic", 280)] {
        longest[member] = "é".repeat(length).into();
    }
    companion.post("/api/v1/tasks", &longest, 201);
    let (status, body) =
        companion.ask("POST", "/api/v1/runs", Some(&json!({"task_id": "task_none", "executor": "deterministic"})));
    assert_error(&body);
    assert_eq!(status, 404);
    companion.end();
}
