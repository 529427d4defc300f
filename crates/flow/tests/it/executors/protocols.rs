//! The published protocols over real programs: what they are told, and what their answers become.

use segue_model::{
    flow::{
        Json, NodeKind, Object,
        capability::{Capability, Kind, config::protocol},
        json::object,
    },
    run::{
        Outcome,
        attempt::{EvidenceLevel, Session},
    },
};

use super::harness::{World, failed, fixture, json, output, program};

fn answers(kind: Kind, answer: &str) -> Capability {
    let words = ["python3", &fixture("model.py"), answer];
    let protocol = match kind {
        Kind::ModelCli => protocol::MODEL,
        _ => protocol::EVALUATION,
    };
    program(kind, "/usr/bin/env", &words, [("protocol", protocol.into())])
}

async fn run(kind: NodeKind, capability: &Capability, input: Object) -> Outcome {
    let world = World::new();
    let call = world.call(kind, "step", capability, input);
    let outcome = world.run(&call).await;
    world.is_clean().await;
    outcome
}

#[tokio::test]
async fn a_model_is_asked_and_answers() {
    let model = answers(Kind::ModelCli, r#"{"contract_version":"symphlo.model-inference-result.v1","output":" @ "}"#);
    let outcome = run(NodeKind::Model, &model, object([("n", 1.5.into_json())])).await;
    let run_id = super::harness::run_id();
    let request = format!(
        r#"{{"context":{{"n":1.5}},"contract_version":"symphlo.model-inference-request.v1","instruction":"Do it","node_id":"step","run_id":"{run_id}"}}"#
    );
    let expected = object([
        ("capability_id", (&model.id).into()),
        ("capability_fingerprint", (&model.fingerprint()).into()),
        ("contract_version", "symphlo.model-inference-result.v1".into()),
        ("model_output", request.into()),
    ]);
    assert_eq!(
        outcome,
        Outcome::Returned {
            output: Json::Object(expected),
            level: EvidenceLevel::RealExecutor,
            session: None,
            artifact: None
        }
    );
}

trait IntoJson {
    fn into_json(self) -> Json;
}

impl IntoJson for f64 {
    fn into_json(self) -> Json {
        Json::parse(&self.to_string()).unwrap()
    }
}

#[tokio::test]
async fn an_evaluator_passes_and_rejects() {
    let pass = r#"{"contract_version":"symphlo.evaluation-result.v1","verdict":"pass","summary":"fine","findings":[]}"#;
    let fail = r#"{"contract_version":"symphlo.evaluation-result.v1","verdict":"fail","summary":"no","findings":[{"code":"a.b","message":"m"}]}"#;
    for verdict in [pass, fail] {
        let evaluator = answers(Kind::EvaluatorCli, verdict);
        let candidate = object([("text", "draft".into())]);
        let output = output(run(NodeKind::Evaluation, &evaluator, candidate.clone()).await);
        let expected = object([
            ("capability_id", (&evaluator.id).into()),
            ("capability_fingerprint", (&evaluator.fingerprint()).into()),
            ("candidate", candidate.into()),
            ("evaluation", json(verdict).into()),
        ]);
        assert_eq!(output, expected);
    }
}

#[tokio::test]
async fn an_agent_gets_its_prompt_by_stdin_or_as_its_last_argument() {
    let world = World::new();
    let input = object([("topic", "T".into()), ("required_principles", vec!["p"].into()), ("stage_hash", "h".into())]);
    for mode in ["stdin", "argument"] {
        let script = if mode == "stdin" { "cat" } else { "printf '%s' \"$1\"; cat" };
        let agent = program(
            Kind::AgentCli,
            "/bin/sh",
            &["-c", script, "sh"],
            [("input_mode", mode.into()), ("version", "sh 1".into())],
        );
        let call = world.call(NodeKind::Agent, "draft-article", &agent, input.clone());
        let output = output(world.run(&call).await);
        let prompt = output["agent_output"].as_str().unwrap().to_owned();
        let lines: Vec<&str> = prompt.lines().collect();
        assert!(lines.contains(&"Node: draft-article") && lines.contains(&"Task: Do it"), "{prompt}");
        assert!(prompt.contains("required_principles` in the context."), "{prompt}");
        assert_eq!(
            lines[lines.len() - 2..],
            ["Accepted context JSON:", r#"{"required_principles":["p"],"stage_hash":"h","topic":"T"}"#]
        );
        let mut before = output.clone();
        let stage_hash = before.shift_remove("stage_hash").unwrap();
        assert_eq!(stage_hash, (&segue_model::flow::Hash::of(&Json::Object(before.clone()))).into());
        before.shift_remove("command_fingerprint").unwrap();
        let expected = object([
            ("role", "writer".into()),
            ("topic", "T".into()),
            ("audience", Json::Null),
            ("granularity", "balanced".into()),
            ("required_principles", vec!["p"].into()),
            ("agent_output", prompt.as_str().into()),
            ("accepted_source_hash", "h".into()),
            ("executor_label", (&agent.id).into()),
            ("executable_name", "sh".into()),
            ("executable_version", "sh 1".into()),
            ("article_markdown", prompt.as_str().into()),
        ]);
        assert_eq!(before, expected);
    }
    world.is_clean().await;
}

/// What must travel as an argument is measured before anything starts.
#[tokio::test]
async fn a_prompt_that_is_too_long_is_refused_by_name() {
    let world = World::new();
    let agent = |mode: &str| {
        program(Kind::AgentCli, "/bin/sh", &["-c", "touch started; cat", "sh"], [("input_mode", mode.into())])
    };
    let input = |size: usize| object([("text", "x".repeat(size).into())]);
    let call = world.call(NodeKind::Agent, "a", &agent("argument"), input(200_000));
    let (class, error_type, message) = failed(world.run(&call).await);
    assert_eq!((class, error_type.as_str()), (None, "ArgumentTooLarge"));
    assert!(message.starts_with("an argument of 200"), "{message}");
    for size in [1_000_000, 20_000_000] {
        let call = world.call(NodeKind::Agent, "a", &agent("stdin"), input(size));
        assert_eq!(failed(world.run(&call).await).1, "PromptTooLarge");
    }
    assert!(!world.workspace().join("started").exists());
    let call = world.call(NodeKind::Agent, "a", &agent("stdin"), input(999_000));
    assert!(output(world.run(&call).await)["agent_output"].as_str().unwrap().len() > 999_000);
    world.is_clean().await;
}

#[tokio::test]
async fn an_agent_of_events_answers_with_their_texts() {
    let events = r#"printf '%s\n' '{"type":"step_start"}' '{"type":"text","part":{"text":"one"}}' '' '{"type":"text","part":{"text":"two"}}'"#;
    let agent = |script: &str| {
        program(Kind::AgentCli, "/bin/sh", &["-c", script], [("output_format", "opencode_jsonl".into())])
    };
    let answered = output(run(NodeKind::Agent, &agent(events), Object::new()).await);
    assert_eq!(answered["agent_output"].as_str(), Some("one\ntwo"));
    for (script, problem) in [
        ("echo '{\"type\":\"step\"}'", "the output of sh: holds no text"),
        ("echo '{}'; echo nonsense", "the output of sh: line 2 is not JSON"),
        ("echo '[]'", "the output of sh: line 1 is not an event"),
    ] {
        let outcome = run(NodeKind::Agent, &agent(script), Object::new()).await;
        assert_eq!(failed(outcome), (Some("malformed"), "MalformedResult".to_owned(), problem.to_owned()));
    }
}

fn session_agent(reply: &str) -> Capability {
    program(
        Kind::AgentCli,
        "/usr/bin/env",
        &["python3", &fixture("model.py"), reply],
        [
            ("input_mode", "session_json".into()),
            ("output_format", "session_json".into()),
            ("session_protocol", protocol::AGENT_SESSION.into()),
        ],
    )
}

#[tokio::test]
async fn an_agent_with_sessions_binds_a_conversation_and_goes_on_with_it() {
    let world = World::new();
    let reply = r#"{"protocol_version":"1.0","conversation_ref":"%","turn_ref":"t","output_text":"@","more":1}"#;
    let agent = session_agent(reply);
    let mut call = world.call(NodeKind::Agent, "draft-article", &agent, Object::new());
    for (group, bound, session) in
        [(None, None, None), (Some("g"), None, Some("conv-1")), (Some("g"), Some("conv-9"), Some("conv-9"))]
    {
        let mut node = (*call.node).clone();
        node.session_group = group.map(str::to_owned);
        call.node = node.into();
        call.conversation_ref = bound.map(str::to_owned);
        call.host = Some(world.draw_host());
        let outcome = world.run(&call).await;
        let Outcome::Returned { session: bound_now, output, .. } = outcome else { panic!("{outcome:?}") };
        let wanted =
            session.map(|conversation| Session { conversation_ref: conversation.to_owned(), turn_ref: "t".to_owned() });
        assert_eq!(bound_now, wanted);
        let mut asked = json(output.get("agent_output").and_then(Json::as_str).unwrap());
        assert!(asked.shift_remove("prompt").unwrap().as_str().unwrap().contains("Node: draft-article"));
        let expected = object([
            ("protocol_version", "1.0".into()),
            ("operation", "invoke".into()),
            ("run_id", call.run_id.as_str().into()),
            ("node_id", "draft-article".into()),
            ("session_group", group.map(Json::from).into()),
            ("conversation_ref", bound.map(Json::from).into()),
            ("workspace", world.workspace().to_str().unwrap().into()),
        ]);
        assert_eq!(asked, expected);
    }
    world.is_clean().await;
}

#[tokio::test]
async fn an_agent_that_answers_with_another_conversation_fails() {
    let world = World::new();
    let agent =
        session_agent(r#"{"protocol_version":"1.0","conversation_ref":"other","turn_ref":"t","output_text":"x"}"#);
    let mut call = world.call(NodeKind::Agent, "a", &agent, Object::new());
    call.conversation_ref = Some("conv-9".into());
    let message = "the reply of env: /conversation_ref: is not that of the conversation that was gone on with";
    assert_eq!(failed(world.run(&call).await), (Some("malformed"), "MalformedResult".to_owned(), message.to_owned()));
}
