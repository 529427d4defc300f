//! `describe_agent`, `list_sessions`, `delete_session`: short-lived agents that answer a question.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, id_of, is_alive, text_of};

/// The methods that agents were asked, in order.
fn asked(served: &Served) -> Vec<String> {
    let received = served.world.received().into_iter();
    received.filter_map(|entry| entry["received"]["method"].as_str().map(str::to_owned)).collect()
}

#[test]
fn an_agent_is_described_by_what_it_offers_and_what_is_pinned() {
    let served = Served::new();
    let setting = "session_setting";
    let asks = "https://agentclientprotocol.com/protocol/session-modes#agent";
    for (agent, model, effort, delivery, pins, with_edit) in [
        (
            "claude_code",
            json!({"current": "default", "values": ["default", "opus", "fable", "sonnet", "haiku", "claude-sonnet-4-5"]}),
            json!({"current": "default", "values": ["default", "low", "medium", "high", "xhigh", "max"]}),
            json!({"model": setting, "effort": setting}),
            json!({"mode": "default"}),
            json!({"mode": "default"}),
        ),
        (
            "cline",
            json!({"current": "gpt-4o", "values": ["gpt-4o", "claude-sonnet-4-5"]}),
            json!({"current": null, "values": ["none", "low", "medium", "high", "xhigh"]}),
            json!({"model": setting, "effort": "launch_flag"}),
            json!({"auto_approve": false}),
            json!({"auto_approve": false}),
        ),
        (
            "codex",
            json!({"current": "gpt-5.5", "values": ["gpt-6.1-sol", "gpt-6-luna", "gpt-5.5"]}),
            json!({"current": "medium", "values": ["low", "medium", "high", "xhigh"]}),
            json!({"model": setting, "effort": setting}),
            json!({"mode": "read-only"}),
            json!({"mode": "read-only"}),
        ),
        (
            "copilot",
            json!({"current": "gpt-5.5", "values": ["gpt-5.5", "claude-sonnet-4.5"]}),
            json!({"current": "medium", "values": ["low", "medium", "high"]}),
            json!({"model": setting, "effort": setting}),
            json!({"mode": asks, "allow_all": "off"}),
            json!({"mode": asks, "allow_all": "off"}),
        ),
        (
            "cursor",
            json!({"current": "auto", "values": ["auto", "gpt-5.5", "sonnet-4.5"]}),
            json!(null),
            json!({"model": setting}),
            json!({"mode": "plan"}),
            json!({"mode": "agent"}),
        ),
        (
            "opencode",
            json!({"current": "fake/fake-model", "values": ["opencode/big-pickle", "fake/fake-model", "fake/fake-model-2"]}),
            json!(null),
            json!({"model": setting}),
            json!({"mode": "build"}),
            json!({"mode": "build"}),
        ),
    ] {
        let mut expected = json!({"agent": agent, "model": model});
        if !effort.is_null() {
            expected["effort"] = effort;
        }
        for (name, value) in [("delivery", delivery), ("pins", pins), ("pins_with_edit", with_edit)] {
            expected[name] = value;
        }
        assert_eq!(served.call("describe_agent", json!({"agent": agent})), expected);
        assert_eq!(asked(&served)[asked(&served).len() - 2..], ["initialize", "session/new"], "and nothing is set");
    }
    assert_eq!(served.call("list_tasks", json!({}))["tasks"], json!([]));
    served.end();
}

#[test]
fn grouped_values_are_flattened_and_what_is_not_offered_is_left_out() {
    let served = Served::new();
    served.world.scripted("GROUPED", "1");
    let values = &served.call("describe_agent", json!({"agent": "codex"}))["model"]["values"];
    assert_eq!(*values, json!(["gpt-6.1-sol", "gpt-6-luna", "gpt-5.5"]));
    served.world.scripted("NO_CONFIG_OPTIONS", "1");
    assert_eq!(
        served.call("describe_agent", json!({"agent": "codex"})),
        json!({"agent": "codex", "delivery": {"model": "session_setting", "effort": "session_setting"},
               "pins": {"mode": "read-only"}, "pins_with_edit": {"mode": "read-only"}})
    );
    served.end();
}

