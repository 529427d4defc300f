//! Agents that stay for another turn.

use serde_json::json;

use super::habits::Habits;
use super::sessions::{first_turn, second_turn};
use super::world::{World, only};

pub fn is_kept_for_another_turn_and_released(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let first = first_turn(&world, json!({"keep_idle": 300, "keep_turns": 2}));
    let kept = &first["kept_agent"];
    assert_eq!(
        only(kept, &["state", "turns_left", "reason"]),
        json!({"state": "kept", "turns_left": 2, "reason": null})
    );
    let handle = kept["handle"].as_str().expect("a handle");

    let second = second_turn(&world, json!({"on_agent": handle}));
    assert_eq!(
        only(&second, &["session_id", "settings_in_force", "stop_receipt"]),
        json!({"session_id": first["session_id"], "settings_in_force": (habits.pins)(), "stop_receipt": null})
    );
    let events = world.events(second["task_id"].as_str().expect("an id"));
    assert!(!events.iter().any(|event| event["event_type"] == "process_started"), "the same process");

    let released = world.call("release_agent", json!({"handle": handle}));
    assert_eq!(
        released,
        json!({"handle": handle, "agent": habits.adapter, "session_id": first["session_id"], "released": true})
    );
    let kept = &world.task(first["task_id"].as_str().expect("an id"))["kept_agent"];
    assert_eq!(only(kept, &["state", "reason"]), json!({"state": "ended", "reason": "released"}));
    world.end();
}
