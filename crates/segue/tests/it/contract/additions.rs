//! What goes beyond the contract, and that nobody who never heard of it notices.

use std::path::Path;

use rustix::process::Signal;
use segue_testkit::mcp_client::ended as ending;
use serde_json::{Value, json};

use super::served::{Served, assert_names, assert_refusal, handle_of, id_of, text_of, wait_for, with_agent, world};

/// A second server in the same world.
fn second(served: &Served) -> segue_testkit::mcp_client::McpClient {
    served.world.mcp()
}

#[test]
fn the_same_key_is_the_same_task() {
    let served = Served::new();
    let arguments = with_agent(json!({"prompt": "[[wait_file:go]]", "client_key": "mine"}));
    let calls: Vec<_> = (0..4).map(|_| served.client.begin_call("spawn_task", arguments.clone())).collect();
    let mut ids: Vec<String> = calls.into_iter().map(|call| id_of(&call.wait_call().unwrap())).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let created = &served.payloads(&ids[0], "task_created")[0];
    assert_eq!(created["client_key"], "mine");
    let other = second(&served);
    assert_eq!(id_of(&other.call("spawn_task", arguments.clone()).unwrap()), ids[0]);
    other.shut_down();
    served.mark("go");
    served.ended(&ids[0]);
    assert_eq!(served.client.shut_down().code(), Some(0));
    // Also for the next server, and for a request that asks for something else.
    let next = Served::of(served.world);
    let again = next.call("spawn_task", json!({"agent": "codex", "prompt": "other", "client_key": "mine"}));
    assert_eq!((id_of(&again), &again["status"]), (ids[0].clone(), &json!("succeeded")));
    let refusal = |key: &str| next.refused("spawn_task", with_agent(json!({"prompt": "", "client_key": key})));
    assert_refusal(&refusal(""), "invalid_request", &["client_key"]);
    assert_refusal(&refusal(&"k".repeat(201)), "invalid_request", &["client_key", "200"]);
    assert_eq!(next.world.received_params("session/prompt").len(), 1);
    next.end();
}

/// Calls of one key that come at once are one task also where only one of them could have what it needs.
#[test]
fn the_same_key_at_once_is_the_same_task_whatever_it_needs() {
    let served = Served::new();
    let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 5}));
    served.ended(&id_of(&kept));
    let session = served.run("")["session_id"].clone();
    for (key, needs) in [
        ("a handle", json!({"agent": "codex", "on_agent": handle_of(&kept)})),
        ("a session", with_agent(json!({"session_id": session}))),
    ] {
        let mut arguments = needs;
        arguments["prompt"] = json!("[[wait_file:go]]");
        arguments["client_key"] = json!(key);
        let calls: Vec<_> = (0..8).map(|_| served.client.begin_call("spawn_task", arguments.clone())).collect();
        let mut ids: Vec<String> = calls.into_iter().map(|call| id_of(&call.wait_call().unwrap())).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{key}: {ids:?}");
    }
    served.mark("go");
    served.end();
}

#[test]
fn a_deadline_ends_a_task_as_failed_with_that_reason() {
    let served = Served::new();
    let id = served.spawn_with(json!({"prompt": "[[say:half]][[hang]]", "deadline_seconds": 2.5}));
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["ended_because"]), (&json!("failed"), &json!("deadline")));
    assert_names(ended["error"].as_str().unwrap(), &["deadline", "2.5 s"]);
    assert_eq!((&ended["final_message"], served.payloads(&id, "task_cancelled").len()), (&json!("half"), 0));
    assert_eq!(served.run_with(json!({"prompt": "", "deadline_seconds": "600"}))["status"], "succeeded");
    for seconds in [json!(0), json!(-1), json!(604_801), json!("nan")] {
        let refusal = served.refused("spawn_task", with_agent(json!({"prompt": "", "deadline_seconds": seconds})));
        assert_refusal(&refusal, "invalid_request", &["deadline_seconds"]);
    }
    served.end();
}

