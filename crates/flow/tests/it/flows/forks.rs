//! Contract §16 to §18, S71, S72; replays with a changed flow.

use segue_flow::{
    Flows,
    api::{Fork, Replay},
    error::{AdmitError, CompareError, ForkError},
};
use segue_model::{
    flow::{Hash, RunId, json::object},
    reading::comparison::ComparisonError,
    run::fork::ForkError as Rule,
};

use super::{
    driving::{self, set_up},
    world::*,
};

fn from(parent: &RunId, node: &str) -> Fork {
    Fork { parent: parent.as_str().into(), from_node: node.into(), inputs: None, authorization: None, key: None }
}

async fn forked(flows: &Flows, mut fork: Fork) -> RunId {
    let admitted = match flows.fork(fork.clone()).await {
        Err(AdmitError::AuthorizationRequired(challenge)) => {
            fork.authorization = Some(challenge.authorization());
            flows.fork(fork).await
        }
        other => other,
    };
    let run = admitted.unwrap().run_id;
    flows.ended(&run).await.unwrap();
    run
}

async fn run(flows: &Flows, flow: &str) -> RunId {
    let run = admitted(flows, admission(flow)).await.run_id;
    flows.ended(&run).await.unwrap();
    run
}

fn refused(result: Result<segue_flow::api::Admitted, AdmitError>) -> ForkError {
    match result {
        Err(AdmitError::Fork(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fork_reuses_what_comes_before_and_runs_the_rest() {
    let world = driving::world();
    world.scripted.set("gate", &[Deed::Judge(false), Deed::Judge(true)]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let parent = run(flows, "flow-reference").await;
        // From the producer that the rejection points at (S71).
        let repair = flows.outcome(parent.as_str()).await.unwrap().failure.unwrap().repair_from_node_id.unwrap();
        let child = forked(flows, from(&parent, repair.as_str())).await;
        let summary = flows.run(child.as_str()).await.unwrap();
        assert_eq!(
            (summary.status.as_str(), summary.parent),
            ("succeeded", Some((parent.as_str().into(), "write".into())))
        );
        let begun = ["read", "write", "gate", "publish"].map(|node| world.scripted.begun(node));
        assert_eq!(begun, [1, 2, 2, 1]);
        let evidence = flows.evidence(child.as_str()).await.unwrap();
        let kinds: Vec<_> = evidence.events.iter().take(5).map(|event| event.event_type).collect();
        assert_eq!(kinds, ["run.created", "run.effects_authorized", "run.forked", "node.reused", "node.ready"]);
        assert_eq!(evidence.nodes[0].attempts, 0);

        // A fork of a fork, past its reused prefix; the authorization is that of the suffix.
        let grandchild = forked(flows, from(&child, "gate")).await;
        assert_eq!(flows.run(grandchild.as_str()).await.unwrap().status, "succeeded");
        assert_eq!(world.scripted.begun("write"), 2);
    });
}

/// S18.
#[test]
fn an_authorization_of_the_parent_is_none_of_the_fork_and_its_scope_is_exact() {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let whole = match flows.admit(admission("flow-reference")).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => challenge,
            other => panic!("{other:?}"),
        };
        let parent = run(flows, "flow-reference").await;
        let with = |authorization| Fork { authorization: Some(authorization), ..from(&parent, "write") };
        let challenge = match flows.fork(with(whole.authorization())).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => challenge,
            other => panic!("{other:?}"),
        };
        let scope: Vec<_> = challenge.scope.node_ids.iter().map(|id| id.as_str()).collect();
        assert_eq!(scope, ["write", "gate", "publish"]);
        let runs = flows.runs(segue_flow::api::List { limit: 10, ..Default::default() }).await.unwrap();
        assert_eq!(runs.len(), 1, "no Run came of it");
        assert!(flows.fork(with(challenge.authorization())).await.is_ok());
        // From a node after the last write nothing is asked.
        assert!(flows.fork(from(&parent, "gate")).await.is_ok());
    });
}

