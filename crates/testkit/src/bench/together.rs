//! Fifty trivial tasks at once, from the first dispatch to the last end.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Figure, ms, world};
use crate::mcp_client::McpClient;

const TASKS: usize = 50;
const ROUNDS: usize = 5;
const BAR_MS: f64 = 1_000.0;

pub fn measure() -> Vec<Figure> {
    let world = world();
    let server = world.mcp();
    let times = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            let ids = dispatch(&server, TASKS, "[[say:x]]");
            ended(&server, &ids);
            ms(begun.elapsed())
        })
        .collect();
    server.shut_down();
    vec![Figure::median("50 trivial tasks at once, spawned to ended", "ms", times, BAR_MS)]
}

/// Starts many tasks with their calls in flight together.
pub fn dispatch(server: &McpClient, count: usize, prompt: &str) -> Vec<Value> {
    let calls: Vec<_> =
        (0..count).map(|_| server.begin_call("spawn_task", json!({"agent": "codex", "prompt": prompt}))).collect();
    calls.into_iter().map(|call| call.wait_call().expect("a task")["task_id"].clone()).collect()
}

/// Waits until each of these has ended.
pub fn ended(server: &McpClient, ids: &[Value]) {
    let mut left = ids.to_vec();
    while !left.is_empty() {
        let waited = server.call("wait_tasks", json!({"task_ids": left.chunks(50).next()})).expect("a wait");
        for task in waited["completed"].as_array().into_iter().flatten() {
            left.retain(|id| *id != task["task_id"]);
        }
    }
}