#[test]
fn a_running_task_says_what_it_waits_for() {
    let served = Served::new();
    let silent = served.spawn("[[say:so far]][[mark:silent]][[wait_file:go]]");
    let busy = served.spawn(
        r#"[[raw:{"jsonrpc"\:"2.0","method"\:"session/update","params"\:{"sessionId"\:"$SESSION","update"\:{"sessionUpdate"\:"tool_call","toolCallId"\:"t","title"\:"make","kind"\:"execute","status"\:"in_progress"}}}]][[mark:busy]][[wait_file:go]]"#,
    );
    served.wait_mark("silent");
    served.wait_mark("busy");
    served.wait_event(&busy, "tool_call", |_| true);
    let live = |id: &str| {
        let mut live = served.task(id)["live"].clone();
        assert!(live["quiet_seconds"].as_f64().is_some_and(|seconds| (0.0..60.0).contains(&seconds)), "{live}");
        live.as_object_mut().unwrap().remove("quiet_seconds");
        served.plain(&live)
    };
    // The call of the tool comes a moment after its line.
    wait_for("the facts", || live(&busy)["waiting_for"] == "tool" && live(&silent)["waiting_for"] == "model");
    assert_eq!(live(&silent), json!({"last_activity": "TIME", "open_tool_call": null, "waiting_for": "model"}));
    assert_eq!(
        live(&busy),
        json!({"last_activity": "TIME", "open_tool_call": {"id": "t", "kind": "execute", "title": "make"}, "waiting_for": "tool"})
    );
    served.mark("go");
    assert_eq!(served.ended(&busy)["live"], json!(null));
    served.end();
}

/// What stands in a workspace under git's name is never run, however the search path leads there.
#[test]
fn git_is_looked_for_in_absolute_folders_only() {
    let mut world = world();
    let workspace = world.workspace();
    let path =
        world.command(["mcp"]).get_envs().find_map(|(name, value)| (name == "PATH").then(|| value.unwrap().to_owned()));
    let path = path.unwrap().into_string().unwrap();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(&workspace).status().unwrap();
    assert!(made.success());
    std::fs::create_dir(workspace.join("tools")).unwrap();
    for folder in ["", "tools"] {
        let own = workspace.join(folder).join("git");
        std::fs::write(&own, format!("#!/bin/sh\ntouch {}\nexit 1\n", workspace.join("taken").display())).unwrap();
        std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    world.env("PATH", &format!("tools::.:{path}"));
    let served = Served::of(world);
    let task = served.run_with(json!({"prompt": "[[write:made.txt:x]]", "options": {"allow": ["edit"]}}));
    assert_eq!(task["receipt"]["files_changed"], json!(["made.txt"]));
    assert!(!workspace.join("taken").exists());
    served.end();
}

#[test]
fn what_was_seen_is_told_apart_from_what_was_said() {
    let served = Served::new();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(arguments)
            .current_dir(served.world.workspace());
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    std::fs::write(served.world.workspace().join("untouched"), "").unwrap();
    let id = served.spawn_with(json!({
        "prompt": "[[tool:read:Look]][[write:made.txt:x]][[run:exit 3]][[ask:delete:Remove]][[meta:{\"odd\": true}]]\
                   [[usage:1:2]][[say:done]]",
        "options": {"allow": ["edit", "execute"], "model": "opus"},
    }));
    let task = served.ended(&id);
    let mut receipt = task["receipt"].clone();
    assert!(receipt["duration_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    receipt.as_object_mut().unwrap().remove("duration_seconds");
    let commands = receipt.as_object_mut().unwrap().remove("commands").unwrap();
    assert_eq!((&commands[0]["title"], &commands[0]["exit_status"]), (&json!("exit 3"), &json!(3)));
    assert_eq!(
        receipt,
        json!({
            "tool_calls": {"delete": 1, "edit": 1, "execute": 1, "read": 1}, "tool_calls_total": 4, "commands_total": 1,
            "permissions_asked": 3, "permissions_refused": 1, "actions_never_asked": {"read": 1},
            "files_changed": ["made.txt"],
        })
    );
    assert_eq!(task["ended_because"], "completed");
    assert_eq!((&task["agent_name"], &task["agent_version"]), (&json!("claude-agent-acp"), &json!("1.0.0")));
    assert_eq!(
        task["settings_in_force"],
        json!([{"name": "mode", "asked": "default", "in_force": "default"},
               {"name": "model", "asked": "opus", "in_force": "opus"}])
    );
    assert_eq!((&task["stop_receipt"]["tree_empty"], &task["stop_receipt"]["escaped"]), (&json!(true), &json!([])));
    let facts = served.payloads(&id, "process_exited")[0]["facts"].clone();
    assert_eq!(facts["answer_meta"], json!({"odd": true}));
    served.end();
}

/// Any server on the folder reads, waits for, judges, cancels and forgets any task; it lists its own.
#[test]
fn servers_of_one_user_share_their_record() {
    let served = Served::new();
    let other = second(&served);
    let over = id_of(&served.run("[[say:x]]"));
    let running = served.spawn("[[mark:going]][[hang]]");
    served.wait_mark("going");
    assert_eq!(other.call("list_tasks", json!({})).unwrap()["tasks"], json!([]));
    let all = other.call("list_tasks", json!({"all": true})).unwrap();
    assert_eq!(all["tasks"].as_array().unwrap().iter().map(id_of).collect::<Vec<_>>(), [running.clone(), over.clone()]);
    let filtered = |arguments: Value| other.call("list_tasks", arguments).unwrap()["tasks"].as_array().unwrap().len();
    assert_eq!(filtered(json!({"all": true, "status": "running"})), 1);
    assert_eq!(filtered(json!({"all": true, "agent": "codex"})), 0);
    let wait = other.begin_call("wait_tasks", json!({"task_ids": [running]}));
    assert_eq!(other.call("get_task", json!({"task_id": running})).unwrap()["live"]["waiting_for"], "owner");
    let cancelled = other.call("cancel_task", json!({"task_id": running, "actor": "other"})).unwrap();
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(wait.wait_call().unwrap()["reason"], "terminal");
    assert_eq!(served.payloads(&running, "task_cancelled"), [json!({"reason": "cancel_task", "actor": "other"})]);
    other.call("resolve_task", json!({"task_id": over, "resolution": "accepted"})).unwrap();
    assert_eq!(served.task(&over)["resolution"], "accepted");
    other.call("forget_task", json!({"task_id": over})).unwrap();
    assert_refusal(&served.refused("get_task", json!({"task_id": over})), "task_not_found", &[&over]);
    assert_eq!(ending(other.shut_down()), "exit 0");
    served.end();
}

#[test]
fn a_session_and_a_handle_of_another_server_are_named_as_that() {
    let served = Served::new();
    let other = second(&served);
    let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 2}));
    let (id, handle) = (id_of(&kept), handle_of(&kept));
    let task = served.ended(&id);
    let server = text_of(&task, "server");
    let resume = json!({"agent": "codex", "prompt": "", "session_id": task["session_id"]});
    let holder = format!("kept agent {handle}");
    assert_refusal(&other.call("spawn_task", resume.clone()).unwrap_err(), "session_in_use", &[&holder]);
    for (tool, arguments) in [
        ("spawn_task", json!({"agent": "codex", "prompt": "", "on_agent": handle})),
        ("extend_agent", json!({"handle": handle})),
        ("release_agent", json!({"handle": handle})),
    ] {
        assert_refusal(&other.call(tool, arguments).unwrap_err(), "agent_gone", &[&handle, &server]);
    }
    // Each server keeps eight of its own.
    let own = other.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_turns": 1})).unwrap();
    assert_eq!(own["kept_agent"]["state"], "pending");
    served.call("release_agent", json!({"handle": handle}));
    let resumed = other.call("spawn_task", resume).unwrap();
    assert_eq!(resumed["status"], "running");
    assert_eq!(ending(other.shut_down()), "exit 0");
    served.end();
}

