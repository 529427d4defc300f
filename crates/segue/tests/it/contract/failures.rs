//! How a session fails, and in which words its task says so.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::served::{Served, assert_names, id_of, with_agent};

/// A task that has failed before its prompt: its error.
#[track_caller]
fn refused_before_the_prompt(served: &Served, arguments: Value) -> String {
    let prompts = served.world.received_params("session/prompt").len();
    let ended = served.run_with(with_agent(arguments));
    assert_eq!((&ended["status"], &ended["usage"]), (&json!("failed"), &json!(null)), "{ended}");
    assert_eq!(served.world.received_params("session/prompt").len(), prompts, "no prompt is sent");
    ended["error"].as_str().unwrap().to_owned()
}

#[test]
fn a_step_that_fails_is_named_with_what_the_agent_said() {
    let served = Served::new();
    let session = served.run("")["session_id"].clone();
    for (step, names, resume) in [
        ("INITIALIZE", vec!["initialize"], false),
        ("NEW", vec!["new_session"], false),
        ("SET", vec!["set_config_option mode"], false),
        ("LOAD", vec![session.as_str().unwrap(), "may not exist for this agent or workspace"], true),
    ] {
        served.world.scripted(step, "error");
        let arguments = if resume { json!({"prompt": "", "session_id": session}) } else { json!({"prompt": ""}) };
        let error = refused_before_the_prompt(&served, arguments);
        assert!(error.starts_with("claude-agent-acp session failed: "), "{error}");
        assert_names(&error, &names);
        assert_names(&error, &["Internal error", "-32603", "scripted failure"]);
        served.world.unscripted(step);
    }
    assert_eq!(served.world.received_params("session/new").len(), 3, "a session is never opened in place of another");
    served.end();
}

#[test]
fn a_missing_sign_in_is_told_as_that() {
    let served = Served::new();
    for step in ["INITIALIZE", "NEW"] {
        served.world.scripted(step, "auth");
        let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
        assert_names(&error, &["claude-agent-acp", "authentication is required", "outside", "Authentication required"]);
        if step == "NEW" {
            assert_names(&error, &["browser", "api-key", "device-code"]);
        }
        served.world.unscripted(step);
    }
    assert_eq!(served.world.received_params("authenticate"), [] as [Value; 0]);
    let ended = served.run("[[error:-32000:Sign in first]]");
    assert_names(ended["error"].as_str().unwrap(), &["authentication is required", "Sign in first"]);
    served.end();
}

#[test]
fn a_session_that_cannot_be_loaded_fails_by_its_name() {
    let served = Served::new();
    let error = refused_before_the_prompt(&served, json!({"prompt": "", "session_id": "unheard-of"}));
    assert_names(&error, &["unheard-of", "may not exist for this agent or workspace", "Resource not found"]);
    served.world.scripted("NO_LOAD", "1");
    let error = refused_before_the_prompt(&served, json!({"prompt": "", "session_id": "unheard-of"}));
    assert_names(&error, &["claude-agent-acp session failed: ", "load_session"]);
    assert_eq!(served.world.received_params("session/load").len(), 1, "it is not asked for what it does not offer");
    served.end();
}

#[test]
fn a_setting_that_cannot_be_made_fails_before_the_prompt() {
    let served = Served::new();
    let error = refused_before_the_prompt(&served, json!({"prompt": "", "options": {"model": "nonsense"}}));
    assert_names(
        &error,
        &["claude-agent-acp session failed: ", "model", "nonsense", "describe_agent", "'haiku', 'opus'"],
    );

    served.world.scripted("SUBSTITUTE", "mode,default,acceptEdits");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert_names(&error, &["mode", "'default'", "'acceptEdits'"]);
    served.world.unscripted("SUBSTITUTE");

    served.world.scripted("NO_CONFIG_OPTIONS", "1");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert_names(&error, &["claude-agent-acp session failed: ", "'mode'"]);
    assert_eq!(served.world.received_params("session/set_config_option").len(), 2, "what is not offered is not sent");
    served.end();
}

/// Haiku offers no effort; the others do, and it is judged by the model that was just set.
#[test]
fn an_effort_is_checked_against_the_offer_of_its_model() {
    let served = Served::new();
    let haiku = json!({"model": "haiku", "effort": "high"});
    let error = refused_before_the_prompt(&served, json!({"prompt": "", "options": haiku}));
    assert_names(&error, &["effort"]);
    let first = served.run_with(json!({"prompt": "[[echo_settings]]", "options": {"model": "haiku"}}));
    assert!(!first["final_message"].as_str().unwrap().contains("effort"));
    let second = served.run_with(json!({
        "prompt": "[[echo_settings]]", "session_id": first["session_id"], "options": {"effort": "max", "model": "opus"},
    }));
    assert_names(second["final_message"].as_str().unwrap(), &["\"effort\":\"max\"", "\"model\":\"opus\""]);
    served.end();
}

#[test]
fn an_agent_that_goes_is_told_with_what_it_left() {
    let served = Served::new();
    let failed = |prompt: &str| {
        let ended = served.run(prompt);
        assert_eq!(ended["status"], "failed");
        (ended["error"].as_str().unwrap().to_owned(), ended["exit_code"].clone())
    };
    let closed = "claude-agent-acp session failed: Connection closed";
    let (error, exit) = failed("[[stderr:I give up]][[exit:7]]");
    assert!(error.starts_with(closed), "{error}");
    assert_names(&error, &["exited with status 7", "I give up"]);
    assert_eq!(exit, 7);
    let (error, exit) = failed("[[abort]]");
    assert!(error.starts_with(closed), "{error}");
    assert_names(&error, &["ended by signal 9"]);
    assert_eq!(exit, -9);
    let (error, _) = failed("[[close_stdout]][[hang]]");
    assert!(error.starts_with(closed), "{error}");
    // A descendant holds the output open.
    let (error, exit) = failed("[[spawn_child]][[exit:5]]");
    assert!(error.starts_with("claude-agent-acp exited before its prompt turn ended"), "{error}");
    assert_names(&error, &["exited with status 5"]);
    assert_eq!(exit, 5);
    served.end();
}

