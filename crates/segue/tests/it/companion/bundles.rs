//! Integration bundles (§19): how a companion brings its own capabilities and flows.

use serde_json::{Value, json};

use super::{Companion, chain, hash, text};

fn bundle() -> Value {
    let echo = json!({"id": "bundled.echo", "kind": "cli", "name": "Echo", "effects": ["execute_process"],
        "config": {"executable": "cat"}});
    json!({"contract_version": "symphlo.integration-bundle.v1", "bundle_id": "a.bundle", "bundle_version": "1.0+a",
        "name": "A bundle", "publisher": "Somebody", "capabilities": [echo],
        "flows": [chain("bundled-flow", &[("only", "tool.task", Some("bundled.echo"))])]})
}

fn preview(bundle: &Value) -> Value {
    json!({"contract_version": "symphlo.integration-bundle-preview-request.v1", "bundle": bundle})
}

fn install(bundle: &Value, plan: &Value) -> Value {
    json!({"contract_version": "symphlo.integration-bundle-install-request.v1", "bundle": bundle,
        "bundle_hash": plan["bundle_hash"], "confirmation_phrase": plan["confirmation_phrase"]})
}

const PREVIEW: &str = "/api/v1/integration-bundles/preview";
const INSTALL: &str = "/api/v1/integration-bundles";

/// What is saved, without the things that only moments and pins tell apart.
fn saved(companion: &Companion) -> (usize, usize) {
    let count = |value: Value| value.as_array().map_or(0, Vec::len);
    (count(companion.get("/api/v1/capabilities")["items"].clone()), count(companion.get("/api/flows")))
}

#[test]
fn a_bundle_is_planned_installed_once_and_found_again() {
    let companion = Companion::new();
    let bundle = bundle();
    let before = saved(&companion);
    let plan = companion.post(PREVIEW, &preview(&bundle), 200);
    let bundle_hash = hash(&bundle);
    let entry = |action: &str, reason: &str| json!({"id": "bundled-flow", "action": action, "reason": reason});
    let capability = |action: &str, reason: &str| {
        json!({"id": "bundled.echo", "kind": "cli", "action": action, "reason": reason,
            "fingerprint": plan["capabilities"][0]["fingerprint"]})
    };
    let phrase = format!("INSTALL a.bundle {}", &bundle_hash[..12]);
    let planned = |create: u64, reuse: u64, capability: Value, flow: Value| {
        json!({"contract_version": "symphlo.integration-bundle-plan.v1", "bundle_id": "a.bundle",
            "bundle_version": "1.0+a", "name": "A bundle", "publisher": "Somebody", "bundle_hash": bundle_hash,
            "status": "ready", "summary": {"create": create, "reuse": reuse, "conflict": 0},
            "capabilities": [capability], "flows": [flow], "confirmation_phrase": phrase})
    };
    let new = planned(2, 0, capability("create", "not_installed"), entry("create", "not_installed"));
    assert_eq!(plan, new);
    assert_eq!(saved(&companion), before, "a preview writes nothing");
    let receipt = |created: bool| {
        let of = |id: &str, here: bool| if here { json!([id]) } else { json!([]) };
        json!({"contract_version": "symphlo.integration-bundle-installation.v1", "bundle_id": "a.bundle",
            "bundle_version": "1.0+a", "bundle_hash": bundle_hash,
            "created_capability_ids": of("bundled.echo", created), "reused_capability_ids": of("bundled.echo", !created),
            "created_flow_ids": of("bundled-flow", created), "reused_flow_ids": of("bundled-flow", !created)})
    };
    assert_eq!(companion.post(INSTALL, &install(&bundle, &plan), 201), receipt(true));
    let after = saved(&companion);
    assert_eq!(after, (before.0 + 1, before.1 + 1));
    let again = companion.post(PREVIEW, &preview(&bundle), 200);
    let found =
        planned(0, 2, capability("reuse", "same_operational_fingerprint"), entry("reuse", "same_canonical_flow"));
    assert_eq!(again, found);
    assert_eq!(companion.post(INSTALL, &install(&bundle, &again), 201), receipt(false));
    assert_eq!(saved(&companion), after, "nothing twice");
    let run = companion.admit("bundled-flow", &json!({}));
    assert_eq!(companion.ended(&run)["status"], "succeeded");
    companion.end();
}

