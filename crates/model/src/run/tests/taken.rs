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
fn what_is_taken_over_rests_on_the_flow_input_at_whatever_distance() {
    let driver = half_done();
    let parent = run(&driver);
    let resting = |from: &str| {
        let plan = fork::plan(&driver.flow, &parent, from).expect("a plan");
        plan.resting_on_input(&driver.flow)
    };
    assert_eq!((resting("c"), resting("a")), (vec![id("a"), id("b")], vec![]));
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
            Some(Because::UnlessSame(id("b"))),
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

/// A chain a → b → c whose Run succeeded, and the flow with another instruction for a.
fn changed_at_a(b: Node, c: Node) -> (Flow, Run, Flow) {
    let nodes = vec![tool("a", &[]), b, c];
    let mut driver = Driver::new(nodes.clone());
    driver.step().returns("a", word("a"));
    if driver.flow.nodes()[1].kind == NodeKind::Human {
        let says = crate::run::event::PersonAnswered {
            node_id: id("b"),
            option: "go".into(),
            actor: None,
            form: None,
            own: crate::run::event::Asked::default(),
        };
        let events = crate::run::answer(&driver.flow, &driver.state, says).expect("it is asked");
        driver.record(events);
        driver.step();
    } else {
        driver.returns("b", word("b"));
    }
    driver.returns("c", word("c"));
    is(&driver, Status::Succeeded);
    let parent = run(&driver);
    let mut changed = nodes;
    changed[0].instruction = Some("Do it otherwise".into());
    (driver.flow, parent, Flow::of_nodes("test-flow", changed))
}

fn replayed(old: &Flow, parent: &Run, new: &Flow) -> Driver {
    let plan = replay(old, parent, new, &parent.state.flow_input).plan(new, old, parent).expect("something to run");
    go_on(new, plan.events(new, &crate::run::replay::moved(new, old, parent)))
}

#[test]
fn what_receives_the_same_as_before_from_a_node_that_was_run_again_is_taken_over() {
    let (old, parent, new) = changed_at_a(tool("b", &["a"]), tool("c", &["b"]));
    let mut same = replayed(&old, &parent, &new);
    assert_eq!((same.phase("a"), same.phase("b")), ("running", "pending"));
    same.returns("a", word("a"));
    is(&same, Status::Succeeded);
    assert_eq!((same.phase("a"), same.phase("b"), same.phase("c")), ("succeeded", "reused", "reused"));
    let because = same.events.iter().filter_map(|(event, _)| match event {
        Event::NodeReused(reused) => Some((reused.context_sequence, reused.because.as_deref())),
        _ => None,
    });
    assert_eq!(because.collect::<Vec<_>>(), [(2, Some("same_input")), (3, Some("same_input"))]);
    crate::reading::outcome(&run(&same).facts(&same.flow)).expect("the evidence agrees with itself");

    // Another result goes on as far as it makes a difference.
    let mut other = replayed(&old, &parent, &new);
    other.returns("a", word("other"));
    assert_eq!((other.phase("b"), other.phase("c")), ("running", "pending"));
    other.returns("b", word("b"));
    is(&other, Status::Succeeded);
    assert_eq!((other.phase("b"), other.phase("c")), ("succeeded", "reused"));
}

#[test]
fn what_depends_on_more_than_its_input_is_not_offered() {
    let person = || node("b", NodeKind::Human, &[], &["a"]);
    let with_options = |mut node: Node| {
        node.rules.person = Some(crate::flow::rules::Person {
            form: None,
            options: vec![crate::flow::rules::person::Choice { id: "go".into(), label: "Go".into() }],
            expires_seconds: None,
            on_expiry: None,
        });
        node
    };
    let grouped = |mut node: Node| {
        node.session_group = Some("loop".into());
        node
    };
    let reading_others = |mut node: Node| {
        node.rules.when = Some(Expression::parse("nodes.a.text == 'a'").expect("an expression"));
        node
    };
    let (a, plain) = (|| Some(Because::UnlessSame(id("a"))), || Some(Because::Upstream(id("a"))));
    for (b, c, of_b, of_c) in [
        // What it wrote may have reached c by another way than its output.
        (writer("b", &["a"]), tool("c", &["b"]), plain(), plain()),
        (tool("b", &["a"]), writer("c", &["b"]), a(), plain()),
        (with_options(person()), tool("c", &["b"]), plain(), a()),
        (grouped(tool("b", &["a"])), tool("c", &["b"]), plain(), a()),
        (tool("b", &["a"]), reading_others(tool("c", &["b"])), a(), plain()),
    ] {
        let (old, parent, new) = changed_at_a(b, c);
        let nodes = replay(&old, &parent, &new, &parent.state.flow_input).nodes;
        assert_eq!((&nodes[1].1, &nodes[2].1), (&of_b, &of_c), "{:?}", new.nodes()[1]);
    }
}

#[test]
fn a_round_of_repair_takes_nothing_over() {
    let mut gate = node("gate", NodeKind::Evaluation, &[Effect::ExecuteProcess], &["draft"]);
    gate.rules.repair = Some(Repair { from: id("draft"), max_rounds: 1 });
    let nodes = vec![tool("plan", &[]), tool("draft", &["plan"]), gate];
    let mut driver = Driver::new(nodes.clone());
    driver.step().returns("plan", word("plan")).returns("draft", word("draft")).returns("gate", verdict(true));
    let parent = run(&driver);
    let mut changed = nodes;
    changed[1].instruction = Some("Do it otherwise".into());
    let new = Flow::of_nodes("test-flow", changed);
    let mut child = replayed(&driver.flow, &parent, &new);
    assert_eq!(child.phase("plan"), "reused");
    child.returns("draft", word("other")).returns("gate", verdict(false));
    // Now the producer gives what the parent's gate had accepted: the gate judges again.
    child.returns("draft", word("draft"));
    assert_eq!(child.phase("gate"), "running");
    child.returns("gate", verdict(true));
    is(&child, Status::Succeeded);
}

#[test]
fn what_accepted_nothing_cannot_be_forked() {
    let driver = Driver::new(vec![tool("a", &[]), tool("b", &["a"])]);
    let parent = run(&driver);
    let plan = |from: &str| fork::plan(&driver.flow, &parent, from);
    assert_eq!(plan("nowhere"), Err(ForkError::UnknownNode("nowhere".into())), "the node is looked for first");
    assert_eq!([plan("a"), plan("b")], [Err(ForkError::NothingAccepted), Err(ForkError::NothingAccepted)]);
}