#[test]
fn a_program_that_is_no_agent_is_told_by_its_own_words() {
    let served = Served::new();
    served.world.scripted("START", "usage");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert!(error.starts_with("claude-agent-acp session failed: Connection closed"), "{error}");
    assert_names(&error, &["initialize", "exited with status 2", "Usage: claude-agent-acp"]);
    served.world.scripted("START", "exit:0");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert_names(&error, &["initialize", "exited with status 0"]);
    served.world.unscripted("START");
    for step in ["INITIALIZE", "NEW", "SET"] {
        served.world.scripted(step, "exit:4");
        let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
        assert_names(&error, &["Connection closed", "exited with status 4"]);
        served.world.unscripted(step);
    }
    served.end();
}

/// Cline's effort is a flag of its command line, which the program may not know.
#[test]
fn a_launch_flag_is_named_as_a_possible_cause() {
    let served = Served::new();
    served.world.scripted("INITIALIZE", "exit:2");
    let error =
        refused_before_the_prompt(&served, json!({"agent": "cline", "prompt": "", "options": {"effort": "low"}}));
    assert_names(&error, &["cline session failed: Connection closed", "initialize", "--thinking=low"]);
    let error = refused_before_the_prompt(&served, json!({"agent": "cline", "prompt": ""}));
    assert!(!error.contains("--thinking"), "{error}");
    served.end();
}

#[test]
fn an_unknown_stop_reason_is_an_error_that_names_it() {
    let served = Served::new();
    let id = served.spawn("[[say:x]][[stop:tired]]");
    let ended = served.ended(&id);
    assert_eq!(ended["status"], "failed");
    assert_names(ended["error"].as_str().unwrap(), &["claude-agent-acp session failed: ", "tired"]);
    assert_eq!(ended["final_message"], "x");
    served.end();
}

#[test]
fn errors_of_any_shape_are_told() {
    let served = Served::new();
    for (data, told) in [
        ("\"plain words\"", "plain words"),
        ("{\"details\": {\"deep\": [1]}}", "deep"),
        ("\\[1, 2\\]", "[1,2]"),
        ("null", "It broke"),
    ] {
        let ended = served.run(&format!("[[error_data:{data}]][[error:-32603:It broke]]"));
        assert_names(ended["error"].as_str().unwrap(), &["It broke", "-32603", told]);
    }
    let long = "x".repeat(100_000);
    let ended = served.run(&format!("[[error_data:\"{long}\"]][[error:1:{long}]]"));
    assert!(ended["error"].as_str().unwrap().len() < 20_000, "what is told is bounded");
    let limit = "You have hit your usage limit; it resets at 2030-01-01T00:00:00Z";
    let limited = served.run(&format!("[[error:-32603:{limit}]]"));
    assert_names(limited["error"].as_str().unwrap(), &[limit]);
    assert_eq!(limited["ended_because"], "usage_limit");
    assert!(limited["session_id"].is_string(), "the work can go on in its session");
    served.end();
}

#[test]
fn an_agent_of_another_protocol_is_refused() {
    let served = Served::new();
    served.world.scripted("PROTOCOL_VERSION", "2");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert_names(&error, &["claude-agent-acp", "version 2"]);
    served.end();
}

#[test]
fn an_id_that_is_given_out_twice_at_once_is_an_internal_error() {
    let served = Served::new();
    served.world.scripted("SESSION_ID", "always-the-same");
    let first = served.spawn("[[mark:going]][[wait_file:go]]");
    served.wait_mark("going");
    let error = refused_before_the_prompt(&served, json!({"prompt": ""}));
    assert_names(&error, &["internal error", "always-the-same", &format!("task {first}")]);
    served.mark("go");
    assert_eq!(served.ended(&first)["status"], "succeeded");
    assert_eq!(served.run("")["status"], "succeeded", "free again");
    served.end();
}

/// Only absolute entries of the search path count, and the first executable file wins.
#[test]
fn executables_are_looked_for_in_absolute_entries_only() {
    let mut world = super::served::world();
    let (work, agents) = (world.workspace(), world.agents_dir());
    let decoy = |folder: &str| {
        let folder = work.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let script = decoy("relative").join("codex-acp");
    std::fs::write(&script, "#!/bin/sh\nexit 9\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    symlink(&script, work.join("codex-acp")).unwrap();
    std::fs::write(decoy("plain").join("codex-acp"), "not executable").unwrap();
    std::fs::create_dir_all(decoy("folder").join("codex-acp")).unwrap();
    let path = [
        "".to_owned(),
        "relative".to_owned(),
        ".".to_owned(),
        work.join("plain").display().to_string(),
        work.join("folder").display().to_string(),
        agents.display().to_string(),
        "/usr/bin:/bin".to_owned(),
    ];
    world.env("PATH", &path.join(":"));
    let served = Served::of(world);
    let ended = served.run_with(json!({"agent": "codex", "prompt": "[[say:found]]"}));
    assert_eq!(ended["final_message"], "found");
    // A start uses what is there now; one that is gone fails the start only.
    served.world.uninstall("codex-acp");
    let gone = served.call("spawn_task", json!({"agent": "codex", "prompt": ""}));
    assert_eq!(gone["status"], "failed");
    assert_names(gone["error"].as_str().unwrap(), &["codex-acp", "was not found on PATH"]);
    served.ended(&id_of(&gone));
    served.end();
}
