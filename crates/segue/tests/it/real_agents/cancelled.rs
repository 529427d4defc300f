//! Turns that are cancelled in their middle.

use serde_json::json;

use super::habits::Habits;
use super::world::{World, assert_ended_in_order, only};

/// Rests without end, in every shell, and is told apart from what other tests run by its world's mark.
const RESTING: &str = "tail -f /dev/null";

pub fn while_it_speaks(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let task = world.spawn(habits.speech(), json!({}));
    world.until(&task, "a few pieces", |world| !world.said(&task).is_empty());
    cancel(&world, &task);
    let said = world.said(&task);
    assert_eq!(world.task(&task)["final_message"], json!(said), "what was said before the cancel stays");
    world.end();
}

pub fn while_a_command_runs(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let prompt = format!("{} [[say:Never.]]", habits.shell(&format!("echo > started; {RESTING}")));
    let task = world.spawn(&prompt, json!({"options": {"allow": ["execute"]}}));
    world.until(&task, "the command", |world| world.exists("started"));
    cancel(&world, &task);
    // Also in a session of its own, and where the agent itself leaves it running.
    world.assert_gone(RESTING);
    assert_eq!(world.task(&task)["receipt"]["commands_total"], 1);
    world.end();
}

pub fn while_the_model_hangs(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let task = world.spawn("[[say:partial]] [[hang]]", json!({}));
    world.until(&task, "the first words", |world| world.said(&task) == "partial");
    cancel(&world, &task);
    world.end();
}

fn cancel(world: &World, task: &str) {
    let cancelled = world.call("cancel_task", json!({"task_id": task, "actor": "tester"}));
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    let told = world.task(task);
    assert_eq!(
        only(&told, &["status", "error", "stop_reason", "ended_because"]),
        json!({"status": "cancelled", "error": null, "stop_reason": "cancelled", "ended_because": "cancelled"})
    );
    assert_eq!(world.payloads(task, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "tester"})]);
    assert_ended_in_order(&told);
}
