//! Cancelling a task, ending its processes, and the server's own shutdown.

use rustix::process::Signal;
use segue_testkit::mcp_client::ended as ending;
use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, id_of, is_alive, text_of, wait_for};

impl Served {
    fn cancel(&self, id: &str) -> Value {
        self.call("cancel_task", json!({"task_id": id}))
    }

    /// The numbers that an agent said, one a line.
    fn pids(&self, task: &Value) -> Vec<u64> {
        let said = text_of(task, "final_message");
        said.lines().map(|line| line.trim_start_matches("pid ").parse().expect("a pid")).collect()
    }
}

#[test]
fn a_turn_is_asked_to_end_and_what_it_says_until_then_is_recorded() {
    let served = Served::new();
    let id = served.spawn("[[say:Working. ]][[linger:1]][[mark:going]][[hang]]");
    served.wait_mark("going");
    let cancelled = served.cancel(&id);
    assert_eq!(
        served.plain(&cancelled),
        json!({
            "task_id": "TASK", "agent": "claude_code", "status": "cancelled", "exit_code": 0, "error": null,
            "session_id": "SESSION", "created_at": "TIME", "finished_at": "TIME", "resolution": "unresolved",
        })
    );
    assert_eq!(served.world.received_params("session/cancel"), [json!({"sessionId": cancelled["session_id"]})]);
    let said: String = served.payloads(&id, "agent_message").iter().map(|payload| text_of(payload, "text")).collect();
    assert!(said.starts_with("Working. lingering ") && said.ends_with("lingering "), "{said}");
    let record = served.record(&id);
    let length = record.as_array().unwrap().len();
    assert_eq!(
        record.as_array().unwrap()[length - 3..],
        [
            json!(["task_cancelled", {"reason": "cancel_task", "actor": null}]),
            json!(["process_exited", {"exit_code": 0, "stop_reason": "cancelled"}]),
            json!(["status_changed", {"from": "running", "to": "cancelled"}]),
        ]
    );
    // It is over: another cancel returns it as it is and records nothing.
    let again = served.call("cancel_task", json!({"task_id": id, "actor": "late"}));
    assert_eq!(again, cancelled);
    assert_eq!(served.record(&id), record);
    served.end();
}

#[test]
fn an_agent_that_ends_nothing_is_ended_and_nobody_waits_for_it() {
    let served = Served::new();
    served.world.scripted("ON_SIGTERM", "ignore");
    served.world.scripted("ON_EOF", "ignore");
    let id = served.spawn("[[say:So]][[mark:going]][[hang_ignore_cancel]]");
    served.wait_mark("going");
    let pid = served.payloads(&id, "process_started")[0]["pid"].as_u64().unwrap();
    served.world.unscripted("ON_SIGTERM");
    served.world.unscripted("ON_EOF");
    let cancel = served.client.begin_call("cancel_task", json!({"task_id": id}));
    assert_eq!(served.run("[[say:meanwhile]]")["final_message"], "meanwhile");
    let cancelled = cancel.wait_call().unwrap();
    assert_eq!((&cancelled["status"], &cancelled["exit_code"]), (&json!("cancelled"), &json!(-9)));
    assert_eq!(cancelled["error"], json!(null));
    assert!(!is_alive(pid));
    assert_eq!(served.world.received_params("session/cancel").len(), 1);
    served.end();
}

#[test]
fn a_cancel_before_the_prompt_ends_the_agent_at_once() {
    let served = Served::new();
    for step in ["INITIALIZE", "NEW", "SET"] {
        served.world.scripted(step, "hang");
        let id = served.spawn("never sent");
        wait_for("the request", || {
            served.task(&id)["live"]["waiting_for"]
                == match step {
                    "INITIALIZE" => "initialize",
                    "NEW" => "new_session",
                    _ => "set_config_option mode",
                }
        });
        let cancelled = served.cancel(&id);
        assert_eq!((&cancelled["status"], &cancelled["error"]), (&json!("cancelled"), &json!(null)), "{step}");
        assert_eq!(served.task(&id)["usage"], json!(null));
        served.world.unscripted(step);
    }
    for method in ["session/cancel", "session/prompt"] {
        assert_eq!(served.world.received_params(method), [] as [Value; 0]);
    }
    served.end();
}

#[test]
fn a_stop_counts_whatever_the_agent_answers_to_it() {
    let served = Served::new();
    served.world.install_script(
        "codex-acp",
        r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"S","configOptions":[{"id":"mode","name":"m","type":"select","currentValue":"read-only","options":[{"value":"read-only","name":"r"}]}]}}'
