//! Sessions that outlive their process.

use serde_json::json;

use super::habits::Habits;
use super::world::{World, only};

const FIRST: &str = "[[say:The first answer.]]";
/// Holds no script, so that the model goes by the newest one in the history; there is nothing left of it.
const SECOND: &str = "And what else?";
const NOTHING_LEFT: &str = "OK.";

/// Has the agent answer out of the session's history, and looks whether it knew that.
pub fn second_turn(world: &World, further: serde_json::Value) -> serde_json::Value {
    let prompt = if world.habits.real.is_some() { SECOND } else { "[[history]]" };
    let told = world.run(prompt, further);
    assert_eq!(only(&told, &["status", "ended_because"]), json!({"status": "succeeded", "ended_because": "completed"}));
    if world.habits.real.is_none() {
        assert_eq!(told["final_message"], json!(json!([FIRST]).to_string()));
        return told;
    }
    assert_eq!(told["final_message"], NOTHING_LEFT);
    let knew = |request: &segue_testkit::model_server::Request| {
        request.script == FIRST && request.last_user.as_ref().is_some_and(|text| text.contains(SECOND))
    };
    assert!(world.model.requests().iter().any(knew), "{:#?}", world.model.requests());
    told
}

pub fn first_turn(world: &World, further: serde_json::Value) -> serde_json::Value {
    let told = world.run(FIRST, further);
    assert_eq!(
        only(&told, &["status", "final_message"]),
        json!({"status": "succeeded", "final_message": "The first answer."})
    );
    told
}

pub fn resumes_a_session_in_a_new_process(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let first = first_turn(&world, json!({}));
    let session = first["session_id"].as_str().expect("a session");
    let second = second_turn(&world, json!({"session_id": session}));
    // The pins are set again: some agents come back in a wider mode than they were left in.
    assert_eq!(
        only(&second, &["session_id", "settings_in_force"]),
        json!({"session_id": session, "settings_in_force": (habits.pins)()})
    );
    let unknown = world.run(SECOND, json!({"session_id": "00000000-0000-4000-8000-000000000000"}));
    assert_eq!(
        only(&unknown, &["status", "ended_because"]),
        json!({"status": "failed", "ended_because": "setup_failed"})
    );
    let error = unknown["error"].as_str().expect("an error");
    assert!(error.contains("00000000-0000-4000-8000-000000000000"), "{error}");
    assert!(error.contains("may not exist for this agent or workspace"), "{error}");
    world.end();
}

pub fn lists_and_deletes_sessions_or_says_that_it_cannot(habits: &'static Habits) {
    let Some(world) = World::new(habits) else { return };
    let first = first_turn(&world, json!({}));
    let session = first["session_id"].as_str().expect("a session");
    let agent = habits.adapter;
    let workspace = world.program.workspace();

    let listed = world.segue.call("list_sessions", json!({"agent": agent}));
    if habits.lists_sessions {
        let listed = listed.expect("a list");
        assert_eq!(
            only(&listed, &["agent", "workspace", "next_cursor"]),
            json!({"agent": agent, "workspace": workspace, "next_cursor": null})
        );
        let sessions: Vec<_> = listed["sessions"]
            .as_array()
            .expect("sessions")
            .iter()
            .map(|session| only(session, &["session_id", "cwd"]))
            .collect();
        assert_eq!(sessions, [json!({"session_id": session, "cwd": workspace})]);
    } else {
        assert_unsupported(listed);
    }

    let deleted = world.segue.call("delete_session", json!({"agent": agent, "session_id": session}));
    if habits.deletes_sessions {
        assert_eq!(
            deleted,
            Ok(json!({"agent": agent, "workspace": workspace, "session_id": session, "deleted": true}))
        );
        let resumed = world.run(FIRST, json!({"session_id": session}));
        assert_eq!(resumed["status"], if habits.forgets_deleted { "failed" } else { "succeeded" });
    } else {
        assert_unsupported(deleted);
    }
    world.end();
}

fn assert_unsupported(answer: Result<serde_json::Value, String>) {
    let refusal = answer.expect_err("unsupported");
    assert!(refusal.starts_with("unsupported: "), "{refusal}");
}
