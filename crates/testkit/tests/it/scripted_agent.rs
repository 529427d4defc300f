//! The scripted agent over its wire.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::v1 as acp;
use rustix::process::Signal;
use segue_testkit::scripted_agent::{SURROGATES_READ_AS, chunk_text};
use serde_json::{Value, json};

use crate::scripted_peer::{DEADLINE, Peer};

fn workspace() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// An agent with a session in `/`.
fn opened(environment: &[(&str, &str)]) -> (Peer, String) {
    let mut peer = Peer::start(environment);
    let session = peer.open(Path::new("/"));
    (peer, session)
}

/// Waits for something outside the wire.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Parent, group and session of a process.
fn place_of(pid: &str) -> [String; 3] {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a live process");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    [fields[1].to_owned(), fields[2].to_owned(), fields[3].to_owned()]
}

fn stop_reason(answer: &Value) -> &str {
    answer["result"]["stopReason"].as_str().unwrap_or("(none)")
}

#[test]
fn a_turn_is_what_the_prompt_says() {
    let (mut peer, session) = opened(&[]);
    let turn = peer.prompt(
        &session,
        r#"Do: [[think:hm]] [[say:Hello, ]] [[say:you.]] [[usage:12:34]] [[meta:{"a":1}]] [[stop:max_tokens]]"#,
    );
    let chunk = |kind, text| json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
    assert_eq!(
        turn.updates,
        [
            chunk("agent_thought_chunk", "hm"),
            chunk("agent_message_chunk", "Hello, "),
            chunk("agent_message_chunk", "you.")
        ]
    );
    assert_eq!(
        turn.answer["result"],
        json!({
            "stopReason": "max_tokens",
            "usage": {"totalTokens": 46, "inputTokens": 12, "outputTokens": 34},
            "_meta": {"a": 1},
        })
    );
    assert_eq!(peer.prompt(&session, "no script").text(), "OK.");
}

#[test]
fn what_is_sent_has_the_official_shapes() {
    let work = workspace();
    for (executable, mode) in
        [("segue-scripted-agent", "plan"), ("claude-agent-acp", "plan"), ("codex-acp", "read-only")]
    {
        let mut peer = Peer::start_as(executable, &[], &[]);
        let initialized = peer.request("initialize", json!({"protocolVersion": 1})).answer["result"].clone();
        let initialized: acp::InitializeResponse = serde_json::from_value(initialized).unwrap();
        assert_eq!(initialized.auth_methods.len(), 3);
        let capabilities = initialized.agent_capabilities.session_capabilities;
        assert!(capabilities.list.is_some() && capabilities.delete.is_some() && capabilities.close.is_some());

        let new = peer.request("session/new", json!({"cwd": work.path(), "mcpServers": []})).answer["result"].clone();
        let offered = new["configOptions"].as_array().unwrap().len();
        let session = new["sessionId"].as_str().unwrap().to_owned();
        let new: acp::NewSessionResponse = serde_json::from_value(new).unwrap();
        assert_eq!(new.config_options.unwrap().len(), offered);

        let script = format!(
            "[[say:a]][[think:b]][[echo_prompt]][[tool:edit:x]][[tools:2]][[plan]][[commands]][[usage_update]]\
             [[ask:edit:y]][[run:true]][[set_option:mode:{mode}]][[chunks:2]][[elicit]]"
        );
        let turn = peer.prompt(&session, &script);
        assert_eq!(stop_reason(&turn.answer), "end_turn");
        for update in turn.updates {
            serde_json::from_value::<acp::SessionUpdate>(update.clone()).unwrap_or_else(|e| panic!("{e}: {update}"));
        }
        for request in turn.asked {
            let params = request["params"].clone();
            match request["method"].as_str().unwrap() {
                "session/request_permission" => {
                    serde_json::from_value::<acp::RequestPermissionRequest>(params).unwrap();
                }
                "elicitation/create" => {
                    serde_json::from_value::<acp::CreateElicitationRequest>(params).unwrap();
                }
                other => panic!("{other}"),
            }
        }
        let list = peer.request("session/list", json!({"cwd": work.path()})).answer["result"].clone();
        let list: acp::ListSessionsResponse = serde_json::from_value(list).unwrap();
        assert_eq!(list.sessions.len(), 1);
    }
}