#[test]
fn sessions_are_listed_page_by_page() {
    let served = Served::new();
    std::fs::create_dir(served.world.workspace().join("elsewhere")).unwrap();
    let mut here: Vec<String> = (0..3).map(|n| text_of(&served.run(&format!("[[say:x]] {n}")), "session_id")).collect();
    served.run_with(json!({"prompt": "", "workspace": "elsewhere"}));
    here.sort();
    let listed = served.call("list_sessions", json!({"agent": "claude_code", "workspace": "./elsewhere/.."}));
    assert_eq!((&listed["agent"], &listed["next_cursor"]), (&json!("claude_code"), &json!(null)));
    assert_eq!(served.plain(&listed["workspace"]), "WORK");
    let sessions: BTreeMap<String, Value> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| {
            let mut session = session.clone();
            assert!(session["updated_at"].as_str().is_some_and(|at| at.contains('T')), "{session}");
            session["updated_at"] = json!("WHEN");
            (text_of(&session, "session_id"), served.plain(&session))
        })
        .collect();
    assert_eq!(sessions.keys().cloned().collect::<Vec<_>>(), here);
    let titles: Vec<String> = sessions.values().map(|session| text_of(session, "title")).collect();
    assert!(titles.iter().all(|title| title.starts_with("[[say:x]] ")), "{titles:?}");
    assert_eq!(
        sessions[&here[0]],
        json!({"session_id": "SESSION", "cwd": "WORK", "title": titles[0], "updated_at": "WHEN",
               "additional_directories": null})
    );
    let request = served.world.received_params("session/list").pop().unwrap();
    assert_eq!(served.plain(&request), json!({"cwd": "WORK"}));

    served.world.scripted("LIST_PAGE", "2");
    let page = |cursor: Value| {
        let page = served.call("list_sessions", json!({"agent": "claude_code", "cursor": cursor}));
        let ids: Vec<String> = page["sessions"].as_array().unwrap().iter().map(|s| text_of(s, "session_id")).collect();
        (ids, page["next_cursor"].clone())
    };
    let (first, next) = page(json!(null));
    assert_eq!((first.as_slice(), &next), (&here[..2], &json!("2")));
    assert_eq!(page(next), (here[2..].to_vec(), json!(null)));
    served.end();
}

#[test]
fn entries_that_do_not_parse_are_skipped() {
    let served = Served::new();
    served.world.install_script(
        "codex-acp",
        r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}}}'
read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"a"},{"cwd":"/w"},5,{"sessionId":"b","cwd":"/w","title":null,"additionalDirectories":["/x"],"_meta":{"secret":1}}],"nextCursor":"n"}}'
read -r line"#,
    );
    let listed = served.call("list_sessions", json!({"agent": "codex"}));
    assert_eq!(
        listed["sessions"],
        json!([{"session_id": "b", "cwd": "/w", "title": null, "updated_at": null, "additional_directories": ["/x"]}])
    );
    assert_eq!(listed["next_cursor"], "n");
    served.end();
}

#[test]
fn a_session_is_deleted() {
    let served = Served::new();
    let session = text_of(&served.run(""), "session_id");
    let deleted = served.call("delete_session", json!({"agent": "claude_code", "session_id": session}));
    assert_eq!(
        served.plain(&deleted),
        json!({"agent": "claude_code", "workspace": "WORK", "session_id": "SESSION", "deleted": true})
    );
    assert_eq!(deleted["session_id"], session);
    assert_eq!(served.world.received_params("session/delete"), [json!({"sessionId": session})]);
    assert_eq!(served.call("list_sessions", json!({"agent": "claude_code"}))["sessions"], json!([]));
    // No form is asked of the id but that there is one, and it is judged before anything else.
    for id in ["", "a\u{0}b"] {
        let refusal = served.refused("delete_session", json!({"agent": "nobody", "session_id": id}));
        assert_refusal(&refusal, "invalid_request", &["session_id"]);
    }
    let odd = "-- odd, but an id \u{e4}";
    assert_eq!(served.call("delete_session", json!({"agent": "codex", "session_id": odd}))["session_id"], odd);
    served.end();
}

