//! What is a function of its arguments: requests, results and their exact forms, publications, roles.

use segue_flow::executors::{
    agent_session, agent_text, cli, codex, evaluator_cli, executor_for, http, mcp_stdio, model_cli, opencode_server,
    presets,
    process::Finished,
    publisher,
    request::{self, Request},
    roles, subflow,
};
use segue_host::Exit;
use segue_model::{
    flow::{
        Granularity, Hash, Json, Node, NodeId, NodeKind, Object, Profile, Upstream,
        capability::{Capability, Kind, config::protocol},
        executor,
        json::object,
        rules::{Expression, Subflow},
    },
    run::{Outcome, attempt::Session},
};

use super::harness::{capability, failed, json, output, program, shell};

fn said(stdout: &str) -> Finished {
    Finished { name: "tool".into(), exit: Exit::Code(0), stdout: stdout.as_bytes().to_vec(), stderr_bytes: 0 }
}

fn request<'a>(input: &'a Object, flow_input: &'a Object, instruction: Option<&'a str>) -> Request<'a> {
    Request { run_id: "r", node_id: "n", instruction, input, flow_input }
}

fn evaluator() -> Capability {
    program(Kind::EvaluatorCli, "/e", &[], [("protocol", protocol::EVALUATION.into())])
}

fn model() -> Capability {
    program(Kind::ModelCli, "/m", &[], [("protocol", protocol::MODEL.into())])
}

