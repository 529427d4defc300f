//! The document digest: what goes round.

use serde_json::{Value, json};

use super::{json as run, newest, node, payloads, save, world};

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