#[test]
fn what_an_agent_does_not_offer_is_unsupported_and_not_asked_for() {
    let served = Served::new();
    for (tool, arguments, capability, method) in [
        ("list_sessions", json!({"agent": "cline"}), "list", "session/list"),
        ("delete_session", json!({"agent": "cline", "session_id": "s"}), "delete", "session/delete"),
    ] {
        assert_refusal(&served.refused(tool, arguments), "unsupported", &["cline", capability, method]);
    }
    assert_eq!(asked(&served), ["initialize", "initialize"]);
    served.end();
}

#[test]
fn a_probe_is_checked_before_it_starts() {
    let served = Served::new();
    std::fs::write(served.world.workspace().join("file"), "").unwrap();
    for tool in ["describe_agent", "list_sessions", "delete_session"] {
        let call = |agent: &str, workspace: Value| {
            served.refused(tool, json!({"agent": agent, "workspace": workspace, "session_id": "s"}))
        };
        assert_refusal(&call("nobody", json!("a\u{0}")), "unknown_agent", &["nobody"]);
        assert_refusal(&call("codex", json!("a\u{0}")), "invalid_request", &["workspace", "NUL"]);
        assert_refusal(&call("codex", json!("file")), "invalid_request", &["file", "not a directory"]);
        assert_refusal(&call("codex", json!("gone")), "invalid_request", &["gone", "not a directory"]);
    }
    assert_eq!(served.world.received(), [] as [Value; 0]);
    served.end();
}

#[test]
fn a_probe_that_fails_says_at_what() {
    let served = Served::new();
    let probes = [
        ("describe_agent", json!({"agent": "codex"}), "could not describe codex: ", "NEW"),
        ("list_sessions", json!({"agent": "codex"}), "could not list sessions of codex: ", "LIST"),
        (
            "delete_session",
            json!({"agent": "codex", "session_id": "s"}),
            "could not delete session 's' of codex: ",
            "DELETE",
        ),
    ];
    for (tool, arguments, words, step) in &probes {
        let fails = |step: &str, reply: &str, names: &[&str]| {
            served.world.scripted(step, reply);
            let refusal = served.refused(tool, arguments.clone());
            assert_refusal(&refusal, "invalid_request", &[&[*words], names].concat());
            served.world.unscripted(step);
        };
        fails(step, "error:-32603:It broke", &["It broke", "-32603"]);
        fails("INITIALIZE", "auth", &["authentication is required"]);
        fails("START", "usage", &["initialize", "exited with status 2", "Usage: codex-acp"]);
        fails(step, "exit:6", &["Connection closed", "exited with status 6"]);
    }
    served.world.uninstall("codex-acp");
    for (tool, arguments, _, _) in &probes {
        let refusal = served.refused(tool, arguments.clone());
        assert_refusal(&refusal, "invalid_request", &["could not start codex for ", "codex-acp", "not found on PATH"]);
    }
    assert_eq!(served.call("list_tasks", json!({}))["tasks"], json!([]));
    served.end();
}

/// Thirty seconds pass once for all of them. A deletion holds its session for as long.
#[test]
fn an_agent_that_never_answers_is_given_up_and_its_session_is_free_again() {
    let served = Served::new();
    let first = served.run("");
    let session = text_of(&first, "session_id");
    for (name, value) in
        [("DELETE", "hang"), ("START__CODEX", "usage_wait"), ("NEW__COPILOT", "hang"), ("LIST__COPILOT", "hang")]
    {
        served.world.scripted(name, value);
    }
    let delete = json!({"agent": "claude_code", "session_id": session});
    let deletion = served.client.begin_call("delete_session", delete.clone());
    let others = [
        ("describe_agent", json!({"agent": "codex"}), "could not describe codex: ", "initialize"),
        ("describe_agent", json!({"agent": "copilot"}), "could not describe copilot: ", "new_session"),
        ("list_sessions", json!({"agent": "copilot"}), "could not list sessions of copilot: ", ""),
    ];
    let others = others.map(|(tool, arguments, words, step)| (served.client.begin_call(tool, arguments), words, step));
    super::served::wait_for("the deletion", || !served.world.received_params("session/delete").is_empty());
    let resume = json!({"agent": "claude_code", "prompt": "", "session_id": session});
    for (tool, arguments) in [("spawn_task", &resume), ("delete_session", &delete)] {
        let refusal = served.refused(tool, arguments.clone());
        assert_refusal(&refusal, "session_in_use", &[&session, "claude_code", "a delete_session call"]);
    }
    // Neither describing nor listing holds anything, and no task waits for a probe.
    assert_eq!(served.run("")["status"], "succeeded");
    assert_eq!(served.call("list_sessions", json!({"agent": "claude_code"}))["sessions"].as_array().unwrap().len(), 2);
    let refusal = deletion.wait_call().unwrap_err();
    assert_refusal(&refusal, "invalid_request", &["could not delete session", &session, "30 s deadline"]);
    for (call, words, step) in others {
        assert_refusal(&call.wait_call().unwrap_err(), "invalid_request", &[words, "30 s deadline", step]);
    }
    served.world.unscripted("DELETE");
    assert_eq!(served.run_with(resume)["status"], "succeeded");
    served.end();
}