#[test]
fn what_is_there_already_is_never_overwritten() {
    let companion = Companion::new();
    let first = bundle();
    let plan = companion.post(PREVIEW, &preview(&first), 200);
    companion.post(INSTALL, &install(&first, &plan), 201);
    let (capabilities, flows) = (companion.get("/api/v1/capabilities"), companion.get("/api/flows"));
    let mut other = first.clone();
    other["capabilities"][0]["timeout_seconds"] = 99.into();
    other["flows"][0]["steps"][0]["prompt"] = "Something else".into();
    let plan = companion.post(PREVIEW, &preview(&other), 200);
    let seen = ["status", "summary", "confirmation_phrase"].map(|member| plan[member].clone());
    assert_eq!(seen, [json!("blocked"), json!({"create": 0, "reuse": 0, "conflict": 2}), Value::Null]);
    let reasons = [&plan["capabilities"][0]["reason"], &plan["flows"][0]["reason"]];
    assert_eq!(reasons, ["different_operational_fingerprint", "different_canonical_flow"]);
    let mut forced = install(&other, &plan);
    forced["confirmation_phrase"] = format!("INSTALL a.bundle {}", &text(&plan["bundle_hash"])[..12]).into();
    assert_eq!(companion.refused("POST", INSTALL, Some(&forced)), 400);
    companion.save(&first["flows"][0]);
    let plan = companion.post(PREVIEW, &preview(&first), 200);
    assert_eq!(plan["flows"][0]["reason"], "ambiguous_existing_portable_id");
    assert_eq!(companion.get("/api/v1/capabilities"), capabilities);
    let now = companion.get("/api/flows");
    assert!(flows.as_array().expect("flows").iter().all(|flow| now.as_array().expect("flows").contains(flow)));
    companion.end();
}

#[test]
fn a_bundle_that_is_none_is_refused_and_leaves_nothing() {
    let companion = Companion::new();
    let good = bundle();
    let before = saved(&companion);
    let with = |member: &str, value: Value| {
        let mut bundle = good.clone();
        bundle[member] = value;
        bundle
    };
    let capability = |member: &str, value: Value| {
        let mut bundle = good.clone();
        bundle["capabilities"][0][member] = value;
        bundle
    };
    let twice = json!([good["flows"][0], good["flows"][0]]);
    let many: Value =
        (0..33).map(|at| chain(&format!("flow-{at}"), &[("write-article", "agent.task", None)])).collect();
    let mut empty = with("flows", json!([]));
    empty["capabilities"] = json!([]);
    for (what, bundle) in [
        ("an id in capitals", with("bundle_id", json!("A.bundle"))),
        ("a version with a blank", with("bundle_version", json!("1 0"))),
        ("no publisher", with("publisher", json!(""))),
        ("a member too many", with("extra", json!(1))),
        ("another version of the contract", with("contract_version", json!("symphlo.integration-bundle.v2"))),
        ("a flow twice", with("flows", twice)),
        ("33 flows", with("flows", many)),
        ("nothing in it", empty),
        ("a capability of the runtime", capability("source", json!("sample"))),
        ("a discovered capability", capability("source", json!("discovered"))),
        ("a program that is not there", capability("config", json!({"executable": "not-on-path"}))),
        ("a flow without its capability", with("capabilities", json!([]))),
        ("a flow that does not compile", with("flows", json!([{"id": "bad-flow", "name": "x", "steps": []}]))),
        ("a flow without a portable id", with("flows", json!([chain("x", &[("write-article", "agent.task", None)])]))),
    ] {
        assert_eq!(companion.refused("POST", PREVIEW, Some(&preview(&bundle))), 400, "{what}");
    }
    let plan = companion.post(PREVIEW, &preview(&good), 200);
    for (member, value) in [
        ("confirmation_phrase", json!("INSTALL a.bundle")),
        ("bundle_hash", json!("0".repeat(64))),
        ("contract_version", json!("symphlo.integration-bundle-install-request.v2")),
        ("extra", json!(1)),
    ] {
        let mut request = install(&good, &plan);
        request[member] = value;
        assert_eq!(companion.refused("POST", INSTALL, Some(&request)), 400, "{member}");
    }
    assert_eq!(saved(&companion), before);
    companion.end();
}
