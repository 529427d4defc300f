//! Kept agents: how one is asked for, when it stays, what runs on it, how it ends.

use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, handle_of, id_of, is_alive, wait_for};

/// Starts a first turn that is to keep its agent; id and handle.
fn keep(served: &Served, arguments: Value) -> (String, String) {
    let mut arguments = arguments;
    let object = arguments.as_object_mut().unwrap();
    object.entry("agent").or_insert(json!("claude_code"));
    object.entry("prompt").or_insert(json!(""));
    if !object.contains_key("keep_idle") {
        object.entry("keep_turns").or_insert(json!(3));
    }
    let task = served.call("spawn_task", arguments);
    (id_of(&task), handle_of(&task))
}

fn lease(state: &str, expires_at: Value, turns_left: Value, reason: Value) -> Value {
    json!({"handle": "AGENT", "state": state, "expires_at": expires_at, "turns_left": turns_left, "reason": reason})
}

impl Served {
    fn lease(&self, id: &str) -> Value {
        self.plain(&self.task(id)["kept_agent"])
    }

    fn on(&self, handle: &str, prompt: &str) -> Value {
        json!({"agent": "claude_code", "prompt": prompt, "on_agent": handle})
    }
}

#[test]
fn an_agent_is_kept_and_runs_further_turns_until_none_is_left() {
    let served = Served::new();
    let started = served.call(
        "spawn_task",
        json!({
            "agent": "claude_code", "prompt": "[[remember:k:v]][[pid]]", "keep_idle": 500, "keep_turns": 2,
            "options": {"model": "opus", "allow": ["read"]},
        }),
    );
    let (first, handle) = (id_of(&started), handle_of(&started));
    assert_eq!(served.plain(&started["kept_agent"]), lease("pending", json!(null), json!(2), json!(null)));
    let ended = served.ended(&first);
    let mut shown = served.plain_task(&ended);
    let kept = lease("kept", json!("TIME"), json!(2), json!(null));
    assert_eq!(shown.as_object_mut().unwrap().remove("kept_agent").unwrap(), kept);
    assert_eq!((&shown["status"], &shown["exit_code"]), (&json!("succeeded"), &json!(null)));
    let expires = ended["kept_agent"]["expires_at"].as_f64().unwrap() - ended["finished_at"].as_f64().unwrap();
    assert!((expires - 500.0).abs() < 1.0, "{expires}");
    assert_eq!(
        served.record(&first),
        json!([
            ["task_created", {"agent": "claude_code", "workspace": "WORK", "initiator_id": null, "executor_id": null,
                              "session_id": null, "options": {"model": "opus", "allow": ["read"]}, "keep_idle": 500,
                              "keep_turns": 2, "agent_handle": "AGENT"}],
            ["status_changed", {"from": "created", "to": "starting"}],
            ["process_started", {"pid": "PID"}],
            ["status_changed", {"from": "starting", "to": "running"}],
            ["session_started", {"session_id": "SESSION"}],
            ["agent_message", {"text": ended["final_message"]}],
            ["agent_kept", {"handle": "AGENT", "expires_at": "TIME", "turns_left": 2}],
            ["status_changed", {"from": "running", "to": "succeeded"}],
        ])
    );

    let asked_before = served.world.received().len();
    let second = served.call(
        "spawn_task",
        json!({
            "agent": "claude_code", "prompt": "[[recall:k]][[pid]][[ask:read:x]][[say:v]][[pid]]", "on_agent": handle,
            "initiator_id": "me",
        }),
    );
    assert_eq!(served.plain(&second["kept_agent"]), lease("pending", json!(null), json!(1), json!(null)));
    assert_eq!(second["session_id"], ended["session_id"], "its session is known from the beginning");
    let second = id_of(&second);
    let ended_second = served.ended(&second);
    let said = format!("v{}", ended["final_message"].as_str().unwrap());
    assert_eq!(ended_second["final_message"], said, "the same process, with what it remembers");
    assert_eq!(ended_second["permissions_refused"], 1, "what is allowed is allowed for its own turn only");
    let record = served.record(&second);
    let turn = json!([["agent_message", {"text": said}], ["tool_call"], ["permission"], ["tool_call_update"]]);
    assert_eq!(
        record.as_array().unwrap()[..4],
        [
            json!(["task_created", {"agent": "claude_code", "workspace": "WORK", "initiator_id": "me",
                   "executor_id": null, "session_id": null, "options": {}, "agent_handle": "AGENT", "on_agent": true}]),
            json!(["status_changed", {"from": "created", "to": "starting"}]),
            json!(["status_changed", {"from": "starting", "to": "running"}]),
            json!(["session_started", {"session_id": "SESSION"}]),
        ]
    );
    assert_eq!(record[4], turn[0]);
    let length = record.as_array().unwrap().len();
    assert_eq!(record[length - 2], json!(["agent_kept", {"handle": "AGENT", "expires_at": "TIME", "turns_left": 1}]));
    let asked: Vec<Value> = served.world.received()[asked_before..]
        .iter()
        .filter_map(|entry| entry["received"].get("method").cloned())
        .collect();
    assert_eq!(asked, ["session/set_config_option", "session/prompt"], "no opening, but its settings again");

    let third = served.run_with(served.on(&handle, "[[echo_settings]]"));
    assert_names(third["final_message"].as_str().unwrap(), &["\"model\":\"opus\""]);
    let record = served.record(&id_of(&third));
    let length = record.as_array().unwrap().len();
    assert_eq!(record[length - 2], json!(["process_exited", {"exit_code": 0, "stop_reason": "end_turn"}]));
    assert_eq!(third["exit_code"], 0);
    let over = lease("ended", json!(null), json!(null), json!("its last turn ended"));
    for id in [&first, &second, &id_of(&third)] {
        assert_eq!(served.lease(id), over, "live in every task that names the handle");
    }
    assert_eq!(served.world.received_params("session/close").len(), 1);
    assert_refusal(
        &served.refused("spawn_task", served.on(&handle, "")),
        "agent_gone",
        &[&handle, "its last turn ended"],
    );
    served.end();
}

