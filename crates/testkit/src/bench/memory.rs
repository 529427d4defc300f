//! What an idle server and one host hold, and how large the program is.

use serde_json::json;

use super::{Figure, world};
use crate::mcp_client::McpClient;

const SERVER_MIB: f64 = 15.0;
const HOST_MIB: f64 = 4.0;
const BINARY_MB: f64 = 40.0;

pub fn measure() -> Vec<Figure> {
    let world = world();
    let server = world.mcp();
    server.request("tools/list", json!({})).expect("it answers");
    let idle = status_kib(server.pid(), "status", "VmRSS:") / 1024.0;
    let task = server.call("spawn_task", json!({"agent": "codex", "prompt": "[[hang]]"})).expect("a task");
    let host = host_of(&server).map_or(f64::NAN, |pid| status_kib(pid, "smaps_rollup", "Pss:") / 1024.0);
    server.call("cancel_task", json!({"task_id": task["task_id"]})).expect("it is cancelled");
    server.shut_down();
    let binary = std::fs::metadata(world.binary()).map_or(f64::NAN, |meta| meta.len() as f64 / 1e6);
    let once = |what, unit, seen, bar| Figure { what, unit, seen, bar, runs: 1, worst: seen };
    vec![
        once("idle segue mcp, resident", "MiB", idle, SERVER_MIB),
        once("one host, proportional", "MiB", host, HOST_MIB),
        once("the program's file", "MB", binary, BINARY_MB),
    ]
}

/// The child of the server whose name says that it is a host.
fn host_of(server: &McpClient) -> Option<u32> {
    let pid = server.pid();
    let children = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten().flat_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        text.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()).collect::<Vec<_>>()
    });
    children
        .into_iter()
        .find(|pid| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "segue-host"))
}

fn status_kib(pid: u32, file: &str, key: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(f64::NAN)
}
