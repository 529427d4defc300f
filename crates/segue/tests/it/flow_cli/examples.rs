//! What comes with the product runs: the golden flow, and the examples.

use serde_json::{Value, json};

use super::{furnished, json as read, newest, text, world};

/// The golden flow goes on with one conversation in two turns of a real child process (contract §22).
#[test]
fn the_golden_flow_keeps_a_session_and_publishes() {
    let world = world();
    let run = world.run(["run", "observable-golden-loop", "--json"]);
    assert_eq!((run.ended.as_str(), run.stderr.as_str()), ("exit 0", ""), "{run:?}");
    let outcome = read(&run);
    let seen = [&outcome["contract_version"], &outcome["status"], &outcome["progress"], &outcome["failure"]];
    let progress = json!({"settled_nodes": 5, "total_nodes": 5});
    assert_eq!(seen, [&json!("symphlo.run-outcome.v1"), &json!("succeeded"), &progress, &Value::Null]);
    let id = outcome["run_id"].as_str().expect("an id");
    let evidence = read(&world.run(["show", id, "--json"]));
    let levels: Vec<&str> = evidence["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["evidence_level"].as_str())
        .collect();
    let (e1, e2) = ("E1_DETERMINISTIC", "E2_REAL_EXECUTOR");
    assert_eq!(levels, [e1, e2, e1, e2, e1]);
    let sessions: Vec<&Value> = evidence["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["event_type"].as_str().is_some_and(|kind| kind.starts_with("executor.session.")))
        .collect();
    let of = |event: &Value| (event["node_id"].clone(), event["payload"]["reused"].clone());
    assert_eq!(
        sessions.iter().map(|event| of(event)).collect::<Vec<_>>(),
        [(json!("draft-article"), json!(false)), (json!("revise-article"), json!(true))]
    );
    assert_eq!(sessions[0]["payload"]["conversation_ref"], sessions[1]["payload"]["conversation_ref"]);
    assert_ne!(sessions[0]["payload"]["turn_ref"], sessions[1]["payload"]["turn_ref"]);
    let article = text(&world.run(["show", id, "--artifact", "article.md"]));
    assert!(article.contains("No model took part in it."), "{article}");
    world.assert_nothing_left();
}

#[test]
fn a_gate_lets_through_or_rejects() {
    let world = furnished();
    let passed = world.run(["run", "gated-note", "--input", "note=Ship on Friday"]);
    assert_eq!(passed.ended, "exit 0", "{passed:?}");
    assert_eq!(text(&world.run(["show", &newest(&world), "--artifact", "article.md"])), "# Note\n\nShip on Friday");
    let rejected = world.run(["run", "gated-note", "--input", "note=OPEN: ask legal", "--json"]);
    assert_eq!(rejected.ended, "exit 4", "{rejected:?}");
    assert_eq!(
        read(&rejected)["failure"],
        json!({"code": "evaluation_rejected", "node_id": "gate", "repair_from_node_id": "draft"})
    );
    let watched = world.run(["watch", &newest(&world)]);
    assert_eq!(watched.ended, "exit 4", "{watched:?}");
    assert!(watched.stderr.contains("rejected: something is still to be done"), "{watched:?}");
}

#[test]
fn a_person_is_waited_for_across_processes() {
    let world = furnished();
    for (option, publish) in [("approve", "succeeded"), ("reject", "skipped")] {
        let asked = world.run(["run", "approved-note", "--input", "note=Ship on Friday"]);
        assert_eq!(asked.ended, "exit 5", "{asked:?}");
        let run = newest(&world);
        let why = read(&world.run(["why", &run, "--json"]));
        let asks = json!([{"node_id": "ask", "text": "asks a person (approve | reject)"}]);
        assert_eq!((&why["status"], &why["nodes"]), (&json!("running"), &asks), "{why}");
        let wrong = world.run(["answer", &run, "ask", "perhaps"]);
        assert_eq!((wrong.ended.as_str(), wrong.stdout.as_str()), ("exit 2", ""), "{wrong:?}");
        assert!(wrong.stderr.contains("approve, reject"), "{wrong:?}");
        let answered = world.run(["answer", &run[..8], "ask", option, "--actor", "Kim", "--json"]);
        assert_eq!(answered.ended, "exit 0", "{answered:?}");
        let outcome = read(&answered);
        let last = outcome["nodes"].as_array().and_then(|nodes| nodes.last()).expect("nodes");
        assert_eq!((&outcome["status"], &last["status"]), (&json!("succeeded"), &json!(publish)));
    }
    assert_eq!(world.run(["answer", &newest(&world), "ask", "approve"]).ended, "exit 2");
    world.assert_nothing_left();
}
