//! The row of a Run: what lists, outcomes, comparisons and the limit of active Runs are answered from without
//! reading events. It is derived from them and written with them.

use std::io;

use segue_journal::{InstanceId, RunRow, Seq};
use segue_model::{
    Timestamp,
    flow::{
        ArtifactId, Flow, Hash, Json, NodeId, Object, PortableId, RunId, effect::EvidenceLevel, inputs::BESIDE_INPUTS,
    },
    reading::{ArtifactFacts, NodeFacts, NodeStatus, Rejection, RunFacts, RunStatus},
    run::{About, Run},
};
use serde::{Deserialize, Serialize};

use crate::error::RunError;

/// The kind of the documents that list Runs which were set aside, so that nobody searches all rows for them.
pub const QUARANTINE: &str = "quarantine";

/// What the row holds beside its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Without the flows that its nodes run.
    pub about: About,
    pub topic: String,
    /// What it was given, for lists; `None` in rows of before these were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<Given>>,
    pub total_nodes: usize,
    pub settled_nodes: usize,
    pub artifacts: Vec<Artifact>,
    /// Only of a Run that has ended: while it is active they change with every event, and few are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<Node>>,
    /// The evaluation that rejected, and the producer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<(NodeId, NodeId)>,
    /// What may still run although its attempt is over; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// Why the Run cannot be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    pub id: ArtifactId,
    pub node: NodeId,
    pub name: String,
    pub media_type: String,
    pub sha256: Hash,
}

/// An input that a Run was given, short enough for a list. The runtime's own members of the flow input are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    pub name: String,
    /// Text as it is, anything else as compact JSON; the first 120 characters.
    pub text: String,
    /// Whether that is not all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Characters of one input in a list: about as many as fit on a line.
const GIVEN_CHARS: usize = 120;
/// Inputs in a list. The row is written with every commit, and rows are read by the hundred.
const GIVEN_MAX: usize = 8;

/// A node of which something may still run, and why nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconfirmed {
    pub node: NodeId,
    pub why: String,
}

/// Of those, in one row: what somebody reads who looks for processes. A node of a thousand items may have as many.
const UNCONFIRMED_MAX: usize = 16;

/// A node that was reached. What its executor is stands in the flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its position in the flow.
    pub at: usize,
    pub status: NodeStatus,
    pub level: EvidenceLevel,
    pub input: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Hash>,
}

/// What of a row does not follow from the Run alone.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    pub workspace: &'a str,
    pub server: &'a InstanceId,
    pub admission_key: Option<&'a str>,
    pub last_seq: Seq,
}

/// The row of a Run as it is now.
#[must_use]
pub fn of(run: &Run, flow: &Flow, place: &Place<'_>) -> RunRow {
    let body = serde_json::to_string(&body(run, flow)).expect("a row is plain data");
    RunRow {
        id: run.id.as_str().to_owned(),
        workspace: place.workspace.to_owned(),
        server: place.server.clone(),
        flow_id: PortableId::parse(flow.flow_id()).map(|id| id.as_str().to_owned()),
        task: Some(run.about.task_id.clone()),
        flow_hash: flow.hash().as_str().to_owned(),
        status: run.state.status.as_str().to_owned(),
        ended: run.state.status.is_terminal(),
        waiting: run.state.waits_for_somebody(),
        started_at: run.state.started_at.0,
        finished_at: run.state.finished_at.map(|at| at.0),
        parent: run.parent.as_ref().map(|(parent, _)| parent.as_str().to_owned()),
        forked_from: run.parent.as_ref().map(|(_, node)| node.as_str().to_owned()),
        admission_key: place.admission_key.map(str::to_owned),
        last_seq: place.last_seq,
        body,
    }
}

