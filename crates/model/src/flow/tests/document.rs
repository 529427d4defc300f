//! Contract §3, §4: what saving and reading a document does to it.

use super::*;

#[test]
fn unknown_fields_come_back_as_they_were() {
    let text = r#"{"z":1.0,"a":123456789012345678901234567890,"steps":[{"ui":{"position":{"x":-0.0}}}]}"#;
    let read = document(text);
    assert_eq!(canonical::canonical(&Json::from(read.clone())), canonical::canonical(&json(text)));
    let stored = serde_json::to_string(&read).expect("serialisable");
    assert_eq!(serde_json::from_str::<Document>(&stored).expect("valid"), read);
    assert!(Document::read(json("[]")).is_err());
}

/// Contract §4: saving pins, whatever pin there was, and does not ask whether the rest is sound.
#[test]
fn saving_pins_every_bound_step() {
    let mut shelf = shelf();
    let mut saved = document(
        r#"{"steps":[{"params":{"capability_id":"cli.write","capability_fingerprint":"old"}},7,{"params":7},
            {"params":{"capability_id":"agent.session-fixture"}},{"params":{"flow_id":"nobody"}}]}"#,
    );
    assert_eq!(saved.capability_ids(), ["cli.write", "agent.session-fixture"]);
    saved.pin(&shelf).expect("all known");
    let pins = |document: &Document| -> Vec<Option<String>> {
        let steps = document.members().get("steps").and_then(Json::as_array).expect("steps");
        let pin = |step: &Json| step.get("params")?.get("capability_fingerprint")?.as_str().map(str::to_owned);
        [0, 3].map(|index| pin(&steps[index])).to_vec()
    };
    let current = |shelf: &Shelf, id: &str| Some(shelf.capabilities[id].fingerprint().to_string());
    let before = pins(&saved);
    assert_eq!(before, [current(&shelf, "cli.write"), current(&shelf, "agent.session-fixture")]);

    // The fingerprint of a sample follows the port; only its pins follow on reading.
    for id in ["cli.write", "agent.session-fixture"] {
        shelf.capabilities.get_mut(id).expect("known").timeout_seconds += 1;
    }
    saved.pin_samples(&shelf);
    assert_eq!(pins(&saved), [before[0].clone(), current(&shelf, "agent.session-fixture")]);

    let mut unknown = document(r#"{"steps":[{"params":{"capability_id":"nobody"}}]}"#);
    assert_eq!(unknown.pin(&shelf), Err(CompileError::UnknownCapability("nobody".into())));
    unknown.pin_samples(&shelf);
}

#[test]
fn saving_a_graph_pins_its_subflows_too() {
    let shelf = shelf();
    let mut saved = document(RELEASE_CHECK);
    saved.pin(&shelf).expect("all known");
    let compiled = compile(&saved, shelf.context()).expect("compiles");
    assert_eq!(compiled.flow, shelf.flow(RELEASE_CHECK));
    let callee = shelf.flows["note-digest"].flow.hash().as_str();
    assert!(canonical::canonical(&saved.into()).contains(&format!(r#""flow_hash":"{callee}""#)));
    let mut unknown = document(r#"{"schema_version":2,"steps":[{"params":{"flow_id":"nobody"}}]}"#);
    assert_eq!(unknown.pin(&shelf), Err(CompileError::UnknownFlow("nobody".into())));
}

/// Contract §3, §4: title, goal, topic and granularity of the local task.
#[test]
fn the_local_task_shows_the_document() {
    let fields = |text: &str, template| document(text).task_fields(template);
    let task = fields(
        r#"{"name":" N ","description":" D ","inputs":{"report_focus":{"default":" F "}},"x_symphlo":{"granularity":"fine"}}"#,
        None,
    )
    .expect("valid");
    let shown = (task.title.as_str(), task.goal.as_str(), task.topic.as_str(), task.granularity);
    assert_eq!(shown, ("N", "D", "F", Granularity::Fine));
    let topic = |text: &str| fields(text, None).map(|task| task.topic);
    assert_eq!(topic(r#"{"description":"D","inputs":{"report_focus":{"default":" "}}}"#).as_deref(), Ok("D"));
    assert_eq!(topic(r#"{"description":"D","inputs":{"report_focus":{"default":7}}}"#).as_deref(), Ok("D"));
    let empty = fields(r#"{"name":"","description":" "}"#, Some(Granularity::Compact)).expect("valid");
    assert!(!empty.title.is_empty() && !empty.goal.is_empty() && !empty.topic.is_empty());
    assert_eq!(empty.granularity, Granularity::Compact);
    let both = fields(r#"{"x_symphlo":{"granularity":"fine"}}"#, Some(Granularity::Compact)).expect("valid");
    assert_eq!(both.granularity, Granularity::Compact, "a template that is named comes first");
    assert_eq!(
        fields(r#"{"x_symphlo":{"granularity":"huge"}}"#, None).map(|t| t.granularity),
        Ok(Granularity::Balanced)
    );

    let long = fields(&format!(r#"{{"name":"{}","description":"{}"}}"#, "n".repeat(120), "é".repeat(500)), None)
        .expect("valid");
    let lengths = [&long.title, &long.goal, &long.topic].map(|text| text.chars().count());
    assert_eq!(lengths, [120, 500, 280]);
    for (text, path) in [
        (format!(r#"{{"name":"{}"}}"#, "n".repeat(121)), "/name"),
        (r#"{"name":7}"#.to_owned(), "/name"),
        (format!(r#"{{"description":"{}"}}"#, "d".repeat(501)), "/description"),
        (
            format!(r#"{{"inputs":{{"report_focus":{{"default":"{}"}}}}}}"#, "f".repeat(281)),
            "/inputs/report_focus/default",
        ),
    ] {
        assert_eq!(fields(&text, None).expect_err(&text).path, path);
    }
}

#[test]
fn a_portable_id_is_one_that_can_be_used_elsewhere() {
    let id = |text: &str| document(text).portable_id().map(|id| id.to_string());
    assert_eq!(id(r#"{"id":" note-digest "}"#).as_deref(), Some("note-digest"));
    for none in ["{}", r#"{"id":7}"#, r#"{"id":"ab"}"#, r#"{"id":"a b c"}"#] {
        assert_eq!(id(none), None, "{none}");
    }
}
