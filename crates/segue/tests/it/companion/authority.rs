//! What would write is admitted only with the authorization for exactly that (§15).

use serde_json::{Value, json};

use super::{Companion, authorized, chain, hash, run_request, text};

const WRITES: &[&str] = &["execute_process", "write_external", "write_local"];

fn writing(companion: &Companion) -> &'static str {
    companion.add("tool.reads", "cli", &["execute_process", "read_local"], "cat");
    companion.add("tool.writes", "cli", WRITES, "echo written >> writes; cat");
    let mut flow = chain(
        "writing-flow",
        &[
            ("look", "tool.task", Some("tool.reads")),
            ("write", "tool.task", Some("tool.writes")),
            ("again", "tool.task", Some("tool.writes")),
        ],
    );
    flow["inputs"] = json!({"note": {"type": "string"}});
    companion.save(&flow);
    "/api/v1/flows/writing-flow/runs"
}

fn writes(companion: &Companion) -> usize {
    std::fs::read_to_string(companion.world.workspace().join("writes")).unwrap_or_default().lines().count()
}

#[test]
fn a_challenge_names_effects_and_nodes_and_its_authorization_admits() {
    let companion = Companion::new();
    let path = writing(&companion);
    let challenge = companion.post(path, &run_request(&json!({"note": "x"})), 428);
    let effect = |at: usize, name: &str| {
        let risk = text(&challenge["effects"][at]["risk"]);
        assert!(!risk.is_empty());
        json!({"effect": name, "node_ids": ["write", "again"], "risk": risk})
    };
    let scope = json!({"node_ids": ["look", "write", "again"], "parent_run_id": null, "from_node_id": null});
    let mut bound = json!({
        "policy_version": "symphlo.effect-policy.v1", "flow_id": "writing-flow", "flow_version": "1.0.0",
        "flow_hash": text(&challenge["flow_hash"]), "input_hash": text(&challenge["input_hash"]), "scope": scope,
        "effects": [effect(0, "write_local"), effect(1, "write_external")],
    });
    let id = hash(&bound);
    bound["contract_version"] = "symphlo.effect-authorization-required.v1".into();
    bound["authorization_id"] = id.clone().into();
    bound["authorization"] = json!({"contract_version": "symphlo.effect-authorization.v1", "authorization_id": id,
        "confirmation_phrase": format!("authorize:{id}")});
    assert_eq!(challenge, bound, "the id is the hash of what is authorized");
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]), "nothing was created");

    let request = authorized(run_request(&json!({"note": "x"})), &challenge);
    let run = text(&companion.post(path, &request, 202)["run_id"]);
    assert_eq!(companion.ended(&run)["status"], "succeeded");
    assert_eq!(writes(&companion), 2);
    let evidence = companion.evidence(&run);
    assert_eq!(challenge["input_hash"], hash(&evidence["nodes"][0]["input"]));
    assert_eq!(challenge["flow_hash"], evidence["run"]["flow_hash"]);
    let event: Value =
        serde_json::from_str(evidence["events"][1]["payload_json"].as_str().expect("text")).expect("JSON");
    assert_eq!(evidence["events"][1]["event_type"], "run.effects_authorized");
    let expected = json!({"policy_version": "symphlo.effect-policy.v1", "authorization_id": id,
        "input_hash": challenge["input_hash"], "effects": challenge["effects"], "scope": scope});
    assert_eq!(event, expected);
    // A token of intent: the same one admits the same flow and input again.
    let again = text(&companion.post(path, &request, 202)["run_id"]);
    assert_ne!(again, run);
    companion.ended(&again);
    companion.end();
}

#[test]
fn any_other_authorization_is_challenged_again_and_nothing_is_created() {
    let companion = Companion::new();
    let path = writing(&companion);
    let challenge = companion.post(path, &run_request(&json!({"note": "x"})), 428);
    let given = |authorization: Value| {
        let mut request = authorized(run_request(&json!({"note": "x"})), &challenge);
        request["effect_authorization"] = authorization;
        request
    };
    let good = challenge["authorization"].clone();
    let edited = |member: &str, value: Value| {
        let mut authorization = good.clone();
        authorization[member] = value;
        authorization
    };
    let mut short = good.clone();
    short.as_object_mut().expect("an object").remove("confirmation_phrase");
    for (what, authorization) in [
        ("nothing in it", json!({})),
        ("a member too many", edited("more", json!(1))),
        ("a member too few", short),
        ("another phrase", edited("confirmation_phrase", json!("authorize:yes"))),
        ("another id", edited("authorization_id", json!("0".repeat(64)))),
        ("another version", edited("contract_version", json!("symphlo.effect-authorization.v2"))),
        ("no object", json!("authorize")),
    ] {
        assert_eq!(companion.post(path, &given(authorization), 428), challenge, "{what}");
    }
    let mut other = authorized(run_request(&json!({"note": "y"})), &challenge);
    let stale = companion.post(path, &other, 428);
    assert_ne!(stale["authorization_id"], challenge["authorization_id"], "bound to the input");
    other["effect_authorization"] = Value::Null;
    assert_eq!(companion.post(path, &other, 428), stale);
    // Bound to the flow as it is: a change asks anew.
    let listed = companion.get("/api/flows");
    let mut flow = listed[0]["flow"].clone();
    assert_eq!(flow["id"], "writing-flow");
    flow["steps"][0]["prompt"] = "Look again".into();
    let local = text(&listed[0]["flow_id"]);
    assert_eq!(companion.ask("PUT", &format!("/api/flows/{local}"), Some(&json!({"flow": flow}))).0, 200);
    let changed = companion.post(path, &given(good), 428);
    assert_ne!(changed["flow_hash"], challenge["flow_hash"]);
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]));
    assert_eq!(writes(&companion), 0);
    companion.end();
}

#[test]
fn what_needs_no_authorization_takes_none() {
    let companion = Companion::new();
    let path = writing(&companion);
    let challenge = companion.post(path, &run_request(&json!({})), 428);
    let golden = "/api/v1/flows/observable-golden-loop/runs";
    let request = authorized(run_request(&json!({})), &challenge);
    assert_eq!(companion.refused("POST", golden, Some(&request)), 400);
    assert_eq!(companion.get("/api/v1/runs")["items"], json!([]));
    // That of the other version, with nothing in it.
    let mut request = request;
    request["effect_authorization"] = Value::Null;
    let run = text(&companion.post(golden, &request, 202)["run_id"]);
    assert_eq!(companion.ended(&run)["status"], "succeeded");
    companion.end();
}
