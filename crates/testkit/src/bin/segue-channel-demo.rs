//! The channel at work, without an account and without a network: a real `segue mcp` server, driven over
//! MCP, dispatches to an agent that is a real process speaking ACP and does what its prompt says.
//!
//! Everything lies in a folder for temporary files that is removed at the end.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a person reads along")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use segue_testkit::mcp_client::McpClient;
use segue_testkit::program::Program;
use serde_json::{Value, json};

/// Nothing here takes longer, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("demo: {why}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Result<(), String> {
    let began = Instant::now();
    let world = Program::new();
    let server = world.mcp();
    title("Two tasks, side by side, while the caller goes on");
    let file = world.workspace().join("notes.md");
    let writer = call(
        &server,
        "spawn_task",
        json!({
            "agent": "claude_code",
            "prompt": format!("[[think:A heading will do.]] [[write:{}:# Notes]] [[say:The notes are written.]]", file.display()),
            "options": {"allow": ["edit"]},
            "client_key": "demo-notes",
        }),
    )?;
    let talker = call(
        &server,
        "spawn_task",
        json!({"agent": "codex", "prompt": "[[remember:colour:green]] [[say:I will remember the colour.]]", "keep_turns": 1}),
    )?;
    for (task, what) in [(&writer, "writes a file after asking"), (&talker, "keeps its agent")] {
        println!("  {} runs on {}: {what}", text(task, "task_id"), text(task, "agent"));
    }

    title("Woken by the completion markers, not by polling");
    for task in [&writer, &talker] {
        wait_for(Path::new(&text(task, "notify_path")))?;
        println!("  {} appeared", text(task, "notify_path"));
    }

    title("A second turn of the kept agent: same process, same session");
    let handle = talker["kept_agent"]["handle"].as_str().unwrap_or_default();
    let second =
        call(&server, "spawn_task", json!({"agent": "codex", "prompt": "[[recall:colour]]", "on_agent": handle}))?;
    ended(&server, &second)?;

    title("What really happened");
    for task in [&writer, &talker, &second] {
        show(&server, task)?;
    }
    println!("  {} now holds: {}", file.display(), std::fs::read_to_string(&file).map_err(|e| e.to_string())?.trim());
    println!("\n  events of the first task:");
    let events = call(&server, "get_events", json!({"task_id": writer["task_id"], "include_thoughts": true}))?;
    for event in events["events"].as_array().into_iter().flatten() {
        println!("    {:>2} {:<16} {}", event["seq"], text(event, "event_type"), brief(&event["payload"]));
    }
    for (task, verdict) in [(&writer, "accepted"), (&talker, "accepted"), (&second, "accepted")] {
        let note = "checked by the demo";
        call(&server, "resolve_task", json!({"task_id": task["task_id"], "resolution": verdict, "note": note}))?;
    }
    println!("  all three are resolved as accepted, which is a record of its own beside their status");

    title("The server is killed in the middle of a turn, and the next one takes the turn over");
    let go = world.workspace().join("go");
    let reached = world.workspace().join("reached");
    let prompt = format!(
        "[[say:Half of it,]] [[mark:{}]] [[wait_file:{}]] [[say: and the rest.]]",
        reached.display(),
        go.display()
    );
    let cut = call(&server, "spawn_task", json!({"agent": "copilot", "prompt": prompt}))?;
    wait_for(&reached)?;
    server.kill();
    println!(
        "  kill -9 of the server while {} was under way; its agent lives on under its host",
        text(&cut, "task_id")
    );
    let next = world.mcp();
    std::fs::write(&go, "").map_err(|e| e.to_string())?;
    ended(&next, &cut)?;
    show(&next, &cut)?;
    let events = call(
        &next,
        "get_events",
        json!({"task_id": cut["task_id"], "event_types": ["process_exited", "status_changed"]}),
    )?;
    let ends = events["events"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|event| event["event_type"] == "process_exited")
        .count();
    println!("  it ended {ends} time, and the ledger has it all: {} tasks", all(&next)?);

    next.shut_down();
    world.assert_nothing_left();
    println!("\nNo process, socket or marker is left. Took {:.1} s.", began.elapsed().as_secs_f64());
    println!("Next: put `segue mcp` into your MCP client's configuration; README.md has the lines.");
    if ends == 1 { Ok(()) } else { Err(format!("the turn ended {ends} times")) }
}

fn title(text: &str) {
    println!("\n{text}");
}

fn call(server: &McpClient, tool: &str, arguments: Value) -> Result<Value, String> {
    server.call(tool, arguments)
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn brief(payload: &Value) -> String {
    let whole = payload.to_string();
    let cut: String = whole.chars().take(100).collect();
    if cut.len() < whole.len() { format!("{cut}…") } else { cut }
}

fn wait_for(path: &Path) -> Result<(), String> {
    let until = Instant::now() + LIMIT;
    while !path.exists() {
        if Instant::now() >= until {
            return Err(format!("{} did not appear", path.display()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn ended(server: &McpClient, task: &Value) -> Result<(), String> {
    let waited = call(server, "wait_tasks", json!({"task_ids": [task["task_id"]], "wait_seconds": 30}))?;
    if waited["reason"] == "terminal" { Ok(()) } else { Err(format!("{} did not end", text(task, "task_id"))) }
}

fn show(server: &McpClient, task: &Value) -> Result<(), String> {
    let task = call(server, "get_task", json!({"task_id": task["task_id"]}))?;
    let receipt = &task["receipt"];
    println!(
        "  {} {} ({}): {:?}",
        text(&task, "task_id"),
        text(&task, "status"),
        text(&task, "ended_because"),
        text(&task, "final_message")
    );
    println!(
        "    receipt: {} tool calls, {} permissions asked, {} refused, never asked about {}; processes {}",
        receipt["tool_calls_total"],
        receipt["permissions_asked"],
        receipt["permissions_refused"],
        receipt["actions_never_asked"],
        match &task["stop_receipt"]["processes"] {
            Value::Array(ended) if !ended.is_empty() =>
                ended.iter().map(|p| format!("{} {}", text(p, "name"), text(p, "how"))).collect::<Vec<_>>().join(", "),
            _ => "kept".to_owned(),
        }
    );
    Ok(())
}

fn all(server: &McpClient) -> Result<usize, String> {
    let listed = call(server, "list_tasks", json!({"all": true}))?;
    Ok(listed["tasks"].as_array().map_or(0, Vec::len))
}