#[test]
fn a_task_outlives_its_client() {
    let served = Served::new();
    let id = served.spawn("[[say:Done.]]");
    served.ended(&id);
    let (task, record) = (served.task(&id), served.record(&id));
    assert_eq!(served.client.shut_down().code(), Some(0));
    let next = Served::of(served.world);
    assert_eq!(next.call("list_tasks", json!({}))["tasks"], json!([]), "a client finds its own server's tasks");
    assert_eq!(next.task(&id), task);
    assert_eq!(next.record(&id), record);
    let resumed = next.run_with(json!({"prompt": "[[history]]", "session_id": task["session_id"]}));
    assert_eq!(resumed["final_message"], "[\"[[say:Done.]]\"]");
    next.end();
}

#[test]
fn an_ephemeral_server_keeps_nothing() {
    let served = Served::with(world(), &["--ephemeral"]);
    let id = served.spawn("[[say:x]]");
    let ended = served.ended(&id);
    assert_eq!((&ended["status"], &ended["error"]), (&json!("succeeded"), &json!(null)));
    assert_eq!(std::fs::read_dir(served.world.state_dir()).unwrap().count(), 0);
    assert_eq!(served.client.shut_down().code(), Some(0));
    served.assert_clean();
    assert_eq!(std::fs::read_dir(served.world.home().parent().unwrap().join("tmp")).unwrap().count(), 0);
}

