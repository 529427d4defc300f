//! S48, S51: the process dies right after each single commit, before it hears of it; another one takes over, and
//! may die as well. What was accepted is kept, what writes outside is never done twice, and the end is the undisturbed
//! one or says what is not known and how to go on.

use segue_flow::{
    api::{Fork, List},
    error::AdmitError,
};
use segue_model::run::Decision;

use super::{
    driving::{REFERENCE, set_up},
    dying::{self, Last, crash_again_after, prepared},
    world::*,
};

/// More than the reference flow has.
const COMMITS: i64 = 12;

fn world(on_disk: bool) -> World {
    prepared(on_disk, set_up)
}

/// Runs the reference flow in a process that dies at its `commits`-th commit.
fn crash_at(world: &World, commits: i64, last: Last) -> bool {
    dying::crash_at(world, "flow-reference", commits, last)
}

/// The one Run, after a process that lives has taken it over and brought it to its end.
fn end(world: &World) -> (segue_flow::api::Summary, Vec<&'static str>) {
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        let runs = process.flows.runs(List { limit: 10, ..List::default() }).await.unwrap();
        assert_eq!(runs.len(), 1, "a committed admission is a Run");
        let summary = process.flows.ended(&runs[0].run_id).await.unwrap();
        let kinds = kinds(&process.flows, summary.run_id.as_str()).await;
        process.flows.outcome(summary.run_id.as_str()).await.expect("the evidence agrees with itself");
        (summary, kinds)
    })
}

#[test]
fn with_hosts_that_keep_results_every_crash_ends_as_if_there_had_been_none() {
    for (on_disk, last) in [(false, Last::Written), (false, Last::Lost), (true, Last::Written), (true, Last::Lost)] {
        for first in 1..=COMMITS {
            let world = world(on_disk);
            if !crash_at(&world, first, last) {
                assert!(first >= 5, "only {first} commits");
                break;
            }
            if first == 1 && last == Last::Lost {
                // The admission itself was lost, and nobody was told of a Run.
                continue;
            }
            let (summary, kinds) = end(&world);
            let ended = (summary.status.as_str(), kinds.as_slice());
            assert_eq!(ended, ("succeeded", REFERENCE.as_slice()), "at {first}, {last:?}");
            for node in ["read", "write", "gate", "publish"] {
                assert_eq!(world.scripted.begun(node), 1, "{node} after a crash at {first}, {last:?}");
            }
        }
    }
}

#[test]
fn a_second_crash_in_the_recovery_changes_nothing() {
    for first in 1..=COMMITS {
        for second in 1..=COMMITS {
            let world = world(false);
            if !crash_at(&world, first, Last::Written) {
                return;
            }
            if !crash_again_after(&world, second) {
                break;
            }
            let (summary, kinds) = end(&world);
            let ended = (summary.status.as_str(), kinds.as_slice());
            assert_eq!(ended, ("succeeded", REFERENCE.as_slice()), "after {first} and {second}");
            assert_eq!(world.scripted.begun("write"), 1);
        }
    }
}

#[test]
fn without_results_a_writer_is_never_repeated_and_the_run_says_how_to_go_on() {
    let mut interrupted = 0;
    // The first lost commit would be the admission.
    for first in 2..=COMMITS {
        let world = world(false);
        world.scripted.forget_results();
        if !crash_at(&world, first, Last::Lost) {
            break;
        }
        let (summary, kinds) = end(&world);
        assert_eq!(world.scripted.begun("write"), 1, "at {first}");
        let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
        assert_eq!(count("result.accepted"), count("node.succeeded"), "nothing is accepted twice");
        match summary.status.as_str() {
            "succeeded" => {}
            "failed" => {
                interrupted += 1;
                assert_eq!(
                    kinds[kinds.len() - 4..],
                    ["node.uncertain", "node.failed", "run.interrupted", "run.failed"]
                );
                goes_on(&world, &summary);
            }
            other => panic!("{other}"),
        }
    }
    assert!(interrupted > 0, "some crash leaves a writer in doubt");
}

/// A fork from the writer, which has to be authorized again, comes to the end.
fn goes_on(world: &World, parent: &segue_flow::api::Summary) {
    let process = world.start();
    process.run(async {
        let why = process.flows.why(parent.run_id.as_str()).await.unwrap();
        assert!(why.headline.starts_with("it was interrupted"), "{why:?}");
        let node =
            ["write", "publish"].into_iter().find(|node| why.ways_on[0].ends_with(&format!("\"{node}\""))).unwrap();
        let mut fork = Fork {
            parent: parent.run_id.as_str().into(),
            from_node: node.into(),
            inputs: None,
            authorization: None,
            key: None,
        };
        let run = match process.flows.fork(fork.clone()).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => {
                assert_eq!(node, "write");
                fork.authorization = Some(challenge.authorization());
                process.flows.fork(fork).await.unwrap()
            }
            // Publishing needs no word.
            other => other.unwrap(),
        };
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

#[test]
fn with_on_uncertain_ask_somebody_decides() {
    for (decision, status, begun) in [(Decision::Repeat, "succeeded", 2), (Decision::Fail, "failed", 1)] {
        let world = World::in_memory();
        world.install("true");
        world.scripted.set("write", &[Deed::Stuck, Deed::Return(members("{}"))]);
        let process = world.start();
        let run = process.run(async {
            process.flows.save_capability(&tool("cli.write", "true", &["write_external"])).await.unwrap();
            let flow = document(
                r#"{"schema_version":2,"id":"flow-ask","name":"A","steps":[
                    {"id":"write","type":"tool.task","on_uncertain":"ask","params":{"capability_id":"cli.write"}}]}"#,
            );
            process.flows.save_flow(flow, None).await.unwrap();
            let run = admitted(&process.flows, admission("flow-ask")).await;
            world.scripted.until_begun("write", 1).await;
            run
        });
        process.kill();
        let process = world.start();
        process.run(async {
            process.flows.recover().await;
            let id = run.run_id.as_str();
            loop {
                let summary = process.flows.run(id).await.unwrap();
                if summary.waiting {
                    break;
                }
                tokio::task::yield_now().await;
            }
            let why = process.flows.why(id).await.unwrap();
            assert_eq!(why.ways_on, [format!("decide about node \"write\" of {id}: repeat | fail")]);
            process.flows.decide(id, "write", decision, Some("me".into())).await.unwrap();
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, status);
            assert!(process.flows.decide(id, "write", decision, None).await.is_err(), "once");
        });
        assert_eq!(world.scripted.begun("write"), begun);
    }
}
