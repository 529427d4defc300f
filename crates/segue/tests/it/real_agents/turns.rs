//! Whole turns: words, and actions that are allowed or refused.

use serde_json::json;

use super::habits::Habits;
use super::world::{World, assert_ended_in_order, only};

pub fn says_what_the_model_says(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let task = world.spawn("[[think:hm]] [[say:Hello there.]]", json!({}));
    let told = world.end_of(&task);
    assert_eq!(
        only(&told, &["status", "error", "final_message", "stop_reason", "ended_because", "settings_in_force"]),
        json!({
            "status": "succeeded", "error": null, "final_message": "Hello there.", "stop_reason": "end_turn",
            "ended_because": "completed", "settings_in_force": (habits.pins)(),
        })
    );
    assert_eq!(
        only(
            &told["receipt"],
            &["tool_calls", "commands", "permissions_asked", "actions_never_asked", "files_changed"]
        ),
        json!({
            "tool_calls": {}, "commands": [], "permissions_asked": 0, "actions_never_asked": {}, "files_changed": [],
        })
    );
    assert!(told["agent_version"].is_string(), "{told}");
    let thoughts =
        world.call("get_events", json!({"task_id": task, "event_types": ["agent_thought"], "include_thoughts": true}));
    assert_eq!(thoughts["events"].as_array().map(Vec::len), Some(1), "{thoughts}");
    assert_ended_in_order(&told);
    world.end();
}

const COMMAND: &str = "echo ran > ran.txt; exit 3";

pub fn writes_and_runs_what_is_allowed(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let prompt = format!("{} {} [[say:Done.]]", habits.write(&world, "note.txt", "some text"), habits.shell(COMMAND));
    let told = world.run(&prompt, json!({"options": {"allow": habits.allow}}));
    assert_eq!(
        only(&told, &["status", "final_message", "ended_because", "permissions_refused"]),
        json!({
            "status": "succeeded", "final_message": "Done.", "ended_because": "completed", "permissions_refused": 0,
        })
    );
    let note = std::fs::read_to_string(world.program.workspace().join("note.txt")).expect("the file");
    assert_eq!(note.trim_end(), "some text");
    let command = json!({
        "command": COMMAND, "title": (habits.command_title)(COMMAND), "exit_status": 3,
        "status": habits.failed_command, "permission": "allowed",
    });
    let mut receipt = told["receipt"].clone();
    receipt.as_object_mut().expect("a receipt").remove("duration_seconds");
    assert_eq!(
        receipt,
        json!({
            "tool_calls": {habits.write_kind: 1, "execute": 1}, "tool_calls_total": 2,
            "commands": [command], "commands_total": 1,
            "permissions_asked": 2, "permissions_refused": 0, "actions_never_asked": {},
            "files_changed": ["note.txt", "ran.txt"],
        })
    );
    assert_ended_in_order(&told);
    world.end();
}

pub fn neither_writes_nor_runs_what_is_refused(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    // Reading is allowed, which must open nothing else; and `edit` alone is not `other`.
    let allow = if habits.write_kind == "other" { "edit" } else { "read" };
    let options = json!({"options": {"allow": [allow]}});
    let write = format!("{} [[say:Noted.]]", habits.write(&world, "note.txt", "some text"));
    let run = format!("{} [[say:Noted.]]", habits.shell("echo ran > ran.txt"));
    let tasks = world.spawn_each([(&*write, options.clone()), (&*run, options)]);
    for (task, kind) in tasks.into_iter().zip([habits.write_kind, "execute"]) {
        let told = world.end_of(&task);
        let refused = &habits.refused;
        let asked = kind == "execute" || !habits.only_plans;
        assert_eq!(
            only(&told, &["status", "error", "stop_reason", "ended_because", "final_message", "permissions_refused"]),
            json!({
                "status": refused.status, "error": null, "stop_reason": refused.stop_reason,
                "ended_because": refused.because, "final_message": refused.final_message,
                "permissions_refused": u8::from(asked),
            }),
            "{kind}"
        );
        let decisions: Vec<_> =
            world.payloads(&task, "permission").iter().map(|asked| only(asked, &["kind", "decision"])).collect();
        let rejected = json!({"kind": kind, "decision": "rejected"});
        assert_eq!(decisions, if asked { vec![rejected] } else { vec![] });
        let receipt = &told["receipt"];
        assert_eq!(
            only(receipt, &["tool_calls", "actions_never_asked", "files_changed"]),
            json!({
                "tool_calls": {kind: 1}, "actions_never_asked": if asked { json!({}) } else { json!({kind: 1}) },
                "files_changed": [],
            })
        );
        let commands: Vec<_> =
            receipt["commands"].as_array().expect("commands").iter().map(|command| &command["permission"]).collect();
        assert_eq!(commands, if kind == "execute" { vec!["rejected"] } else { vec![] });
        assert_ended_in_order(&told);
    }
    assert!(!world.exists("note.txt") && !world.exists("ran.txt"));
    world.end();
}