#[test]
fn forks_are_refused_in_the_contracts_order() {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let unknown = RunId::from_bytes([9; 16]);
        assert_eq!(
            refused(flows.fork(from(&unknown, "read")).await),
            ForkError::UnknownParent(unknown.as_str().into())
        );
        world.scripted.set("read", &[Deed::Hold, Deed::Fail("no"), Deed::Return(object([]))]);
        let active = admitted(flows, admission("flow-reference")).await.run_id;
        assert_eq!(refused(flows.fork(from(&active, "read")).await), ForkError::ParentActive(active.clone()));
        world.scripted.open_gate();
        flows.ended(&active).await.unwrap();
        let failed = run(flows, "flow-reference").await;
        let node = refused(flows.fork(from(&failed, "nowhere")).await);
        assert_eq!(node, ForkError::Rule(Rule::UnknownNode("nowhere".into())));
        let prefix = refused(flows.fork(from(&failed, "gate")).await);
        assert!(matches!(prefix, ForkError::Rule(Rule::Unfinished { phase: "failed", .. })), "{prefix:?}");
        let saved = flows.flows().await.unwrap().remove(0);
        let mut changed = saved.document.members().clone();
        changed.insert("name".into(), "Another name".into());
        flows.update_flow(&saved.local_id, changed.into(), None).await.unwrap();
        assert_eq!(refused(flows.fork(from(&failed, "read")).await), ForkError::FlowChanged(failed.clone()));
        flows.delete_flow(&saved.local_id).await.unwrap();
        assert_eq!(refused(flows.fork(from(&failed, "read")).await), ForkError::FlowGone(failed));
    });
}

/// Of two things that are wrong the one is said that the contract looks at first.
#[test]
fn of_two_refusals_of_a_fork_the_first_is_said() {
    let world = driving::world().with_room(1);
    world.scripted.set("read", &[Deed::Hold, Deed::Fail("no"), Deed::Return(object([])), Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let saved = flows.flows().await.unwrap().remove(0);
        let document = |name: &str| {
            let mut changed = saved.document.members().clone();
            changed.insert("name".into(), name.into());
            changed.into()
        };
        let active = admitted(flows, admission("flow-reference")).await.run_id;
        flows.update_flow(&saved.local_id, document("Another name"), None).await.unwrap();
        let first = refused(flows.fork(from(&active, "read")).await);
        assert_eq!(first, ForkError::ParentActive(active.clone()), "before the flow is looked at");
        flows.update_flow(&saved.local_id, saved.document.clone(), None).await.unwrap();
        world.scripted.open_gate();
        flows.ended(&active).await.unwrap();
        let failed = run(flows, "flow-reference").await;
        flows.update_flow(&saved.local_id, document("Another name"), None).await.unwrap();
        let first = refused(flows.fork(from(&failed, "nowhere")).await);
        assert_eq!(first, ForkError::FlowChanged(failed.clone()), "before the node is looked for");
        flows.update_flow(&saved.local_id, saved.document.clone(), None).await.unwrap();
        let whole = run(flows, "flow-reference").await;
        // Nothing has room any more.
        world.scripted.set("read", &[Deed::Stuck]);
        let busy = admitted(flows, admission("flow-reference")).await.run_id;
        let first = refused(flows.fork(from(&failed, "gate")).await);
        assert!(matches!(first, ForkError::Rule(Rule::Unfinished { .. })), "before room: {first:?}");
        let first = flows.fork(from(&whole, "write")).await;
        assert!(matches!(first, Err(AdmitError::TooManyActive { .. })), "room before effects: {first:?}");
        // Gone before active.
        flows.delete_flow(&saved.local_id).await.unwrap();
        assert_eq!(refused(flows.fork(from(&busy, "read")).await), ForkError::FlowGone(busy));
    });
}

/// Any parent that has ended can be forked, one that succeeded with its artifact and one that was cancelled.
#[test]
fn a_parent_that_was_cancelled_or_succeeded_is_forked_and_stays_as_it_is() {
    let world = driving::world();
    world.scripted.set("write", &[Deed::Hold, Deed::Return(object([("text", "write".into())]))]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let cancelled = admitted(flows, admission("flow-reference")).await.run_id;
        world.scripted.until_begun("write", 1).await;
        flows.cancel(cancelled.as_str(), None, None).await.unwrap();
        assert_eq!(flows.ended(&cancelled).await.unwrap().status, "cancelled");
        let child = forked(flows, from(&cancelled, "write")).await;
        assert_eq!(flows.run(child.as_str()).await.unwrap().status, "succeeded");
        assert_eq!(world.scripted.begun("read"), 1);
        let before = flows.evidence(child.as_str()).await.unwrap();
        assert_eq!(before.artifacts.len(), 1);
        let grandchild = forked(flows, from(&child, "publish")).await;
        assert_eq!(flows.evidence(child.as_str()).await.unwrap(), before);
        // Its artifact is its own, and what was taken over is in its context.
        let after = flows.evidence(grandchild.as_str()).await.unwrap();
        assert_ne!(after.artifacts[0].id, before.artifacts[0].id);
        assert_eq!(after.context[..3], before.context[..3]);
    });
}

