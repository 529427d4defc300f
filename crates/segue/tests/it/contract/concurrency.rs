//! What a client can rely on while many things happen at once.

use serde_json::{Value, json};

use super::served::{Served, assert_refusal, handle_of, id_of, is_alive, wait_for, with_agent};

#[test]
fn a_started_task_runs_and_its_record_says_so() {
    let served = Served::new();
    for _ in 0..5 {
        let id = served.spawn("[[wait_file:go]]");
        let record = served.record(&id);
        assert_eq!(record[3], json!(["status_changed", {"from": "starting", "to": "running"}]));
        assert_eq!(served.task(&id)["status"], "running");
    }
    served.mark("go");
    served.end();
}

/// When the end shows, all that belongs to it is there already.
#[test]
fn the_end_is_seen_last_of_all() {
    let served = Served::new();
    let mut session = Value::Null;
    for round in 0..5 {
        let mut arguments = with_agent(json!({"prompt": "[[stderr:err]][[say:out]][[pid]]"}));
        if !session.is_null() {
            arguments["session_id"] = session.clone();
        }
        let id = id_of(&served.call("spawn_task", arguments));
        let waited = served.call("wait_tasks", json!({"task_ids": [id]}));
        let told = &waited["completed"][0];
        assert_eq!(told["status"], "succeeded", "{round}");
        let kinds: Vec<Value> = served.events(&id).into_iter().map(|event| event["event_type"].clone()).collect();
        assert_eq!(kinds[kinds.len() - 2..], ["process_exited", "status_changed"], "{:#}", served.record(&id));
        assert!(kinds.contains(&json!("stderr")) && kinds.contains(&json!("agent_message")), "{kinds:?}");
        let pid = told["final_message"].as_str().unwrap().trim_start_matches("out").parse().unwrap();
        assert!(!is_alive(pid));
        session = told["session_id"].clone();
    }
    served.end();
}

#[test]
fn of_many_that_want_one_thing_one_gets_it() {
    let served = Served::new();
    let call = |arguments: &Value| served.client.begin_call("spawn_task", arguments.clone());
    let contest = |arguments: &Value, code: &str| -> String {
        let calls: Vec<_> = (0..8).map(|_| call(arguments)).collect();
        let outcomes: Vec<Result<Value, String>> = calls.into_iter().map(|call| call.wait_call()).collect();
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1, "{won:?}");
        for refusal in lost {
            assert_refusal(&refusal.unwrap_err(), code, &[]);
        }
        id_of(won[0].as_ref().unwrap())
    };
    // One session.
    let session = served.run("")["session_id"].clone();
    let resumed = contest(&with_agent(json!({"prompt": "[[wait_file:go]]", "session_id": session})), "session_in_use");
    // One handle.
    let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 5}));
    let handle = handle_of(&kept);
    served.ended(&id_of(&kept));
    let claimed = contest(&json!({"agent": "codex", "prompt": "[[wait_file:go]]", "on_agent": handle}), "agent_busy");
    // The last place of eight.
    for _ in 0..6 {
        served.call("spawn_task", json!({"agent": "cursor", "prompt": "[[wait_file:go]]", "keep_turns": 1}));
    }
    let last = contest(&json!({"agent": "opencode", "prompt": "[[wait_file:go]]", "keep_idle": 5}), "agent_limit");
    served.mark("go");
    for id in [resumed, claimed, last] {
        assert_eq!(served.ended(&id)["status"], "succeeded");
    }
    served.end();
}

/// The call and its cancel reach the server together: there is a task for each, and each ends and says why.
#[test]
fn a_start_that_is_given_up_ends_its_task() {
    const CALLS: usize = 12;
    let served = Served::new();
    for n in 0..CALLS {
        let id = 100_000 + n;
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "spawn_task", "arguments": {"agent": "claude_code", "prompt": "[[hang]]"}}});
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        served.client.send_raw(format!("{call}\n{cancel}\n").as_bytes());
    }
    let tasks = || served.call("list_tasks", json!({"limit": 100}))["tasks"].as_array().unwrap().clone();
    wait_for("every task to end", || {
        let tasks = tasks();
        tasks.len() == CALLS && tasks.iter().all(|task| !task["finished_at"].is_null())
    });
    for task in tasks() {
        let id = id_of(&task);
        if task["status"] == "failed" {
            let error = task["error"].as_str().unwrap();
            assert!(error.starts_with("agent could not be started: the call was cancelled"), "{error}");
            assert_eq!(served.payloads(&id, "process_started"), [] as [Value; 0]);
        } else {
            assert_eq!(task["status"], "cancelled");
            let reason = json!({"reason": "the call that started the task was cancelled", "actor": null});
            assert_eq!(served.payloads(&id, "task_cancelled"), [reason]);
        }
    }
    // None of the calls is answered.
    served.end();
}

/// The kept agent's turn ends like any task's whose start is given up, and the agent with it.
#[test]
fn a_further_turn_that_is_given_up_ends_too() {
    let served = Served::new();
    let given_up = (0..20).any(|_| {
        let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 1}));
        let (first, handle) = (id_of(&kept), handle_of(&kept));
        served.ended(&first);
        let turn = json!({"agent": "codex", "prompt": "[[hang]]", "on_agent": handle});
        let call = served.client.begin_call("spawn_task", turn);
        served.client.cancel(&call);
        // The agent is free, so there is a task in any case.
        let mut second = first.clone();
        wait_for("the turn", || {
            second = id_of(&served.call("list_tasks", json!({"limit": 1}))["tasks"][0]);
            second != first
        });
        if call.poll().is_some() {
            served.call("cancel_task", json!({"task_id": second}));
            return false;
        }
        assert_eq!(served.ended(&second)["status"], "cancelled");
        let reason = json!({"reason": "the call that started the task was cancelled", "actor": null});
        assert_eq!(served.payloads(&second, "task_cancelled"), [reason]);
        assert_eq!(served.task(&first)["kept_agent"]["reason"], "the task was stopped");
        true
    });
    assert!(given_up, "no cancel came in time");
    served.end();
}

#[test]
fn fifty_tasks_at_once_are_told_apart() {
    let served = Served::new();
    let calls: Vec<_> = (0..50)
        .map(|n| {
            let agent = ["claude_code", "codex", "copilot", "cursor", "opencode"][n % 5];
            served.client.begin_call("spawn_task", json!({"agent": agent, "prompt": format!("[[say:{n}]]")}))
        })
        .collect();
    let ids: Vec<String> = calls.into_iter().map(|call| id_of(&call.wait_call().unwrap())).collect();
    for (n, id) in ids.iter().enumerate() {
        let ended = served.ended(id);
        assert_eq!((&ended["status"], &ended["final_message"]), (&json!("succeeded"), &json!(n.to_string())));
    }
    served.end();
}
