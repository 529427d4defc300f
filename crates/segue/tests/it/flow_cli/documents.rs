//! Saved flows and bundles.

use serde_json::{Value, json};

use super::{file, furnished, json as read, text, world};

#[test]
fn a_flow_is_validated_saved_changed_and_deleted() {
    let world = furnished();
    assert_eq!(text(&world.run(["flow", "validate", "examples/notes/gated-note.yaml"])), "valid");
    let broken = file(&world, "broken.json", r#"{"id":"broken","steps":[{"id":"a","type":"nothing.task"}]}"#);
    let refused = world.run(["flow", "validate", broken, "--json"]);
    assert_eq!(refused.ended, "exit 2", "{refused:?}");
    let result = read(&refused);
    assert_eq!((&result["valid"], &result["errors"][0]["code"]), (&json!(false), &json!("UNSUPPORTED_FLOW")));
    for arguments in [&["flow", "save", broken][..], &["flow", "save", "nowhere.json"], &["flow", "show", "nowhere"]] {
        let refused = world.run(arguments);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    }
    let shown = read(&world.run(["flow", "show", "gated-note"]));
    // Saving pins what steps are bound to.
    assert!(shown["steps"][0]["params"]["capability_fingerprint"].is_string(), "{shown}");
    let changed = file(&world, "changed.json", &shown.to_string().replace("Gated note", "Another name"));
    let local = read(&world.run(["flow", "save", changed, "--replace", "gated-note", "--json"]));
    assert_eq!(local["name"], "Another name");
    let local = local["flow_id"].as_str().expect("an id");
    // Saved again by mistake it would make the id useless; who wants a second one says so.
    let again = world.run(["flow", "save", changed]);
    assert_eq!((again.ended.as_str(), again.stdout.as_str()), ("exit 2", ""), "{again:?}");
    for way in [local, "--replace gated-note", "--another"] {
        assert!(again.stderr.contains(way), "{way}: {again:?}");
    }
    let other = world.run(["flow", "save", changed, "--replace", "approved-note"]);
    assert_eq!((other.ended.as_str(), other.stderr.contains("another id")), ("exit 2", true), "{other:?}");
    let twin = text(&world.run(["flow", "save", changed, "--another"]));
    for command in [
        &["flow", "show", "gated-note"][..],
        &["flow", "save", changed, "--replace", "gated-note"],
        &["run", "gated-note", "--input", "note=a"],
        &["schedule", "add", "gated-note", "--cron", "@daily"],
    ] {
        let refused = world.run(command);
        assert_eq!(refused.ended, "exit 2", "{refused:?}");
        for way in ["2 saved flows", local, &twin, "segue flow list", "segue flow delete"] {
            assert!(refused.stderr.contains(way), "{way}: {refused:?}");
        }
    }
    text(&world.run(["flow", "save", changed, "--replace", &twin]));
    assert_eq!(read(&world.run(["flow", "delete", local, "--json"])), json!({"deleted": true, "flow_id": local}));
    assert_eq!(world.run(["flow", "show", "gated-note"]).ended, "exit 0");
}

/// What YAML takes for something else than text is explained, and an id that no address can hold is not passed over.
#[test]
fn odd_names_are_explained() {
    let world = furnished();
    let step = "steps: [{id: ask, type: tool.task, params: {capability_id: note.draft}}]";
    for (yaml, path) in [
        (format!("id: odd-flow\nname: no\n{step}\n"), "/name"),
        (format!("id: on\nname: Odd\n{step}\n"), "/id"),
        (format!("id: odd-flow\nname: Odd\n{}\n", step.replace("ask", "y")), "/steps/0/id"),
    ] {
        let refused = world.run(["flow", "save", file(&world, "odd.yaml", &yaml)]);
        assert_eq!(refused.ended, "exit 2", "{refused:?}");
        assert!(refused.stderr.contains(path) && refused.stderr.contains("put it in quotes"), "{refused:?}");
    }
    let odd = file(&world, "odd.yaml", &format!("id: ..\nname: Odd\n{step}\n"));
    for command in ["validate", "save"] {
        let accepted = world.run(["flow", command, odd]);
        assert_eq!(accepted.ended, "exit 0", "{accepted:?}");
        assert!(accepted.stderr.contains("local id"), "{accepted:?}");
    }
}

#[test]
fn a_flow_is_drawn() {
    let world = furnished();
    let expected = "draft    tool.task\n\
                    ask      human.task     <- draft\n\
                    finish   tool.task      <- draft, ask  when input.ask.option == \"approve\"\n\
                    publish  artifact.task  <- finish";
    assert_eq!(text(&world.run(["flow", "graph", "approved-note"])), expected);
    assert_eq!(text(&world.run(["flow", "graph", "--file", "examples/notes/approved-note.yaml"])), expected);
    assert!(text(&world.run(["flow", "graph", "approved-note", "--format", "dot"])).starts_with("digraph flow {"));
    assert!(text(&world.run(["flow", "graph", "approved-note", "--format", "mermaid"])).starts_with("flowchart LR"));
    let graph = read(&world.run(["flow", "graph", "approved-note", "--json"]));
    assert_eq!(graph["edges"][0], json!({"from": "draft", "to": "ask", "repair": false}));
}

#[test]
fn the_schema_is_that_of_the_documentation() {
    let schema = read(&world().run(["flow", "schema"]));
    let kept: Value = serde_json::from_str(include_str!("../../../../../docs/flow.schema.json")).expect("JSON");
    assert_eq!(schema, kept);
}

#[test]
fn a_bundle_is_previewed_and_installed_whole() {
    let world = world();
    let bundle = r#"{"contract_version":"symphlo.integration-bundle.v1","bundle_id":"notes","bundle_version":"1","name":"Notes",
        "publisher":"Us","capabilities":[{"kind":"cli","id":"tool.echo","name":"Echo","config":{"executable":"sh","args":["-c","cat"]}}],
        "flows":[{"schema_version":1,"id":"echo-flow","name":"Echo","steps":[{"id":"a","type":"tool.task","params":{"capability_id":"tool.echo"}}]}]}"#;
    let bundle = file(&world, "bundle.json", bundle);
    let plan = read(&world.run(["bundle", "preview", bundle, "--json"]));
    assert_eq!(
        (&plan["status"], &plan["summary"]),
        (&json!("ready"), &json!({"create": 2, "reuse": 0, "conflict": 0}))
    );
    let phrase = plan["confirmation_phrase"].as_str().expect("a phrase");
    assert!(text(&world.run(["bundle", "preview", bundle])).contains("tool.echo"));
    assert_eq!(world.run(["bundle", "install", bundle]).ended, "exit 2");
    assert_eq!(world.run(["bundle", "install", bundle, "--confirm", "INSTALL"]).ended, "exit 2");
    assert_eq!(read(&world.run(["capability", "list", "--json"]))["items"].as_array().map(Vec::len), Some(1));
    let done = read(&world.run(["bundle", "install", bundle, "--confirm", phrase, "--json"]));
    assert_eq!(
        [&done["created_capability_ids"], &done["created_flow_ids"]],
        [&json!(["tool.echo"]), &json!(["echo-flow"])]
    );
    assert_eq!(text(&world.run(["bundle", "install", bundle, "--confirm", phrase])), "notes 1: 0 created, 2 reused");
}
