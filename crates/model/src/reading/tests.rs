//! Contract §12.2, §12.4, §17, §18, on Runs of one chain and one graph.

mod comparison;
mod history;
mod outcome;
mod stability;

use serde_json::Value;

use super::*;
use crate::{
    Timestamp,
    flow::{ArtifactId, Binding, Effect, ExecutorRef, Flow, Hash, Json, NodeId, RunId, effect::EvidenceLevel},
};

pub(super) fn id(text: &str) -> NodeId {
    NodeId::parse(text).expect("an id")
}

pub(super) fn run_id(number: u8) -> RunId {
    RunId::from_bytes([number; 16])
}

pub(super) fn hash(text: &str) -> Hash {
    Hash::of(&Json::from(text))
}

pub(super) fn flow(nodes: &str) -> Flow {
    let definition = format!(r#"{{"flow_id":"note-digest","version":"1.0.0","title":"T","nodes":[{nodes}]}}"#);
    Flow::from_definition(&Json::parse(&definition).expect("valid JSON")).expect("sound")
}

fn node(id: &str, kind: &str, input_from: &str) -> String {
    format!(
        r#"{{"node_id":"{id}","title":"{id}","kind":"{kind}","executor":{{"executor_id":"x","version":"1"}},
            "effects":["read_local"],"input_from":{input_from},"instruction":null}}"#
    )
}

/// draft → gate → publish.
pub(super) fn chain() -> Flow {
    let nodes = [
        node("draft", "model.task", "null"),
        node("gate", "evaluation.task", r#""draft""#),
        node("publish", "artifact.task", r#""gate""#),
    ];
    flow(&nodes.join(","))
}

/// a → b and c → d.
pub(super) fn diamond() -> Flow {
    let nodes = [
        node("a", "tool.task", "null"),
        node("b", "tool.task", r#""a""#),
        node("c", "tool.task", r#""a""#),
        node("d", "tool.task", r#"["b","c"]"#),
    ];
    flow(&nodes.join(","))
}

pub(super) fn reached(id_text: &str, status: NodeStatus) -> NodeFacts {
    let Binding { executor, effects } =
        Binding { executor: ExecutorRef::new("x", "1"), effects: vec![Effect::ReadLocal] };
    let has_output = matches!(status, NodeStatus::Succeeded | NodeStatus::Reused);
    NodeFacts {
        node_id: id(id_text),
        status,
        executor,
        effects,
        evidence_level: EvidenceLevel::RealExecutor,
        input_hash: hash(id_text),
        output_hash: has_output.then(|| hash("output")),
    }
}

/// A Run that started at second `number`, with these nodes reached; ended unless it is active.
pub(super) fn run(number: u8, flow: Flow, status: RunStatus, nodes: &[(&str, NodeStatus)]) -> RunFacts {
    let started_at = Timestamp(i64::from(number) * 1_000_000);
    RunFacts {
        run_id: run_id(number),
        task_id: "task_0123456789ab".into(),
        flow,
        status,
        started_at,
        finished_at: (!status.is_active()).then(|| started_at.plus_seconds(1)),
        nodes: nodes.iter().map(|(id, status)| reached(id, *status)).collect(),
        artifacts: Vec::new(),
        rejection: None,
        parent_run_id: None,
        forked_from_node_id: None,
    }
}

pub(super) fn succeeded(number: u8) -> RunFacts {
    use NodeStatus::Succeeded;
    run(number, chain(), RunStatus::Succeeded, &[("draft", Succeeded), ("gate", Succeeded), ("publish", Succeeded)])
}

/// The gate said no.
pub(super) fn rejected(number: u8) -> RunFacts {
    let nodes = [("draft", NodeStatus::Succeeded), ("gate", NodeStatus::Failed)];
    let mut run = run(number, chain(), RunStatus::Failed, &nodes);
    run.nodes[1].output_hash = Some(hash("verdict"));
    run.rejection = Some(Rejection { node_id: id("gate"), repair_from_node_id: id("draft") });
    run
}

/// A fork of `parent` from a node, with the nodes before it reused.
pub(super) fn fork(number: u8, parent: &RunFacts, from: &str) -> RunFacts {
    let mut run = succeeded(number);
    run.parent_run_id = Some(parent.run_id.clone());
    run.forked_from_node_id = Some(id(from));
    for node in run.nodes.iter_mut().take_while(|node| node.node_id.as_str() != from) {
        node.status = NodeStatus::Reused;
    }
    run
}

pub(super) fn wire(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("serialisable")
}
