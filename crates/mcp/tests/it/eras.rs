//! One server, every protocol revision.

use serde_json::{Value, json};

use crate::{client::Client, fake::Fake};

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[tokio::test]
async fn older_revisions_are_echoed_and_served() {
    for version in VERSIONS {
        let mut client = Client::connect(Fake::new());
        let opened = client.initialize(version).await;
        let instructions = opened["instructions"].as_str().unwrap_or_default();
        assert_eq!(
            opened,
            json!({
                "protocolVersion": version,
                "capabilities": {"tools": {"listChanged": false}},
                "serverInfo": {"name": "segue", "title": "Segue", "version": env!("CARGO_PKG_VERSION")},
                "instructions": instructions,
            })
        );
        for tool in [
            "spawn_task",
            "wait_tasks",
            "get_task",
            "get_events",
            "resolve_task",
            "cancel_task",
            "forget_task",
            "list_tasks",
        ] {
            assert!(instructions.contains(tool), "{tool}");
        }
        let answer = client.request("tools/call", json!({"name": "forget_task", "arguments": {"task_id": "x"}})).await;
        assert_eq!(answer["result"]["structuredContent"], json!({"task_id": "x", "forgotten": true}));
        assert_eq!(answer["result"].get("resultType"), None, "{version}");
    }
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    })
}

#[tokio::test]
async fn the_newest_revision_needs_no_opening() {
    let mut client = Client::connect(Fake::new());
    let found = client.request("server/discover", json!({"_meta": meta()})).await["result"].clone();
    assert_eq!(
        found["supportedVersions"],
        json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    );
    assert_eq!(found["capabilities"], json!({"tools": {"listChanged": false}}));
    let listed = client.request("tools/list", json!({"_meta": meta()})).await["result"].clone();
    assert_eq!((listed["tools"].as_array().unwrap().len(), &listed["resultType"]), (13, &json!("complete")));
    let called = client
        .request("tools/call", json!({"_meta": meta(), "name": "forget_task", "arguments": {"task_id": "x"}}))
        .await["result"]
        .clone();
    assert_eq!((&called["structuredContent"]["forgotten"], &called["resultType"]), (&json!(true), &json!("complete")));
    // A client of an older revision may come after the newer one looked.
    assert_eq!(client.initialize("2025-11-25").await["protocolVersion"], "2025-11-25");
    client.good("get_task", json!({"task_id": "x"})).await;
}

#[tokio::test]
async fn an_unknown_revision_in_a_request_is_refused_with_those_there_are() {
    let mut client = Client::connect(Fake::new());
    let mut meta = meta();
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let answer = client.request("tools/list", json!({"_meta": meta})).await;
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}
