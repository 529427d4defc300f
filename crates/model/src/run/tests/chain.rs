//! Chains: the order of events is the contract's (§7.2, §7.4).

use super::*;
use crate::flow::ArtifactId;
use crate::run::{
    answer::cancel,
    attempt::{Artifact, Loss, Session, UNCONFIRMED_END},
    event::Asked,
    next::USER_REQUESTED,
    settle::interrupted,
};

#[test]
fn a_chain_that_succeeds_has_the_published_events() {
    let mut agent = node("draft", NodeKind::Agent, &[Effect::ExecuteProcess], &["plan"]);
    agent.session_group = Some("loop".into());
    let mut again = node("revise", NodeKind::Agent, &[Effect::ExecuteProcess], &["draft"]);
    again.session_group = Some("loop".into());
    let nodes = vec![tool("plan", &[]), agent, again, node("publish", NodeKind::Artifact, &[], &["revise"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("plan", word("plan"));
    for (name, turn) in [("draft", "t1"), ("revise", "t2")] {
        let session = Some(Session { conversation_ref: "c".into(), turn_ref: turn.into() });
        let output = Json::Object(word(name));
        driver.settle(name, Outcome::Returned { output, level: EvidenceLevel::RealExecutor, session, artifact: None });
    }
    let artifact = Some(Artifact {
        artifact_id: ArtifactId::from_bytes([1; 16]),
        name: "article.md".into(),
        media_type: "text/markdown".into(),
        sha256: Hash::of(&Json::Null),
        bytes: 4,
    });
    let output = Json::Object(word("publish"));
    driver
        .settle("publish", Outcome::Returned { output, level: EvidenceLevel::Deterministic, session: None, artifact });
    assert_eq!(
        driver.kinds(),
        [
            "run.created",
            "run.effects_evaluated",
            "node.ready",
            "executor.started",
            "result.accepted",
            "node.succeeded",
            "node.ready",
            "executor.started",
            "executor.session.bound",
            "result.accepted",
            "node.succeeded",
            "node.ready",
            "executor.started",
            "executor.session.reused",
            "result.accepted",
            "node.succeeded",
            "node.ready",
            "executor.started",
            "result.accepted",
            "artifact.created",
            "node.succeeded",
            "run.succeeded",
        ]
    );
    assert_eq!(driver.input("draft"), word("plan"));
    let turns = driver.events.iter().filter(|(event, _)| event.kind().starts_with("executor.session."));
    let turns: Vec<Json> = turns.map(|(event, _)| Json::Object(event.published())).collect();
    let turn = |turn: &str, reused: bool| {
        Json::Object(object([
            ("session_group", "loop".into()),
            ("conversation_ref", "c".into()),
            ("turn_ref", turn.into()),
            ("reused", reused.into()),
        ]))
    };
    assert_eq!(turns, [turn("t1", false), turn("t2", true)]);
    is(&driver, Status::Succeeded);
    assert!(next(&driver.flow, &driver.state, driver.now).is_empty(), "a terminal Run never changes");
}

#[test]
fn a_session_that_changes_its_conversation_fails_the_node() {
    let grouped = |name: &str, from: &[&str]| {
        let mut node = node(name, NodeKind::Agent, &[Effect::ExecuteProcess], from);
        node.session_group = Some("loop".into());
        node
    };
    let mut driver = Driver::new(vec![grouped("a", &[]), grouped("b", &["a"])]);
    driver.step();
    for (name, conversation) in [("a", "one"), ("b", "two")] {
        let session = Some(Session { conversation_ref: conversation.into(), turn_ref: "t".into() });
        let output = Json::Object(word(name));
        driver.settle(name, Outcome::Returned { output, level: EvidenceLevel::RealExecutor, session, artifact: None });
    }
    assert_eq!((driver.phase("a"), driver.phase("b")), ("succeeded", "failed"));
    is(&driver, Status::Failed);
}

#[test]
fn a_rejected_evaluation_keeps_the_candidate_from_going_on() {
    let gate = node("gate", NodeKind::Evaluation, &[Effect::ExecuteProcess], &["draft"]);
    let nodes = vec![tool("draft", &[]), gate, node("publish", NodeKind::Artifact, &[], &["gate"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("draft", word("draft")).returns("gate", verdict(false));
    assert_eq!(
        driver.kinds()[6..],
        ["node.ready", "executor.started", "result.accepted", "evaluation.rejected", "node.failed", "run.failed"]
    );
    assert_eq!(driver.phase("publish"), "pending");
    assert_eq!(driver.state.context.len(), 1);
    is(&driver, Status::Failed);

    let mut driver = Driver::new(driver.flow.nodes().to_vec());
    driver.step().returns("draft", word("draft")).returns("gate", verdict(true));
    assert_eq!(
        driver.kinds()[6..11],
        ["node.ready", "executor.started", "evaluation.passed", "result.accepted", "node.succeeded"]
    );
}

#[test]
fn an_ordinary_failure_names_its_node() {
    let mut driver = Driver::new(vec![tool("a", &[]), tool("b", &["a"])]);
    driver.step().settle("a", failure());
    assert_eq!(driver.kinds()[4..], ["attempt.failed", "node.failed", "run.failed"]);
    assert_eq!(driver.state.failure, Some(("Exit".into(), "exit 1".into())));
    let failed = driver.events.last().map(|(event, _)| Json::Object(event.published()));
    let expected = object([("error_type", "Exit".into()), ("message", "exit 1".into())]);
    assert_eq!(failed, Some(Json::Object(expected)));
    is(&driver, Status::Failed);
}

#[test]
fn a_cancelled_run_drops_what_comes_late() {
    let mut driver = Driver::new(vec![tool("a", &[]), tool("b", &["a"])]);
    driver.step();
    let request = cancel(&driver.state, USER_REQUESTED, Asked::default()).expect("a running Run can be cancelled");
    driver.record(vec![request]);
    driver.step();
    assert_eq!(cancel(&driver.state, USER_REQUESTED, Asked::default()), None, "exactly one request is accepted");
    assert_eq!(driver.state.unwanted_attempts(&driver.flow).len(), 1);
    driver.returns("a", word("late"));
    assert_eq!(driver.kinds()[4..], ["run.cancel_requested", "node.cancelled", "run.cancelled"]);
    assert_eq!(driver.state.context, Vec::<usize>::new());
    assert_eq!(driver.state.unconfirmed, Vec::new());
    is(&driver, Status::Cancelled);
}

/// What may still run is a fact of the Run, however it ends.
#[test]
fn an_end_that_was_not_seen_is_recorded() {
    let unseen = || Outcome::Failed {
        class: None,
        error_type: UNCONFIRMED_END.into(),
        message: "the end of x is not confirmed".into(),
    };
    let expected = vec![(id("a"), "the end of x is not confirmed".to_owned())];
    let mut driver = Driver::new(vec![tool("a", &[]), tool("b", &["a"])]);
    driver.step();
    let request = cancel(&driver.state, USER_REQUESTED, Asked::default()).expect("a running Run can be cancelled");
    driver.record(vec![request]);
    driver.settle("a", unseen());
    assert_eq!(driver.kinds()[4..], ["run.cancel_requested", "node.cancelled", "run.cancelled"]);
    assert_eq!(driver.state.unconfirmed, expected);
    let cancelled = &driver.events[5].0;
    let payload = Json::Object(cancelled.published());
    let published = r#"{"reason":"run_cancelled","unconfirmed":"the end of x is not confirmed"}"#;
    assert_eq!(payload, Json::parse(published).expect("JSON"));

    let mut failed = Driver::new(vec![tool("a", &[])]);
    failed.step().settle("a", unseen());
    assert_eq!(failed.state.unconfirmed, expected);
    is(&failed, Status::Failed);
}

#[test]
fn what_may_have_written_is_not_repeated_and_the_rest_is() {
    let mut driver = Driver::new(vec![tool("a", &[]), writer("b", &["a"])]);
    driver.step().settle("a", Outcome::Lost(Loss::Crash));
    assert_eq!(driver.kinds()[4..], ["attempt.lost", "executor.started"]);
    driver.returns("a", word("a")).settle("b", Outcome::Lost(Loss::Crash));
    assert_eq!(driver.kinds()[10..], ["node.uncertain", "node.failed", "run.interrupted", "run.failed"]);
    assert_eq!(driver.state.failure, Some(("RuntimeInterrupted".into(), "runtime_interrupted".into())));
    is(&driver, Status::Failed);
}

#[test]
fn a_run_that_cannot_be_driven_is_interrupted() {
    let mut driver = Driver::new(vec![tool("a", &[])]);
    driver.step();
    let events = interrupted(&driver.state, &[id("a")]);
    driver.record(events);
    let told = driver.events[4..].iter().map(|(event, _)| (event.kind(), Json::Object(event.published())));
    let reason = || object([("reason", "runtime_interrupted".into())]);
    let failed = object([("error_type", "RuntimeInterrupted".into()), ("message", "runtime_interrupted".into())]);
    let expected = [("node.failed", reason()), ("run.interrupted", reason()), ("run.failed", failed)];
    assert_eq!(told.collect::<Vec<_>>(), expected.map(|(kind, payload)| (kind, Json::Object(payload))));
    is(&driver, Status::Failed);
}

/// Contract §7.2: a decision is an evaluation's; what another node returns is what it returns.
#[test]
fn only_an_evaluation_decides_and_it_always_does() {
    let mut tool = Driver::new(vec![tool("a", &[])]);
    tool.step().returns("a", verdict(false));
    assert_eq!(tool.kinds()[4..], ["result.accepted", "node.succeeded", "run.succeeded"]);
    is(&tool, Status::Succeeded);

    let mut gate = Driver::new(vec![node("a", NodeKind::Evaluation, &[Effect::ExecuteProcess], &[])]);
    gate.step().returns("a", word("no verdict"));
    assert_eq!(gate.kinds()[4..], ["attempt.failed", "node.failed", "run.failed"]);
    assert_eq!(gate.state.context, Vec::<usize>::new());
    is(&gate, Status::Failed);
}

/// Contract §7.2: which status of a Run follows which, and that nothing follows the last one.
#[test]
fn a_run_changes_only_along_the_published_transitions() {
    let step = |kind: &str, payload: &str| Event::parse(kind, payload).expect("an event");
    let reason = r#"{"reason":"r"}"#;
    let moves = [
        step("run.cancel_requested", reason),
        step("run.cancelled", reason),
        step("run.succeeded", "{}"),
        step("run.failed", r#"{"error_type":"e","message":"m"}"#),
    ];
    let ready = next(
        &Flow::of_nodes("test-flow", vec![tool("a", &[])]),
        &Driver::new(vec![tool("a", &[])]).state,
        Timestamp(0),
    );
    let ready = ready.into_iter().next().expect("its first node is ready");
    // From each status: what each of the moves leads to.
    let requested = [moves[0].clone()];
    for (path, allowed) in [
        (&[][..], [Some(Status::CancelRequested), None, Some(Status::Succeeded), Some(Status::Failed)]),
        (&requested, [None, Some(Status::Cancelled), None, Some(Status::Failed)]),
        (&moves[..2], [None; 4]),
        (&moves[2..3], [None; 4]),
        (&moves[3..], [None; 4]),
    ] {
        let mut driver = Driver::new(vec![tool("a", &[])]);
        driver.record(path.to_vec());
        for (step, expected) in moves.iter().zip(allowed) {
            let mut after = driver.state.clone();
            let became = after.apply(&driver.flow, step, driver.now).ok().map(|()| after.status);
            assert_eq!(became, expected, "{} after {path:?}", step.kind());
            assert!(expected.is_some() || after == driver.state, "what is refused changes nothing");
        }
        let mut after = driver.state.clone();
        let goes_on = after.apply(&driver.flow, &ready, driver.now).is_ok();
        assert_eq!(goes_on, !driver.state.status.is_terminal(), "{path:?}");
    }
}
