//! What is said to an agent, in which order, and what of its answers and oddities is stood.

use segue_testkit::scripted_agent::SURROGATES_READ_AS;
use serde_json::{Value, json};

use super::served::{Served, says};

impl Served {
    /// Method and parameters of every request the agents got, in plain words; the prompt's text is left out.
    fn requests(&self) -> Value {
        let requests = self.world.received().into_iter().map(|entry| entry["received"].clone());
        let requests = requests.filter(|message| message.get("method").is_some()).map(|message| {
            let mut params = self.plain(&message["params"]);
            if let Some(params) = params.as_object_mut() {
                params.remove("prompt");
                if params.contains_key("sessionId") {
                    params["sessionId"] = json!("SESSION");
                }
            }
            json!([message["method"], params])
        });
        requests.collect()
    }

    /// The agent's log of answers to its own requests: id and result or error.
    fn answers(&self) -> Vec<Value> {
        let received = self.world.received().into_iter().map(|entry| entry["received"].clone());
        received.filter(|message| message.get("method").is_none()).collect()
    }
}

fn opening() -> Value {
    json!(["initialize", {
        "protocolVersion": 1,
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        "clientInfo": {"name": "segue", "version": env!("CARGO_PKG_VERSION")},
    }])
}

fn setting(name: &str, value: &str) -> Value {
    json!(["session/set_config_option", {"sessionId": "SESSION", "configId": name, "value": value}])
}

#[test]
fn a_new_session_is_opened_set_and_prompted() {
    let served = Served::new();
    served.run_with(json!({
        "agent": "copilot", "prompt": "[[say:x]]", "options": {"effort": "high", "model": "claude-sonnet-4.5"},
    }));
    assert_eq!(
        served.requests(),
        json!([
            opening(),
            ["session/new", {"cwd": "WORK", "mcpServers": []}],
            setting("mode", "https://agentclientprotocol.com/protocol/session-modes#agent"),
            setting("allow_all", "off"),
            setting("model", "claude-sonnet-4.5"),
            setting("reasoning_effort", "high"),
            ["session/prompt", {"sessionId": "SESSION"}],
        ])
    );
    served.end();
}

#[test]
fn a_stored_session_is_loaded_and_its_settings_are_set_again() {
    let served = Served::new();
    let first = served.run_with(json!({"agent": "cline", "prompt": "[[set_option:auto_approve:true]]"}));
    let opened = served.requests().as_array().unwrap().len();
    let prompt = "[[echo_settings]]";
    let second = served.run_with(json!({"agent": "cline", "prompt": prompt, "session_id": first["session_id"]}));
    assert!(second["final_message"].as_str().unwrap().contains("\"auto_approve\":false"), "{second}");
    assert_eq!(
        served.requests().as_array().unwrap()[opened..],
        [
            opening(),
            json!(["session/load", {"sessionId": "SESSION", "cwd": "WORK", "mcpServers": []}]),
            json!(["session/set_config_option", {
                "sessionId": "SESSION", "configId": "auto_approve", "type": "boolean", "value": false}]),
            json!(["session/prompt", {"sessionId": "SESSION"}]),
        ]
    );
    served.end();
}

#[test]
fn lines_that_are_no_messages_are_skipped() {
    let served = Served::new();
    for (name, value) in [("NOISE", "1"), ("BOM", "1"), ("LINE_END", "crlf")] {
        served.world.scripted(name, value);
    }
    let answer = says(&json!({"jsonrpc": "2.0", "id": 4711, "result": {"stopReason": "refusal"}}));
    let error = says(&json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "for nobody"}}));
    let id = served.spawn(&format!("[[say:a]][[noise]]{answer}{error}[[unknown_notification]][[noise]][[say:b]]"));
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["final_message"]), (&json!("succeeded"), &json!("ab")));
    assert_eq!(served.turn(&id), json!([["agent_message", {"text": "ab"}]]));
    served.end();
}

#[test]
fn an_answer_with_nulls_and_unknown_parts_is_taken() {
    let served = Served::new();
    served.world.scripted("INITIALIZE", "nulls");
    served.world.scripted("BROKEN_OPTION", "1");
    served.world.scripted("GROUPED", "1");
    let ended = served.run_with(json!({"prompt": "[[echo_settings]]", "options": {"model": "opus"}}));
    let settings: Value = serde_json::from_str(ended["final_message"].as_str().unwrap()).unwrap();
    assert_eq!((&settings["mode"], &settings["model"]), (&json!("default"), &json!("opus")));
    served.end();
}

