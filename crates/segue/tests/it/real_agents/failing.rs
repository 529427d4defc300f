//! Failures around a turn: of the model service, and of the server itself.

use segue_testkit::mcp_client::ended;
use serde_json::{Value, json};

use super::habits::Habits;
use super::world::{World, assert_ended_in_order, only};

pub fn errors_of_the_model_service_are_told(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    // At the same time, since some agents try again for seconds.
    let tasks = world.spawn_each(habits.errors.iter().map(|(script, ..)| (*script, json!({}))));
    for (task, (script, status, because, words)) in tasks.iter().zip(habits.errors) {
        let told = world.end_of(task);
        assert_eq!(
            only(&told, &["status", "ended_because"]),
            json!({"status": status, "ended_because": because}),
            "{script}: {told:#}"
        );
        // Agents that answer as if all were well say it in the model's place.
        let place = if *status == "failed" { &told["error"] } else { &told["final_message"] };
        assert!(place.as_str().is_some_and(|text| text.contains(words)), "{script}: {told:#}");
        assert_ended_in_order(&told);
    }
    world.end();
}

pub fn a_turn_goes_on_when_the_server_is_killed(habits: &'static Habits) {
    let Some(mut world) = World::new(habits) else { return };
    let command = "echo > started; until test -e go; do sleep 0.1; done";
    let prompt = format!("[[say:Before.]] {} [[say:After.]]", habits.shell(command));
    let task = world.spawn(&prompt, json!({"options": {"allow": ["execute"]}}));
    world.until(&task, "the command", |world| world.exists("started"));
    assert_eq!(ended(world.segue.kill()), "signal 9");

    world.segue = world.program.mcp();
    assert_eq!(world.task(&task)["status"], "running", "the turn goes on without a server");
    std::fs::write(world.program.workspace().join("go"), "").expect("a file");
    let told = world.end_of(&task);
    assert_eq!(
        only(&told, &["status", "final_message", "stop_reason", "ended_because"]),
        json!({
            "status": "succeeded", "final_message": "After.", "stop_reason": "end_turn", "ended_because": "completed",
        })
    );
    assert_eq!(world.said(&task), "Before.After.", "nothing is lost and nothing is told twice");
    let count = |kind: &str| world.payloads(&task, kind).len();
    assert_eq!([count("process_started"), count("permission"), count("process_exited")], [1, 1, 1]);
    let states: Vec<Value> =
        world.payloads(&task, "status_changed").into_iter().map(|change| change["to"].clone()).collect();
    assert_eq!(states, ["starting", "running", "succeeded"]);
    assert_ended_in_order(&told);
    world.end();
}