#[test]
fn what_is_not_said_of_the_bounds_is_filled_in() {
    let served = Served::new();
    for (given, idle, turns) in [(json!({"keep_idle": 60}), 60, 1), (json!({"keep_turns": 20}), 300, 20)] {
        let (id, handle) = keep(&served, given);
        served.wait_lease(&id, "kept");
        let created = &served.record(&id)[0][1];
        assert_eq!((&created["keep_idle"], &created["keep_turns"]), (&json!(idle), &json!(turns)));
        assert_eq!(served.lease(&id)["turns_left"], turns);
        served.call("release_agent", json!({"handle": handle}));
    }
    for (name, values) in
        [("keep_idle", [json!(0), json!(601), json!(-1)]), ("keep_turns", [json!(0), json!(21), json!(-1)])]
    {
        for value in values {
            let arguments = json!({"agent": "codex", "prompt": "", name: value});
            assert_refusal(&served.refused("spawn_task", arguments), "invalid_request", &[name]);
        }
        for value in [json!(true), json!(1.0), json!("5")] {
            let arguments = json!({"agent": "codex", "prompt": "", name: value});
            assert_refusal(&served.refused("spawn_task", arguments), "invalid_request", &[name]);
            let arguments = json!({"handle": "agent_000000000000", name: value});
            assert_refusal(&served.refused("extend_agent", arguments), "invalid_request", &[name]);
        }
    }
    served.end();
}

#[test]
fn a_first_turn_that_goes_wrong_keeps_nothing_and_says_why() {
    let served = Served::new();
    for (arguments, reason) in [
        (json!({"prompt": "[[stop:refusal]]"}), "the turn did not end with end_turn"),
        (json!({"prompt": "[[stop:max_tokens]]"}), "the turn did not end with end_turn"),
        (json!({"prompt": "[[error:1:No]]"}), "the turn did not end with end_turn"),
        (json!({"prompt": "[[exit:0]]"}), "the turn did not end with end_turn"),
        (json!({"prompt": "", "options": {"model": "nonsense"}}), "the turn did not end with end_turn"),
        (json!({"prompt": "", "workspace": "gone"}), "the agent could not be started"),
    ] {
        let (id, handle) = keep(&served, arguments);
        served.ended(&id);
        assert_eq!(served.lease(&id), lease("not_kept", json!(null), json!(null), json!(reason)));
        assert_refusal(&served.refused("spawn_task", served.on(&handle, "")), "agent_gone", &[&handle, reason]);
        assert_refusal(&served.refused("release_agent", json!({"handle": handle})), "agent_gone", &[&handle, reason]);
    }
    let (id, _) = keep(&served, json!({"prompt": "[[mark:going]][[hang]]"}));
    served.wait_mark("going");
    served.call("cancel_task", json!({"task_id": id}));
    assert_eq!(served.lease(&id), lease("not_kept", json!(null), json!(null), json!("the task was stopped")));
    // The agent exits right after its answer.
    served.world.scripted("AFTER_ANSWER", "x");
    let (id, _) = keep(&served, json!({"prompt": "[[close_stdout]]"}));
    served.ended(&id);
    assert_eq!(served.lease(&id)["state"], "not_kept");
    served.end();
}

