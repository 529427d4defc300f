//! The process and its MCP surface: command line, handshake, lists, the shape of results.

use segue_testkit::mcp_client::McpClient;
use segue_testkit::program::Finished;
use serde_json::{Value, json};

use super::served::{Served, assert_names, wait_for, world};

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

#[test]
fn usage_errors_are_told_on_stderr_and_nothing_is_served() {
    let world = world();
    for arguments in [
        vec!["mcp", "--nonsense"],
        vec!["mcp", "--no-notify", "--notify-dir", "d"],
        vec!["mcp", "--notify-dir", ""],
        vec!["mcp", "--notify-dir"],
        vec!["mcp", "--no-not"],
        vec!["mcp", "--notify", "d"],
        vec!["mcp", "surplus"],
    ] {
        let Finished { ended, stdout, stderr } = world.run(&arguments);
        assert_eq!((ended.as_str(), stdout.as_str()), ("exit 2", ""), "{arguments:?}");
        assert!(!stderr.is_empty(), "{arguments:?}");
    }
    for help in ["-h", "--help"] {
        let Finished { ended, stdout, stderr } = world.run(["mcp", help]);
        assert_eq!((ended.as_str(), stderr.as_str()), ("exit 0", ""));
        assert_names(&stdout, &["--notify-dir", "--no-notify"]);
    }
    world.assert_nothing_left();
}

#[test]
fn a_server_that_cannot_start_says_why_on_stderr_only() {
    let mut world = world();
    world.env("SEGUE_STATE_DIR", "/proc/nonexistent/state");
    let Finished { ended, stdout, stderr } = world.run(["mcp"]);
    assert_ne!(ended, "exit 0");
    assert_eq!(stdout, "");
    assert_names(&stderr, &["/proc/nonexistent"]);
    // Nothing says where the record is to be: nothing is written to the root or the current folder instead.
    for home in [None, Some(""), Some("relative")] {
        let mut world = super::served::world();
        world.without_env("SEGUE_STATE_DIR").without_env("XDG_RUNTIME_DIR");
        match home {
            None => world.without_env("HOME"),
            Some(home) => world.env("HOME", home),
        };
        let Finished { ended, stdout, stderr } = world.run(["mcp"]);
        assert_ne!(ended, "exit 0", "{home:?}");
        assert_eq!(stdout, "");
        assert_names(&stderr, &["state folder", "--state-dir"]);
        assert_eq!(std::fs::read_dir(world.workspace()).unwrap().count(), 0);
        world.assert_nothing_left();
    }
}

#[test]
fn a_server_runs_wherever_it_can() {
    let mut world = world();
    world.without_env("SEGUE_STATE_DIR").env("XDG_RUNTIME_DIR", "/nonexistent/runtime");
    let served = Served::of(world);
    let id = served.spawn("[[say:x]]");
    assert_eq!(served.ended(&id)["final_message"], "x");
    assert!(served.world.home().join(".local/state/segue").is_dir());
    assert_names(&served.client.stderr(), &["/nonexistent/runtime"]);
    served.end();
}

#[test]
fn every_revision_is_echoed_and_told_of_tools_alone() {
    let world = world();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = McpClient::start(&mut world.command(["mcp"]));
        let mut opened = client.initialize(version);
        let instructions = opened["instructions"].take();
        assert_eq!(
            opened,
            json!({
                "protocolVersion": version,
                "capabilities": {"tools": {"listChanged": false}},
                "serverInfo": {"name": "segue", "title": "Segue", "version": env!("CARGO_PKG_VERSION")},
                "instructions": null,
            })
        );
        assert_names(instructions.as_str().unwrap(), &TOOLS);
        assert_names(
            instructions.as_str().unwrap(),
            &["after_seq", "keep_idle", "keep_turns", "on_agent", "session_id", "notify_path", "error", "deadline"],
        );
        assert_eq!(client.request("ping", json!({})).unwrap(), json!({}));
        for (method, key) in [("prompts/list", "prompts"), ("resources/list", "resources")] {
            assert_eq!(client.request(method, json!({})).unwrap(), json!({key: []}));
        }
        assert_eq!(client.request("no/such", json!({})).unwrap_err().code, -32601);
        client.shut_down();
    }
    world.assert_nothing_left();
}