read -r line; echo '{"jsonrpc":"2.0","id":3,"result":{}}'
read -r line; : > going
read -r line; echo '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}'; read -r line"#,
    );
    let id = served.spawn_with(json!({"agent": "codex", "prompt": ""}));
    served.wait_mark("going");
    assert_eq!(served.cancel(&id)["status"], "cancelled");
    let exits = served.payloads(&id, "process_exited");
    assert_eq!(exits[0]["stop_reason"], "end_turn");
    served.end();
}

#[test]
fn ten_cancels_are_one_stop() {
    let served = Served::new();
    let id = served.spawn("[[linger:0.5]][[mark:going]][[hang]]");
    served.wait_mark("going");
    let calls: Vec<_> = (0..10)
        .map(|n| served.client.begin_call("cancel_task", json!({"task_id": id, "actor": format!("actor {n}")})))
        .collect();
    let answers: Vec<Value> = calls.into_iter().map(|call| call.wait_call().unwrap()).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer["status"] == "cancelled"), "{answers:?}");
    let recorded = served.payloads(&id, "task_cancelled");
    assert_eq!(recorded.len(), 1);
    assert!(text_of(&recorded[0], "actor").starts_with("actor "), "{recorded:?}");
    assert_eq!(served.world.received_params("session/cancel").len(), 1);
    served.end();
}

#[test]
fn a_stop_goes_on_when_its_call_is_given_up() {
    let served = Served::new();
    let id = served.spawn("[[linger:0.5]][[mark:going]][[hang]]");
    served.wait_mark("going");
    let call = served.client.begin_call("cancel_task", json!({"task_id": id}));
    wait_for("the stop", || !served.world.received_params("session/cancel").is_empty());
    served.client.cancel(&call);
    assert_eq!(served.ended(&id)["status"], "cancelled");
    assert!(call.poll().is_none());
    served.end();
}

/// What a turn leaves behind is gone when its end shows, wherever it went and however stubborn it is.
#[test]
fn nothing_of_an_agents_tree_outlives_its_task() {
    let served = Served::new();
    let spawns = ["spawn_child", "spawn_setsid", "spawn_daemon"];
    let leave = |how: &str| -> String {
        spawns.iter().map(|spawn| format!("[[{spawn}:3600{how}]][[result]][[say:\\n]]")).collect()
    };
    let docile = served.spawn(&leave(""));
    let stubborn = served.spawn(&leave(":stubborn"));
    let cancelled = served.spawn(&(leave("") + "[[mark:going]][[hang]]"));
    served.wait_mark("going");
    served.cancel(&cancelled);
    for (id, status) in [(docile, "succeeded"), (stubborn, "succeeded"), (cancelled, "cancelled")] {
        let task = served.ended(&id);
        assert_eq!(task["status"], status);
        let pids = served.pids(&task);
        assert_eq!(pids.len(), 3);
        assert!(!pids.iter().any(|pid| is_alive(*pid)), "{pids:?} of a task that is {status}");
        assert_eq!(served.run_with(json!({"prompt": "", "session_id": task["session_id"]}))["status"], "succeeded");
    }
    served.end();
}

#[test]
fn a_killed_agent_fails_its_task_and_its_child_ends_before_the_session_is_free() {
    let served = Served::new();
    let id = served.spawn("[[spawn_child]][[result]][[say:\\n]][[plan]][[mark:going]][[hang]]");
    served.wait_mark("going");
    let said = served.wait_event(&id, "agent_message", |_| true);
    let child = text_of(&said, "text").trim_start_matches("pid ").trim().parse().unwrap();
    let pid = served.payloads(&id, "process_started")[0]["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    assert!(is_alive(child));
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["exit_code"]), (&json!("failed"), &json!(-9)));
    assert_names(ended["error"].as_str().unwrap(), &["ended by signal 9"]);
    assert!(!is_alive(child));
    let resumed = served.run_with(json!({"prompt": "", "session_id": ended["session_id"]}));
    assert_eq!(resumed["status"], "succeeded");
    served.end();
}

#[test]
fn a_session_can_be_resumed_many_times_and_leaves_no_process() {
    let served = Served::new();
    let session = served.run("")["session_id"].clone();
    let processes = || served.world.mark().processes().len();
    for _ in 0..10 {
        assert_eq!(served.run_with(json!({"prompt": "", "session_id": session}))["status"], "succeeded");
        wait_for("the host to go", || processes() == 1);
    }
    served.end();
}