/// The agent answers and exits at once: the turn succeeded, and there is nothing to keep.
#[test]
fn an_agent_that_exits_with_its_answer_is_not_kept() {
    let served = Served::new();
    served.world.install_script(
        "codex-acp",
        r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"S","configOptions":[{"id":"mode","name":"m","type":"select","currentValue":"read-only","options":[{"value":"read-only","name":"r"}]}]}}'
read -r line; echo '{"jsonrpc":"2.0","id":3,"result":{}}'
read -r line; echo '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}'"#,
    );
    let (id, _) = keep(&served, json!({"agent": "codex"}));
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["exit_code"]), (&json!("succeeded"), &json!(0)));
    assert_eq!(served.lease(&id), lease("not_kept", json!(null), json!(null), json!("the agent had exited")));
    served.end();
}

#[test]
fn eight_are_kept_and_the_ninth_is_refused() {
    let served = Served::new();
    let kept: Vec<(String, String)> = (0..7).map(|_| keep(&served, json!({}))).collect();
    for (id, _) in &kept {
        served.ended(id);
    }
    // One that is still pending counts as well.
    let (pending, _) = keep(&served, json!({"prompt": "[[wait_file:go]]"}));
    let ninth = json!({"agent": "codex", "prompt": "", "keep_turns": 1});
    assert_refusal(&served.refused("spawn_task", ninth.clone()), "agent_limit", &["8"]);
    assert_eq!(served.call("list_tasks", json!({}))["tasks"].as_array().unwrap().len(), 8);
    // Others are not concerned, a turn on a kept one neither.
    assert_eq!(served.run("")["status"], "succeeded");
    assert_eq!(served.run_with(served.on(&kept[0].1, ""))["status"], "succeeded");
    served.call("release_agent", json!({"handle": kept[1].1}));
    let (id, handle) = keep(&served, json!({"agent": "codex"}));
    served.wait_lease(&id, "kept");
    assert_refusal(&served.refused("spawn_task", ninth.clone()), "agent_limit", &["8"]);
    served.call("release_agent", json!({"handle": handle}));
    // A first turn that keeps nothing gives its place back.
    served.mark("go");
    served.ended(&pending);
    let (id, _) = keep(&served, json!({"prompt": "[[stop:refusal]]"}));
    served.ended(&id);
    keep(&served, json!({"prompt": "[[stop:refusal]]"}));
    served.end();
}

