//! What an agent offers, and that what is set is in force.

use serde_json::{Map, Value, json};

use super::habits::{CLAUDE, Habits};
use super::world::{World, assert_ended_in_order, only};

pub fn is_described(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let mut described = world.call("describe_agent", json!({"agent": habits.adapter}));
    let pins: Map<String, Value> = (habits.pins)()
        .as_array()
        .expect("pins")
        .iter()
        .map(|pin| (pin["name"].as_str().expect("a name").to_owned(), pin["asked"].clone()))
        .collect();
    let fields = described.as_object_mut().expect("an object");
    assert_eq!(fields.remove("pins"), Some(pins.into()));
    fields.remove("pins_with_edit");
    let mut expected = (habits.describes)();
    expected["agent"] = habits.adapter.into();
    assert_eq!(described, expected);
    world.end();
}

pub fn model_and_effort_are_verified(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    // At the same time, since agents start slowly.
    let choices = [(habits.choice)(), json!({"model": "no-such-model"})];
    let tasks = world.spawn_each(choices.map(|options| ("[[say:Set.]]", json!({"options": options}))));
    let [chosen, unknown] = &tasks[..] else { panic!("two tasks") };
    let unknown = world.end_of(unknown);
    assert_eq!(
        only(&unknown, &["status", "ended_because", "final_message", "settings_in_force"]),
        json!({
            "status": "failed", "ended_because": "setup_failed", "final_message": null,
            "settings_in_force": (habits.pins)(),
        })
    );
    let error = unknown["error"].as_str().expect("an error");
    assert!(error.contains("'model'"), "{error}");

    let chosen = world.end_of(chosen);
    match habits.chosen {
        Ok(further) => {
            let mut settings = (habits.pins)();
            settings.as_array_mut().expect("pins").extend(further().as_array().expect("settings").clone());
            assert_eq!(
                only(&chosen, &["status", "final_message", "settings_in_force"]),
                json!({"status": "succeeded", "final_message": "Set.", "settings_in_force": settings})
            );
        }
        Err(why) => {
            assert_eq!(chosen["status"], "failed");
            assert!(chosen["error"].as_str().expect("an error").contains(why), "{chosen}");
        }
    }
    assert_ended_in_order(&chosen);
    world.end();
}

/// Claude answers a mode that its model does not have with success and with another, wider mode.
#[test]
fn a_mode_that_claude_does_not_set_though_it_says_so_ends_the_task() {
    let Some(mut world) = World::with(&CLAUDE, &[("ANTHROPIC_MODEL", "claude-sonnet-4-5")]) else { return };
    let file = world.program.home().join("agents.toml");
    let agents =
        "[agents.claude_auto]\ncommand = [\"claude-agent-acp\"]\npins = [{ name = \"mode\", value = \"auto\" }]\n";
    std::fs::write(&file, agents).expect("an agents file");
    world.segue.shut_down();
    world.segue = world.program.mcp_with(&["--agents-file", file.to_str().expect("UTF-8")]);
    let task = world.spawn("[[say:Wide open.]]", json!({"agent": "claude_auto"}));
    let told = world.end_of(&task);
    assert_eq!(
        only(&told, &["status", "ended_because", "final_message"]),
        json!({"status": "failed", "ended_because": "setup_failed", "final_message": null})
    );
    let error = told["error"].as_str().expect("an error");
    assert!(error.contains("'mode'") && error.contains("acceptEdits"), "{error}");
    assert!(!world.model.requests().iter().any(|request| request.script.contains("Wide open")));
    world.end();
}
