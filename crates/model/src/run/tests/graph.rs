//! Graphs: branches, conditions, repetition, people, uncertainty (design §7, §8).

use super::*;
use crate::{
    flow::{
        json::object,
        rules::{Expression, FailureClass, ForEach, OnUncertain, Person, Repair, Retry, person::Choice},
    },
    run::{
        answer::{AnswerError, Decision, answer, decide},
        attempt::Loss,
        event::{Asked, PersonAnswered},
        next::wake_at,
    },
};

fn expression(text: &str) -> Expression {
    Expression::parse(text).expect("an expression")
}

#[test]
fn branches_run_side_by_side_and_join() {
    let nodes = vec![tool("a", &[]), tool("b", &["a"]), tool("c", &["a"]), tool("d", &["b", "c"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("a", word("a"));
    assert_eq!((driver.phase("b"), driver.phase("c")), ("running", "running"));
    driver.returns("c", word("c")).returns("b", word("b"));
    let both = object([("b", Json::Object(word("b"))), ("c", Json::Object(word("c")))]);
    assert_eq!(driver.input("d"), both);
    driver.returns("d", word("d"));
    is(&driver, Status::Succeeded);
    assert_eq!(driver.state.context, [0, 2, 1, 3], "in the order of acceptance");
}

#[test]
fn a_condition_that_is_not_met_skips_what_depends_only_on_it() {
    let mut b = tool("b", &["a"]);
    b.rules.when = Some(expression(r#"input.text == "go""#));
    let nodes = vec![tool("a", &[]), b, tool("c", &["b"]), tool("d", &["a", "b"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("a", word("stay"));
    assert_eq!((driver.phase("b"), driver.phase("c"), driver.phase("d")), ("skipped", "skipped", "running"));
    assert_eq!(driver.input("d"), object([("a", Json::Object(word("stay")))]));
    driver.returns("d", word("d"));
    is(&driver, Status::Succeeded);
}

#[test]
fn a_failure_starts_nothing_new_and_waits_for_what_runs() {
    let nodes = vec![tool("a", &[]), tool("b", &[]), tool("c", &["b"])];
    let mut driver = Driver::new(nodes);
    driver.step().settle("a", failure());
    assert_eq!(driver.state.status, Status::Running);
    driver.returns("b", word("b"));
    assert_eq!((driver.phase("b"), driver.phase("c")), ("succeeded", "pending"));
    is(&driver, Status::Failed);
}

#[test]
fn a_failed_attempt_comes_back_after_its_wait() {
    let mut a = tool("a", &[]);
    a.rules.retry = Some(Retry {
        attempts: 2,
        backoff_seconds: 4,
        backoff_factor: 2,
        backoff_max_seconds: 60,
        on: vec![FailureClass::Exit],
        repeat_writes: false,
    });
    let mut driver = Driver::new(vec![a]);
    driver.step().settle("a", failure());
    let due = driver.now.plus_seconds(4);
    assert_eq!(wake_at(&driver.flow, &driver.state), Some(due));
    driver.now = due;
    driver.step().settle("a", failure());
    assert_eq!(
        driver.kinds()[3..],
        ["executor.started", "attempt.failed", "executor.started", "attempt.failed", "node.failed", "run.failed"]
    );
    is(&driver, Status::Failed);
}

#[test]
fn items_keep_their_order_and_their_bound() {
    let mut each = tool("each", &["list"]);
    each.rules.for_each = Some(ForEach { items: expression("input.items"), max_parallel: 2 });
    let mut driver = Driver::new(vec![tool("list", &[]), each]);
    let items = Json::Array(vec!["x".into(), "y".into(), "z".into()]);
    driver.step().returns("list", object([("items", items)]));
    assert_eq!(driver.state.open_attempts(&driver.flow).len(), 2);
    for index in [1, 0, 2] {
        let attempts = driver.state.open_attempts(&driver.flow);
        let attempt = attempts.iter().find(|attempt| attempt.index == Some(index)).cloned().expect("under way");
        let at = Circumstances { now: driver.now, jitter: 0 };
        let events = settle(&driver.flow, &driver.state, &attempt, returned(word(&index.to_string())), at);
        driver.record(events);
        driver.step();
    }
    is(&driver, Status::Succeeded);
    let output = driver.state.nodes[1].output.clone().expect("an output");
    let texts: Vec<_> =
        output["items"].as_array().expect("a list").iter().map(|item| item.get("text").cloned()).collect();
    assert_eq!(texts, [Some("0".into()), Some("1".into()), Some("2".into())]);
}

#[test]
fn an_empty_list_needs_no_call() {
    let mut each = tool("each", &["list"]);
    each.rules.for_each = Some(ForEach { items: expression("input.items"), max_parallel: 2 });
    let mut driver = Driver::new(vec![tool("list", &[]), each]);
    driver.step().returns("list", object([("items", Json::Array(Vec::new()))]));
    is(&driver, Status::Succeeded);
    assert_eq!(driver.state.nodes[1].attempts, 0);
}

#[test]
fn a_repair_goes_back_to_the_producer_with_the_findings() {
    let mut gate = node("gate", NodeKind::Evaluation, &[Effect::ExecuteProcess], &["draft"]);
    gate.rules.repair = Some(Repair { from: id("draft"), max_rounds: 1 });
    let mut driver = Driver::new(vec![tool("plan", &[]), tool("draft", &["plan"]), gate, tool("end", &["gate"])]);
    driver.step().returns("plan", word("plan")).returns("draft", word("one")).returns("gate", verdict(false));
    assert_eq!(driver.phase("draft"), "running");
    let input = driver.input("draft");
    assert_eq!(input["text"], "plan".into());
    assert_eq!(input["repair"].get("round"), Some(&2u32.into()));
    assert!(input["repair"].get("evaluation").and_then(|e| e.get("findings")).is_some());
    driver.returns("draft", word("two")).returns("gate", verdict(false));
    assert_eq!((driver.phase("gate"), driver.phase("end")), ("failed", "pending"));
    is(&driver, Status::Failed);
}

fn asking(expires: Option<u32>, on_expiry: Option<&str>) -> Vec<Node> {
    let mut ask = node("ask", NodeKind::Human, &[], &["a"]);
    let option = |id: &str| Choice { id: id.into(), label: id.into() };
    ask.rules.person = Some(Person {
        form: None,
        options: vec![option("approve"), option("reject")],
        expires_seconds: expires,
        on_expiry: on_expiry.map(str::to_owned),
    });
    vec![tool("a", &[]), ask, tool("b", &["ask"])]
}

fn by_me() -> Asked {
    Asked { actor: Some("me".into()), request: None }
}

fn says(option: &str) -> PersonAnswered {
    PersonAnswered {
        node_id: id("ask"),
        option: option.into(),
        actor: Some("me".into()),
        form: None,
        own: Asked::default(),
    }
}

#[test]
fn a_person_is_waited_for_and_answers_once() {
    let mut driver = Driver::new(asking(None, None));
    driver.step().returns("a", word("a"));
    assert_eq!((driver.phase("ask"), wake_at(&driver.flow, &driver.state)), ("asked", None));
    let unknown = answer(&driver.flow, &driver.state, says("maybe"));
    assert!(matches!(unknown, Err(AnswerError::UnknownOption { .. })));
    let events = answer(&driver.flow, &driver.state, says("approve")).expect("it waits");
    driver.record(events);
    driver.step();
    assert!(matches!(answer(&driver.flow, &driver.state, says("approve")), Err(AnswerError::NotWaiting { .. })));
    assert_eq!(driver.input("b")["option"], "approve".into());
    driver.returns("b", word("b"));
    is(&driver, Status::Succeeded);
}

#[test]
fn a_question_expires_to_its_option_or_fails() {
    for (on_expiry, status) in [(Some("reject"), Status::Running), (None, Status::Failed)] {
        let mut driver = Driver::new(asking(Some(60), on_expiry));
        driver.step().returns("a", word("a"));
        driver.now = driver.now.plus_seconds(60);
        driver.step();
        is(&driver, status);
    }
}

#[test]
fn an_uncertain_write_waits_for_a_decision() {
    for (decision, after, status) in
        [(Decision::Repeat, "running", Status::Running), (Decision::Fail, "failed", Status::Failed)]
    {
        let mut write = writer("w", &[]);
        write.rules.on_uncertain = Some(OnUncertain::Ask);
        let mut driver = Driver::new(vec![write]);
        driver.step().settle("w", Outcome::Lost(Loss::Crash));
        assert_eq!((driver.phase("w"), driver.state.open_attempts(&driver.flow).len()), ("running", 0));
        let events = decide(&driver.flow, &driver.state, "w", decision, &by_me()).expect("it is uncertain");
        driver.record(events);
        driver.step();
        assert_eq!(driver.phase("w"), after);
        is(&driver, status);
    }
}

#[test]
fn a_node_over_its_deadline_fails_once_its_attempt_has_ended() {
    let mut slow = tool("slow", &[]);
    slow.rules.deadline_seconds = Some(10);
    let mut driver = Driver::new(vec![slow]);
    driver.step();
    driver.now = wake_at(&driver.flow, &driver.state).expect("a deadline");
    driver.step();
    assert_eq!(driver.state.unwanted_attempts(&driver.flow).len(), 1);
    driver.settle("slow", Outcome::Aborted);
    assert_eq!(driver.state.failure, Some(("Timeout".into(), "the node's deadline passed".into())));
    is(&driver, Status::Failed);
}
