//! What a Run takes over of another one: forks and replays, on graphs.

use super::*;
use crate::{
    flow::{
        RunId,
        rules::{Expression, Repair},
    },
    run::{
        fork::{self, ForkError},
        record::Run,
        replay::{Because, replay},
    },
};

/// The Run of a driver, as its record gives it back.
fn run(driver: &Driver) -> Run {
    let events = driver.events.iter().map(|(event, at)| (event, *at));
    Run::replay(RunId::from_bytes([1; 16]), &driver.flow, events).expect("a legal history")
}

/// a → b, c; b and c → d; with c failed at the end and d never reached.
fn half_done() -> Driver {
    let nodes = vec![tool("a", &[]), tool("b", &["a"]), tool("c", &["a"]), tool("d", &["b", "c"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("a", word("a")).returns("b", word("b")).settle("c", failure());
    is(&driver, Status::Failed);
    driver
}

/// Drives a new Run that begins with what a plan takes over.
fn go_on(flow: &Flow, events: Vec<Event>) -> Driver {
    let mut driver = Driver::new(flow.nodes().to_vec());
    driver.record(events);
    driver.step();
    driver
}

fn names(flow: &Flow, positions: &[usize]) -> Vec<String> {
    positions.iter().map(|at| flow.nodes()[*at].id.as_str().to_owned()).collect()
}

#[test]
fn a_fork_runs_its_node_what_depends_on_it_and_what_was_not_done() {
    let driver = half_done();
    let parent = run(&driver);
    let plan = fork::plan(&driver.flow, &parent, "c").expect("a plan");
    assert_eq!(
        (names(&driver.flow, &plan.reused), names(&driver.flow, &plan.scope)),
        (vec!["a".into(), "b".into()], vec!["c".into(), "d".into()])
    );
    // From the other branch: the failed one has to be run as well.
    let plan = fork::plan(&driver.flow, &parent, "b").expect("a plan");
    assert_eq!(names(&driver.flow, &plan.scope), ["b", "c", "d"]);
    let mut child = go_on(&driver.flow, plan.events(&driver.flow, &parent));
    assert_eq!(child.phase("a"), "reused");
    child.returns("b", word("b")).returns("c", word("c")).returns("d", word("d"));
    is(&child, Status::Succeeded);
    // What comes before must be over.
    let unfinished = fork::plan(&driver.flow, &parent, "d");
    assert_eq!(unfinished, Err(ForkError::Unfinished { node: id("c"), phase: "failed" }));
}

#[test]
fn a_skipped_node_stays_skipped_in_a_fork() {
    let mut never = tool("never", &["a"]);
    never.rules.when = Some(Expression::parse("input.text == 'other'").expect("an expression"));
    let nodes = vec![tool("a", &[]), never, tool("after", &["never"]), tool("end", &["a", "after"])];
    let mut driver = Driver::new(nodes);
    driver.step().returns("a", word("a")).settle("end", failure());
    let parent = run(&driver);
    let plan = fork::plan(&driver.flow, &parent, "end").expect("a plan");
    assert_eq!(
        (names(&driver.flow, &plan.skipped), names(&driver.flow, &plan.scope)),
        (vec!["never".into(), "after".into()], vec!["end".into()])
    );
    let mut child = go_on(&driver.flow, plan.events(&driver.flow, &parent));
    child.returns("end", word("end"));
    is(&child, Status::Succeeded);
}

#[test]
fn a_repair_can_run_what_a_fork_reuses_so_its_authorization_covers_it() {
    let mut gate = node("gate", NodeKind::Evaluation, &[Effect::ExecuteProcess], &["draft"]);
    gate.rules.repair = Some(Repair { from: id("draft"), max_rounds: 2 });
    let mut driver = Driver::new(vec![tool("plan", &[]), tool("draft", &["plan"]), gate]);
    driver.step().returns("plan", word("plan")).returns("draft", word("draft")).settle("gate", failure());
    let plan = fork::plan(&driver.flow, &run(&driver), "gate").expect("a plan");
    assert_eq!(
        (names(&driver.flow, &plan.reused), names(&driver.flow, &plan.scope)),
        (vec!["plan".into(), "draft".into()], vec!["draft".into(), "gate".into()])
    );
}

#[test]
fn a_replay_says_of_each_node_why_it_is_run_again() {
    let session = |mut node: Node| {
        node.session_group = Some("loop".into());
        node
    };
    let first = session(node("first", NodeKind::Agent, &[Effect::ExecuteProcess], &["a"]));
    let second = session(node("second", NodeKind::Agent, &[Effect::ExecuteProcess], &["b"]));
    let nodes = vec![tool("a", &[]), tool("b", &[]), first, second, tool("end", &["first", "second"])];
    let mut driver = Driver::new(nodes.clone());
    driver.step();
    for name in ["a", "b", "first", "second", "end"] {
        driver.returns(name, word(name));
    }
    let parent = run(&driver);
    let mut changed = nodes;
    changed[1].instruction = Some("Do it otherwise".into());
    changed.push(tool("more", &["a"]));
    let new = Flow::of_nodes("test-flow", changed);
    let because = |input: &Object| {
        replay(&driver.flow, &parent, &new, input).nodes.into_iter().map(|(_, because)| because).collect::<Vec<_>>()
    };
    let same = parent.state.flow_input.as_ref();
    assert_eq!(
        because(same),
        [
            None,
            Some(Because::Changed),
            Some(Because::Session("loop".into())),
            Some(Because::Upstream(id("b"))),
            Some(Because::Upstream(id("b"))),
            Some(Because::New),
        ]
    );
    assert_eq!(because(&word("another input"))[0], Some(Because::Input));
    let plan = replay(&driver.flow, &parent, &new, same).plan(&new, &driver.flow, &parent).expect("something to run");
    assert_eq!((names(&new, &plan.reused), plan.from), (vec!["a".into()], 1));
    let all = replay(&driver.flow, &parent, &driver.flow, same);
    assert_eq!(all.plan(&driver.flow, &driver.flow, &parent), None);
}

#[test]
fn the_facts_of_a_run_are_those_of_its_last_round() {
    let mut gate = node("gate", NodeKind::Evaluation, &[Effect::ExecuteProcess], &["draft"]);
    gate.rules.repair = Some(Repair { from: id("draft"), max_rounds: 1 });
    let mut driver = Driver::new(vec![tool("draft", &[]), gate]);
    driver.step().returns("draft", word("one")).returns("gate", verdict(false));
    driver.returns("draft", word("two")).returns("gate", verdict(false));
    is(&driver, Status::Failed);
    let facts = run(&driver).facts(&driver.flow);
    crate::reading::outcome(&facts).expect("the evidence agrees with itself");
    assert_eq!(facts.rejection.expect("a rejection").repair_from_node_id, id("draft"));
    let output = |name: &str| Some(Hash::of(&Json::Object(word(name))));
    assert_eq!(facts.nodes[0].output_hash, output("two"));
}
