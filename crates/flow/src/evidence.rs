//! The evidence of a Run in full: what each node accepted, who executed it, what it returned, in which order it
//! happened. Shown whole, and written into a file with the published tables.

use std::{path::Path, sync::Arc};

use segue_journal::export::{
    ArtifactEvidence, ContextEntryEvidence, EventEvidence, Evidence as Tables, FlowEvidence, NodeRunEvidence,
    RunEvidence, export_evidence,
};
use segue_model::{
    Timestamp,
    flow::{
        Effect, ExecutorRef, Json, Node as FlowNode, NodeId, Object, RunId,
        canonical::{canonical, canonical_object},
        effect::EvidenceLevel,
    },
    reading::{NodeStatus, instant},
    run::{
        NodeState,
        record::{evidence_level, node_status},
    },
};

use crate::{
    error::{ExportError, RunError, StorageError},
    payload::Recorded,
    reads::{self, Loaded, Summary},
    row,
    shared::{Shared, blocking},
};

/// Everything that is known of a Run.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub run: Summary,
    /// In the order in which they were reached.
    pub nodes: Vec<Node>,
    pub events: Vec<Published>,
    pub context: Vec<ContextEntry>,
    pub artifacts: Vec<row::Artifact>,
}

/// A node that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub node_id: NodeId,
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
    pub evidence_level: EvidenceLevel,
    pub status: NodeStatus,
    /// What it accepted; `None` if it was decided before that.
    pub input: Option<Object>,
    pub output: Option<Object>,
    /// Calls of its executor.
    pub attempts: u32,
    /// 1, or more after repairs.
    pub round: u32,
}

/// An event as it is shown: without the record's own part.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    pub run_id: RunId,
    /// 1 for the first, without gaps.
    pub sequence: u64,
    pub node_id: Option<NodeId>,
    pub event_type: &'static str,
    pub payload: Object,
    pub recorded_at: Timestamp,
}

/// An accepted output.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextEntry {
    /// 1 for the first.
    pub sequence: u64,
    pub node_id: NodeId,
    pub value: Object,
}

impl Published {
    #[must_use]
    pub fn of(run: &RunId, recorded: &Recorded) -> Self {
        Self {
            run_id: run.clone(),
            sequence: recorded.seq,
            node_id: recorded.event.node_id().cloned(),
            event_type: recorded.event.kind(),
            payload: recorded.event.published(),
            recorded_at: recorded.at,
        }
    }
}

/// # Errors
/// There is no such Run, or its record cannot be read.
pub async fn evidence(shared: &Arc<Shared>, id: &str) -> Result<Evidence, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(evidence_now(&reading, &id))).await?
}

fn evidence_now(shared: &Shared, id: &str) -> Result<Evidence, RunError> {
    let loaded = reads::load_now(shared, id)?;
    Ok(Evidence {
        run: reads::summary_now(shared, &loaded.row)?,
        nodes: nodes(&loaded),
        events: loaded.events.iter().map(|recorded| Published::of(&loaded.run.id, recorded)).collect(),
        context: context(&loaded),
        artifacts: row::read(&loaded.row)?.artifacts,
    })
}

fn nodes(loaded: &Loaded) -> Vec<Node> {
    let node = |at: &usize| {
        let (node, state): (&FlowNode, &NodeState) = (&loaded.bound.flow.nodes()[*at], &loaded.run.state.nodes[*at]);
        Some(Node {
            node_id: node.id.clone(),
            executor: node.executor.clone(),
            effects: node.effects.clone(),
            evidence_level: evidence_level(node, state),
            status: node_status(&state.phase)?,
            input: state.input.as_deref().cloned(),
            output: state.output.as_deref().cloned(),
            attempts: state.attempts,
            round: state.round,
        })
    };
    loaded.run.reached().iter().filter_map(node).collect()
}

fn context(loaded: &Loaded) -> Vec<ContextEntry> {
    let state = &loaded.run.state;
    let entries = state.context.iter().enumerate().filter_map(|(index, at)| {
        let value = state.nodes[*at].output.as_deref()?.clone();
        Some(ContextEntry { sequence: index as u64 + 1, node_id: loaded.bound.flow.nodes()[*at].id.clone(), value })
    });
    entries.collect()
}

