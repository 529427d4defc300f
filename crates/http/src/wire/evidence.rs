//! The evidence of a Run in full (contract §8, §11): values, and beside them the text of the published columns.

use std::path::Path;

use segue_flow::api::{Artifact, ContextEntry, Evidence, Node};
use segue_model::{
    flow::{Effect, Json, Object, RunId, canonical::canonical, effect::EvidenceLevel, fields::Word, json::object},
    reading::NodeStatus,
};

use super::{event, moment, number, run};
use crate::shape::{Named, Shape, has};

pub const NODE: Named = Named {
    name: "NodeEvidence",
    about: "What a node accepted, who executed it, what it returned. `input` is null if it was decided before that.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("node_id", Shape::Text),
        has("executor_id", Shape::Text),
        has("executor_version", Shape::Text),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("effects_json", Shape::Text),
        has("evidence_level", Shape::Words(EvidenceLevel::WORDS)),
        has("status", Shape::Words(NodeStatus::WORDS)),
        has("input", Shape::OrNull(&Shape::Map)),
        has("input_json", Shape::OrNull(&Shape::Text)),
        has("output", Shape::OrNull(&Shape::Map)),
        has("output_json", Shape::OrNull(&Shape::Text)),
        has("attempts", Shape::Integer),
        has("round", Shape::Integer),
    ]),
};

const CONTEXT: Named = Named {
    name: "ContextEntry",
    about: "An accepted output.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("sequence", Shape::Integer),
        has("node_id", Shape::Text),
        has("value", Shape::Map),
        has("value_json", Shape::Text),
    ]),
};

const ARTIFACT: Named = Named {
    name: "Artifact",
    about: "",
    shape: Shape::Exact(&[
        has("artifact_id", Shape::Text),
        has("run_id", Shape::Text),
        has("node_id", Shape::Text),
        has("name", Shape::Text),
        has("media_type", Shape::Text),
        has("relative_path", Shape::Text),
        has("sha256", Shape::Text),
        has("content_url", Shape::Text),
    ]),
};

pub const ARTIFACT_REF: Named = Named {
    name: "ArtifactRef",
    about: "An artifact without its content.",
    shape: Shape::Exact(&[
        has("artifact_id", Shape::Text),
        has("name", Shape::Text),
        has("media_type", Shape::Text),
        has("sha256", Shape::Text),
        has("bytes", Shape::Integer),
        has("content_url", Shape::Text),
    ]),
};

#[must_use]
pub fn artifact_ref(artifact: &segue_model::run::attempt::Artifact) -> Json {
    Json::Object(object([
        ("artifact_id", (&artifact.artifact_id).into()),
        ("name", artifact.name.as_str().into()),
        ("media_type", artifact.media_type.as_str().into()),
        ("sha256", (&artifact.sha256).into()),
        ("bytes", number(artifact.bytes)),
        ("content_url", format!("/api/v1/artifacts/{}/content", artifact.artifact_id).into()),
    ]))
}

pub const EVIDENCE: Named = Named {
    name: "RunEvidence",
    about: "All of it at once. For large Runs there are pages of events and single nodes.",
    shape: Shape::Exact(&[
        has("run", Shape::Named(&run::SUMMARY)),
        has("nodes", Shape::List(&Shape::Named(&NODE))),
        has("events", Shape::List(&Shape::Named(&event::EVENT))),
        has("context", Shape::List(&Shape::Named(&CONTEXT))),
        has("artifacts", Shape::List(&Shape::Named(&ARTIFACT))),
    ]),
};

fn text(value: Option<&Object>) -> Json {
    value.map(|value| canonical(&Json::Object(value.clone()))).into()
}

#[must_use]
pub fn node(run: &RunId, node: &Node) -> Json {
    let effects = Json::from(node.effects.clone());
    Json::Object(object([
        ("run_id", run.into()),
        ("node_id", (&node.node_id).into()),
        ("executor_id", node.executor.executor_id.as_str().into()),
        ("executor_version", node.executor.version.as_str().into()),
        ("effects_json", canonical(&effects).into()),
        ("effects", effects),
        ("evidence_level", node.evidence_level.as_str().into()),
        ("status", node.status.into()),
        ("input", node.input.clone().into()),
        ("input_json", text(node.input.as_ref())),
        ("output", node.output.clone().into()),
        ("output_json", text(node.output.as_ref())),
        ("attempts", node.attempts.into()),
        ("round", node.round.into()),
    ]))
}

fn context(run: &RunId, entry: &ContextEntry) -> Json {
    Json::Object(object([
        ("run_id", run.into()),
        ("sequence", number(entry.sequence)),
        ("node_id", (&entry.node_id).into()),
        ("value", entry.value.clone().into()),
        ("value_json", text(Some(&entry.value))),
    ]))
}

fn artifact(run: &RunId, artifact: &Artifact) -> Json {
    Json::Object(object([
        ("artifact_id", (&artifact.id).into()),
        ("run_id", run.into()),
        ("node_id", (&artifact.node).into()),
        ("name", artifact.name.as_str().into()),
        ("media_type", artifact.media_type.as_str().into()),
        ("relative_path", format!("artifacts/{run}/{}", artifact.name).into()),
        ("sha256", (&artifact.sha256).into()),
        ("content_url", format!("/api/v1/artifacts/{}/content", artifact.id).into()),
    ]))
}

/// The nodes whose results were taken over.
#[must_use]
pub fn reused(evidence: &Evidence) -> Vec<String> {
    let reused = evidence.nodes.iter().filter(|node| node.status == NodeStatus::Reused);
    reused.map(|node| node.node_id.as_str().to_owned()).collect()
}

#[must_use]
pub fn written(evidence: Evidence, state_root: &Path) -> Object {
    let run = evidence.run.run_id.clone();
    let summary = run::summary(&evidence.run, &reused(&evidence), state_root);
    object([
        ("run", summary.into()),
        ("nodes", Json::Array(evidence.nodes.iter().map(|found| node(&run, found)).collect())),
        ("events", Json::Array(evidence.events.into_iter().map(event::written).collect())),
        ("context", Json::Array(evidence.context.iter().map(|entry| context(&run, entry)).collect())),
        ("artifacts", Json::Array(evidence.artifacts.iter().map(|found| artifact(&run, found)).collect())),
    ])
}

/// What a Run ended with, for the end of a stream.
#[must_use]
pub fn end(run: &segue_flow::api::Summary) -> Object {
    object([("status", run.status.as_str().into()), ("finished_at", run.finished_at.map(moment).into())])
}