/// Contract §9.
#[test]
fn what_the_parent_published_is_not_the_forks() {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let bound = bound("cli.read");
        let steps =
            [("first", "tool.task", bound.as_str()), ("out", "artifact.task", ""), ("last", "tool.task", &bound)];
        flows.save_flow(chain("flow-early", &steps), None).await.unwrap();
        let parent = run(flows, "flow-early").await;
        assert_eq!(flows.evidence(parent.as_str()).await.unwrap().artifacts.len(), 1);
        let child = forked(flows, from(&parent, "last")).await;
        let evidence = flows.evidence(child.as_str()).await.unwrap();
        assert_eq!((evidence.nodes[1].status.as_str(), evidence.artifacts), ("reused", vec![]));
        let outcome = flows.outcome(child.as_str()).await.unwrap();
        assert_eq!((outcome.status.as_str(), outcome.artifacts.len()), ("succeeded", 0));
    });
}

#[test]
fn a_session_does_not_go_on_in_another_run() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        let agent = r#"{"id":"agent.kept","kind":"agent_cli","name":"kept","effects":["execute_process"],
            "config":{"executable":"true","input_mode":"session_json","output_format":"session_json",
            "session_protocol":"symphlo.agent-session.v1"}}"#;
        flows.save_capability(&json(agent)).await.unwrap();
        let kept = r#","session_group":"loop","prompt":"Go","params":{"capability_id":"agent.kept"}"#;
        let steps = [("one", "agent.task", kept), ("two", "agent.task", kept), ("end", "artifact.task", "")];
        flows.save_flow(chain("flow-kept", &steps), None).await.unwrap();
        let parent = run(flows, "flow-kept").await;
        let shared = refused(flows.fork(from(&parent, "two")).await);
        assert_eq!(shared, ForkError::Rule(Rule::SharedSession("loop".into())));
        forked(flows, from(&parent, "one")).await;
        forked(flows, from(&parent, "end")).await;
        assert_eq!(world.scripted.begun("two"), 2);
    });
}

#[test]
fn a_fork_can_have_other_inputs() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.save_capability(&tool("cli.read", "true", &["read_local"])).await.unwrap();
        let flow = document(
            r#"{"schema_version":1,"id":"flow-inputs","name":"I","inputs":{"n":{"type":"integer","default":1},"m":{}},
                "steps":[{"id":"a","type":"tool.task","params":{"capability_id":"cli.read"}}]}"#,
        );
        flows.save_flow(flow, None).await.unwrap();
        let request = segue_flow::api::Admit { inputs: object([("m", "kept".into())]), ..admission("flow-inputs") };
        let parent = flows.admit(request).await.unwrap().run_id;
        flows.ended(&parent).await.unwrap();
        let child = forked(flows, Fork { inputs: Some(object([("n", 7_i64.into())])), ..from(&parent, "a") }).await;
        let input = flows.evidence(child.as_str()).await.unwrap().nodes[0].input.clone().unwrap();
        assert_eq!((input.get("n"), input.get("m")), (Some(&7_i64.into()), Some(&"kept".into())));
        let bad = flows.fork(Fork { inputs: Some(object([("n", "x".into())])), ..from(&parent, "a") }).await;
        assert!(matches!(bad, Err(AdmitError::Inputs(_))), "{bad:?}");
        let report = flows.compare(parent.as_str(), child.as_str()).await.unwrap();
        assert_eq!(report.first_divergent_node_id.map(|id| id.as_str().to_owned()), Some("a".into()));
    });
}

