//! Tasks that say a great deal, and whether the server answers others meanwhile.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Figure, ms, world};
use crate::mcp_client::McpClient;

const ROUNDS: usize = 3;
const CHUNKS_MS: f64 = 1_500.0;
const TOOLS_MS: f64 = 3_000.0;
const PING_MS: f64 = 5.0;
const PEAK_MIB: f64 = 64.0;
/// Between two pings: often enough to meet every phase of a stream.
const PING_EVERY: Duration = Duration::from_millis(5);

pub fn measure() -> Vec<Figure> {
    let mut pings = Vec::new();
    let mut figures = Vec::new();
    let mut peak = Vec::new();
    for (what, prompt, bar) in [
        ("a task streaming 100,000 chunks", "[[chunks:100000]]", CHUNKS_MS),
        // Each tool call is two events.
        ("a task with 50,000 tool events", "[[tools:25000]]", TOOLS_MS),
    ] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let world = world();
            let server = world.mcp();
            let begun = Instant::now();
            let task = server.call("spawn_task", json!({"agent": "codex", "prompt": prompt})).expect("a task");
            let waiting = server.begin_call("wait_tasks", json!({"task_ids": [task["task_id"]]}));
            while waiting.poll().is_none() {
                pings.push(ping(&server));
                std::thread::sleep(PING_EVERY);
            }
            times.push(ms(begun.elapsed()));
            peak.push(peak_mib(server.pid()));
            server.shut_down();
        }
        figures.push(Figure::median(what, "ms", times, bar));
    }
    figures.push(worst("a ping meanwhile, the slowest of all", "ms", pings, PING_MS));
    figures.push(worst("the server's peak memory over both", "MiB", peak, PEAK_MIB));
    figures
}

fn worst(what: &'static str, unit: &'static str, seen: Vec<f64>, bar: f64) -> Figure {
    let runs = seen.len();
    let worst = seen.into_iter().fold(f64::NAN, f64::max);
    Figure { what, unit, seen: worst, bar, runs, worst }
}

fn ping(server: &McpClient) -> f64 {
    let begun = Instant::now();
    server.request("ping", json!({})).expect("it answers");
    ms(begun.elapsed())
}

fn peak_mib(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(f64::NAN) / 1024.0
}
