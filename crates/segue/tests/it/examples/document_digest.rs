//! The document digest: what goes round.

use serde_json::{Value, json};

use segue_testkit::model_server::ModelServer;

use super::{file, json as run, newest, node, payloads, save, shell, text, world};

/// The findings are what the second round is given, and the second digest is the one that is judged and published.
#[test]
fn a_rejected_digest_goes_back_with_its_findings_and_is_mended() {
    let world = world();
    save(&world, "document-digest", &["capabilities"]);
    let outcome = run(
        &world,
        "segue run document-digest --input document=examples/document-digest/documents/memo.md --json",
        "exit 0",
    );
    assert_eq!((&outcome["status"], &outcome["failure"]), (&json!("succeeded"), &Value::Null));
    let evidence = newest(&world);
    let codes = json!(["missing.1", "missing.2", "missing.3", "missing.4", "missing.5", "missing.6"]);
    let rejected = payloads(&evidence, "evaluation.rejected");
    let seen: Vec<_> = rejected.iter().map(|one| [&one["finding_codes"], &one["repair_from_node_id"]]).collect();
    assert_eq!(seen, [[&codes, &json!("digest")]]);
    let digest = node(&evidence, "digest");
    let repair = &digest["input"]["repair"];
    let findings: Vec<&str> = repair["evaluation"]["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["message"].as_str())
        .collect();
    let figures = ["2026-12-15", "412", "18,400", "9,250", "11,000", "2026-12-08"];
    assert_eq!(findings, figures.map(|figure| format!("The digest leaves out \"{figure}\".")));
    let output = |value: &Value| value["model_output"].as_str().expect("a digest").to_owned();
    let (first, second) = (output(&repair["candidate"]), output(&digest["output"]));
    let holds = |digest: &str| figures.map(|figure| digest.contains(figure));
    assert_eq!((holds(&first), holds(&second)), ([false; 6], [true; 6]));
    assert_eq!(node(&evidence, "gate")["input"]["model_output"], json!(second));
    world.assert_nothing_left();
}

/// The gate does not believe the digest: it reads the document that the flow was started with.
#[test]
fn what_the_document_does_not_say_is_rejected() {
    let world = world();
    let request = json!({
        "contract_version": "symphlo.evaluation-request.v1", "run_id": "r", "node_id": "gate", "instruction": null,
        "flow_input": {"document": "examples/document-digest/documents/memo.md"},
        "candidate": {"model_output": "412 2026-12-15 18,400 9,250 11,000 2026-12-08 and 77 besides"},
    });
    std::fs::write(world.workspace().join("request.json"), request.to_string()).expect("a file");
    let program = "awk -f examples/lib/json.awk -f examples/lib/files.awk -f examples/document-digest/gate.awk";
    let verdict = run(&world, &format!("{program} < request.json"), "exit 0");
    assert_eq!(
        verdict,
        json!({
            "contract_version": "symphlo.evaluation-result.v1", "verdict": "fail",
            "summary": "one thing is wrong with the digest",
            "findings": [{"code": "invented.1", "message": "The document does not say \"77\"."}],
        })
    );
}

/// The step bound to a model behind the chat completions protocol. Its second answer is the one that the gate lets
/// through: the findings that it is given hold the figures, and the model says what stands in the prompt.
#[test]
fn a_chat_model_takes_the_place_of_the_stand_in() {
    let model = ModelServer::start().expect("a model server");
    let mut world = world();
    world.env("CHAT_URL", &format!("{}/v1", model.url())).env("CHAT_MODEL", "scripted").env("CHAT_KEY", "secret-key");
    save(&world, "document-digest", &["capabilities"]);
    text(&world, "segue capability add examples/kinds/capabilities/model_cli-chat.yaml");
    let change = "sed 's/digest.model/model.chat/' examples/document-digest/flow.yaml > my-digest.yaml";
    text(&world, &format!("{change} && segue flow save my-digest.yaml --replace document-digest"));
    let said = "# Rooms\n\n* **Now.** The lease ends on 2026-12-31.";
    let filler = "Nobody knows yet who will move in, and it does not matter to us. ".repeat(4);
    let document = format!("# Rooms\n\n## Now\n\nThe lease ends on 2026-12-31. {filler}[[say:{said}]]\n");
    std::fs::write(world.workspace().join("rooms.md"), document).expect("a document");
    run(&world, "segue run document-digest --input document=rooms.md --json", "exit 0");
    let evidence = newest(&world);
    let digest = &node(&evidence, "digest")["output"];
    assert_eq!([&digest["capability_id"], &digest["model_output"]], [&json!("model.chat"), &json!(said)]);
    let asked = model.requests();
    assert_eq!(asked.len(), 1, "{asked:?}");
    // The key went to the service and nowhere else.
    assert!(!evidence.to_string().contains("secret-key"));
    world.assert_nothing_left();
}

/// A model that is not there is asked three times in all, and then the step has failed.
#[test]
fn a_chat_model_that_is_not_there_is_a_failure() {
    let mut world = world();
    world.env("CHAT_MODEL", "scripted");
    save(&world, "document-digest", &["capabilities"]);
    text(&world, "segue capability add examples/kinds/capabilities/model_cli-chat.yaml");
    let change =
        "sed 's/digest.model/model.chat/; s/on: .*exit./backoff_seconds: 0/' examples/document-digest/flow.yaml";
    text(&world, &format!("{change} > my-digest.yaml && segue flow save my-digest.yaml --replace document-digest"));
    assert!(file(&world, "my-digest.yaml").contains("retry: {attempts: 3, backoff_seconds: 0}"));
    let outcome = run(
        &world,
        "segue run document-digest --input document=examples/document-digest/documents/memo.md --json",
        "exit 3",
    );
    assert_eq!(outcome["failure"], json!({"code": "node_failed", "node_id": "digest", "repair_from_node_id": null}));
    assert_eq!(payloads(&newest(&world), "executor.started").len(), 4, "the reading, and three calls");
    let by_hand = shell(&world, "echo '{\"instruction\":\"x\",\"context\":{}}' | python3 examples/lib/chat_model.py");
    assert_eq!((by_hand.ended.as_str(), by_hand.stdout.as_str()), ("exit 1", ""));
    assert!(by_hand.stderr.starts_with("'CHAT_URL' is missing"), "{by_hand:?}");
    world.assert_nothing_left();
}

#[test]
fn a_chat_model_judges() {
    let model = ModelServer::start().expect("a model server");
    let mut world = world();
    world.env("CHAT_URL", &format!("{}/v1", model.url())).env("CHAT_MODEL", "scripted");
    let verdict = |said: &str| {
        let request = json!({
            "contract_version": "symphlo.evaluation-request.v1", "run_id": "r", "node_id": "gate",
            "instruction": "It is short.", "flow_input": {}, "candidate": {"text": format!("[[say:{said}]]")},
        });
        std::fs::write(world.workspace().join("request.json"), request.to_string()).expect("a file");
        run(&world, "python3 examples/lib/chat_model.py evaluator < request.json", "exit 0")
    };
    let expected = |verdict: &str, findings: Value| {
        json!({
            "contract_version": "symphlo.evaluation-result.v1", "verdict": verdict, "summary": "so it is",
            "findings": findings,
        })
    };
    // In the request, quotes and line ends are escaped as JSON has them, and the model takes the escapes away.
    let pass = r#"{"verdict": "pass", "summary": "so it is", "findings": []}"#;
    assert_eq!(verdict(pass), expected("pass", json!([])));
    let finding = r#"{"code": "long", "message": "Cut."}"#;
    let fail = format!("```json\n{{\"verdict\": \"fail\", \"summary\": \"so it is\", \"findings\": [{finding}]}}\n```");
    assert_eq!(verdict(&fail), expected("fail", json!([{"code": "long", "message": "Cut."}])));
}