#[test]
fn comparisons_and_stability_tell_the_first_difference_and_nothing_of_payloads() {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let one = run(flows, "flow-reference").await;
        let two = run(flows, "flow-reference").await;
        let report = flows.compare(one.as_str(), two.as_str()).await.unwrap();
        assert_eq!(report.overall.as_str(), "equivalent");
        world.scripted.set("write", &[Deed::Return(object([("text", "secret".into())]))]);
        let three = run(flows, "flow-reference").await;
        let report = flows.compare(one.as_str(), three.as_str()).await.unwrap();
        assert_eq!(report.first_divergent_node_id.as_ref().map(|id| id.as_str()), Some("write"));
        assert!(!serde_json::to_string(&report).unwrap().contains("secret"));
        // The reused prefix of a fork is not blamed.
        world.scripted.set("write", &[Deed::Return(object([("text", "write".into())]))]);
        let fork = forked(flows, from(&one, "write")).await;
        let report = flows.compare(one.as_str(), fork.as_str()).await.unwrap();
        assert_eq!((report.overall.as_str(), report.lineage_relation.as_str()), ("equivalent", "left_parent_of_right"));
        let same = flows.compare(one.as_str(), one.as_str()).await;
        assert_eq!(same, Err(CompareError::Refused(ComparisonError::Same)));

        let summary = flows.run(one.as_str()).await.unwrap();
        let hash = Hash::parse(&summary.flow_hash).unwrap();
        let stable = flows.stability(&summary.task_id, &hash).await.unwrap();
        assert_eq!((stable.comparable_run_count, stable.nodes[0].classification.as_str()), (3, "stable_success"));
        assert!(flows.stability(&summary.task_id, &Hash::of(&"other".into())).await.is_err());
        assert!(flows.stability("task_ffffffffffff", &hash).await.is_err());
    });
}

#[test]
fn a_replay_runs_what_changed_and_what_depends_on_it() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    let flow = |prompt: &str| {
        document(&format!(
            r#"{{"schema_version":2,"id":"flow-graph","name":"G","steps":[
                {{"id":"a","type":"tool.task","params":{{"capability_id":"cli.read"}}}},
                {{"id":"b","type":"tool.task","from":"a","prompt":"{prompt}","params":{{"capability_id":"cli.read"}}}},
                {{"id":"c","type":"tool.task","from":"a","params":{{"capability_id":"cli.read"}}}},
                {{"id":"d","type":"tool.task","from":["b","c"],"params":{{"capability_id":"cli.read"}}}}]}}"#
        ))
    };
    process.run(async {
        let flows = &process.flows;
        flows.save_capability(&tool("cli.read", "true", &["read_local"])).await.unwrap();
        let saved = flows.save_flow(flow("Do it"), None).await.unwrap();
        let parent = run(flows, "flow-graph").await;
        let replay = Replay { parent: parent.as_str().into(), inputs: None, authorization: None, key: None };
        assert_eq!(refused(flows.replay(replay.clone()).await), ForkError::NothingToRun);
        flows.update_flow(&saved.local_id, flow("Do it better"), None).await.unwrap();
        let plan = flows.plan_replay(&replay).await.unwrap();
        let codes: Vec<_> =
            plan.nodes.iter().map(|(_, because)| because.as_ref().map(|because| because.code())).collect();
        assert_eq!(codes, [None, Some("changed"), None, Some("unless_same")]);
        let child = flows.replay(replay.clone()).await.unwrap().run_id;
        assert_eq!(flows.ended(&child).await.unwrap().status, "succeeded");
        flows.outcome(child.as_str()).await.unwrap();
        let begun = || ["a", "b", "c", "d"].map(|node| world.scripted.begun(node));
        // What changed returned what it had returned before: the node behind it has its result already.
        assert_eq!(begun(), [1, 2, 1, 1]);
        let events = flows.evidence(child.as_str()).await.unwrap().events;
        let reused = events.iter().rfind(|event| event.event_type == "node.reused").unwrap();
        assert_eq!(reused.node_id.as_ref().unwrap().as_str(), "d");
        assert_eq!(reused.payload.get("because"), Some(&"same_input".into()));

        world.scripted.set("b", &[Deed::Return(members(r#"{"text":"better"}"#))]);
        flows.update_flow(&saved.local_id, flow("Do it best"), None).await.unwrap();
        let child = flows.replay(replay).await.unwrap().run_id;
        assert_eq!(flows.ended(&child).await.unwrap().status, "succeeded");
        assert_eq!(begun(), [1, 3, 1, 2]);
    });
}
