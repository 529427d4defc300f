//! `wait_tasks`: what it waits for, what it tells, what refuses it.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal, id_of, text_of};

fn ids(waited: &Value) -> Vec<String> {
    waited["completed"].as_array().unwrap().iter().map(id_of).collect()
}

#[test]
fn all_that_are_finished_are_told_in_the_order_given() {
    let served = Served::new();
    let hanging = served.spawn("[[wait_file:go]]");
    let (one, two) = (served.spawn("[[say:One]]"), served.spawn("[[ask:edit:x]][[say:Two]][[stop:refusal]]"));
    served.ended(&one);
    served.ended(&two);
    let waited = served.call("wait_tasks", json!({"task_ids": [two, hanging, one, two]}));
    let summary = |status: &str, message: &str, refused: u64| {
        json!({
            "task_id": "TASK", "agent": "claude_code", "status": status, "exit_code": 0, "error": null,
            "session_id": "SESSION", "created_at": "TIME", "finished_at": "TIME", "resolution": "unresolved",
            "final_message": message, "final_message_truncated": false, "permissions_refused": refused,
        })
    };
    assert_eq!(
        served.plain(&waited),
        json!({"completed": [summary("failed", "Two", 1), summary("succeeded", "One", 0)], "reason": "terminal"})
    );
    assert_eq!(ids(&waited), [two.clone(), one.clone()]);
    let at_once = served.call("wait_tasks", json!({"task_ids": [hanging], "wait_seconds": 0}));
    assert_eq!(at_once, json!({"completed": [], "reason": "timeout"}));
    let listed = json!([one, two]).to_string();
    assert_eq!(ids(&served.call("wait_tasks", json!({"task_ids": listed, "wait_seconds": "0.5"}))), [one, two]);
    served.mark("go");
    served.end();
}

#[test]
fn an_end_wakes_every_wait() {
    let served = Served::new();
    let (first, other) = (served.spawn("[[wait_file:go]]"), served.spawn("[[wait_file:never]]"));
    let waits: Vec<_> =
        (0..20).map(|_| served.client.begin_call("wait_tasks", json!({"task_ids": [other, first]}))).collect();
    // The waits are under way when another call, sent later, is answered.
    served.task(&first);
    served.mark("go");
    for wait in waits {
        let waited = wait.wait_call().unwrap();
        assert_eq!((ids(&waited), text_of(&waited, "reason")), (vec![first.clone()], "terminal".to_owned()));
    }
    served.end();
}

#[test]
fn more_than_thirty_seconds_are_thirty() {
    let served = Served::new();
    let id = served.spawn("[[hang]]");
    // Longer than the test waits for any answer.
    let waited = served.call("wait_tasks", json!({"task_ids": [id], "wait_seconds": 1e9}));
    assert_eq!(waited, json!({"completed": [], "reason": "timeout"}));
    served.end();
}

#[test]
fn a_wait_has_one_to_fifty_tasks_and_a_time() {
    let served = Served::new();
    let id = id_of(&served.run(""));
    let many = |count: usize| -> Vec<String> { (0..count).map(|n| format!("task_{n:012x}")).collect() };
    assert_refusal(&served.refused("wait_tasks", json!({"task_ids": []})), "invalid_request", &["task_ids", "50"]);
    assert_refusal(&served.refused("wait_tasks", json!({"task_ids": many(51)})), "invalid_request", &["51", "50"]);
    // Fifty are looked for, and fifty-one times the same are one.
    assert_refusal(&served.refused("wait_tasks", json!({"task_ids": many(50)})), "task_not_found", &["task_0000"]);
    assert_eq!(served.call("wait_tasks", json!({"task_ids": vec![&id; 51]}))["reason"], "terminal");
    for bad in [json!(-1), json!(-0.001), json!("-1"), json!("nan"), json!("NaN")] {
        let refusal = served.refused("wait_tasks", json!({"task_ids": [id], "wait_seconds": bad}));
        assert_refusal(&refusal, "invalid_request", &["wait_seconds"]);
    }
    served.end();
}

/// A task that can be forgotten is finished and so ends the wait: what is left is to name one that is gone.
#[test]
fn a_forgotten_task_fails_a_wait() {
    let served = Served::new();
    let (hanging, over) = (served.spawn("[[hang]]"), id_of(&served.run("")));
    served.call("resolve_task", json!({"task_id": over, "resolution": "accepted"}));
    served.call("forget_task", json!({"task_id": over}));
    let refusal = served.refused("wait_tasks", json!({"task_ids": [hanging, over]}));
    assert_refusal(&refusal, "task_not_found", &[&over]);
    served.end();
}

#[test]
fn a_wait_delays_no_other_call_and_a_cancelled_one_changes_nothing() {
    let served = Served::new();
    let id = served.spawn("[[wait_file:go]]");
    let wait = served.client.begin_call("wait_tasks", json!({"task_ids": [id]}));
    assert_eq!(served.task(&id)["status"], "running");
    let other = served.run("[[say:meanwhile]]");
    assert_eq!(other["final_message"], "meanwhile");
    assert_eq!(served.call("describe_agent", json!({"agent": "codex"}))["agent"], "codex");
    assert!(wait.poll().is_none());
    served.client.cancel(&wait);
    assert_eq!(served.task(&id)["status"], "running");
    served.mark("go");
    assert_eq!(served.ended(&id)["status"], "succeeded");
    assert!(wait.poll().is_none(), "a cancelled call is not answered");
    served.end();
}

#[test]
fn a_shutdown_ends_waits_and_finished_tasks_win() {
    let served = Served::new();
    let over = served.spawn("");
    served.ended(&over);
    let id = served.spawn("[[linger:1]][[mark:lingers]][[hang]]");
    served.wait_mark("lingers");
    let wait = served.client.begin_call("wait_tasks", json!({"task_ids": [id]}));
    served.task(&id);
    served.client.close_stdin();
    if let Some(answer) = wait.wait_or_end() {
        let answer = answer.unwrap();
        assert_eq!(answer["structuredContent"], json!({"completed": [], "reason": "shutdown"}));
    }
    served.end();
}
