//! Runs as JSON, where no published contract has the shape.

use segue_flow::api::{Evidence, Given, Published, Summary};
use segue_model::reading::instant;
use serde_json::{Value, json};

/// A Run in a list.
#[must_use]
pub fn summary(run: &Summary) -> Value {
    let artifacts = run.artifacts.iter().map(|artifact| {
        json!({
            "artifact_id": artifact.id,
            "node_id": artifact.node,
            "name": artifact.name,
            "media_type": artifact.media_type,
            "sha256": artifact.sha256,
        })
    });
    let (parent, from) = run.parent.as_ref().map(|(parent, from)| (parent.as_str(), from.as_str())).unzip();
    json!({
        "run_id": run.run_id,
        "flow_id": run.flow_id,
        "flow_hash": run.flow_hash,
        "task_id": run.task_id,
        "task_title": run.task_title,
        "topic": run.topic,
        "inputs": run.inputs.as_deref().map(|inputs| inputs.iter().map(given).collect::<Vec<_>>()),
        "granularity": run.granularity,
        "executor": run.profile,
        "capability_ids": run.capability_ids,
        "status": run.status,
        "waiting": run.waiting,
        "started_at": instant::written(run.started_at),
        "finished_at": run.finished_at.and_then(instant::written),
        "settled_nodes": run.settled_nodes,
        "total_nodes": run.nodes.len(),
        "event_count": run.event_count,
        "artifacts": artifacts.collect::<Vec<_>>(),
        "parent_run_id": parent,
        "forked_from_node_id": from,
        "subrun_of": run.subrun_of,
        "schedule_id": run.schedule,
        "unconfirmed": unconfirmed(run),
        "quarantined": run.quarantined,
    })
}

/// An input as far as a list shows it.
fn given(input: &Given) -> Value {
    json!({"name": input.name, "text": input.text, "cut": input.cut})
}

/// What may still run of a Run.
#[must_use]
pub fn unconfirmed(run: &Summary) -> Value {
    run.unconfirmed.iter().map(|of| json!({"node_id": of.node, "message": of.why})).collect()
}

/// One event, as published.
#[must_use]
pub fn event(event: &Published) -> Value {
    json!({
        "run_id": event.run_id,
        "sequence": event.sequence,
        "node_id": event.node_id,
        "event_type": event.event_type,
        "payload": event.payload,
        "recorded_at": instant::written(event.recorded_at),
    })
}

/// A Run with everything that is known of it.
#[must_use]
pub fn evidence(evidence: &Evidence) -> Value {
    let nodes = evidence.nodes.iter().map(|node| {
        json!({
            "node_id": node.node_id,
            "executor": node.executor,
            "effects": node.effects,
            "evidence_level": node.evidence_level.as_str(),
            "status": node.status,
            "input": node.input,
            "output": node.output,
            "attempts": node.attempts,
            "round": node.round,
        })
    });
    let context = evidence
        .context
        .iter()
        .map(|entry| json!({"sequence": entry.sequence, "node_id": entry.node_id, "value": entry.value}));
    json!({
        "run": summary(&evidence.run),
        "nodes": nodes.collect::<Vec<_>>(),
        "context": context.collect::<Vec<_>>(),
        "events": evidence.events.iter().map(event).collect::<Vec<_>>(),
    })
}
