//! What the pages of the kinds promise beyond what they show.

use std::fs;

use serde_json::{Value, json};

use segue_testkit::program::Program;

use super::{file, json as run, newest, pages, payloads, shell, text, world};

/// Adds a capability of the kinds with something changed in its file, and its flow.
fn add(world: &Program, kind: &str, change: impl FnOnce(String) -> String) {
    let path = format!("examples/kinds/capabilities/{kind}.yaml");
    fs::write(world.workspace().join(&path), change(file(world, &path))).expect("a capability");
    text(world, &format!("segue capability add {path} && segue flow save examples/kinds/flows/{kind}.yaml"));
}

/// The error types of the attempts of the newest Run.
fn failures(world: &Program) -> Vec<Value> {
    let evidence = newest(world);
    payloads(&evidence, "node.failed").iter().map(|failed| failed["error_type"].clone()).collect()
}

const COUNT: &str = "--input text='one two three' --json";

/// The variable is read when the tool is called, and only its name is in any record.
#[test]
fn a_remote_tool_gets_its_token_from_the_environment() {
    let mut world = world();
    world.env("COUNT_TOKEN", "secret-token");
    let server = pages::server(&world);
    add(&world, "mcp_http", |definition| definition + "  token_env: COUNT_TOKEN\n");
    run(&world, &format!("segue run kind-mcp-http {COUNT}"), "exit 0");
    let evidence = newest(&world);
    assert_eq!(evidence["nodes"][0]["output"]["words"], 3);
    let capability = text(&world, "segue capability show kind.mcp-http");
    assert!(!(evidence.to_string() + &capability).contains("secret-token"));
    for (token, error) in [("unset COUNT_TOKEN", "TokenUnusable"), ("COUNT_TOKEN=wrong", "HttpStatus")] {
        let failed = shell(&world, &format!("{token}; segue run kind-mcp-http {COUNT}"));
        assert_eq!(failed.ended, "exit 3", "{failed:?}");
        assert_eq!(failures(&world), [error]);
    }
    drop(server);
    world.assert_nothing_left();
}

#[test]
fn a_service_that_says_no_is_a_failure() {
    let world = world();
    let server = pages::server(&world);
    add(&world, "http", |definition| definition.replace("/count", "/nothing"));
    run(&world, &format!("segue run kind-http {COUNT}"), "exit 3");
    assert_eq!(failures(&world), ["HttpStatus"]);
    drop(server);
    world.assert_nothing_left();
}

#[test]
fn a_service_that_is_not_there_is_a_failure() {
    let world = world();
    // A port that nobody may listen at.
    add(&world, "http", |definition| definition.replace(pages::PORT, "1"));
    run(&world, &format!("segue run kind-http {COUNT}"), "exit 3");
    assert_eq!(failures(&world), ["HttpUnavailable"]);
    world.assert_nothing_left();
}

#[test]
fn a_program_that_does_not_speak_its_protocol_is_a_failure() {
    for (kind, flow) in [("model_cli", "kind-model"), ("agent_cli-events", "kind-agent-events")] {
        let world = world();
        add(&world, kind, |definition| {
            definition.replace("speaks=model", "speaks=tool").replace("speaks=events", "speaks=text")
        });
        run(&world, &format!("segue run {flow} {COUNT}"), "exit 3");
        assert_eq!(failures(&world), ["MalformedResult"], "{kind}");
    }
}

/// A capability is pinned by what it does: another one of the same id is not what the flow was saved with.
#[test]
fn an_existing_capability_is_not_overwritten() {
    let world = world();
    add(&world, "cli", |definition| definition);
    let path = "examples/kinds/capabilities/cli.yaml";
    fs::write(world.workspace().join(path), file(&world, path) + "timeout_seconds: 31\n").expect("a capability");
    let refused = shell(&world, &format!("segue capability add {path}"));
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    assert_eq!(run(&world, "segue capability show kind.cli", "exit 0")["timeout_seconds"], json!(30));
}