#[test]
fn an_agent_from_a_file_is_dispatched_like_the_others() {
    let world = world();
    let file = world.home().join("agents.toml");
    let agent = "[agents.mine]\ncommand = [\"segue-scripted-agent\"]\npins = [{ name = \"mode\", value = \"ask\" }]\n\
                 model = { setting = \"model\" }\neffort = { setting = \"effort\" }\nenvironment = { MINE = \"yes\" }\n";
    std::fs::write(&file, agent).unwrap();
    let served = Served::with(world, &["--agents-file", file.to_str().unwrap()]);
    let described = served.call("describe_agent", json!({"agent": "mine"}));
    assert_eq!((&described["model"]["current"], described.get("effort")), (&json!("quick"), None));
    // The effort is only offered once the model is set.
    let ended = served.run_with(json!({
        "agent": "mine", "prompt": "[[echo_settings]][[echo_env:MINE]]", "options": {"effort": "max", "model": "broad"},
    }));
    assert_eq!(ended["final_message"], "{\"mode\":\"ask\",\"model\":\"broad\",\"effort\":\"max\"}MINE=yes");
    served.end();
}

/// What is promised not to be stored is nowhere: neither in the record nor in what is left of hosts.
#[test]
fn secrets_of_the_environment_are_not_stored() {
    const SECRET: &str = "sentinel-7f3a-of-the-environment";
    let mut world = world();
    world.env("API_KEY", SECRET);
    let served = Served::of(world);
    let id = served.spawn("[[tool:read:x]][[mark:going]][[wait_file:go]]");
    served.wait_mark("going");
    served.call("describe_agent", json!({"agent": "codex"}));
    assert_eq!(found(&served.world.state_dir(), SECRET), Vec::<String>::new());
    served.mark("go");
    served.ended(&id);
    assert_eq!(found(&served.world.state_dir(), SECRET), Vec::<String>::new());
    // What the agent itself says is recorded: that is what the record is for.
    served.run("[[echo_env:API_KEY]]");
    assert_ne!(found(&served.world.state_dir(), SECRET), Vec::<String>::new());
    served.end();
}

/// The files below a folder that hold these bytes.
fn found(folder: &Path, text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files.extend(found(&entry.path(), text));
        } else if let Ok(bytes) = std::fs::read(entry.path())
            && bytes.windows(text.len()).any(|window| window == text.as_bytes())
        {
            files.push(entry.path().display().to_string());
        }
    }
    files
}

/// Nothing in a workspace is ever deleted or changed by us.
#[test]
fn a_workspace_is_left_as_it_is() {
    let served = Served::new();
    let work = served.world.workspace();
    std::fs::create_dir(work.join("sub")).unwrap();
    std::fs::write(work.join("sub/uncommitted"), "precious").unwrap();
    let id = served.spawn("[[hang]]");
    served.call("cancel_task", json!({"task_id": id}));
    served.call("resolve_task", json!({"task_id": id, "resolution": "rejected"}));
    served.call("forget_task", json!({"task_id": id}));
    served.call("describe_agent", json!({"agent": "codex"}));
    let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "keep_idle": 1}));
    served.wait_lease(&id_of(&kept), "ended");
    let names: Vec<String> =
        std::fs::read_dir(&work).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, ["sub"]);
    assert_eq!(std::fs::read_to_string(work.join("sub/uncommitted")).unwrap(), "precious");
    served.end();
}

/// A server that was stopped for longer than a lease lasts handles what is due once and goes on.
#[test]
fn a_server_that_was_stopped_for_a_while_goes_on() {
    let served = Served::new();
    let kept = served.call("spawn_task", json!({"agent": "codex", "prompt": "[[pid]]", "keep_idle": 1}));
    let id = id_of(&kept);
    let pid = text_of(&served.ended(&id), "final_message").parse().unwrap();
    let task = served.spawn("[[wait_file:go]][[say:went on]]");
    let wait = served.client.begin_call("wait_tasks", json!({"task_ids": [task]}));
    served.task(&task);
    served.client.signal(Signal::STOP);
    served.mark("go");
    // Longer than the lease lasts; the agents run on meanwhile.
    std::thread::sleep(std::time::Duration::from_secs(2));
    served.client.signal(Signal::CONT);
    assert_eq!(wait.wait_call().unwrap()["completed"][0]["final_message"], "went on");
    let lease = served.wait_lease(&id, "ended");
    assert_eq!(lease["reason"], "idle for 1 seconds");
    assert!(!super::served::is_alive(pid));
    served.end();
}