#[test]
fn a_claim_is_checked_in_order_and_a_refused_one_spends_nothing() {
    let served = Served::new();
    let (first, handle) = keep(&served, json!({"options": {"model": "opus"}, "agent": "claude_code"}));
    served.wait_lease(&first, "kept");
    let before = served.lease(&first);
    let expires = served.task(&first)["kept_agent"]["expires_at"].clone();
    std::fs::create_dir(served.world.workspace().join("sub")).unwrap();
    let with = |more: Value| {
        let mut arguments = served.on(&handle, "");
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for (arguments, code, names) in [
        (with(json!({"on_agent": "agent_000000000000"})), "agent_gone", vec!["agent_000000000000"]),
        (with(json!({"on_agent": "nonsense"})), "agent_gone", vec!["nonsense"]),
        (with(json!({"on_agent": ""})), "agent_gone", vec![]),
        (with(json!({"session_id": "s"})), "invalid_request", vec!["session_id"]),
        (with(json!({"keep_turns": 0})), "invalid_request", vec!["keep_turns"]),
        (with(json!({"agent": "codex"})), "invalid_request", vec!["claude_code", "codex", &handle]),
        (with(json!({"workspace": "sub"})), "invalid_request", vec!["workspace", "sub", &handle]),
        (with(json!({"options": {"model": "nonsense"}})), "invalid_request", vec!["option model", "nonsense"]),
        (with(json!({"options": {"effort": "nonsense"}})), "invalid_request", vec!["option effort", "nonsense"]),
    ] {
        assert_refusal(&served.refused("spawn_task", arguments), code, &names);
    }
    assert_eq!(served.lease(&first), before);
    assert_eq!(served.task(&first)["kept_agent"]["expires_at"], expires);
    assert_eq!(served.call("list_tasks", json!({}))["tasks"].as_array().unwrap().len(), 1);
    // The same folder by another name is the same folder.
    let again = served.run_with(with(json!({"workspace": "sub/..", "options": {"effort": "low"}})));
    assert_eq!(again["status"], "succeeded");
    served.end();
}

#[test]
fn a_launch_flag_binds_the_turns_on_its_agent() {
    let served = Served::new();
    let (first, handle) = keep(&served, json!({"agent": "cline", "options": {"effort": "low"}}));
    served.wait_lease(&first, "kept");
    let turn = |options: Value| json!({"agent": "cline", "prompt": "", "on_agent": handle, "options": options});
    let refusal = served.refused("spawn_task", turn(json!({"effort": "high"})));
    assert_refusal(&refusal, "invalid_request", &["option effort"]);
    assert_eq!(served.run_with(turn(json!({"effort": "low"})))["status"], "succeeded");
    assert_eq!(served.run_with(turn(json!({})))["status"], "succeeded");
    served.end();
}

#[test]
fn a_running_turn_makes_the_agent_busy() {
    let served = Served::new();
    let (first, handle) = keep(&served, json!({"prompt": "[[mark:one]][[wait_file:go]]"}));
    served.wait_mark("one");
    for (tool, arguments) in [
        ("spawn_task", served.on(&handle, "")),
        ("extend_agent", json!({"handle": handle})),
        ("release_agent", json!({"handle": handle})),
    ] {
        assert_refusal(&served.refused(tool, arguments), "agent_busy", &[&handle]);
    }
    served.mark("go");
    served.ended(&first);
    // As soon as the end shows, the next turn is taken.
    let second = id_of(&served.call("spawn_task", served.on(&handle, "[[hang]]")));
    assert_refusal(&served.refused("spawn_task", served.on(&handle, "")), "agent_busy", &[&handle]);
    served.call("cancel_task", json!({"task_id": second}));
    assert_eq!(served.lease(&second), lease("ended", json!(null), json!(null), json!("the task was stopped")));
    assert_eq!(served.lease(&first), served.lease(&second));
    served.end();
}

#[test]
fn a_claim_that_cannot_start_gives_its_turn_back() {
    let served = Served::new();
    let work = served.world.workspace().join("sub");
    std::fs::create_dir(&work).unwrap();
    let (first, handle) = keep(&served, json!({"workspace": "sub"}));
    served.wait_lease(&first, "kept");
    let before = served.task(&first)["kept_agent"].clone();
    std::fs::remove_dir(&work).unwrap();
    let mut arguments = served.on(&handle, "");
    arguments["workspace"] = json!("sub");
    let failed = served.call("spawn_task", arguments.clone());
    assert_eq!(failed["status"], "failed");
    assert_names(failed["error"].as_str().unwrap(), &["agent could not be started: ", "not a directory"]);
    assert_eq!(served.task(&first)["kept_agent"], before);
    assert_eq!(failed["kept_agent"], before);
    std::fs::create_dir(&work).unwrap();
    assert_eq!(served.run_with(arguments)["status"], "succeeded");
    served.end();
}

#[test]
fn a_further_turn_that_goes_wrong_ends_its_agent() {
    let served = Served::new();
    for (prompt, reason) in [
        ("[[stop:refusal]]", "the turn did not end with end_turn"),
        ("[[error:1:No]]", "the turn did not end with end_turn"),
        ("[[exit:3]]", "the turn did not end with end_turn"),
    ] {
        let (first, handle) = keep(&served, json!({}));
        served.wait_lease(&first, "kept");
        let second = served.run_with(served.on(&handle, prompt));
        assert_eq!(second["status"], "failed");
        assert_eq!(served.lease(&first), lease("ended", json!(null), json!(null), json!(reason)));
    }
    assert_eq!(served.world.received_params("session/close"), [] as [Value; 0]);
    served.end();
}

#[test]
fn bounds_are_renewed_by_a_turn_and_by_an_extension() {
    let served = Served::new();
    let (first, handle) = keep(&served, json!({"keep_idle": 100, "keep_turns": 1}));
    served.wait_lease(&first, "kept");
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let near = |value: &Value, seconds: f64| (value.as_f64().unwrap() - now() - seconds).abs() < 30.0;

    let extended = served.call("extend_agent", json!({"handle": handle, "keep_turns": 5}));
    assert_eq!((&extended["handle"], &extended["turns_left"]), (&json!(handle), &json!(5)));
    assert!(near(&extended["expires_at"], 100.0), "{extended}");
    assert_eq!(extended.as_object().unwrap().len(), 3);
    let extended = served.call("extend_agent", json!({"handle": handle, "keep_idle": 600}));
    assert_eq!(extended["turns_left"], 5, "what is left out keeps its value");
    assert!(near(&extended["expires_at"], 600.0), "{extended}");
    assert_eq!(served.task(&first)["kept_agent"]["expires_at"], extended["expires_at"]);

    let mut turn = served.on(&handle, "");
    turn["keep_idle"] = json!(300);
    turn["keep_turns"] = json!(2);
    let second = served.run_with(turn);
    let created = &served.record(&id_of(&second))[0][1];
    assert_eq!((&created["keep_idle"], &created["keep_turns"]), (&json!(300), &json!(2)));
    assert_eq!(second["kept_agent"]["turns_left"], 2);
    assert!(near(&second["kept_agent"]["expires_at"], 300.0), "{second}");
    served.end();
}

#[test]
fn an_idle_agent_ends_when_its_time_is_over() {
    let served = Served::new();
    let (id, handle) = keep(&served, json!({"prompt": "[[pid]]", "keep_idle": 1}));
    let pid: u64 = served.ended(&id)["final_message"].as_str().unwrap().parse().unwrap();
    served.wait_lease(&id, "ended");
    assert_eq!(served.lease(&id)["reason"], "idle for 1 seconds");
    assert!(!is_alive(pid));
    assert_eq!(served.world.received_params("session/close").len(), 1, "it is asked to close its session first");
    let refusal = served.refused("extend_agent", json!({"handle": handle}));
    assert_refusal(&refusal, "agent_gone", &[&handle, "idle for 1 seconds"]);
    served.end();
}

#[test]
fn an_idle_agent_that_exits_is_gone() {
    let served = Served::new();
    let (id, handle) = keep(&served, json!({"prompt": "[[pid]]"}));
    let pid: i32 = served.ended(&id)["final_message"].as_str().unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    served.wait_lease(&id, "ended");
    assert_eq!(served.lease(&id)["reason"], "the agent exited while it was idle");
    let refusal = served.refused("spawn_task", served.on(&handle, ""));
    assert_refusal(&refusal, "agent_gone", &[&handle, "the agent exited while it was idle"]);
    assert_eq!(served.world.received_params("session/close"), [] as [Value; 0]);
    served.end();
}

#[test]
fn a_release_ends_the_agent_and_frees_its_session() {
    let served = Served::new();
    let (id, handle) = keep(&served, json!({"prompt": "[[remember:a:b]][[pid]]"}));
    let task = served.ended(&id);
    let session = task["session_id"].clone();
    let pid: u64 = task["final_message"].as_str().unwrap().parse().unwrap();
    let resume = json!({"agent": "claude_code", "prompt": "[[recall:a]]", "session_id": session});
    let holder = format!("kept agent {handle}");
    for (tool, arguments) in
        [("spawn_task", resume.clone()), ("delete_session", json!({"agent": "claude_code", "session_id": session}))]
    {
        let names = [session.as_str().unwrap(), "claude_code", &holder];
        assert_refusal(&served.refused(tool, arguments), "session_in_use", &names);
    }
    let released = served.call("release_agent", json!({"handle": handle}));
    assert_eq!(released, json!({"handle": handle, "agent": "claude_code", "session_id": session, "released": true}));
    assert!(!is_alive(pid));
    assert_eq!(served.lease(&id), lease("ended", json!(null), json!(null), json!("released")));
    for tool in ["release_agent", "extend_agent"] {
        assert_refusal(&served.refused(tool, json!({"handle": handle})), "agent_gone", &[&handle, "released"]);
    }
    assert_eq!(served.run_with(resume)["final_message"], "b");
    served.end();
}

/// The answer to `session/close` is not waited for for ever, and whoever else asks for the release gets the same.
#[test]
fn a_release_under_way_is_shared() {
    let served = Served::new();
    served.world.scripted("CLOSE", "slow:700");
    let (id, handle) = keep(&served, json!({}));
    served.wait_lease(&id, "kept");
    let first = served.client.begin_call("release_agent", json!({"handle": handle}));
    served.wait_lease(&id, "ending");
    assert_eq!(served.lease(&id), lease("ending", json!(null), json!(null), json!("released")));
    assert_refusal(&served.refused("spawn_task", served.on(&handle, "")), "agent_gone", &[&handle, "released"]);
    assert_refusal(&served.refused("extend_agent", json!({"handle": handle})), "agent_gone", &[&handle, "released"]);
    let second = served.call("release_agent", json!({"handle": handle}));
    assert_eq!(first.wait_call().unwrap(), second);
    served.world.scripted("CLOSE", "hang");
    let (id, handle) = keep(&served, json!({}));
    served.wait_lease(&id, "kept");
    assert_eq!(served.call("release_agent", json!({"handle": handle}))["released"], true);
    served.end();
}

/// Nothing of what an idle agent says is of any task; it is told long before its idle time is over.
#[test]
fn what_an_idle_agent_says_is_recorded_nowhere() {
    let served = Served::new();
    let prompt = "[[say:Done]][[late:400:Idle talk]][[late_stderr:600:10]]";
    let (id, _) = keep(&served, json!({"prompt": prompt, "keep_idle": 3}));
    served.ended(&id);
    let events = served.events(&id);
    served.wait_lease(&id, "ended");
    assert_eq!(served.events(&id), events);
    served.end();
}

/// The turn is over and its outcome stands; only the keeping is called off.
#[test]
fn a_cancel_between_the_answer_and_the_keeping_calls_the_keeping_off() {
    let served = Served::new();
    let called_off = (0..20).any(|_| {
        let (id, handle) = keep(&served, json!({}));
        wait_for("the answer", || served.task(&id)["live"]["waiting_for"].as_str().is_none_or(|what| what == "end"));
        let cancelled = served.call("cancel_task", json!({"task_id": id}));
        assert_eq!(cancelled["status"], "succeeded");
        assert_eq!(served.payloads(&id, "task_cancelled"), [] as [Value; 0]);
        let state = served.lease(&id);
        if state["state"] == "kept" {
            // The cancel came too late for that.
            served.call("release_agent", json!({"handle": handle}));
            return false;
        }
        let reason = json!("the task was cancelled before its agent was kept");
        assert_eq!(state, lease("not_kept", json!(null), json!(null), reason));
        true
    });
    assert!(called_off, "no cancel came in time");
    served.end();
}

#[test]
fn leases_outlive_the_tasks_that_named_them() {
    let served = Served::new();
    let (id, handle) = keep(&served, json!({"prompt": "[[stop:refusal]]"}));
    served.ended(&id);
    served.call("resolve_task", json!({"task_id": id, "resolution": "rejected"}));
    served.call("forget_task", json!({"task_id": id}));
    let refusal = served.refused("release_agent", json!({"handle": handle}));
    assert_refusal(&refusal, "agent_gone", &[&handle, "the turn did not end with end_turn"]);
    let digits = handle.strip_prefix("agent_").unwrap();
    assert!(digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{handle}");
    served.end();
}

#[test]
fn a_shutdown_ends_kept_agents() {
    let served = Served::new();
    let (id, _) = keep(&served, json!({"prompt": "[[pid]]"}));
    let pid: u64 = served.ended(&id)["final_message"].as_str().unwrap().parse().unwrap();
    let (pending, _) = keep(&served, json!({"prompt": "[[mark:going]][[hang]]"}));
    served.wait_mark("going");
    assert!(is_alive(pid));
    assert_eq!(served.client.shut_down().code(), Some(0));
    assert!(!is_alive(pid));
    served.assert_clean();
    // The next server on the same folder knows how it ended.
    let next = Served::of(served.world);
    wait_for("the record", || next.client.call("get_task", json!({"task_id": id})).is_ok());
    let reason = json!("the server is shutting down");
    assert_eq!(next.lease(&id), lease("ended", json!(null), json!(null), reason.clone()));
    assert_eq!(next.lease(&pending), lease("not_kept", json!(null), json!(null), reason));
    assert_eq!(next.task(&pending)["status"], "cancelled");
    next.end();
}
