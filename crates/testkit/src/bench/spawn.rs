//! From `spawn_task` to its reply: the task is durable, host and agent process are started.

use std::time::Instant;

use serde_json::json;

use super::{Figure, ms, world};

const TASKS: usize = 60;
const SYNCS: f64 = 4.0;
const OWN_MS: f64 = 5.0;

pub fn measure(sync_ms: f64) -> Vec<Figure> {
    let world = world();
    let server = world.mcp();
    let mut times = Vec::with_capacity(TASKS);
    for _ in 0..TASKS {
        let begun = Instant::now();
        let task = server.call("spawn_task", json!({"agent": "codex", "prompt": "[[say:x]]"})).expect("a task");
        times.push(ms(begun.elapsed()));
        server.call("wait_tasks", json!({"task_ids": [task["task_id"]]})).expect("it ends");
    }
    server.shut_down();
    vec![Figure::median("spawn_task reply (4 syncs + 5 ms)", "ms", times, SYNCS * sync_ms + OWN_MS)]
}