#[test]
fn a_setting_may_be_answered_without_a_report() {
    let served = Served::new();
    served.world.scripted("SET_ANSWER_BARE", "1");
    let ended = served.run_with(json!({"prompt": "", "options": {"model": "opus"}}));
    assert_eq!((&ended["status"], &ended["error"]), (&json!("succeeded"), &json!(null)));
    served.end();
}

#[test]
fn characters_survive_however_they_are_cut() {
    let served = Served::new();
    let text = "aä€\u{1f600}\u{2028}\u{7f}\u{c}";
    let id = served.spawn(&format!("[[split]][[say:{text}]][[surrogates]][[stderr:{text}]][[say:end]]"));
    let ended = served.ended(&id);
    assert_eq!(ended["final_message"], format!("{text}{SURROGATES_READ_AS}end"));
    assert_eq!(served.payloads(&id, "stderr"), [json!({"text": text})]);
    // Half a character in anything else the agent says makes nothing unreadable either.
    let half = r#"{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "$SESSION", "update":
        {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "a\\ud83db", "kind": "read"}}}"#
        .replace('\n', " ");
    let id = served.spawn(&format!("[[raw:{half}]][[say:x]]"));
    assert_eq!(served.ended(&id)["status"], "succeeded");
    assert_eq!(served.payloads(&id, "tool_call")[0]["title"], "a\u{fffd}b");
    served.call("wait_tasks", json!({"task_ids": [id]}));
    served.end();
}

#[test]
fn what_is_of_another_session_is_nobodys() {
    let served = Served::new();
    let question = |session: &str| {
        says(&json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": {
            "sessionId": session,
            "toolCall": {"toolCallId": "t", "kind": "read", "title": "Look"},
            "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}}))
    };
    let id = served.spawn_with(json!({
        "prompt": format!("[[say:a]][[wrong_session]]{}[[say:b]]", question("somebody-elses")),
        "options": {"allow": ["read"]},
    }));
    assert_eq!(served.ended(&id)["final_message"], "ab");
    // A question ends a run of text, whoever is asked.
    assert_eq!(served.turn(&id), json!([["agent_message", {"text": "a"}], ["agent_message", {"text": "b"}]]));
    let cancelled = json!({"jsonrpc": "2.0", "id": "q", "result": {"outcome": {"outcome": "cancelled"}}});
    assert_eq!(served.answers(), [cancelled]);
    served.end();
}

/// Success is never reported for work that is not done.
#[test]
fn requests_that_are_not_served_are_refused() {
    let served = Served::new();
    let methods = [
        "fs/write_text_file",
        "fs/read_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/kill",
        "terminal/release",
        "terminal/wait_for_exit",
        "_vendor/anything",
        "session/new",
        "nonsense",
    ];
    let prompt: String = methods.iter().map(|method| format!("[[unknown_request:{method}]][[say:\\n]]")).collect();
    let ended = served.run_with(json!({"prompt": prompt, "options": {"allow": ["edit", "execute"]}}));
    let said: String = methods.iter().map(|method| format!("{method}: error -32601\n")).collect();
    assert_eq!(ended["final_message"], said);
    assert!(!served.world.workspace().join("unasked.txt").exists());
    served.end();
}

#[test]
fn what_comes_shortly_after_the_answer_belongs_to_the_turn() {
    let served = Served::new();
    let update = r#"{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "%s", "update": {}}}"#;
    served.world.scripted("AFTER_ANSWER", update);
    for delay in [0, 50] {
        let id = served.spawn(&format!("[[say:First]][[late:{delay}:, last]]"));
        assert_eq!(served.ended(&id)["final_message"], "First, last", "{delay}");
        assert_eq!(served.payloads(&id, "late_update"), [] as [Value; 0]);
    }
    served.end();
}

/// The agent takes its time to exit, and goes on talking when its turn is long over.
#[test]
fn what_comes_later_is_recorded_as_late_and_changes_no_message() {
    let served = Served::new();
    served.world.scripted("ON_EOF", "after:2500");
    let id = served.spawn("[[say:Done.]][[late:1000:Too late.]]");
    let ended = served.ended(&id);
    assert_eq!(ended["final_message"], "Done.");
    let late = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Too late."}});
    assert_eq!(served.turn(&id), json!([["agent_message", {"text": "Done."}], ["late_update", late]]));
    served.end();
}
