//! `options`, and what each built-in agent is started with: command line, environment, pins.

use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, with_agent, world};

fn said(served: &Served, arguments: Value) -> String {
    let ended = served.run_with(arguments);
    ended["final_message"].as_str().unwrap_or_else(|| panic!("{ended}")).to_owned()
}

fn settings(served: &Served, agent: &str, options: Value) -> Value {
    let text = said(served, json!({"agent": agent, "prompt": "[[echo_settings]]", "options": options}));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn each_agent_has_its_command_line_and_its_pins() {
    let served = Served::new();
    let asks = "https://agentclientprotocol.com/protocol/session-modes#agent";
    for (agent, arguments, pins) in [
        ("claude_code", json!([]), json!({"mode": "default"})),
        ("cline", json!(["--acp"]), json!({"auto_approve": false})),
        ("codex", json!([]), json!({"mode": "read-only"})),
        ("copilot", json!(["--acp"]), json!({"mode": asks, "allow_all": "off"})),
        ("cursor", json!(["acp"]), json!({"mode": "plan"})),
        ("opencode", json!(["acp"]), json!({"mode": "build"})),
    ] {
        let text = said(&served, json!({"agent": agent, "prompt": "[[echo_args]]"}));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), arguments, "{agent}");
        let in_force = settings(&served, agent, json!({}));
        for (name, value) in pins.as_object().unwrap() {
            assert_eq!(in_force[name], *value, "{agent} {name}");
        }
        let sent = served.world.received_params("session/set_config_option");
        let sent = sent[sent.len() - pins.as_object().unwrap().len()..].iter().map(|params| params["configId"].clone());
        assert_eq!(sent.collect::<Vec<_>>(), pins.as_object().unwrap().keys().map(|n| json!(n)).collect::<Vec<_>>());
    }
    assert_eq!(settings(&served, "cursor", json!({"allow": ["edit"]}))["mode"], "agent");
    assert_eq!(settings(&served, "cursor", json!({"allow": ["read", "execute"]}))["mode"], "plan");
    served.end();
}

#[test]
fn model_and_effort_reach_the_agent_as_it_takes_them() {
    let served = Served::new();
    let codex = settings(&served, "codex", json!({"model": "gpt-6-luna", "effort": "xhigh"}));
    assert_eq!((&codex["model"], &codex["reasoning_effort"]), (&json!("gpt-6-luna"), &json!("xhigh")));
    let as_text = r#"{"model": "opus", "effort": null}"#;
    assert_eq!(
        settings(&served, "claude_code", json!(as_text))["model"],
        "opus",
        "options may be text that holds them"
    );
    let prompt = "[[echo_args]]";
    for effort in ["none", "low", "medium", "high", "xhigh"] {
        let text = said(&served, json!({"agent": "cline", "prompt": prompt, "options": {"effort": effort}}));
        assert_eq!(text, format!("[\"--acp\",\"--thinking={effort}\"]"));
    }
    served.end();
}