#[test]
fn requests_are_canonical_and_exact() {
    let (input, flow_input) = (json(r#"{"b":1.0,"a":123456789012345678901234567890}"#), json(r#"{"é":null}"#));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let asked = request(&input, &flow_input, None);
    let context = r#"{"a":123456789012345678901234567890,"b":1.0}"#;
    assert_eq!(
        text(cli::request_of(asked)),
        format!(r#"{{"context":{context},"instruction":null,"node_id":"n","run_id":"r"}}"#)
    );
    assert_eq!(
        text(model_cli::request_of(asked)),
        format!(
            r#"{{"context":{context},"contract_version":"symphlo.model-inference-request.v1","instruction":null,"node_id":"n","run_id":"r"}}"#
        )
    );
    assert_eq!(
        text(evaluator_cli::request_of(request(&input, &flow_input, Some("i")))),
        format!(
            r#"{{"candidate":{context},"contract_version":"symphlo.evaluation-request.v1","flow_input":{{"é":null}},"instruction":"i","node_id":"n","run_id":"r"}}"#
        )
    );
    assert_eq!(
        text(http::request_of(&json(r#"{"x":1,"context":2}"#), Some("context"), &input)),
        format!(r#"{{"context":{context},"x":1}}"#)
    );
    assert_eq!(text(http::request_of(&json(r#"{"x":1}"#), None, &input)), r#"{"x":1}"#);
    let turn = agent_session::Turn { session_group: Some("g"), conversation_ref: None };
    assert_eq!(
        text(agent_session::request_of(asked, turn, std::path::Path::new("/w"), "p")),
        r#"{"conversation_ref":null,"node_id":"n","operation":"invoke","prompt":"p","protocol_version":"1.0","run_id":"r","session_group":"g","workspace":"/w"}"#
    );
}

#[test]
fn what_a_tool_says_becomes_an_object_with_the_evidence_of_the_call() {
    let tool = shell("true");
    let fingerprint: Json = (&tool.fingerprint()).into();
    let evidence = object([
        ("capability_id", "cli-x".into()),
        ("capability_fingerprint", fingerprint.clone()),
        ("contract_version", "symphlo.tool-call-evidence.v1".into()),
        ("transport", "cli".into()),
        ("operation", "cli-x".into()),
    ]);
    for (stdout, own) in [
        (r#" {"a":1,"tool_call":"mine","capability_id":"mine"} "#, json(r#"{"a":1}"#)),
        ("[1,2]", json(r#"{"value":[1,2]}"#)),
        ("null", json(r#"{"value":null}"#)),
        ("1e999", json(r#"{"text":"1e999"}"#)),
        (" plain text \n", json(r#"{"text":"plain text"}"#)),
        (r#"{"a":1,"a":2}"#, json(r#"{"a":2}"#)),
    ] {
        let mut expected = own;
        expected.extend(object([
            ("capability_id", "cli-x".into()),
            ("capability_fingerprint", fingerprint.clone()),
            ("tool_call", evidence.clone().into()),
        ]));
        assert_eq!(output(cli::interpret(&tool, &said(stdout))), expected, "{stdout}");
    }
}

#[test]
fn malformed_results_of_models_are_failures() {
    for (stdout, problem) in [
        ("", "OutputEmpty"),
        ("text", "is not JSON"),
        ("[]", "must be an object"),
        ("{}", "/contract_version: is missing"),
        (r#"{"contract_version":"symphlo.model-inference-result.v1"}"#, "/output: is missing"),
        (r#"{"contract_version":"x","output":"y"}"#, "/contract_version: must be"),
        (r#"{"contract_version":"symphlo.model-inference-result.v1","output":1}"#, "/output: must be text"),
        (r#"{"contract_version":"symphlo.model-inference-result.v1","output":"  "}"#, "/output: must be text"),
        (r#"{"contract_version":"symphlo.model-inference-result.v1","output":"y","z":1}"#, "/z: is not known here"),
    ] {
        let (class, error_type, message) = failed(model_cli::interpret(&model(), &said(stdout)));
        assert_eq!(class, Some("malformed"), "{stdout}");
        assert!(message.contains(problem) || error_type == problem, "{stdout}: {message}");
    }
}

#[test]
fn malformed_results_of_evaluators_are_failures() {
    let result = |rest: &str| format!(r#"{{"contract_version":"symphlo.evaluation-result.v1",{rest}}}"#);
    let finding = |code: &str| format!(r#"{{"code":"{code}","message":"m"}}"#);
    let many = vec![finding("a"); 17].join(",");
    for (stdout, problem) in [
        ("no".to_owned(), "is not JSON"),
        (result(r#""verdict":"pass","summary":"s""#), "/findings: is missing"),
        (result(r#""verdict":"pass","summary":"s","findings":null"#), "/findings: must be an array"),
        (result(r#""verdict":"maybe","summary":"s","findings":[]"#), "/verdict"),
        (result(r#""verdict":"pass","summary":" ","findings":[]"#), "/summary"),
        (result(&format!(r#""verdict":"pass","summary":"{}","findings":[]"#, "s".repeat(501))), "/summary"),
        (result(r#""verdict":"pass","summary":"s","findings":[],"x":1"#), "/x: is not known here"),
        (result(&format!(r#""verdict":"pass","summary":"s","findings":[{}]"#, finding("a"))), "must be empty"),
        (result(r#""verdict":"fail","summary":"s","findings":[]"#), "must hold a finding"),
        (result(&format!(r#""verdict":"fail","summary":"s","findings":[{many}]"#)), "at most 16"),
        (result(&format!(r#""verdict":"fail","summary":"s","findings":[{},{}]"#, finding("a"), finding("a"))), "twice"),
        (result(&format!(r#""verdict":"fail","summary":"s","findings":[{}]"#, finding("A"))), "/findings/0/code"),
        (result(r#""verdict":"fail","summary":"s","findings":[{"code":"a"}]"#), "/findings/0/message: is missing"),
        (result(r#""verdict":"fail","summary":"s","findings":[{"code":"a","message":"m","x":1}]"#), "/findings/0/x"),
        (result(r#""verdict":"fail","summary":"s","findings":[{"code":"a","message":""}]"#), "/findings/0/message"),
        (
            result(&format!(
                r#""verdict":"fail","summary":"s","findings":[{{"code":"a","message":"{}"}}]"#,
                "m".repeat(501)
            )),
            "/findings/0/message",
        ),
        (
            result(&format!(r#""verdict":"fail","summary":"s","findings":[{}]"#, finding(&"c".repeat(65)))),
            "/findings/0/code",
        ),
        (result(&format!(r#""verdict":"fail","summary":"s","findings":[{}]"#, finding(".a"))), "/findings/0/code"),
    ] {
        let (class, _, message) = failed(evaluator_cli::interpret(&evaluator(), &Object::new(), &said(&stdout)));
        assert_eq!(class, Some("malformed"), "{stdout}");
        assert!(message.starts_with("the result of tool: ") && message.contains(problem), "{stdout}: {message}");
    }
}

#[test]
fn malformed_replies_of_agents_with_sessions_are_failures() {
    let agent = program(
        Kind::AgentCli,
        "/a",
        &[],
        [
            ("input_mode", "session_json".into()),
            ("output_format", "session_json".into()),
            ("session_protocol", protocol::AGENT_SESSION.into()),
        ],
    );
    let none = Object::new();
    let turn = agent_session::Turn { session_group: Some("g"), conversation_ref: None };
    let interpret = |stdout: &str| agent_session::interpret(request(&none, &none, None), turn, &agent, &said(stdout));
    let reply = |conversation: &str, turn: &str, text: &str| {
        format!(
            r#"{{"protocol_version":"1.0","conversation_ref":{conversation},"turn_ref":{turn},"output_text":{text}}}"#
        )
    };
    let long = format!("\"{}\"", "c".repeat(501));
    for (stdout, problem) in [
        ("x".to_owned(), "is not JSON"),
        ("{}".to_owned(), "/protocol_version"),
        (reply("\"c\"", "\"t\"", "\"x\"").replace("1.0", "2.0"), "/protocol_version"),
        (reply("\"\"", "\"t\"", "\"x\""), "/conversation_ref"),
        (reply(&long, "\"t\"", "\"x\""), "/conversation_ref"),
        (reply("\"c\"", "7", "\"x\""), "/turn_ref"),
        (reply("\"c\"", "\"t\"", "\" \""), "/output_text"),
        (reply("\"c\"", "\"t\"", "null"), "/output_text"),
    ] {
        let (class, _, message) = failed(interpret(&stdout));
        assert!(class == Some("malformed") && message.contains(problem), "{stdout}: {message}");
    }
    let longest = "c".repeat(500);
    let outcome = interpret(&reply(&format!("\"{longest}\""), "\"t\"", "\"x\""));
    let Outcome::Returned { session, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(session, Some(Session { conversation_ref: longest, turn_ref: "t".into() }));
}

#[test]
fn a_tools_result_becomes_the_output() {
    let tool = program(Kind::McpStdio, "/s", &[], [("tool", "add".into())]);
    let result = json(
        r#"{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}],"structuredContent":{"sum":3,"capability_id":"mine"}}"#,
    );
    let mut expected = object([("mcp_result", result.clone().into()), ("sum", 3_i64.into()), ("text", "a\nb".into())]);
    expected.extend(request::called(&tool));
    assert_eq!(output(mcp_stdio::interpret(&tool, result)), expected);
    let bare = json(r#"{"content":[],"structuredContent":[1]}"#);
    let mut expected = object([("mcp_result", bare.clone().into())]);
    expected.extend(request::called(&tool));
    assert_eq!(output(mcp_stdio::interpret(&tool, bare)), expected);
}

#[test]
fn answers_over_http() {
    let tool = capability(Kind::Http, object([("url", "http://127.0.0.1:1/x".into())]));
    for (body, own) in [
        (r#"{"a":1}"#, json(r#"{"http_status":200,"a":1}"#)),
        (r#"{"http_status":7}"#, json(r#"{"http_status":7}"#)),
        ("[]", json(r#"{"http_status":200,"value":[]}"#)),
        ("text", json(r#"{"http_status":200,"text":"text"}"#)),
        ("", json(r#"{"http_status":200,"text":""}"#)),
    ] {
        let mut expected = own;
        expected.extend(request::called(&tool));
        assert_eq!(output(http::interpret(&tool, 200, body.as_bytes())), expected, "{body}");
    }
    let message = "the server answered with status 302".to_owned();
    assert_eq!(failed(http::interpret(&tool, 302, b"{}")), (None, "HttpStatus".to_owned(), message));
}

#[test]
fn prompts_of_known_nodes_need_no_instruction_and_others_do() {
    let none = Object::new();
    for id in Granularity::ALL.iter().flat_map(|granularity| granularity.agents()).map(|(id, _)| id) {
        let prompt = agent_text::prompt(Request { node_id: id, ..request(&none, &none, Some("  ")) }).unwrap();
        assert!(prompt.contains(&format!("\nNode: {id}\nTask: ")) && prompt.ends_with("Accepted context JSON:\n{}\n"));
        assert!(!prompt.contains("required_principles"));
    }
    assert_eq!(failed(agent_text::prompt(request(&none, &none, None)).unwrap_err()).1, "NoInstruction");
}

#[test]
fn a_reviewers_output_passes_the_article_on() {
    let input = json(r#"{"article_markdown":"A","granularity":"fine"}"#);
    let identity = agent_text::Identity::of_program("l", "/bin/a", &["-x".to_owned()], None);
    let asked = Request { node_id: "review-draft", ..request(&input, &input, None) };
    let output = agent_text::output(asked, &identity, "R", Object::new());
    assert_eq!((output["role"].as_str(), output["article_markdown"].as_str()), (Some("reviewer"), Some("A")));
    let vector =
        Json::parse(r#"{"arguments":["/bin/a","-x"],"executable_version":null,"identity_label":"l"}"#).unwrap();
    assert_eq!(output["command_fingerprint"], (&Hash::of(&vector)).into());
}

#[test]
fn what_is_published() {
    let publish = |text: &str| publisher::publication(&json(text)).map(|found| (found.name, found.content));
    let gate = |version: &str, verdict: &str| {
        format!(
            r#"{{"candidate":{{"model_output":"inner"}},"evaluation":{{"contract_version":"{version}","verdict":"{verdict}"}},"agent_output":"outer"}}"#
        )
    };
    for (input, expected) in [
        (r#"{"article_markdown":" a ","agent_output":"b"}"#.to_owned(), Some(("article.md", " a "))),
        (r#"{"article_markdown":" ","agent_output":"b","model_output":"c"}"#.to_owned(), Some(("result.md", "b"))),
        (r#"{"model_output":"c"}"#.to_owned(), Some(("result.md", "c"))),
        (r#"{"model_output":7}"#.to_owned(), None),
        ("{}".to_owned(), None),
        (gate("symphlo.evaluation-result.v1", "pass"), Some(("result.md", "inner"))),
        (gate("symphlo.evaluation-result.v1", "fail"), Some(("result.md", "outer"))),
        (gate("other", "pass"), Some(("result.md", "outer"))),
        // A gate behind a gate: one level only.
        (
            format!(
                r#"{{"candidate":{},"evaluation":{{"contract_version":"symphlo.evaluation-result.v1","verdict":"pass"}}}}"#,
                gate("symphlo.evaluation-result.v1", "pass")
            ),
            Some(("result.md", "outer")),
        ),
    ] {
        assert_eq!(publish(&input), expected.map(|(name, text)| (name, text.to_owned())), "{input}");
    }
    let found =
        publisher::publication(&json(r#"{"article_markdown":"é","topic":"T","granularity":"fine","stage_hash":"h"}"#));
    let hash = Hash::of_bytes("é".as_bytes());
    let expected = object([
        ("role", "publisher".into()),
        ("topic", "T".into()),
        ("granularity", "fine".into()),
        ("accepted_source_hash", "h".into()),
        ("artifact_name", "article.md".into()),
        ("content_sha256", (&hash).into()),
    ]);
    assert_eq!(found.unwrap().output, expected);
}

#[test]
fn the_built_in_roles_carry_an_article_to_its_end() {
    for granularity in Granularity::ALL {
        let mut input = json(r#"{"topic":"Rust","audience":"All","granularity":"x","required_principles":["P1"]}"#);
        for (id, _) in granularity.agents() {
            let role = executor::deterministic_role(id).unwrap();
            let output = roles::output(&role.executor.executor_id, &input).unwrap();
            assert_eq!(Some(&output), roles::output(&role.executor.executor_id, &input).as_ref(), "{id}");
            for (key, value) in [("topic", "Rust"), ("audience", "All"), ("granularity", "x")] {
                assert_eq!(output[key].as_str(), Some(value), "{id}");
            }
            let mut before = output.clone();
            assert_eq!(before.shift_remove("stage_hash"), Some((&Hash::of(&Json::Object(before.clone()))).into()));
            input = output;
        }
        let article = publisher::publication(&input).unwrap();
        assert!(article.content.starts_with("# Rust\n") && article.content.contains("deterministic code"));
    }
    assert_eq!(roles::output("builtin.deterministic-poet", &Object::new()), None);
}

/// The keys of each role (contract §14.9).
#[test]
fn the_built_in_roles_have_these_keys() {
    let keys = |role: &str| {
        let output = roles::output(&format!("builtin.deterministic-{role}"), &Object::new()).unwrap();
        output.keys().skip(4).cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys("researcher"), "research_notes source_input_hash stage_hash");
    assert_eq!(keys("planner"), "thesis sections stage_hash");
    assert_eq!([keys("solo-writer"), keys("writer")], ["article_markdown stage_hash"; 2]);
    assert_eq!(keys("reviewer"), "article_markdown verdict feedback stage_hash");
    assert_eq!([keys("editor"), keys("reviser")], ["article_markdown verdict stage_hash"; 2]);
}

#[test]
fn the_inputs_of_another_flow() {
    let rule = Subflow {
        flow_id: "other".into(),
        hash: Hash::of(&Json::Null),
        inputs: vec![
            ("a".into(), Expression::parse("input.n + 1").unwrap()),
            ("b".into(), Expression::parse("nodes.x.y").unwrap()),
            ("c".into(), Expression::parse("flow_input.goal").unwrap()),
        ],
    };
    let (input, flow_input, nodes) = (json(r#"{"n":1}"#), json(r#"{"goal":"g"}"#), json(r#"{"x":{"y":[1]}}"#));
    assert_eq!(subflow::inputs(&rule, &input, &flow_input, &nodes), Ok(json(r#"{"a":2,"b":[1],"c":"g"}"#)));
    let (class, error_type, message) = failed(subflow::inputs(&rule, &input, &flow_input, &Object::new()).unwrap_err());
    assert_eq!((class, error_type.as_str()), (None, "Inputs"));
    assert!(message.starts_with("input \"b\": "), "{message}");
}

#[test]
fn presets_are_named_by_what_they_do() {
    let codex = codex::capability("/usr/bin/codex", codex::MODEL, "codex 1").unwrap();
    let binding = presets::of_profile(Profile::Codex, &codex).unwrap();
    let mut arguments = vec![Json::from("/usr/bin/codex")];
    arguments.extend(codex::arguments("gpt-5.4").into_iter().map(Json::from));
    let identity = object([
        ("arguments", arguments.into()),
        ("executable_version", "codex 1".into()),
        ("identity_label", "codex".into()),
    ]);
    let digits = Hash::of(&Json::Object(identity)).prefix(16).to_owned();
    assert_eq!(binding.executor.executor_id, format!("command.stdio-agent.{digits}"));
    assert_eq!((binding.executor.version.as_str(), binding.effects.len()), ("0.1.0", 5));
    assert_eq!(presets::label(&binding.executor, &codex), "codex");
    assert_eq!(presets::label(&codex.executor(), &codex), "agent.codex");
    assert_eq!(presets::of_profile(Profile::Deterministic, &codex), None);

    let opencode = opencode_server::capability("/usr/bin/opencode", "1.18.33").unwrap();
    let binding = presets::of_profile(Profile::Opencode, &opencode).unwrap();
    assert!(binding.executor.executor_id.starts_with("opencode.server-agent."));
    assert_eq!(binding.executor.version, "1.0.0");
    assert!(presets::is_of(&binding.executor, &opencode) && !presets::is_of(&binding.executor, &codex));

    let command = program(Kind::AgentCli, "/bin/cat", &[], []);
    let binding = presets::of_command(&command);
    assert!(binding.executor.executor_id.starts_with("command.stdio-agent."));
    assert_eq!(presets::label(&binding.executor, &command), "command");
}

#[test]
fn every_node_has_its_executor() {
    let node = |kind, binding| Node::plain(NodeId::parse("n").unwrap(), "t".into(), kind, binding, Upstream::FlowInput);
    let name = |node: &Node, capability: Option<&Capability>| format!("{:?}", executor_for(node, capability));
    let session = program(
        Kind::AgentCli,
        "/a",
        &[],
        [
            ("input_mode", "session_json".into()),
            ("output_format", "session_json".into()),
            ("session_protocol", protocol::AGENT_SESSION.into()),
        ],
    );
    let url = || object([("url", "http://h/".into()), ("tool", "t".into())]);
    for (capability, executor, needs_host) in [
        (program(Kind::AgentCli, "/a", &[], []), "AgentCli", true),
        (session, "AgentSession", true),
        (opencode_server::capability("/o", "1").unwrap(), "OpencodeServer", true),
        (model(), "ModelCli", true),
        (evaluator(), "EvaluatorCli", true),
        (shell("true"), "Cli", true),
        (program(Kind::McpStdio, "/s", &[], [("tool", "t".into())]), "McpStdio", true),
        (capability(Kind::Http, url()), "Http", false),
        (capability(Kind::McpHttp, url()), "McpHttp", false),
        (capability(Kind::AcpAgent, object([("agent", "codex".into())])), "AcpAgent", false),
    ] {
        let node = node(NodeKind::Tool, executor::person());
        assert_eq!(name(&node, Some(&capability)), executor);
        assert_eq!(executor_for(&node, Some(&capability)).needs_host(), needs_host, "{executor}");
    }
    for (kind, binding, executor) in [
        (NodeKind::Artifact, executor::publisher(), "Publisher"),
        (NodeKind::Agent, executor::deterministic_role("plan-article").unwrap(), "Roles"),
        (NodeKind::Flow, executor::person(), "Subflow"),
        (NodeKind::Human, executor::person(), "Unbound"),
        (NodeKind::Agent, executor::person(), "Unbound"),
    ] {
        assert_eq!(name(&node(kind, binding), None), executor);
    }
}