#[test]
fn the_end_of_the_input_ends_everything_and_is_no_failure() {
    let served = Served::new();
    let tasks = [served.spawn("[[mark:one]][[hang]]"), served.spawn("[[ask:edit:x]][[mark:two]][[hang]]")];
    served.wait_mark("one");
    served.wait_mark("two");
    let kept = id_of(&served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 1})));
    served.wait_lease(&kept, "kept");
    assert_eq!(ending(served.client.shut_down()), "exit 0");
    served.assert_clean();
    let next = Served::of(served.world);
    for id in &tasks {
        let task = next.task(id);
        assert_eq!((&task["status"], &task["error"]), (&json!("cancelled"), &json!(null)));
        assert_eq!(next.payloads(id, "task_cancelled"), [json!({"reason": "shutdown", "actor": null})]);
    }
    next.end();
}

#[test]
fn a_signal_ends_everything_and_then_the_server_dies_of_it() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1)] {
        let served = Served::new();
        let id = served.spawn("[[linger:0.7]][[mark:going]][[hang]]");
        served.wait_mark("going");
        let wait = served.client.begin_call("wait_tasks", json!({"task_ids": [id]}));
        served.task(&id);
        served.client.signal(signal);
        assert_eq!(wait.wait_call().unwrap(), json!({"completed": [], "reason": "shutdown"}));
        // It still reads and answers, and starts nothing any more. Another signal changes nothing.
        served.client.signal(signal);
        served.client.signal(Signal::TERM);
        let refused = served.client.begin_call("describe_agent", json!({"agent": "codex"}));
        let late = served.client.begin_call("spawn_task", json!({"agent": "codex", "prompt": ""}));
        if let Some(answer) = refused.wait_or_end() {
            let text = answer.unwrap()["content"][0]["text"].clone();
            assert_refusal(text.as_str().unwrap(), "invalid_request", &["shutting down"]);
        }
        if let Some(answer) = late.wait_or_end() {
            let task = answer.unwrap()["structuredContent"].clone();
            assert_eq!(task["status"], "failed");
            assert_names(task["error"].as_str().unwrap(), &["agent could not be started: ", "shutting down"]);
        }
        assert_eq!(ending(served.client.wait_exit()), format!("signal {number}"));
        served.assert_clean();
        let next = Served::of(served.world);
        assert_eq!(next.task(&id)["status"], "cancelled");
        assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "shutdown", "actor": null})]);
        next.end();
    }
}

#[test]
fn a_server_with_nothing_to_do_ends_at_once() {
    let served = Served::new();
    served.end();
    let served = Served::new();
    served.client.signal(Signal::TERM);
    assert_eq!(ending(served.client.wait_exit()), "signal 15");
    served.assert_clean();
}

/// A stop whose answer is a kill: the shutdown is not shortened by it, and nothing is left.
#[test]
fn a_shutdown_waits_for_the_stubborn() {
    let served = Served::new();
    served.world.scripted("ON_EOF", "after:3000");
    let id = served.spawn("[[spawn_setsid]][[mark:going]][[hang_ignore_cancel]]");
    served.wait_mark("going");
    served.client.close_stdin();
    served.client.signal(Signal::TERM);
    let how = ending(served.client.wait_exit());
    assert!(how == "exit 0" || how == "signal 15", "{how}: whichever came first");
    served.assert_clean();
    let next = Served::of(served.world);
    assert_eq!(next.task(&id)["status"], "cancelled");
    next.end();
}

#[test]
fn a_server_that_is_stopped_during_a_load_keeps_the_session() {
    let served = Served::new();
    let session = served.run("[[remember:a:b]]")["session_id"].clone();
    served.world.scripted("LOAD", "hang");
    let id = served.spawn_with(json!({"prompt": "", "session_id": session}));
    wait_for("the load", || served.task(&id)["live"]["waiting_for"] == "load_session");
    assert_eq!(ending(served.client.shut_down()), "exit 0");
    served.world.unscripted("LOAD");
    let next = Served::of(served.world);
    let task = next.task(&id);
    assert_eq!((&task["status"], &task["session_id"]), (&json!("cancelled"), &session));
    let again = next.run_with(json!({"prompt": "[[recall:a]]", "session_id": session}));
    assert_eq!(again["final_message"], "b");
    next.end();
}