fn body(run: &Run, flow: &Flow) -> Body {
    let about = About { callees: Vec::new(), ..run.about.clone() };
    let artifacts = run.artifacts(flow).into_iter().map(|artifact| Artifact {
        id: artifact.artifact_id,
        node: artifact.node_id,
        name: artifact.name,
        media_type: artifact.media_type,
        sha256: artifact.sha256,
    });
    let topic = run.state.flow_input.get("topic").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut body = Body {
        about,
        topic,
        inputs: Some(given(&run.state.flow_input)),
        total_nodes: flow.nodes().len(),
        settled_nodes: run.settled_nodes(),
        artifacts: artifacts.collect(),
        nodes: None,
        rejection: None,
        unconfirmed: unconfirmed(run),
        quarantined: None,
    };
    if run.state.status.is_terminal() {
        let facts = run.facts(flow);
        let node = |(node, at): (NodeFacts, &usize)| Node {
            at: *at,
            status: node.status,
            level: node.evidence_level,
            input: node.input_hash,
            output: node.output_hash,
        };
        body.nodes = Some(facts.nodes.into_iter().zip(run.reached()).map(node).collect());
        body.rejection = facts.rejection.map(|rejection| (rejection.node_id, rejection.repair_from_node_id));
    }
    body
}

/// The first few, in their order.
fn given(flow_input: &Object) -> Vec<Given> {
    let own = flow_input.iter().filter(|(name, _)| !BESIDE_INPUTS.contains(&name.as_str()));
    own.take(GIVEN_MAX).map(|(name, value)| shortened(name, value)).collect()
}

fn shortened(name: &str, value: &Json) -> Given {
    let mut begin = Begin::default();
    let text = match value {
        Json::String(text) => text,
        // It breaks off when it has enough: an input may be long, and this is done with every commit.
        other => {
            let _ = serde_json::to_writer(&mut begin, other);
            &String::from_utf8_lossy(&begin.0).into_owned()
        }
    };
    let cut = text.char_indices().nth(GIVEN_CHARS).map(|(at, _)| at);
    Given { name: name.to_owned(), text: text[..cut.unwrap_or(text.len())].to_owned(), cut: cut.is_some() }
}

/// Takes bytes until [`GIVEN_CHARS`] characters and one more are among them, however many bytes each has.
#[derive(Default)]
struct Begin(Vec<u8>);

impl io::Write for Begin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (GIVEN_CHARS + 1) * 4 - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len().min(room))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unconfirmed(run: &Run) -> Vec<Unconfirmed> {
    let some = run.state.unconfirmed.iter().take(UNCONFIRMED_MAX);
    some.map(|(node, why)| Unconfirmed { node: node.clone(), why: why.clone() }).collect()
}

/// # Errors
/// The Run is quarantined, or its row was not written by this product.
pub fn read(row: &RunRow) -> Result<Body, RunError> {
    let run = run_id(row)?;
    let quarantined = |why| RunError::Quarantined { run: run.clone(), why };
    let body: Body = serde_json::from_str(&row.body)
        .map_err(|error| quarantined(quarantine_reason(row).unwrap_or_else(|| format!("its row: {error}"))))?;
    match body.quarantined {
        Some(why) => Err(quarantined(why)),
        None => Ok(body),
    }
}

