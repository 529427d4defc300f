//! The server is killed with a hundred agents under way: how long until a new one shows all truthfully.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Figure, ms, together, world};

const TASKS: usize = 100;
const ROUNDS: usize = 3;
const BAR_MS: f64 = 1_000.0;
const LIMIT: Duration = Duration::from_secs(60);

pub fn measure() -> Vec<Figure> {
    let times = (0..ROUNDS).map(|_| round()).collect();
    vec![Figure::median("after kill -9 with 100 agents under way: all taken over", "ms", times, BAR_MS)]
}

/// From the new server's start until it lists every task as its own and none as lost.
fn round() -> f64 {
    let world = world();
    let first = world.mcp();
    let ids = together::dispatch(&first, TASKS, "[[say:x]] [[hang]]");
    first.kill();
    let begun = Instant::now();
    let second = world.mcp();
    let mut shown = BTreeSet::new();
    while shown.len() < TASKS {
        assert!(begun.elapsed() < LIMIT, "{} of {TASKS} were taken over", shown.len());
        let listed = second.call("list_tasks", json!({"limit": 100})).expect("a list");
        shown = listed["tasks"].as_array().into_iter().flatten().map(|task| task["task_id"].to_string()).collect();
    }
    let taken = ms(begun.elapsed());
    assert_eq!(shown, ids.iter().map(Value::to_string).collect(), "none lost, none doubled");
    second.shut_down();
    world.assert_nothing_left();
    taken
}
