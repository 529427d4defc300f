//! Each real agent, as installed from npm, says what the scripted model says and writes what it has written.

use segue_testkit::model_server::{ModelServer, Outcome, Request};
use segue_testkit::real_agents::{Agent, environment, launcher_or_skip};
use serde_json::json;

use crate::acp_client::{AcpClient, Turn};

/// What differs between the agents in a careful session.
struct Expected {
    /// The agent's setting that makes it ask, where it does not from the start.
    setting: Option<(&'static str, &'static str)>,
    /// The same as a variable.
    variable: Option<(&'static str, &'static str)>,
    /// The kind under which it asks leave to write a file.
    write_kind: &'static str,
    /// Whether it names the file it wrote in its message, in words of its own.
    names_file: bool,
}

fn says_and_writes(agent: Agent, expected: &Expected) {
    let Some(launcher) = launcher_or_skip(agent) else {
        return;
    };
    let model = ModelServer::start().expect("a server");
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).expect("a folder");
    let mut variables = environment(agent, &model.url(), &folder.path().join("home")).expect("files");
    variables.extend(expected.variable.map(|(name, value)| (name.to_owned(), value.to_owned())));

    let mut client = AcpClient::start(agent, &launcher, variables, &workspace);
    let ready = client.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
    assert_eq!(ready["protocolVersion"], 1);
    let opened = client.call("session/new", json!({"cwd": workspace, "mcpServers": []}));
    let session = opened["sessionId"].as_str().expect("an id").to_owned();
    if let Some((option, value)) = expected.setting {
        let params = json!({"sessionId": session, "configId": option, "value": value});
        client.call("session/set_config_option", params);
    }

    assert_eq!(
        client.prompt(&session, "[[say:Hello.]]"),
        Turn { stop_reason: "end_turn".to_owned(), text: "Hello.".to_owned(), asked: vec![] }
    );
    let file = workspace.join("note.txt");
    let notice = if expected.names_file { format!("Info: {}", file.display()) } else { String::new() };
    let script = format!("[[tool:write:{}:some text]] [[say:Written.]]", file.display());
    assert_eq!(
        client.prompt(&session, &script),
        Turn {
            stop_reason: "end_turn".to_owned(),
            text: format!("{notice}Written."),
            asked: vec![expected.write_kind.to_owned()],
        }
    );
    let written = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(written.trim_end(), "some text");
    client.end();

    let ours = |request: &&Request| !request.aside && request.script == script;
    // Claude may go on to ask what its user will say next.
    let replies: Vec<_> = model
        .requests()
        .iter()
        .filter(ours)
        .take(2)
        .map(|request| (request.reply, request.outcome, request.called.len()))
        .collect();
    assert_eq!(replies, vec![(0, Some(Outcome::Ok), 1), (1, Some(Outcome::Ok), 0)]);
}

#[test]
fn claude_says_and_writes() {
    says_and_writes(
        Agent::Claude,
        &Expected { setting: Some(("mode", "default")), variable: None, write_kind: "edit", names_file: false },
    );
}

#[test]
fn codex_says_and_writes() {
    says_and_writes(
        Agent::Codex,
        &Expected { setting: Some(("mode", "read-only")), variable: None, write_kind: "edit", names_file: false },
    );
}

#[test]
fn copilot_says_and_writes() {
    says_and_writes(Agent::Copilot, &Expected { setting: None, variable: None, write_kind: "edit", names_file: true });
}

#[test]
fn cline_says_and_writes() {
    says_and_writes(Agent::Cline, &Expected { setting: None, variable: None, write_kind: "other", names_file: false });
}

#[test]
fn opencode_says_and_writes() {
    says_and_writes(
        Agent::Opencode,
        &Expected {
            setting: None,
            variable: Some(("OPENCODE_CONFIG_CONTENT", r#"{"permission": {"edit": "ask"}}"#)),
            write_kind: "edit",
            names_file: false,
        },
    );
}
