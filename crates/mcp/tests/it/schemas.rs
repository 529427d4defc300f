//! The tools as they are listed, one file each under `tests/schemas`.

use serde_json::{Value, json};

use crate::{client::Client, fake::Fake};

const TOOLS: [&str; 13] = [
    "describe_agent",
    "list_sessions",
    "delete_session",
    "spawn_task",
    "get_task",
    "get_events",
    "wait_tasks",
    "list_tasks",
    "resolve_task",
    "cancel_task",
    "forget_task",
    "extend_agent",
    "release_agent",
];

async fn listed() -> Vec<Value> {
    let mut client = Client::open(Fake::new()).await;
    let answer = client.request("tools/list", json!({})).await;
    answer["result"]["tools"].as_array().cloned().unwrap()
}

#[tokio::test]
async fn the_published_tools_are_those_under_review() {
    let tools = listed().await;
    assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), TOOLS);
    insta::with_settings!({snapshot_path => "../schemas", prepend_module_to_snapshot => false, omit_expression => true}, {
        for tool in tools {
            insta::assert_json_snapshot!(tool["name"].as_str().unwrap(), tool);
        }
    });
}

/// Every keyword used anywhere in the input schemas, beside the names of parameters.
#[tokio::test]
async fn schemas_are_plain() {
    const KEYWORDS: [&str; 10] = [
        "type",
        "properties",
        "required",
        "description",
        "default",
        "enum",
        "items",
        "minimum",
        "maximum",
        "additionalProperties",
    ];
    for tool in listed().await {
        let name = tool["name"].as_str().unwrap();
        assert_eq!(tool["outputSchema"], json!({"type": "object", "additionalProperties": true}), "{name}");
        let schema = tool["inputSchema"].as_object().unwrap();
        assert_eq!(schema["type"], "object", "{name}");
        for (parameter, schema) in schema["properties"].as_object().unwrap() {
            let schema = schema.as_object().unwrap();
            assert!(schema.keys().all(|key| KEYWORDS.contains(&key.as_str())), "{name}.{parameter}: {schema:?}");
            let union = schema["type"].is_array();
            assert_eq!(union, matches!(parameter.as_str(), "keep_idle" | "keep_turns"), "{name}.{parameter}");
        }
    }
}
