//! A `flow.task`: another flow as one node is a Run of its own.
//!
//! Its id follows from the attempt, so an attempt that is called again finds the Run that it started. It executes the
//! flow as it was when the outermost Run was admitted, and does not count among the active Runs: whoever started it
//! does.

use std::sync::Arc;

use segue_journal::RunRow;
use segue_model::{
    flow::{
        Challenge, Hash, Json, Object, RunId, Scope,
        inputs::{self, flow_input},
        rules::FailureClass,
    },
    run::{
        About, Event, Outcome, Run, Status,
        about::{CalleeAbout, SubrunOf},
        attempt::{EvidenceLevel, UNCONFIRMED_END},
    },
};

use crate::{
    create::{Creation, create},
    drive::{Refused, chain},
    error::StorageError,
    executors::Call,
    frozen, payload, people, reads, recover, row,
    shared::{Shared, blocking},
};

/// What distinguishes the keys of these Runs from those that people give.
pub const KEY_PREFIX: &str = "subrun:";

/// Runs the flow, or goes on with the Run that the attempt has started before, and waits for its end.
pub async fn run(shared: &Arc<Shared>, call: &Call, flow: &str, inputs: Object) -> Outcome {
    let of = SubrunOf { run_id: call.run_id.clone(), attempt: call.attempt.clone() };
    let id = of.run_id();
    match start(shared, call, flow, inputs, of).await {
        Ok(()) => {}
        Err(outcome) => return *outcome,
    }
    let ended = tokio::select! {
        ended = reads::ended(shared, &id) => ended,
        () = call.stop.cancelled() => {
            if let Err(error) = people::cancel(shared, id.as_str(), None, None).await {
                return broken(&error);
            }
            reads::ended(shared, &id).await
        }
    };
    match ended {
        Ok(row) => match unconfirmed(&id, &row) {
            Some(outcome) => outcome,
            None if call.stop.is_cancelled() => Outcome::Aborted,
            None => result(shared, id).await,
        },
        Err(error) => broken(&error),
    }
}

/// Something that the Run started may still run: never tried again on top of it.
fn unconfirmed(id: &RunId, row: &RunRow) -> Option<Outcome> {
    let of = row::read(row).ok()?.unconfirmed.into_iter().next()?;
    let message = format!("run {id}: node {}: {}", of.node, of.why);
    Some(Outcome::Failed { class: None, error_type: UNCONFIRMED_END.to_owned(), message })
}

fn failed(error_type: &str, message: impl Into<String>) -> Outcome {
    let class = Some(FailureClass::Exit);
    Outcome::Failed { class, error_type: error_type.to_owned(), message: message.into() }
}

fn broken(error: &dyn std::error::Error) -> Outcome {
    failed("SubrunUnreadable", chain(error))
}

/// Starts the Run unless it is there.
async fn start(
    shared: &Arc<Shared>,
    call: &Call,
    flow: &str,
    inputs: Object,
    of: SubrunOf,
) -> Result<(), Box<Outcome>> {
    let id = of.run_id();
    let known = id.clone();
    let known = shared.read(move |journal| Ok(journal.run(known.as_str())?)).await;
    if known.map_err(|error| broken(&error))?.is_some() {
        // Whoever took over the Run that waits for it need not have taken over this one.
        recover::adopt(shared, &id).await;
        return Ok(());
    }
    let hash = call.node.rules.subflow.as_ref().map(|rule| rule.hash.clone());
    let parent = origin(shared, &call.run_id).await.map_err(|error| broken(&error))?;
    let callee = parent.callees.iter().find(|callee| callee.flow_id == flow && Some(&callee.hash) == hash.as_ref());
    let callee = callee.cloned().ok_or_else(|| failed("FlowMissing", format!("flow {flow:?} was not admitted")))?;
    let creation = prepare(shared, callee, parent, &inputs, of).await?;
    match create(shared, creation).await {
        Ok(_) | Err(Refused::Duplicate | Refused::Exists) => Ok(()),
        Err(Refused::Stale) => Err(Box::new(failed("SubrunUnreadable", "the admission was overtaken"))),
        Err(Refused::Storage(error)) => Err(Box::new(broken(&error))),
    }
}

