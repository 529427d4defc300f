//! A server that runs inside an agent which this program launched dispatches nothing.

use std::process::{Command, Stdio};

use segue_testkit::mcp_client::{McpClient, PROTOCOL_VERSION, ended as ending};
use segue_testkit::program::Program;
use serde_json::{Value, json};

use super::served::{Served, assert_names, world};

const DEPTH: &str = "SYMM_MCP_DEPTH";

/// How many tools a server lists that was started by this command, and its instructions.
fn tools(command: &mut Command) -> (usize, String) {
    let client = McpClient::start(command);
    let opened = client.initialize(PROTOCOL_VERSION);
    let listed = client.request("tools/list", json!({})).unwrap();
    if listed["tools"].as_array().unwrap().is_empty() {
        let called = client.request("tools/call", json!({"name": "list_tasks", "arguments": {}}));
        assert!(
            called.is_err() || called.is_ok_and(|result| result["isError"] == json!(true)),
            "it is not even hidden"
        );
    }
    assert_eq!(ending(client.shut_down()), "exit 0");
    (listed["tools"].as_array().unwrap().len(), opened["instructions"].as_str().unwrap().to_owned())
}

#[test]
fn the_mark_decides_where_it_is_set() {
    for (value, listed) in [
        ("0", 13),
        ("00", 13),
        ("000000000", 13),
        ("1", 0),
        ("2", 0),
        ("", 0),
        ("x", 0),
        ("-1", 0),
        ("+0", 0),
        (" 0", 0),
        ("0000000000", 0),
        ("999999999999", 0),
        ("1.0", 0),
    ] {
        let mut world = world();
        world.env(DEPTH, value);
        let (count, instructions) = tools(&mut world.command(["mcp"]));
        assert_eq!(count, listed, "{value:?}");
        if listed == 0 {
            assert_names(&instructions, &["Dispatch is disabled", "inside an agent", "no tools"]);
        } else {
            assert_names(&instructions, &["spawn_task"]);
        }
        world.assert_nothing_left();
    }
}

/// A shell that runs the server below it, with its own environment marked and the server's not.
fn below(world: &Program, mark: &str, script: &str) -> Command {
    let server = world.command(["mcp"]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, "sh"]).arg(server.get_program()).arg("mcp");
    command.current_dir(world.workspace()).env_clear();
    for (name, value) in server.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env(DEPTH, mark);
    command
}

#[cfg(target_os = "linux")]
#[test]
fn an_ancestor_that_is_marked_counts_when_the_mark_was_removed() {
    let unmarked = r#"unset SYMM_MCP_DEPTH; sh -c '"$@"' sh "$@"; exit $?"#;
    for (mark, listed) in [("1", 0), ("x", 0), ("", 0), ("0", 13), ("00", 13)] {
        let world = world();
        assert_eq!(tools(&mut below(&world, mark, unmarked)).0, listed, "{mark:?}");
        world.assert_nothing_left();
    }
    // An unmarked one in between, and one with zero, do not stop the walk.
    let world = world();
    let between =
        r#"unset SYMM_MCP_DEPTH; env SYMM_MCP_DEPTH=0 sh -c 'unset SYMM_MCP_DEPTH; "$@"; exit $?' sh "$@"; exit $?"#;
    assert_eq!(tools(&mut below(&world, "1", between)).0, 0);
    world.assert_nothing_left();
}

/// Asks from within a dispatched agent, in the ways in which one could try to get around it.
#[cfg(target_os = "linux")]
#[test]
fn a_server_started_by_a_dispatched_agent_lists_nothing() {
    let mut world = world();
    world.env("SERVER", env!("CARGO_BIN_EXE_segue"));
    let opening = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    std::fs::write(world.workspace().join("ask"), format!("{opening}\n{list}\n")).unwrap();
    let served = Served::of(world);
    let ask = "\"$SERVER\" mcp --ephemeral --no-notify < ask > answer-$1";
    std::fs::write(served.world.workspace().join("ask.sh"), ask).unwrap();
    let ways = [
        ("plain", "sh ask.sh plain"),
        ("unset", "env -u SYMM_MCP_DEPTH sh ask.sh unset"),
        ("new session", "env -u SYMM_MCP_DEPTH setsid -w sh ask.sh session"),
        (
            "double fork",
            "(env -u SYMM_MCP_DEPTH setsid sh -c 'sh ask.sh fork; touch forked' &) ; while \\[ ! -e forked \\]; do sleep 0.01; done",
        ),
        ("text", "SYMM_MCP_DEPTH=none sh ask.sh text"),
        ("huge", "SYMM_MCP_DEPTH=99999999999 sh ask.sh huge"),
    ];
    let prompt: String =
        ways.iter().map(|(_, way)| format!("[[run:{}]][[result]][[say:;]]", way.replace(':', "\\:"))).collect();
    let id = served.spawn_with(json!({"prompt": prompt, "options": {"allow": ["execute"]}}));
    served.ended(&id);
    let said: Vec<Value> = served.payloads(&id, "agent_message");
    assert_eq!(said, vec![json!({"text": "exit status 0;"}); ways.len()]);
    for name in ["plain", "unset", "session", "fork", "text", "huge"] {
        let answer = std::fs::read_to_string(served.world.workspace().join(format!("answer-{name}"))).unwrap();
        let listed = answer.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).find(|a| a["id"] == 2);
        assert_eq!(listed.unwrap()["result"]["tools"], json!([]), "{name}");
    }
    served.end();
}

#[test]
fn a_nested_server_ends_and_marks_like_any_other() {
    let mut world = world();
    world.env(DEPTH, "1");
    let served = Served::of(world);
    assert_eq!(std::fs::read_dir(served.world.runtime_dir().join("segue")).unwrap().count(), 1);
    served.client.signal(rustix::process::Signal::TERM);
    assert_eq!(ending(served.client.wait_exit()), "signal 15");
    served.assert_clean();
    // Usage errors are told as ever.
    let mut command = served.world.command(["mcp", "--nonsense"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}
