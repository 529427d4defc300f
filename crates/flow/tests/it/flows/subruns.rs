//! Design §7: another flow as one node.

use segue_flow::{
    Flows,
    api::{List, Summary},
    error::FlowError,
};

use super::world::*;

/// outer: plan → inner(note) → end, where inner is one step.
async fn set_up(flows: &Flows) {
    flows.save_capability(&tool("cli.read", "true", &["read_local"])).await.unwrap();
    let inner = document(
        r#"{"schema_version":1,"id":"flow-inner","name":"Inner","inputs":{"note":{"required":true}},
            "steps":[{"id":"work","type":"tool.task","params":{"capability_id":"cli.read"}}]}"#,
    );
    flows.save_flow(inner, None).await.unwrap();
    let outer = document(
        r#"{"schema_version":2,"id":"flow-outer","name":"Outer","steps":[
            {"id":"plan","type":"tool.task","params":{"capability_id":"cli.read"}},
            {"id":"call","type":"flow.task","from":"plan","params":{"flow_id":"flow-inner","inputs":{"note":"nodes.plan.text"}}},
            {"id":"end","type":"tool.task","from":"call","params":{"capability_id":"cli.read"}}]}"#,
    );
    flows.save_flow(outer, None).await.unwrap();
}

fn world() -> World {
    // Room for one: a Run that is a node does not need any.
    let world = World::in_memory().with_room(1);
    world.install("true");
    world
}

async fn child(flows: &Flows) -> Summary {
    let runs = flows.runs(List { limit: 10, ..List::default() }).await.unwrap();
    let mut children = runs.into_iter().filter(|run| run.subrun_of.is_some());
    let child = children.next().unwrap();
    assert!(children.next().is_none(), "it is started once");
    child
}

#[test]
fn a_flow_is_a_node_of_another_one() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-outer")).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let child = child(flows).await;
        assert_eq!((child.subrun_of, child.flow_id.as_str()), (Some(run.run_id.clone()), "flow-inner"));
        let inner = flows.evidence(child.run_id.as_str()).await.unwrap();
        assert_eq!(inner.nodes[0].input.as_ref().unwrap().get("note"), Some(&"plan".into()));
        let outer = flows.evidence(run.run_id.as_str()).await.unwrap();
        assert_eq!(outer.nodes[1].output, inner.nodes[0].output, "the node gives what the flow gives");
    });
}

#[test]
fn it_is_started_once_whenever_the_process_dies() {
    for commits in 1..12 {
        let world = world();
        let process = world.start();
        process.run(set_up(&process.flows));
        process.journal.die_after(commits);
        let died = process.run(async {
            let flows = process.flows.clone();
            let running = async move {
                let run = flows.admit(admission("flow-outer")).await.unwrap();
                flows.ended(&run.run_id).await.unwrap();
            };
            tokio::select! {
                () = process.journal.died() => true,
                () = running => false,
            }
        });
        process.kill();
        let process = world.start();
        process.run(async {
            let flows = &process.flows;
            flows.recover().await;
            for run in flows.runs(List { limit: 10, ..List::default() }).await.unwrap() {
                assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded", "after {commits}");
            }
            child(flows).await;
        });
        assert_eq!(["plan", "work", "end"].map(|node| world.scripted.begun(node)), [1, 1, 1], "after {commits}");
        if !died {
            return;
        }
    }
    panic!("it has more commits than that");
}

/// Whoever adopts a Run goes on with the one that its node is.
#[test]
fn it_is_adopted_with_the_run_that_waits_for_it() {
    let world = world();
    world.scripted.set("work", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = process.flows.admit(admission("flow-outer")).await.unwrap();
        world.scripted.until_begun("work", 1).await;
        run
    });
    process.kill();
    world.scripted.open_gate();
    let process = world.start();
    process.run(async {
        process.flows.adopt(&run.run_id).await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

/// What may still run of a Run that is a node is said of the Run that waits for it.
#[test]
fn what_may_still_run_of_it_is_said_outside() {
    let world = world();
    world.scripted.set("work", &[Deed::Escape]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-outer")).await.unwrap();
        world.scripted.until_begun("work", 1).await;
        flows.cancel(run.run_id.as_str(), None, None).await.unwrap();
        let ended = flows.ended(&run.run_id).await.unwrap();
        let child = child(flows).await;
        let why = format!("run {}: node work: the end of work is not confirmed", child.run_id);
        let named: Vec<_> = ended.unconfirmed.iter().map(|of| (of.node.as_str(), of.why.as_str())).collect();
        assert_eq!((ended.status.as_str(), named), ("cancelled", vec![("call", why.as_str())]));
    });
}

#[test]
fn edits_and_cancellations_reach_what_they_should() {
    let world = world();
    world.scripted.set("plan", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-outer")).await.unwrap();
        world.scripted.until_begun("plan", 1).await;
        let inner = flows.flows().await.unwrap().into_iter().find(|flow| flow.name == "Inner").unwrap();
        flows.delete_flow(&inner.local_id).await.unwrap();
        world.scripted.set("work", &[Deed::Hold]);
        world.scripted.set("plan", &[Deed::Return(members(r#"{"text":"x"}"#))]);
        world.scripted.open_gate();
        flows.ended(&run.run_id).await.unwrap();
        assert_eq!(child(flows).await.status, "succeeded", "it runs as it was admitted");
    });

    let world = self::world();
    world.scripted.set("work", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-outer")).await.unwrap();
        world.scripted.until_begun("work", 1).await;
        flows.cancel(run.run_id.as_str(), None, None).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "cancelled");
        assert_eq!(child(flows).await.status, "cancelled");
    });
}

#[test]
fn a_flow_that_would_contain_itself_is_refused_with_that_reason() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let inner = flows.flows().await.unwrap().into_iter().find(|flow| flow.name == "Inner").unwrap();
        let circle = document(
            r#"{"schema_version":2,"id":"flow-inner","name":"Inner","steps":[
                {"id":"back","type":"flow.task","params":{"flow_id":"flow-outer"}}]}"#,
        );
        let refused = flows.update_flow(&inner.local_id, circle, None).await;
        let Err(FlowError::Invalid(problem)) = refused else { panic!("{refused:?}") };
        assert!(problem.to_string().contains("flow-outer"), "{problem}");
    });
}
