//! Executors that need no capability: the publisher, the roles, another flow, presets.

use std::sync::Arc;

use segue_flow::executors::{Call, Start, presets, roles};
use segue_model::{
    flow::{
        Binding, ExecutorRef, Hash, Json, NodeId, NodeKind, Object, Upstream,
        capability::Kind,
        executor,
        json::object,
        rules::{Expression, Subflow},
    },
    run::{
        Outcome,
        attempt::{Artifact, EvidenceLevel},
    },
};

use super::harness::{World, failed, json, output, program};

#[tokio::test]
async fn a_publication_is_stored_before_it_is_told() {
    let world = World::new();
    let input = json(r#"{"article_markdown":"é","topic":"T"}"#);
    let call = world.unbound(NodeKind::Artifact, "p", executor::publisher(), input.clone());
    let sha256 = Hash::of_bytes("é".as_bytes());
    let expected = Outcome::Returned {
        output: Json::Object(segue_flow::executors::publisher::publication(&input).unwrap().output),
        level: EvidenceLevel::Deterministic,
        session: None,
        artifact: Some(Artifact {
            artifact_id: segue_model::flow::ArtifactId::from_bytes([7; 16]),
            name: "article.md".into(),
            media_type: "text/markdown".into(),
            sha256,
            bytes: 2,
        }),
    };
    assert_eq!(world.run(&call).await, expected);
    // After a crash it is done again.
    assert_eq!(world.run(&Call { start: Start::Again, ..call }).await, expected);
    assert_eq!(*world.blobs.lock().unwrap(), vec!["é".as_bytes().to_vec(); 2]);
    let empty = world.unbound(NodeKind::Artifact, "p", executor::publisher(), Object::new());
    assert_eq!(failed(world.run(&empty).await).1, "NothingToPublish");
}

#[tokio::test]
async fn of_several_outputs_the_first_text_in_the_order_of_the_sources_is_published() {
    let world = World::new();
    let input = json(r#"{"ask":{"option":"approve"},"late":{"agent_output":"late"},"soon":{"agent_output":"soon"}}"#);
    let call = world.unbound(NodeKind::Artifact, "p", executor::publisher(), input);
    let from = |ids: &[&str]| {
        let mut node = (*call.node).clone();
        node.upstream = Upstream::Gathered(ids.iter().map(|id| NodeId::parse(id).unwrap()).collect());
        Call { node: Arc::new(node), host: Some(world.draw_host()), ..call.clone() }
    };
    let Outcome::Returned { artifact, .. } = world.run(&from(&["ask", "soon", "late"])).await else {
        panic!("it publishes");
    };
    assert_eq!(artifact.unwrap().sha256, Hash::of_bytes(b"soon"));
    assert_eq!(failed(world.run(&from(&["ask"])).await).1, "NothingToPublish");
    // What a step receives from one source has no members that are looked into.
    assert_eq!(failed(world.run(&call).await).1, "NothingToPublish");
}

#[tokio::test]
async fn a_role_is_deterministic_evidence() {
    let world = World::new();
    let role = executor::deterministic_role("plan-article").unwrap();
    let input = json(r#"{"topic":"T"}"#);
    let expected = roles::output(&role.executor.executor_id, &input).unwrap();
    for start in [Start::First, Start::Again] {
        let call = world.unbound(NodeKind::Agent, "plan-article", role.clone(), input.clone());
        let outcome = world.run(&Call { start, ..call }).await;
        assert_eq!(outcome, segue_flow::executors::returned(expected.clone(), EvidenceLevel::Deterministic));
    }
}

#[tokio::test]
async fn another_flow_gets_the_values_of_its_inputs() {
    let world = World::new();
    let binding = Binding { executor: ExecutorRef::new("flow.other.0123456789abcdef", "1.0.0"), effects: vec![] };
    let mut call = world.unbound(NodeKind::Flow, "f", binding, json(r#"{"n":1}"#));
    let with = |call: &Call, expression: &str| {
        let mut node = (*call.node).clone();
        node.rules.subflow = Some(Subflow {
            flow_id: "other".into(),
            hash: Hash::of(&Json::Null),
            inputs: vec![("a".into(), Expression::parse(expression).unwrap())],
        });
        Arc::new(node)
    };
    call.node = with(&call, "input.n + 1");
    assert_eq!(world.run(&call).await, Outcome::Aborted);
    assert_eq!(*world.subruns.lock().unwrap(), [("other".to_owned(), object([("a", 2_i64.into())]))]);
    call.node = with(&call, "input.missing");
    assert_eq!(failed(world.run(&call).await).1, "Inputs");
    // This world does not have them.
    call.node = with(&call, "nodes.x");
    assert_eq!(failed(world.run(&call).await).1, "Inputs");
    assert_eq!(world.subruns.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_preset_is_called_under_its_own_name() {
    let world = World::new();
    let agent = program(Kind::AgentCli, "/bin/sh", &["-c", "echo hello"], []);
    let mut call = world.unbound(NodeKind::Agent, "a", presets::of_command(&agent), Object::new());
    call.capability = Some(Arc::new(agent));
    let output = output(world.run(&call).await);
    assert_eq!((output["executor_label"].as_str(), output["agent_output"].as_str()), (Some("command"), Some("hello")));
    world.is_clean().await;
}

#[tokio::test]
async fn a_node_that_is_bound_to_nothing_fails() {
    let world = World::new();
    let call = world.unbound(NodeKind::Tool, "t", executor::person(), Object::new());
    assert_eq!(failed(world.run(&call).await).1, "NoExecutor");
}