#[test]
fn options_that_are_not_taken_are_named_and_start_nothing() {
    let served = Served::new();
    let long = "x".repeat(201);
    for (agent, options, names) in [
        ("claude_code", json!({"modle": "x"}), vec!["modle"]),
        ("cursor", json!({"effort": "high"}), vec!["effort"]),
        ("opencode", json!({"effort": null}), vec!["effort"]),
        ("claude_code", json!({"allow": null}), vec!["allow"]),
        ("claude_code", json!({"allow": "edit"}), vec!["allow"]),
        ("claude_code", json!({"allow": ["switch_mode"]}), vec!["allow", "switch_mode"]),
        ("claude_code", json!({"allow": ["sing"]}), vec!["allow", "sing"]),
        ("claude_code", json!({"allow": vec!["read"; 11]}), vec!["allow", "10"]),
        ("claude_code", json!({"model": ""}), vec!["model"]),
        ("claude_code", json!({"model": "-flag"}), vec!["model"]),
        ("claude_code", json!({"model": "a b"}), vec!["model"]),
        ("claude_code", json!({"model": "a\u{7f}"}), vec!["model"]),
        ("claude_code", json!({"model": long}), vec!["model"]),
        ("claude_code", json!({"model": 5}), vec!["model"]),
        ("codex", json!({"effort": "a\n"}), vec!["effort"]),
        ("cline", json!({"effort": "max"}), vec!["effort", "none", "low", "medium", "high", "xhigh"]),
        ("cline", json!({"effort": "HIGH"}), vec!["effort"]),
    ] {
        let refusal = served.refused("spawn_task", json!({"agent": agent, "prompt": "", "options": options}));
        assert_refusal(&refusal, "invalid_request", &names);
    }
    for options in [json!([]), json!("allow"), json!(5), json!(true)] {
        let refusal = served.refused("spawn_task", with_agent(json!({"prompt": "", "options": options})));
        assert!(refusal.contains("options") && !refusal.starts_with("invalid_request"), "{refusal}");
    }
    assert_eq!(served.call("list_tasks", json!({}))["tasks"], json!([]));
    // The widest that is taken: every kind, and one twice; a choice of two hundred characters is an option.
    let kinds = json!(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other", "other"]);
    assert_eq!(served.run_with(json!({"prompt": "", "options": {"allow": kinds}}))["status"], "succeeded");
    let asked = served.run_with(json!({"prompt": "", "options": {"model": long[..200]}}));
    assert_names(asked["error"].as_str().unwrap(), &["model"]);
    served.end();
}

#[test]
fn an_agent_gets_the_servers_environment_and_its_own() {
    let mut world = world();
    let config = json!({"theme": "dark", "permission": {"edit": "allow", "bash": {"*": "allow"}, "read": "deny"}});
    world
        .env("PASSED_ON", "as it is")
        .env("CLAUDECODE", "1")
        .env("CODEX_SANDBOX", "seatbelt")
        .env("CLINE_SESSION_BACKEND_MODE", "hub")
        .env("OPENCODE_CONFIG_CONTENT", &config.to_string());
    let served = Served::of(world);
    let value =
        |agent: &str, name: &str| said(&served, json!({"agent": agent, "prompt": format!("[[echo_env:{name}]]")}));
    assert_eq!(value("codex", "PASSED_ON"), "PASSED_ON=as it is");
    assert_eq!(value("codex", "SYMM_MCP_DEPTH"), "SYMM_MCP_DEPTH=1");
    assert_eq!(value("cline", "CLINE_SESSION_BACKEND_MODE"), "CLINE_SESSION_BACKEND_MODE=local");
    assert_eq!(value("codex", "OPENCODE_CONFIG_CONTENT"), format!("OPENCODE_CONFIG_CONTENT={config}"));
    // What a hosting session of an agent sets for itself is not passed on to another one.
    assert_eq!(value("claude_code", "CLAUDECODE"), "CLAUDECODE=(unset)");
    assert_eq!(value("codex", "CODEX_SANDBOX"), "CODEX_SANDBOX=(unset)");
    let given = value("opencode", "OPENCODE_CONFIG_CONTENT");
    let given: Value = serde_json::from_str(given.strip_prefix("OPENCODE_CONFIG_CONTENT=").unwrap()).unwrap();
    assert_eq!(
        given,
        json!({"theme": "dark", "permission": {"edit": "ask", "bash": "ask", "read": "deny", "webfetch": "ask"}})
    );
    served.end();
}

#[test]
fn a_configuration_that_is_no_object_starts_no_task() {
    for (config, taken) in [("", true), (" \n", true), ("{\"permission\": 5}", true), ("[]", false), ("{", false)] {
        let mut world = world();
        world.env("OPENCODE_CONFIG_CONTENT", config);
        let served = Served::of(world);
        let arguments = json!({"agent": "opencode", "prompt": "[[echo_env:OPENCODE_CONFIG_CONTENT]]"});
        if taken {
            let asks = r#"OPENCODE_CONFIG_CONTENT={"permission":{"edit":"ask","bash":"ask","webfetch":"ask"}}"#;
            assert_eq!(said(&served, arguments), asks);
        } else {
            let refusal = served.refused("spawn_task", arguments);
            assert_refusal(&refusal, "invalid_request", &["OPENCODE_CONFIG_CONTENT"]);
            assert_eq!(served.call("list_tasks", json!({}))["tasks"], json!([]));
            // The same agent cannot be asked anything either; the others are not concerned.
            let refusal = served.refused("describe_agent", json!({"agent": "opencode"}));
            assert_refusal(&refusal, "invalid_request", &["OPENCODE_CONFIG_CONTENT"]);
            assert_eq!(served.run("")["status"], "succeeded");
        }
        served.end();
    }
}

/// Its own session and process group, named by its pid; its three streams are nobody else's.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_is_a_process_group_of_its_own_with_pipes_of_its_own() {
    let served = Served::new();
    let id = served.spawn("[[mark:going]][[wait_file:go]]");
    served.wait_mark("going");
    let pid = served.payloads(&id, "process_started")[0]["pid"].as_u64().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    assert_eq!((fields[2], fields[3]), (&*pid.to_string(), &*pid.to_string()), "group and session");
    let link = |pid: u64, fd: &str| std::fs::read_link(format!("/proc/{pid}/fd/{fd}")).unwrap().display().to_string();
    let own: Vec<String> = ["0", "1", "2"].iter().map(|fd| link(pid, fd)).collect();
    assert!(own.iter().all(|link| link.starts_with("pipe:") || link.starts_with("socket:")), "{own:?}");
    let servers: Vec<String> = ["0", "1"].iter().map(|fd| link(u64::from(served.client.pid()), fd)).collect();
    for process in served.world.mark().processes() {
        if u32::try_from(process.pid) == Ok(served.client.pid()) {
            continue;
        }
        for entry in std::fs::read_dir(format!("/proc/{}/fd", process.pid)).unwrap() {
            let target = std::fs::read_link(entry.unwrap().path()).map(|path| path.display().to_string());
            assert!(target.is_ok_and(|target| !servers.contains(&target)), "{process:?} holds a stream of the server");
        }
    }
    served.mark("go");
    served.end();
}