#[test]
fn a_session_in_a_tasks_hands_is_not_deleted_nor_loaded_twice() {
    let served = Served::new();
    let fresh = served.spawn("[[mark:one]][[wait_file:go]]");
    served.wait_mark("one");
    let session = text_of(&served.task(&fresh), "session_id");
    let holder = format!("task {fresh}");
    let delete = json!({"agent": "claude_code", "session_id": session});
    let resume = json!({"agent": "claude_code", "prompt": "[[mark:two]][[wait_file:go2]]", "session_id": session});
    for (tool, arguments) in [("spawn_task", &resume), ("delete_session", &delete)] {
        let refusal = served.refused(tool, arguments.clone());
        assert_refusal(&refusal, "session_in_use", &[&session, "claude_code", &holder]);
    }
    // The same id of another agent is another session.
    assert_eq!(served.call("delete_session", json!({"agent": "codex", "session_id": session}))["deleted"], true);
    served.mark("go");
    served.ended(&fresh);
    let resumed = id_of(&served.call("spawn_task", resume.clone()));
    served.wait_mark("two");
    for (tool, arguments) in [("spawn_task", &resume), ("delete_session", &delete)] {
        let refusal = served.refused(tool, arguments.clone());
        assert_refusal(&refusal, "session_in_use", &[&session, &format!("task {resumed}")]);
    }
    served.mark("go2");
    served.ended(&resumed);
    assert_eq!(served.call("delete_session", delete)["deleted"], true);
    let gone = served.run_with(json!({"prompt": "", "session_id": session}));
    assert_names(gone["error"].as_str().unwrap(), &[&session]);
    served.end();
}

/// The work goes on to its end when its caller has gone, and leaves nothing.
#[test]
fn a_probe_whose_call_is_cancelled_still_ends_its_agent() {
    let served = Served::new();
    served.world.scripted("DELETE", "slow:500");
    let session = text_of(&served.run(""), "session_id");
    let call = served.client.begin_call("delete_session", json!({"agent": "claude_code", "session_id": session}));
    super::served::wait_for("the deletion", || !served.world.received_params("session/delete").is_empty());
    let pid = served.world.received().pop().unwrap()["pid"].as_u64().unwrap();
    served.client.cancel(&call);
    super::served::wait_for("its end", || !is_alive(pid));
    super::served::wait_for("the session to be free", || {
        served.client.call("delete_session", json!({"agent": "claude_code", "session_id": session})).is_ok()
    });
    assert!(call.poll().is_none());
    served.end();
}

/// While a task waits for ever, everything else of the same agent works.
#[test]
fn a_hanging_task_is_in_nobodys_way() {
    let served = Served::new();
    served.spawn("[[ask:edit:x]][[mark:hangs]][[hang]]");
    served.wait_mark("hangs");
    assert_eq!(served.call("list_sessions", json!({"agent": "claude_code"}))["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(served.call("describe_agent", json!({"agent": "claude_code"}))["agent"], "claude_code");
    assert_eq!(served.run("[[say:second]]")["final_message"], "second");
    served.end();
}