/// What is left of a row's body once its Run cannot be loaded: as much as could be read, and why.
#[must_use]
pub fn quarantined_body(row: &RunRow, why: &str) -> String {
    let mut members = match serde_json::from_str(&row.body) {
        Ok(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    members.insert("quarantined".to_owned(), why.into());
    serde_json::Value::Object(members).to_string()
}

/// The body of a row as it was before its Run was set aside.
#[must_use]
pub fn restored_body(row: &RunRow) -> String {
    match serde_json::from_str(&row.body) {
        Ok(serde_json::Value::Object(mut members)) => {
            members.shift_remove("quarantined");
            serde_json::Value::Object(members).to_string()
        }
        _ => row.body.clone(),
    }
}

/// Why a Run is quarantined; `None` if it is not.
#[must_use]
pub fn quarantine_reason(row: &RunRow) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(&row.body).ok()?;
    body.get("quarantined")?.as_str().map(str::to_owned)
}

/// # Errors
/// The row's id is none.
pub fn run_id(row: &RunRow) -> Result<RunId, RunError> {
    RunId::parse(&row.id).ok_or_else(|| RunError::NotFound(row.id.clone()))
}

/// The facts of a Run that has ended; `None` for one that is active, whose events have them.
///
/// # Errors
/// Text in the row is no fact: whoever reads it fails closed.
pub fn facts(row: &RunRow, body: &Body, flow: &Flow) -> Result<Option<RunFacts>, RunError> {
    let Some(nodes) = &body.nodes else { return Ok(None) };
    let run_id = run_id(row)?;
    let bad = |what: &str| RunError::Quarantined { run: run_id.clone(), why: format!("its row: {what}") };
    let status = RunStatus::parse(&row.status).ok_or_else(|| bad("unknown status"))?;
    let nodes = nodes.iter().map(|node| {
        let of = flow.nodes().get(node.at).ok_or_else(|| bad("a node that the flow does not have"))?;
        Ok(NodeFacts {
            node_id: of.id.clone(),
            status: node.status,
            executor: of.executor.clone(),
            effects: of.effects.clone(),
            evidence_level: node.level,
            input_hash: node.input.clone(),
            output_hash: node.output.clone(),
        })
    });
    let nodes = nodes.collect::<Result<_, RunError>>()?;
    let parent_run_id =
        row.parent.as_deref().map(|id| RunId::parse(id).ok_or_else(|| bad("no parent id"))).transpose()?;
    let forked_from_node_id =
        row.forked_from.as_deref().map(|id| NodeId::parse(id).ok_or_else(|| bad("no node id"))).transpose()?;
    Ok(Some(RunFacts {
        task_id: body.about.task_id.clone(),
        flow: flow.clone(),
        status,
        started_at: Timestamp(row.started_at),
        finished_at: row.finished_at.map(Timestamp),
        nodes,
        artifacts: artifacts(&run_id, body),
        rejection: body
            .rejection
            .as_ref()
            .map(|(node_id, from)| Rejection { node_id: node_id.clone(), repair_from_node_id: from.clone() }),
        parent_run_id,
        forked_from_node_id,
        run_id,
    }))
}

fn artifacts(run_id: &RunId, body: &Body) -> Vec<ArtifactFacts> {
    let facts = body.artifacts.iter().map(|artifact| ArtifactFacts {
        artifact_id: artifact.id.clone(),
        run_id: run_id.clone(),
        node_id: artifact.node.clone(),
        name: artifact.name.clone(),
        media_type: artifact.media_type.clone(),
        sha256: artifact.sha256.clone(),
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Object {
        Json::parse(text).expect("valid JSON").as_object().expect("an object").clone()
    }

    fn entry(name: &str, text: &str, cut: bool) -> Given {
        Given { name: name.to_owned(), text: text.to_owned(), cut }
    }

    #[test]
    fn a_list_has_what_a_run_was_given_and_nothing_that_the_runtime_adds() {
        let given = given(&input(
            r#"{"goal": "g", "topic": "t", "audience": "a", "granularity": "balanced", "required_principles": [],
                "workspace": "w", "note": "two\nlines", "n": 3, "loud": true, "tags": ["a", {"b": 1.5}]}"#,
        ));
        assert_eq!(
            given,
            [
                entry("note", "two\nlines", false),
                entry("n", "3", false),
                entry("loud", "true", false),
                entry("tags", r#"["a",{"b":1.5}]"#, false),
            ]
        );
    }

    #[test]
    fn long_inputs_are_cut_in_a_list_and_there_are_only_the_first_few() {
        let (whole, long) = ("\u{1d11e}".repeat(GIVEN_CHARS), "\u{1d11e}".repeat(GIVEN_CHARS + 1));
        let of = |value: Json| shortened("n", &value);
        assert_eq!(of(whole.as_str().into()), entry("n", &whole, false));
        assert_eq!(of(long.as_str().into()), entry("n", &whole, true));
        let list = |text: &str| Json::Array(vec![text.into()]);
        let begin: String = format!("[\"{whole}").chars().take(GIVEN_CHARS).collect();
        assert_eq!(of(list(&whole)), entry("n", &begin, true));
        let many: Object = (0..=GIVEN_MAX).map(|at| (format!("i{at}"), Json::Bool(true))).collect();
        let names: Vec<String> = given(&many).into_iter().map(|given| given.name).collect();
        assert_eq!(names, (0..GIVEN_MAX).map(|at| format!("i{at}")).collect::<Vec<_>>());
    }
}
