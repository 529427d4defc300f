//! `list_tasks`: newest first by creation, page by page, whatever was forgotten.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal, id_of};

fn ids(listed: &Value) -> Vec<String> {
    listed["tasks"].as_array().unwrap().iter().map(id_of).collect()
}

#[test]
fn tasks_are_listed_newest_first_by_creation() {
    let served = Served::new();
    // The first ends last.
    let slow = served.spawn("[[wait_file:go]]");
    let failed = id_of(&served.call("spawn_task", json!({"agent": "codex", "prompt": "", "workspace": "gone"})));
    let done = id_of(&served.run(""));
    served.mark("go");
    served.ended(&slow);
    let listed = served.call("list_tasks", json!({}));
    assert_eq!((ids(&listed), &listed["next"]), (vec![done, failed, slow], &json!(null)));
    assert_eq!(
        served.plain(&listed["tasks"][0]),
        json!({
            "task_id": "TASK", "agent": "claude_code", "status": "succeeded", "exit_code": 0, "error": null,
            "session_id": "SESSION", "created_at": "TIME", "finished_at": "TIME", "resolution": "unresolved",
        })
    );
    served.end();
}

#[test]
fn pages_follow_one_another_also_from_a_forgotten_task() {
    let served = Served::new();
    let started =
        (0..6).map(|_| id_of(&served.call("spawn_task", json!({"agent": "codex", "prompt": "", "workspace": "gone"}))));
    let mut newest: Vec<String> = started.collect();
    newest.reverse();
    let page = |arguments: Value| {
        let listed = served.call("list_tasks", arguments);
        (ids(&listed), listed["next"].clone())
    };
    assert_eq!(page(json!({"limit": 2})), (newest[..2].to_vec(), json!(newest[1])));
    assert_eq!(page(json!({"limit": 2, "after": newest[1]})), (newest[2..4].to_vec(), json!(newest[3])));
    assert_eq!(page(json!({"limit": "2", "after": newest[3]})), (newest[4..].to_vec(), json!(null)));
    assert_eq!(page(json!({"after": newest[5]})), (vec![], json!(null)));
    served.call("resolve_task", json!({"task_id": newest[3], "resolution": "rejected"}));
    served.call("forget_task", json!({"task_id": newest[3]}));
    assert_eq!(page(json!({"limit": 2, "after": newest[3]})), (newest[4..].to_vec(), json!(null)));
    assert_eq!(page(json!({"limit": 3})), (newest[..3].to_vec(), json!(newest[2])));
    assert_eq!(page(json!({"limit": 3, "after": newest[2]})), (newest[4..].to_vec(), json!(null)));
    served.end();
}

#[test]
fn twenty_are_a_page_and_a_hundred_the_most() {
    let served = Served::new();
    for _ in 0..22 {
        served.call("spawn_task", json!({"agent": "codex", "prompt": "", "workspace": "gone"}));
    }
    assert_eq!(ids(&served.call("list_tasks", json!({}))).len(), 20);
    assert_eq!(ids(&served.call("list_tasks", json!({"limit": 100}))).len(), 22);
    for limit in [0, -1, 101] {
        let refusal = served.refused("list_tasks", json!({"limit": limit}));
        assert_refusal(&refusal, "invalid_request", &["limit", "100"]);
    }
    served.end();
}
