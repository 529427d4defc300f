//! Conventions of every request, and the shape of every refusal (§10).

use serde_json::{Value, json};

use super::{Companion, assert_conventional, assert_error, chain, run_request};

const UNKNOWN: &str = "11111111-1111-4111-8111-111111111111";
const ADMISSION: &str = "/api/v1/flows/observable-golden-loop/runs";

#[test]
fn a_body_is_a_json_object_of_bounded_size() {
    let companion = Companion::new();
    let good = run_request(&json!({})).to_string();
    let padded = |bytes: usize| {
        let inputs = json!({"x": "y".repeat(bytes - run_request(&json!({"x": ""})).to_string().len())});
        run_request(&inputs).to_string()
    };
    assert_eq!(padded(65_536).len(), 65_536);
    let json_type = ("Content-Type", "application/json");
    for (what, headers, body) in [
        ("no body", &[json_type][..], None),
        ("an empty body", &[json_type], Some(String::new())),
        ("one byte", &[json_type], Some("1".to_owned())),
        ("too large", &[json_type], Some(padded(65_537))),
        ("another type", &[("Content-Type", "text/plain")], Some(good.clone())),
        ("a type that begins like it", &[("Content-Type", "application/json-seq")], Some(good.clone())),
        ("cut off", &[json_type], Some(good[..good.len() - 1].to_owned())),
        ("two values", &[json_type], Some(format!("{good}{good}"))),
        ("an array", &[json_type], Some("[]".to_owned())),
        ("a text", &[json_type], Some("\"{}\"".to_owned())),
        ("a number that is none", &[json_type], Some(good.replace("{}", "{\"x\":NaN}"))),
    ] {
        let mut connection = companion.server.connect();
        let reply = connection.send("POST", ADMISSION, headers, body.as_deref());
        assert_conventional(&reply);
        assert_error(&reply.json());
        assert_eq!(reply.status, 400, "{what}: {}", reply.json());
    }
    // As large as may be, and refused for what it says; with parameters of the type; with a member twice.
    for (body, kind, status) in [
        (padded(65_536), "application/json", 400),
        (good.clone(), "application/json; charset=utf-8", 202),
        (good.replacen('{', "{\"executor\":\"nobody\",", 1), "APPLICATION/JSON", 202),
    ] {
        let reply = companion.server.connect().send("POST", ADMISSION, &[("Content-Type", kind)], Some(&body));
        assert_eq!(reply.status, status, "{}", reply.json());
        if status == 202 {
            companion.ended(reply.json()["run_id"].as_str().expect("an id"));
        }
    }
    companion.end();
}

#[test]
fn every_unknown_thing_is_404_and_every_reply_json() {
    let companion = Companion::new();
    let body = json!({});
    let cancel = json!({"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": "any-flow"});
    let fork = json!({"contract_version": "symphlo.run-fork-request.v1", "from_node_id": "x"});
    for (method, path, body) in [
        ("GET", "/api/other".to_owned(), None),
        ("GET", "/api/v1/".to_owned(), None),
        ("GET", format!("/api/v1/runs/{UNKNOWN}/outcome"), None),
        ("GET", format!("/api/v1/runs/{UNKNOWN}/evidence"), None),
        ("GET", format!("/api/v1/runs/{UNKNOWN}/comparison?other_run_id={UNKNOWN}x"), None),
        ("GET", "/api/v1/runs/%2e%2e%2f%2e%2e/outcome".to_owned(), None),
        ("GET", format!("/api/v1/artifacts/{UNKNOWN}/content"), None),
        ("GET", "/api/v1/artifacts/..%2f..%2fjournal.db/content".to_owned(), None),
        ("GET", "/api/flows/task_none".to_owned(), None),
        ("POST", "/api/v1/flows/never-saved/runs".to_owned(), Some(run_request(&body))),
        ("POST", format!("/api/v1/runs/{UNKNOWN}/cancellations"), Some(cancel)),
        ("POST", format!("/api/v1/runs/{UNKNOWN}/forks"), Some(fork)),
        ("POST", "/api/v1/capabilities/none/probe".to_owned(), Some(body.clone())),
        ("DELETE", "/api/v1/capabilities/none".to_owned(), None),
        (
            "PUT",
            "/api/flows/task_none".to_owned(),
            Some(json!({"flow": chain("a-flow", &[("write-article", "agent.task", None)])})),
        ),
    ] {
        assert_eq!(companion.refused(method, &path, body.as_ref()), 404, "{method} {path}");
    }
    assert_eq!(companion.refused("GET", &format!("/api/v1/runs/{UNKNOWN}/outcome?x=1"), None), 400, "no query here");
    for (method, path) in [("DELETE", "/api/v1/runs"), ("PATCH", "/api/flows"), ("OPTIONS", ADMISSION)] {
        let (status, value) = companion.ask(method, path, None);
        assert_error(&value);
        assert_eq!(status, 405, "{method} {path}");
    }
    // One connection carries on after refusals.
    let mut connection = companion.server.connect();
    let first = connection.ask("GET", "/api/other", None);
    assert_eq!((first.0, connection.ask("GET", "/api/v1/runs", None).0), (404, 200));
    companion.end();
}