#[test]
fn a_write_asks_and_follows_the_answer() {
    let work = workspace();
    let mut peer = Peer::start(&[]);
    let session = peer.open(work.path());
    let file = work.path().join("a.txt");

    let refused = peer.prompt(&session, "[[write:a.txt:hello]][[result]]");
    assert_eq!(refused.kinds(), ["tool_call pending", "tool_call_update failed", "agent_message_chunk"]);
    assert_eq!((refused.text().as_str(), file.exists()), ("rejected", false));

    peer.choose = None;
    assert_eq!(peer.prompt(&session, "[[write:a.txt:hello]][[result]]").text(), "cancelled");

    peer.choose = Some("allow_once");
    let allowed = peer.prompt(&session, "[[write:a.txt:hello]]");
    assert_eq!(allowed.kinds(), ["tool_call pending", "tool_call_update in_progress", "tool_call_update completed"]);
    assert_eq!(fs::read_to_string(file).unwrap(), "hello");
    let question = &allowed.asked[0]["params"];
    assert_eq!(
        question["options"],
        json!([
            {"optionId": "yes-for-good", "name": "Always allow", "kind": "allow_always"},
            {"optionId": "yes-this-time", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no-this-time", "name": "Reject", "kind": "reject_once"},
        ])
    );
    assert_eq!(question["toolCall"]["kind"], "edit");

    let offered = peer.prompt(&session, "[[offer:allow_always,reject_always]][[ask:edit:x]][[result]]");
    assert_eq!(offered.text(), "cancelled");
}

#[test]
fn a_question_of_any_shape_can_be_asked() {
    let (mut peer, session) = opened(&[]);
    let turn = peer.prompt(&session, r#"[[ask_raw:{"toolCall":{"title":5},"options":[]}]][[result]]"#);
    let params = json!({"toolCall": {"title": 5}, "options": [], "sessionId": session});
    assert_eq!(turn.asked[0]["params"], params);
    assert_eq!(turn.text(), r#"result {"outcome":{"outcome":"cancelled"}}"#);
}

#[test]
fn a_command_runs_in_its_own_session_and_its_end_is_reported() {
    let work = workspace();
    let mut peer = Peer::start(&[]);
    let session = peer.open(work.path());
    peer.choose = Some("allow_once");
    let script =
        "[[run:pwd; cut -d' ' -f1,6 /proc/$$/stat; echo bad >&2; exit 3]][[result]][[run:kill -9 $$]][[result]]";
    let turn = peer.prompt(&session, script);
    assert_eq!(turn.text(), "exit status 3signal 9");
    let output = turn.updates[2]["rawOutput"]["output"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = output.lines().collect();
    let (pid, sid) = lines[1].split_once(' ').unwrap();
    assert_eq!((lines[0], pid, lines[2]), (work.path().to_str().unwrap(), sid, "bad"));
}

#[test]
fn a_cancel_ends_a_wait_a_question_and_a_command() {
    let work = workspace();
    let mut peer = Peer::start(&[]);
    let session = peer.open(work.path());
    peer.choose = Some("allow_once");

    let id = peer.begin_prompt(&session, "[[say:half]][[hang]]");
    assert_eq!(peer.next()["params"]["update"]["content"]["text"], "half");
    peer.cancel(&session);
    assert_eq!(stop_reason(&peer.until_answer(id).answer), "cancelled");

    let id = peer.begin_prompt(&session, "[[ask:edit:x]]");
    assert_eq!(peer.next()["params"]["update"]["sessionUpdate"], "tool_call");
    assert_eq!(peer.next()["method"], "session/request_permission");
    peer.cancel(&session);
    assert_eq!(stop_reason(&peer.until_answer(id).answer), "cancelled");

    let id = peer.begin_prompt(&session, "[[run:touch started; sleep 600]]");
    // The question is answered on the way; the prompt is not, until it is cancelled.
    for _ in 0..2 {
        let message = peer.next();
        if message["method"] == "session/request_permission" {
            let outcome = json!({"outcome": "selected", "optionId": "yes-this-time"});
            peer.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": outcome}}));
        }
    }
    eventually("the command runs", || work.path().join("started").exists());
    peer.cancel(&session);
    assert_eq!(stop_reason(&peer.until_answer(id).answer), "cancelled");
    eventually("the command is gone", || peer.mark.processes().len() == 1);
}

#[test]
fn a_cancel_can_be_ignored_or_answered_late() {
    let (mut peer, session) = opened(&[]);
    let id = peer.begin_prompt(&session, "[[linger:0.2]][[say:now]][[hang]]");
    assert_eq!(peer.next()["params"]["update"]["content"]["text"], "now");
    peer.cancel(&session);
    let turn = peer.until_answer(id);
    assert_eq!(stop_reason(&turn.answer), "cancelled");
    assert!(turn.text().starts_with("lingering "));

    let ignoring = peer.begin_prompt(&session, "[[say:now]][[hang_ignore_cancel]]");
    assert_eq!(peer.next()["params"]["update"]["content"]["text"], "now");
    peer.cancel(&session);
    // The session stays busy, and the process goes on serving.
    let busy = peer.prompt(&session, "[[say:x]]");
    assert_eq!(busy.answer["error"]["message"], "a prompt is already running in this session");
    assert_eq!(peer.request("authenticate", json!({})).answer["result"], json!({}));
    assert_ne!(ignoring, 0);
}

#[test]
fn a_cancelled_question_can_wait_for_its_answer() {
    let (mut peer, session) = opened(&[("SCRIPTED_ON_CANCEL", "wait_permission")]);
    let id = peer.begin_prompt(&session, "[[ask:edit:x]]");
    peer.next();
    let question = peer.next();
    peer.cancel(&session);
    // Served after the cancel, so the cancel has been seen.
    peer.request("authenticate", json!({}));
    let outcome = json!({"outcome": {"outcome": "cancelled"}});
    peer.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": outcome}));
    assert_eq!(stop_reason(&peer.until_answer(id).answer), "cancelled");
}

#[test]
fn a_refusal_can_end_the_turn() {
    let (mut peer, session) = opened(&[("SCRIPTED_ON_REFUSAL", "end_cancelled")]);
    let turn = peer.prompt(&session, "[[ask:edit:x]][[say:never]]");
    assert_eq!((stop_reason(&turn.answer), turn.text().as_str()), ("cancelled", ""));
}

#[test]
fn sessions_outlive_the_process_when_they_have_a_home() {
    let (home, work) = (workspace(), workspace());
    let home_path = home.path().to_str().unwrap();
    let environment = [("SCRIPTED_HOME", home_path), ("SCRIPTED_LIST_PAGE", "1")];
    let mut first = Peer::start(&environment);
    let session = first.open(work.path());
    first.prompt(&session, "[[remember:colour:blue]][[say:noted]][[set_option:mode:auto]]");
    let other = first.open(work.path());
    first.close_stdin();
    assert_eq!(first.end(), "exit 0");

    let mut second = Peer::start(&environment);
    let load = json!({"sessionId": session, "cwd": work.path(), "mcpServers": []});
    let loaded = second.request("session/load", load.clone());
    assert_eq!(loaded.kinds(), ["user_message_chunk", "agent_message_chunk", "config_option_update"]);
    assert_eq!(loaded.answer["result"]["configOptions"][0]["currentValue"], "auto");
    let turn = second.prompt(&session, "[[recall:colour]][[history]]");
    assert_eq!(turn.text(), r#"blue["[[remember:colour:blue]][[say:noted]][[set_option:mode:auto]]"]"#);

    let page = second.request("session/list", json!({"cwd": work.path()})).answer["result"].clone();
    let next = second.request("session/list", json!({"cwd": work.path(), "cursor": page["nextCursor"]}));
    let ids = [&page["sessions"][0]["sessionId"], &next.answer["result"]["sessions"][0]["sessionId"]];
    assert_eq!(ids, [&json!(session), &json!(other)]);
    assert_eq!(next.answer["result"].get("nextCursor"), None);

    let delete = json!({"sessionId": session});
    assert_eq!(second.request("session/delete", delete.clone()).answer["result"], json!({}));
    assert_eq!(second.request("session/delete", delete).answer["result"], json!({}));
    assert_eq!(second.request("session/load", load).answer["error"]["code"], -32002);
}

#[test]
fn a_setting_is_checked_and_answered_with_the_whole_offer() {
    let (mut peer, session) = opened(&[("SCRIPTED_SUBSTITUTE", "mode,ask,auto")]);
    let code = |answer: &Value| answer["error"]["code"].clone();
    assert_eq!(code(&peer.set(&session, json!({"configId": "effort", "value": "low"}))), -32602);
    let answer = peer.set(&session, json!({"configId": "model", "value": "deep"}));
    let ids: Vec<&str> = answer["result"]["configOptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["mode", "model", "effort"]);
    assert_eq!(peer.set(&session, json!({"configId": "effort", "value": "low"})).get("error"), None);
    let answer = peer.set(&session, json!({"configId": "mode", "value": "ask"}));
    assert_eq!(answer["result"]["configOptions"][0]["currentValue"], "auto");
    let settings = r#"{"mode":"auto","model":"deep","effort":"low"}"#;
    assert_eq!(peer.prompt(&session, "[[echo_settings]]").text(), settings);
}

#[test]
fn the_mode_decides_whether_an_agent_asks() {
    let work = workspace();
    let config = r#"{"permission":{"edit":"ask","bash":"ask"}}"#;
    // Executable, argument, environment, settings to set, and whether a write then asks.
    type Case<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)], Value, bool);
    let agent_mode = "https://agentclientprotocol.com/protocol/session-modes#agent";
    let autopilot = "https://agentclientprotocol.com/protocol/session-modes#autopilot";
    let cases: [Case<'_>; 10] = [
        ("claude-agent-acp", &[], &[], json!(null), false),
        ("claude-agent-acp", &[], &[], json!({"configId": "mode", "value": "default"}), true),
        ("codex-acp", &[], &[], json!(null), false),
        ("codex-acp", &[], &[], json!({"configId": "mode", "value": "read-only"}), true),
        ("copilot", &["--acp"], &[], json!({"configId": "mode", "value": agent_mode}), true),
        ("copilot", &["--acp"], &[], json!({"configId": "mode", "value": autopilot}), false),
        ("cline", &["--acp"], &[], json!({"configId": "auto_approve", "type": "boolean", "value": false}), true),
        ("cursor-agent", &["acp"], &[], json!({"configId": "mode", "value": "agent"}), true),
        ("opencode", &["acp"], &[], json!(null), false),
        ("opencode", &["acp"], &[("OPENCODE_CONFIG_CONTENT", config)], json!(null), true),
    ];
    for (executable, arguments, environment, setting, asks) in cases {
        let mut peer = Peer::start_as(executable, arguments, environment);
        let session = peer.open(work.path());
        if !setting.is_null() {
            let answer = peer.set(&session, setting.clone());
            assert_eq!(answer.get("error"), None, "{executable} {setting}");
        }
        let turn = peer.prompt(&session, "[[write:a.txt:x]]");
        assert_eq!(turn.asked.len(), usize::from(asks), "{executable} {setting}");
        assert_eq!(work.path().join("a.txt").exists(), !asks, "{executable} {setting}");
        let _ = fs::remove_file(work.path().join("a.txt"));
    }
    let mut planning = Peer::start_as("cursor-agent", &["acp"], &[]);
    let session = planning.open(work.path());
    planning.set(&session, json!({"configId": "mode", "value": "plan"}));
    let turn = planning.prompt(&session, "[[write:a.txt:x]]");
    assert_eq!((turn.asked.len(), work.path().join("a.txt").exists()), (0, false));
}

#[test]
fn many_chunks_and_one_long_line_arrive_whole() {
    let (mut peer, session) = opened(&[]);
    let turn = peer.prompt(&session, "[[chunks:2000:20]]");
    let expected: String = (0..2000).map(|number| chunk_text(number, 20)).collect();
    assert_eq!(turn.text(), expected);
    assert_eq!(peer.prompt(&session, "[[tools:1000]]").updates.len(), 2000);
    assert_eq!(peer.prompt(&session, "[[bigline:3000000]]").text().len(), 3_000_000);
}

#[test]
fn what_is_no_message_is_written_as_it_is() {
    let (mut peer, session) = opened(&[]);
    let id = peer.begin_prompt(&session, r"[[noise]][[raw:\u{feff}x$SESSION $PROMPT\r]][[bytes:ff fe 0a]]");
    let mut lines = Vec::new();
    for _ in 0..11 {
        lines.push(peer.next_line().unwrap());
    }
    assert_eq!(
        lines.iter().filter(|line| serde_json::from_slice::<Value>(line).is_ok_and(|v| v.is_object())).count(),
        0
    );
    assert_eq!(lines[9], format!("\u{feff}x{session} {id}\r\n").into_bytes());
    assert_eq!(lines[10], [0xff, 0xfe, 0x0a]);
    assert_eq!(stop_reason(&peer.until_answer(id).answer), "end_turn");
}

#[test]
fn halves_of_characters_are_written_as_escapes() {
    let (mut peer, session) = opened(&[]);
    peer.begin_prompt(&session, "[[surrogates]]");
    let mut halves = String::new();
    for _ in 0..3 {
        let line = String::from_utf8(peer.next_line().unwrap()).unwrap();
        let text = line.split(r#""text":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();
        halves.push_str(&text);
    }
    assert_eq!(halves, r"\ud83d\ude00 a\ud83db");
    let whole = halves.replace(r"a\ud83d", "a\u{fffd}").replace(r"\ud83d\ude00", "\u{1f600}");
    assert_eq!(whole, SURROGATES_READ_AS);
}

#[test]
fn text_written_byte_by_byte_is_the_same_text() {
    let (mut peer, session) = opened(&[]);
    assert_eq!(peer.prompt(&session, "[[split]][[say:é€😀]]").text(), "é€😀");
}

#[test]
fn unknown_things_are_sent_and_their_answers_said() {
    let (mut peer, session) = opened(&[]);
    let script = "[[unknown_update]][[unknown_notification]][[unknown_request]][[unknown_request:_vendor/x]][[elicit]]";
    let turn = peer.prompt(&session, script);
    assert_eq!(turn.text(), "fs/write_text_file: error -32601_vendor/x: error -32601elicitation: error -32601");
    assert_eq!(turn.kinds()[..2], ["quantum_update", "session_info_update"]);
    let methods: Vec<&str> = turn.asked.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["_vendor/progress", "fs/write_text_file", "_vendor/x", "elicitation/create"]);

    peer.begin_prompt(&session, "[[wrong_session]]");
    assert_eq!(peer.next()["params"]["sessionId"], "no-such-session");
}

#[test]
fn a_turn_can_fail_and_a_script_can_be_wrong() {
    let (mut peer, session) = opened(&[]);
    let error = |turn: crate::scripted_peer::Exchange| turn.answer["error"].clone();
    assert_eq!(
        error(peer.prompt(&session, r#"[[error_data:{"details":null}]][[error:-32603:limit: resets at 5]]"#)),
        json!({"code": -32603, "message": "limit: resets at 5", "data": {"details": null}})
    );
    assert_eq!(
        error(peer.prompt(&session, "[[shout:x]]")),
        json!({"code": -32602, "message": "unknown directive [[shout]]"})
    );
}

#[test]
fn what_comes_after_the_answer_comes_after_it() {
    let (mut peer, session) = opened(&[("SCRIPTED_AFTER_ANSWER", r"extra\: 1")]);
    let turn = peer.prompt(&session, "[[late:30:later]][[late:0:at once]][[say:x]]");
    assert_eq!(turn.text(), "x");
    let text = |message: &Value| message["params"]["update"]["content"]["text"].clone();
    assert_eq!(text(&peer.next()), "at once");
    assert_eq!(peer.next_line().unwrap(), b"extra: 1\n");
    assert_eq!(text(&peer.next()), "later");
}

#[test]
fn the_agent_dies_as_it_is_told() {
    for (script, expected) in [("[[exit:7]]", "exit 7"), ("[[abort]]", "signal 9")] {
        let (mut peer, session) = opened(&[]);
        peer.begin_prompt(&session, script);
        assert_eq!(peer.next_line(), None);
        assert_eq!(peer.end(), expected);
    }
    let (mut peer, session) = opened(&[]);
    peer.begin_prompt(&session, "[[close_stdout]][[hang]]");
    assert_eq!(peer.next_line(), None);
    assert_eq!(peer.child.try_wait().unwrap(), None);
}

#[test]
fn stderr_holds_what_was_written() {
    let (mut peer, session) = opened(&[]);
    peer.prompt(&session, "[[stderr:a line]][[stderr_hex:c3 a9 00]][[stderr_bytes:100000]]");
    peer.close_stdin();
    let mut expected = b"a line\n\xc3\xa9\0".to_vec();
    expected.extend([b'e'; 100_000]);
    assert_eq!(peer.stderr(), expected);
}

#[test]
fn spawned_processes_are_where_they_are_said_to_be() {
    let (mut peer, session) = opened(&[]);
    let agent = peer.child.id().to_string();
    let spawned = |turn: crate::scripted_peer::Exchange| turn.text().trim_start_matches("pid ").to_owned();

    let child = spawned(peer.prompt(&session, "[[spawn_child]][[result]]"));
    let [parent, group, _] = place_of(&child);
    assert_eq!([&parent, &group], [&agent, &agent]);
    let stdout_of = |pid: &str| fs::read_link(format!("/proc/{pid}/fd/1")).unwrap();
    assert_eq!(stdout_of(&child), stdout_of(&agent));

    let own = spawned(peer.prompt(&session, "[[spawn_setsid:stubborn]][[result]]"));
    assert_eq!(place_of(&own), [agent.clone(), own.clone(), own.clone()]);

    let daemon = spawned(peer.prompt(&session, "[[spawn_daemon]][[result]]"));
    let [parent, group, sid] = place_of(&daemon);
    assert!(parent != agent && group != agent && sid == daemon, "{parent} {group} {sid}");
    assert_eq!(peer.mark.processes().len(), 4);
    peer.close_stdin();
    assert_eq!(peer.end(), "exit 0");
    assert_eq!(peer.mark.processes().len(), 3);
}

#[test]
fn requests_are_answered_as_the_environment_says() {
    let code = |environment: &[(&str, &str)], method: &str| {
        let mut peer = Peer::start(environment);
        let session = peer.open(Path::new("/"));
        let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
        peer.request(method, params).answer["error"]["code"].clone()
    };
    assert_eq!(code(&[("SCRIPTED_NO_LOAD", "1")], "session/load"), -32601);
    assert_eq!(code(&[("SCRIPTED_LOAD", "error")], "session/load"), -32603);
    assert_eq!(code(&[("SCRIPTED_LOAD", "not_found")], "session/load"), -32002);
    assert_eq!(code(&[("SCRIPTED_LOAD", "slow:20")], "session/load"), json!(null));
    assert_eq!(code(&[("SCRIPTED_CAPABILITIES", "list")], "session/delete"), -32601);
    assert_eq!(code(&[("SCRIPTED_NO_CONFIG_OPTIONS", "1")], "session/set_config_option"), -32601);
    assert_eq!(code(&[], "session/resume"), -32601);

    let mut peer = Peer::start(&[("SCRIPTED_NEW", "auth")]);
    let refused = peer.request("session/new", json!({"cwd": "/", "mcpServers": []})).answer["error"].clone();
    assert_eq!(refused["code"], -32000);
    assert_eq!(refused["data"]["authMethods"].as_array().unwrap().len(), 3);

    let mut peer = Peer::start(&[("SCRIPTED_INITIALIZE", "hang"), ("SCRIPTED_PROTOCOL_VERSION", "2")]);
    peer.begin("initialize", json!({"protocolVersion": 1}));
    // It serves everything else, and only that.
    assert_eq!(peer.request("authenticate", json!({})).answer["result"], json!({}));

    let mut peer = Peer::start(&[("SCRIPTED_INITIALIZE", "nulls"), ("SCRIPTED_PROTOCOL_VERSION", "2")]);
    let answer = peer.request("initialize", json!({"protocolVersion": 1})).answer["result"].clone();
    assert_eq!((&answer["protocolVersion"], &answer["agentInfo"]), (&json!(2), &json!(null)));
}

#[test]
fn settings_in_a_file_count_more_than_the_environment() {
    let folder = workspace();
    let file = folder.path().join("settings");
    fs::write(&file, "LOAD=not_found\nAGENT_VERSION=9\n").unwrap();
    let environment = [("SCRIPTED_SETTINGS", file.to_str().unwrap()), ("SCRIPTED_LOAD", "hang")];
    let mut peer = Peer::start(&environment);
    let initialized = peer.request("initialize", json!({})).answer["result"].clone();
    assert_eq!(initialized["agentInfo"]["version"], "9");
    assert_eq!(peer.request("session/load", json!({"sessionId": "x"})).answer["error"]["code"], -32002);
}

#[test]
fn what_it_received_is_in_the_log() {
    let folder = workspace();
    let file = folder.path().join("log");
    let mut peer = Peer::start(&[("SCRIPTED_LOG", file.to_str().unwrap())]);
    peer.request("initialize", json!({"protocolVersion": 1}));
    let logged: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let received = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}});
    assert_eq!(logged, json!({"pid": peer.child.id(), "received": received}));
}

#[test]
fn a_program_that_is_no_agent_can_be_played() {
    for (executable, environment) in
        [("copilot", &[][..]), ("cursor-agent", &[]), ("codex-acp", &[("SCRIPTED_START", "usage")])]
    {
        let mut peer = Peer::start_as(executable, &[], environment);
        assert_eq!(peer.end(), "exit 2");
        assert!(String::from_utf8(peer.stderr()).unwrap().starts_with("Usage: "));
    }
    let mut waiting = Peer::start(&[("SCRIPTED_START", "usage_wait")]);
    assert_eq!(waiting.next_line().unwrap(), b"Usage: segue-scripted-agent \n");
    waiting.send(&json!({"id": 1}));
    waiting.close_stdin();
    assert_eq!(waiting.end(), "exit 0");

    let mut misspelt = Peer::start(&[("SCRIPTED_LOAD", "sometimes")]);
    assert_eq!(misspelt.end(), "exit 2");
    let mut version = Peer::start_as("copilot", &["--version"], &[]);
    assert_eq!(version.next_line().unwrap(), b"copilot 1.0.0\n");
}

#[test]
fn sigterm_and_the_end_of_input_can_be_ignored() {
    let (mut peer, _) = opened(&[]);
    peer.signal(Signal::TERM);
    assert_eq!(peer.end(), "signal 15");

    let (mut peer, session) = opened(&[("SCRIPTED_ON_SIGTERM", "ignore"), ("SCRIPTED_ON_EOF", "ignore")]);
    peer.signal(Signal::TERM);
    assert_eq!(peer.prompt(&session, "[[say:still here]]").text(), "still here");
    peer.begin_prompt(&session, "[[wait_file:/nowhere/at/all]]");
    peer.close_stdin();
    peer.signal(Signal::TERM);
    peer.signal(Signal::KILL);
    assert_eq!(peer.end(), "signal 9");

    let (mut peer, _) = opened(&[("SCRIPTED_ON_SIGTERM", "after:10")]);
    peer.signal(Signal::TERM);
    assert_eq!(peer.end(), "exit 0");
}

#[test]
fn a_script_waits_for_a_file_and_marks_its_place() {
    let work = workspace();
    let mut peer = Peer::start(&[]);
    let session = peer.open(work.path());
    let id = peer.begin_prompt(&session, "[[mark:here]][[wait_file:go]][[say:went]]");
    eventually("the script reaches its mark", || work.path().join("here").exists());
    fs::write(work.path().join("go"), "").unwrap();
    assert_eq!(peer.until_answer(id).text(), "went");
}
