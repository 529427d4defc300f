//! S48 on a graph: the process dies at each single commit, with two branches under way, a question to a person, an agent
//! and a tool that write, an evaluator and a publisher.

use std::collections::BTreeMap;

use segue_flow::{Flows, api::List};

use super::{
    dying::{self, Last, crash_again_after, follow, prepared},
    world::*,
};

/// More than the flow has.
const COMMITS: i64 = 30;
const NODES: [&str; 6] = ["read", "draft", "write", "gate", "join", "publish"];
const WRITERS: [&str; 2] = ["draft", "write"];

async fn set_up(flows: &Flows) {
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    flows.save_capability(&tool("cli.write", "true", &["execute_process", "write_external"])).await.unwrap();
    flows.save_capability(&evaluator("eval.gate", "true")).await.unwrap();
    let agent = r#"{"id":"agent.drafts","kind":"agent_cli","name":"drafts","config":{"executable":"true"}}"#;
    flows.save_capability(&json(agent)).await.unwrap();
    let flow = r#"{"schema_version":2,"id":"flow-graph","name":"G","steps":[
        {"id":"read","type":"tool.task","params":{"capability_id":"cli.read"}},
        {"id":"draft","type":"agent.task","from":"read","prompt":"Draft","params":{"capability_id":"agent.drafts"}},
        {"id":"write","type":"tool.task","from":"read","params":{"capability_id":"cli.write"}},
        {"id":"gate","type":"evaluation.task","from":"draft","params":{"capability_id":"eval.gate"}},
        {"id":"ask","type":"human.task","from":"gate","prompt":"Good?"},
        {"id":"join","type":"tool.task","from":["write","ask"],"params":{"capability_id":"cli.read"}},
        {"id":"publish","type":"artifact.task","from":"join"}]}"#;
    flows.save_flow(document(flow), None).await.unwrap();
}

fn world(on_disk: bool) -> World {
    prepared(on_disk, set_up)
}

/// Runs the flow in a process that dies at its `commits`-th commit.
fn crash_at(world: &World, commits: i64, last: Last) -> bool {
    dying::crash_at(world, "flow-graph", commits, last)
}

/// Status and, for each node, the types of its events: branches have no order among each other.
fn end(world: &World) -> (String, BTreeMap<String, Vec<&'static str>>) {
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.recover().await;
        let runs = flows.runs(List { limit: 10, ..List::default() }).await.unwrap();
        assert_eq!(runs.len(), 1, "a committed admission is a Run");
        let run = runs[0].run_id.as_str();
        follow(flows, run).await;
        flows.outcome(run).await.expect("the evidence agrees with itself");
        let evidence = flows.evidence(run).await.unwrap();
        let mut kinds: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for event in &evidence.events {
            let node = event.node_id.as_ref().map_or("run", |node| node.as_str());
            kinds.entry(node.to_owned()).or_default().push(event.event_type);
        }
        (flows.run(run).await.unwrap().status, kinds)
    })
}

fn undisturbed() -> BTreeMap<String, Vec<&'static str>> {
    let tool = ["node.ready", "executor.started", "result.accepted", "node.succeeded"].to_vec();
    let gate = ["node.ready", "executor.started", "evaluation.passed", "result.accepted", "node.succeeded"];
    let publish = ["node.ready", "executor.started", "result.accepted", "artifact.created", "node.succeeded"];
    let ask = ["node.ready", "person.asked", "person.answered", "result.accepted", "node.succeeded"];
    [
        ("run", ["run.created", "run.effects_authorized", "run.succeeded"].to_vec()),
        ("read", tool.clone()),
        ("draft", tool.clone()),
        ("write", tool.clone()),
        ("gate", gate.to_vec()),
        ("ask", ask.to_vec()),
        ("join", tool),
        ("publish", publish.to_vec()),
    ]
    .into_iter()
    .map(|(node, kinds)| (node.to_owned(), kinds))
    .collect()
}

#[test]
fn with_hosts_that_keep_results_every_crash_of_a_graph_ends_as_if_there_had_been_none() {
    use Last::{Lost, Written};
    for (on_disk, last) in [(false, Written), (false, Lost), (true, Written), (true, Lost)] {
        for first in 1..=COMMITS {
            let world = world(on_disk);
            if !crash_at(&world, first, last) {
                assert!(first >= 7, "only {first} commits");
                break;
            }
            if first == 1 && last == Last::Lost {
                // The admission itself was lost, and nobody was told of a Run.
                continue;
            }
            assert_eq!(end(&world), ("succeeded".to_owned(), undisturbed()), "at {first}, the commit {last:?}");
            for node in NODES {
                assert_eq!(world.scripted.begun(node), 1, "{node} after a crash at {first}, the commit {last:?}");
            }
        }
    }
}

#[test]
fn a_second_crash_in_the_recovery_of_a_graph_changes_nothing() {
    for first in 1..=COMMITS {
        for second in 1..=COMMITS {
            let world = world(false);
            if !crash_at(&world, first, Last::Written) {
                return;
            }
            if !crash_again_after(&world, second) {
                break;
            }
            assert_eq!(end(&world), ("succeeded".to_owned(), undisturbed()), "after {first} and {second}");
            for node in NODES {
                assert_eq!(world.scripted.begun(node), 1, "{node} after {first} and {second}");
            }
        }
    }
}

#[test]
fn without_results_no_branch_that_writes_is_repeated() {
    let mut interrupted = 0;
    // The first lost commit would be the admission.
    for first in 2..=COMMITS {
        let world = world(false);
        world.scripted.forget_results();
        if !crash_at(&world, first, Last::Lost) {
            break;
        }
        let (status, kinds) = end(&world);
        for writer in WRITERS {
            assert!(world.scripted.begun(writer) <= 1, "{writer}, at {first}");
        }
        for (node, kinds) in &kinds {
            let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
            assert!(count("result.accepted") <= 1, "{node}, at {first}");
        }
        match status.as_str() {
            "succeeded" => assert!(WRITERS.iter().all(|writer| world.scripted.begun(writer) == 1)),
            "failed" => {
                interrupted += 1;
                assert_eq!(kinds["run"].last(), Some(&"run.failed"));
                assert!(kinds["run"].contains(&"run.interrupted"), "{kinds:?}");
                let doubtful = WRITERS
                    .iter()
                    .chain(&["publish"])
                    .filter(|node| kinds.get(**node).is_some_and(|kinds| kinds.contains(&"node.uncertain")));
                assert!(doubtful.count() > 0, "{kinds:?}");
            }
            other => panic!("{other}"),
        }
    }
    assert!(interrupted > 0, "some crash leaves a writer in doubt");
}