#[test]
fn requests_of_versioned_contracts_have_exactly_their_members() {
    let companion = Companion::new();
    let with = |member: &str, value: Value| {
        let mut request = run_request(&json!({}));
        request[member] = value;
        request
    };
    let mut short = run_request(&json!({}));
    short.as_object_mut().expect("an object").remove("inputs");
    for (what, request) in [
        ("a version that is not known", with("contract_version", json!("symphlo.run-request.v2"))),
        ("no text as a version", with("contract_version", json!(1))),
        ("a member too many", with("more", json!(null))),
        ("an authorization in the plain version", with("effect_authorization", json!(null))),
        ("the other version without one", with("contract_version", json!("symphlo.authorized-run-request.v1"))),
        ("a member too few", short),
        ("an executor that there is not", with("executor", json!("other"))),
        ("an executor that is not installed", with("executor", json!("codex"))),
        ("inputs that are none", with("inputs", json!([]))),
        ("an input that is not declared", with("inputs", json!({"x": 1}))),
        ("an input of another type", with("inputs", json!({"report_focus": 1}))),
        ("nothing", json!({})),
    ] {
        assert_eq!(companion.refused("POST", ADMISSION, Some(&request)), 400, "{what}");
    }
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]));
    companion.end();
}

/// Types and defaults of inputs (§5).
#[test]
fn inputs_are_checked_as_they_are_declared() {
    let companion = Companion::new();
    companion.add("tool.any", "cli", &["execute_process"], "cat");
    let mut flow = chain("typed-flow", &[("only", "tool.task", Some("tool.any"))]);
    flow["inputs"] = json!({
        "s": {}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"}, "o": {"type": "object"},
        "a": {"type": "array", "default": [1]}, "need": {"type": "string", "required": true},
    });
    companion.save(&flow);
    let path = "/api/v1/flows/typed-flow/runs";
    for (name, wrong) in [
        ("s", json!(1)),
        ("i", json!(1.0)),
        ("i", json!(true)),
        ("n", json!("1")),
        ("n", json!(false)),
        ("b", json!(0)),
        ("o", json!([])),
        ("a", json!({})),
        ("need", json!(null)),
        ("report_focus", json!("x")),
    ] {
        let mut inputs = json!({"need": "x"});
        inputs[name] = wrong.clone();
        assert_eq!(companion.refused("POST", path, Some(&run_request(&inputs))), 400, "{name} {wrong}");
    }
    assert_eq!(companion.refused("POST", path, Some(&run_request(&json!({})))), 400, "what is required");
    let run = companion.admit("typed-flow", &json!({"need": "x", "i": 1, "n": 2, "b": true, "o": {"k": 1}, "s": null}));
    companion.ended(&run);
    let input = companion.evidence(&run)["nodes"][0]["input"].clone();
    let given = ["s", "i", "n", "b", "o", "a", "need"].map(|name| input.get(name).cloned());
    assert_eq!(
        given,
        [
            None,
            Some(json!(1)),
            Some(json!(2)),
            Some(json!(true)),
            Some(json!({"k": 1})),
            Some(json!([1])),
            Some(json!("x"))
        ]
    );
    companion.end();
}
