//! Capabilities.

use serde_json::json;

use super::{file, furnished, json as read, text, world};

#[test]
fn a_capability_is_checked_added_tried_and_deleted() {
    let world = world();
    let definition = "examples/notes/capabilities/draft.yaml";
    assert_eq!(text(&world.run(["capability", "validate", definition])), "valid: note.draft");
    assert_eq!(read(&world.run(["capability", "probe", definition, "--json"]))["ok"], true);
    assert_eq!(world.run(["capability", "show", "note.draft"]).ended, "exit 2");
    assert_eq!(text(&world.run(["capability", "add", definition])), "note.draft");
    assert_eq!(world.run(["capability", "add", definition]).ended, "exit 2");
    assert_eq!(read(&world.run(["capability", "show", "note.draft"]))["status"], "validated");
    assert_eq!(world.run(["capability", "test", "note.draft"]).ended, "exit 0");
    assert_eq!(read(&world.run(["capability", "show", "note.draft"]))["status"], "ready");
    let deleted = read(&world.run(["capability", "delete", "note.draft", "--json"]));
    assert_eq!(deleted, json!({"deleted": true, "capability_id": "note.draft"}));
    world.assert_nothing_left();
}

#[test]
fn a_probe_that_fails_is_failed_work() {
    let world = world();
    let broken = r#"{"kind":"cli","name":"Broken","config":{"executable":"sh","args":["-c","exit 9"]}}"#;
    let probe = world.run(["capability", "probe", file(&world, "broken.json", broken)]);
    assert_eq!((probe.ended.as_str(), probe.stdout.as_str()), ("exit 3", ""), "{probe:?}");
    for (definition, names) in [
        (r#"{"kind":"cli","name":"a","config":{"executable":"not-on-this-machine"}}"#, "not-on-this-machine"),
        (r#"{"kind":"nothing","name":"a","config":{}}"#, "/kind"),
    ] {
        let refused = world.run(["capability", "validate", file(&world, "bad.json", definition)]);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains(names) || refused.stderr.contains("executable"), "{names}: {refused:?}");
    }
}

#[test]
fn what_a_flow_uses_is_not_deleted_and_samples_are_not_saved() {
    let world = furnished();
    let refused = world.run(["capability", "delete", "note.draft"]);
    assert_eq!(refused.ended, "exit 2", "{refused:?}");
    assert!(refused.stderr.contains("Gated note") || refused.stderr.contains("Approved note"), "{refused:?}");
    let listed = read(&world.run(["capability", "list", "--json"]))["items"].clone();
    let ids: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, ["agent.session-fixture", "note.draft", "note.gate", "note.finish"]);
    assert_eq!((&listed[0]["source"], &listed[0]["status"]), (&json!("sample"), &json!("ready")));
    world.install_script("codex", "echo codex-cli 9.9.9");
    let found = read(&world.run(["capability", "discover", "--json"]))["items"].clone();
    assert!(found.as_array().is_some_and(|found| found.iter().any(|one| one["id"] == "agent.codex")), "{found}");
}

#[test]
fn the_sample_of_a_server_is_named_as_such_where_there_is_none() {
    let world = world();
    let flow = r#"{"schema_version":1,"id":"sampled","name":"S",
        "steps":[{"id":"only","type":"tool.task","params":{"capability_id":"http.sample-json"}}]}"#;
    let refused = world.run(["flow", "save", file(&world, "flow.json", flow)]);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    assert!(refused.stderr.contains("http.sample-json") && refused.stderr.contains("segue app"), "{refused:?}");
}