/// What the Run of the attempt was admitted with.
async fn origin(shared: &Arc<Shared>, id: &RunId) -> Result<About, StorageError> {
    let id = id.clone();
    shared
        .read(move |journal| match payload::page(journal, &id, 0, 1)?.unwrap_or_default().into_iter().next() {
            Some(first) => match first.event {
                Event::RunCreated(created) => Ok(created.own.about),
                other => Err(StorageError::corrupt(format!("run {id}"), format!("it begins with {}", other.kind()))),
            },
            None => Err(StorageError::corrupt(format!("run {id}"), "it has no events")),
        })
        .await
}

async fn prepare(
    shared: &Arc<Shared>,
    callee: CalleeAbout,
    parent: About,
    supplied: &Object,
    of: SubrunOf,
) -> Result<Creation, Box<Outcome>> {
    let resolved =
        inputs::resolve(&callee.inputs, supplied).map_err(|problem| failed("Inputs", problem.to_string()))?;
    let surroundings = inputs::Surroundings {
        goal: callee.goal,
        topic: callee.topic,
        granularity: callee.granularity,
        workspace: shared.workspace.name().to_owned(),
    };
    let flow_input = flow_input(&surroundings, &resolved);
    let (reading, hash) = (Arc::clone(shared), callee.hash);
    let bound = blocking(move || frozen::bound(&reading, &hash)).await.map_err(|error| broken(&error))?;
    let input_hash = Hash::of(&Json::Object(flow_input.clone()));
    Ok(Creation {
        id: of.run_id(),
        challenge: Challenge::new(&bound.flow, input_hash, Scope::whole(&bound.flow)),
        bound: Arc::new(bound),
        key: Some(format!("{KEY_PREFIX}{}", of.key())),
        about: About {
            task_id: callee.task_id,
            task_title: callee.task_title,
            granularity: callee.granularity,
            profile: parent.profile,
            capability_ids: callee.capability_ids,
            callees: parent.callees,
            subrun_of: Some(of),
        },
        flow_input,
        taken: Vec::new(),
        documents: Vec::new(),
    })
}

/// The outcome of a Run that has ended, as the node that started it has it.
async fn result(shared: &Arc<Shared>, id: RunId) -> Outcome {
    let (bound, run) = match reads::load(shared, &id).await {
        Ok(loaded) => (loaded.bound, loaded.run),
        Err(error) => return broken(&error),
    };
    match run.state.status {
        Status::Succeeded => crate::executors::returned(output(&bound.flow, &run), EvidenceLevel::RealExecutor),
        Status::Cancelled => failed("SubrunCancelled", format!("run {id} was cancelled")),
        Status::Failed | Status::Running | Status::CancelRequested => {
            let (error_type, message) = run.state.failure.clone().unwrap_or_default();
            failed(&error_type, format!("run {id}: {message}"))
        }
    }
}

/// What a flow gives: the output of the node that nothing receives from; of several, by their ids.
fn output(flow: &segue_model::flow::Flow, run: &Run) -> Object {
    let graph = flow.graph();
    let last = (0..flow.nodes().len()).filter(|at| graph.downstream(*at).is_empty());
    let outputs: Vec<(&str, Object)> = last
        .filter_map(|at| {
            let output = run.state.nodes[at].output.as_ref()?.as_ref().clone();
            Some((flow.nodes()[at].id.as_str(), output))
        })
        .collect();
    match <[_; 1]>::try_from(outputs) {
        Ok([(_, output)]) => output,
        Err(outputs) => outputs.into_iter().map(|(id, output)| (id.to_owned(), Json::Object(output))).collect(),
    }
}