#[test]
fn thirteen_tools_are_listed_with_plain_schemas() {
    let served = Served::new();
    let listed = served.client.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), TOOLS);
    for tool in tools {
        assert_eq!(tool["outputSchema"], json!({"type": "object", "additionalProperties": true}));
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
    let parameters = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"].clone();
    let bare = |mut schema: Value| {
        schema.as_object_mut().unwrap().remove("description");
        schema
    };
    let spawn = parameters("spawn_task");
    let bound = |max: u32| json!({"type": ["integer", "null"], "minimum": 1, "maximum": max});
    assert_eq!(bare(spawn["properties"]["keep_idle"].clone()), bound(600));
    assert_eq!(bare(spawn["properties"]["keep_turns"].clone()), bound(20));
    assert_eq!(spawn["required"], json!(["agent", "prompt"]));
    for (tool, flag) in
        [("get_task", "include_prompt"), ("get_events", "include_thoughts"), ("get_events", "include_raw")]
    {
        assert_eq!(bare(parameters(tool)["properties"][flag].clone()), json!({"type": "boolean", "default": false}));
    }
    let resolutions = &parameters("resolve_task")["properties"]["resolution"]["enum"];
    assert_eq!(*resolutions, json!(["accepted", "rejected", "needs_followup", "superseded"]));
    // The agents are told in their order.
    let described = tools[0].to_string();
    assert_names(&described, &["claude_code, cline, codex, copilot, cursor, opencode"]);
    served.end();
}

#[test]
fn results_are_told_twice_and_failures_once() {
    let served = Served::new();
    let call = |name: &str, arguments: Value| {
        served.client.request("tools/call", json!({"name": name, "arguments": arguments})).unwrap()
    };
    let id = served.spawn_with(json!({"prompt": "[[say:\u{e4}]]"}));
    served.ended(&id);
    let result = call("get_events", json!({"task_id": id, "event_types": ["agent_message"]}));
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["content"], json!([{"type": "text", "text": text}]));
    assert!(text.starts_with("{\n  \"task_id\": ") && text.contains("\"\u{e4}\""), "{text}");
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);

    let refused = call("get_task", json!({"task_id": "x"}));
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("task_not_found: "), "{text}");
    assert_eq!(refused, json!({"content": [{"type": "text", "text": text}], "isError": true}));

    match served.client.request("tools/call", json!({"name": "no_such_tool", "arguments": {}})) {
        Ok(result) => {
            assert_eq!(result["isError"], true);
            assert_names(result["content"][0]["text"].as_str().unwrap(), &["no_such_tool"]);
        }
        Err(error) => assert_eq!(error.code, -32602),
    }
    served.end();
}

#[test]
fn broken_and_odd_lines_end_nothing() {
    let world = world();
    let client = McpClient::start(&mut world.command(["mcp"]));
    client.send_raw(b"\xEF\xBB\xBFnot json\r\n42\n\"text\"\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\n\n");
    // A call before the handshake, a notification nobody knows, cancels for calls that are not there.
    assert_eq!(client.request("tools/list", json!({})).unwrap()["tools"].as_array().unwrap().len(), 13);
    client.notify("notifications/nonsense", json!({"a": 1}));
    for id in [json!(77), json!("x"), json!(1), json!(null)] {
        client.notify("notifications/cancelled", json!({"requestId": id}));
    }
    client.initialize("2025-06-18");
    client.initialize("2025-03-26");
    assert_eq!(client.call("list_tasks", json!({})), Ok(json!({"tasks": [], "next": null})));
    assert_eq!(
        client.stray_lines(),
        Vec::<String>::new(),
        "what cannot be read is answered in the protocol or not at all"
    );
    client.shut_down();
    world.assert_nothing_left();
}

#[test]
fn calls_under_way_at_the_end_of_the_input_end_with_it() {
    let served = Served::new();
    let id = served.spawn("[[mark:going]][[hang]]");
    served.wait_mark("going");
    let cancel = served.client.begin_call("cancel_task", json!({"task_id": id}));
    let wait = served.client.begin_call("wait_tasks", json!({"task_ids": [id]}));
    served.client.close_stdin();
    // An answer, a protocol error, or none.
    for call in [cancel, wait] {
        if let Some(Err(error)) = call.wait_or_end() {
            assert_eq!(error.code, -32000);
        }
    }
    served.end();
}

#[test]
fn logs_go_to_stderr() {
    let served = Served::with(world(), &["-v", "--notify-dir", "/proc/nonexistent/base"]);
    wait_for("the warning", || served.client.stderr().contains("/proc/nonexistent"));
    served.run("");
    served.end();
}