/// Writes the evidence of some Runs into a new SQLite file with the six published tables.
///
/// # Errors
/// A Run is not there or cannot be read, or the file exists or cannot be written.
pub async fn export(shared: &Arc<Shared>, ids: &[String], path: &Path) -> Result<(), ExportError> {
    let (reading, ids, path) = (Arc::clone(shared), ids.to_vec(), path.to_owned());
    let written = blocking(move || {
        let tables = tables(&reading, &ids);
        Ok(tables.map_err(ExportError::from).and_then(|tables| Ok(export_evidence(&path, &tables)?)))
    });
    written.await.map_err(RunError::from)?
}

fn tables(shared: &Shared, ids: &[String]) -> Result<Tables, RunError> {
    let mut tables = Tables::default();
    for id in ids {
        let loaded = reads::load_now(shared, id)?;
        add(&mut tables, &loaded)?;
    }
    Ok(tables)
}

fn text(value: &Object) -> String {
    canonical_object(value)
}

fn add(tables: &mut Tables, loaded: &Loaded) -> Result<(), RunError> {
    let (flow, run) = (&loaded.bound.flow, &loaded.run);
    let run_id = || run.id.as_str().to_owned();
    let moment = |at: Timestamp| {
        instant::written(at)
            .ok_or_else(|| StorageError::corrupt(format!("run {}", run.id), "a time outside of the calendar"))
    };
    if tables.flows.iter().all(|known| known.semantic_hash != flow.hash().as_str()) {
        tables.flows.push(FlowEvidence {
            flow_id: flow.flow_id().to_owned(),
            version: flow.version().to_owned(),
            semantic_hash: flow.hash().as_str().to_owned(),
            definition_json: canonical(&flow.definition()),
        });
    }
    tables.runs.push(RunEvidence {
        run_id: run_id(),
        flow_id: flow.flow_id().to_owned(),
        flow_version: flow.version().to_owned(),
        semantic_hash: flow.hash().as_str().to_owned(),
        status: run.state.status.as_str().to_owned(),
        started_at: moment(run.state.started_at)?,
        finished_at: run.state.finished_at.map(moment).transpose()?,
    });
    for node in nodes(loaded) {
        // The published table has nodes that accepted something.
        let Some(input) = node.input else { continue };
        tables.node_runs.push(NodeRunEvidence {
            run_id: run_id(),
            node_id: node.node_id.as_str().to_owned(),
            executor_id: node.executor.executor_id,
            executor_version: node.executor.version,
            effects_json: canonical(&Json::from(node.effects)),
            evidence_level: node.evidence_level.as_str().to_owned(),
            status: node.status.as_str().to_owned(),
            input_json: text(&input),
            output_json: node.output.as_ref().map(text),
        });
    }
    for recorded in &loaded.events {
        let published = Published::of(&run.id, recorded);
        tables.events.push(EventEvidence {
            run_id: run_id(),
            sequence: i64::try_from(published.sequence).unwrap_or(i64::MAX),
            node_id: published.node_id.map(|id| id.as_str().to_owned()),
            event_type: published.event_type.to_owned(),
            payload_json: text(&published.payload),
            recorded_at: moment(published.recorded_at)?,
        });
    }
    for entry in context(loaded) {
        tables.context_entries.push(ContextEntryEvidence {
            run_id: run_id(),
            sequence: i64::try_from(entry.sequence).unwrap_or(i64::MAX),
            node_id: entry.node_id.as_str().to_owned(),
            value_json: text(&entry.value),
        });
    }
    for artifact in run.artifacts(flow) {
        tables.artifacts.push(ArtifactEvidence {
            artifact_id: artifact.artifact_id.as_str().to_owned(),
            run_id: run_id(),
            node_id: artifact.node_id.as_str().to_owned(),
            relative_path: format!("artifacts/{}/{}", run.id, artifact.name),
            name: artifact.name,
            media_type: artifact.media_type,
            sha256: artifact.sha256.as_str().to_owned(),
        });
    }
    Ok(())
}
