//! Reading Runs: lists, outcome, history, comparison, stability, waiting for the end.
//!
//! What has ended is read from its row; what is active from its events, and few are.

use std::{sync::Arc, time::Duration};

use segue_journal::{RunFilter, RunRow};
use segue_model::{
    Timestamp,
    flow::{Flow, Granularity, Hash, NodeId, NodeKind, Profile, RunId},
    reading::{
        self, Inconsistent, Outcome, RunFacts, comparison,
        history::{self, History, Query},
        stability as stable,
    },
    run::Run,
};

use crate::{
    admit::{self, Target},
    error::{AdmitError, CompareError, FlowError, RunError, StabilityError, StorageError},
    frozen::{self, Bound},
    payload::{self, Recorded},
    row, rules,
    schedule::schedule_of,
    service::Quarantined,
    shared::{Shared, blocking},
    store,
};

/// Runs of one list at most.
pub const LIST_MAX: usize = 1000;
/// How often what others write is looked at, at most.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A Run with everything that was recorded of it.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub row: RunRow,
    pub bound: Arc<Bound>,
    pub run: Run,
    pub events: Vec<Recorded>,
}

/// A Run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub run_id: RunId,
    pub task_id: String,
    pub task_title: String,
    pub topic: String,
    /// What it was given, short: see [`row::Given`]; `None` where that was not kept.
    pub inputs: Option<Vec<row::Given>>,
    pub granularity: Granularity,
    pub profile: Profile,
    pub capability_ids: Vec<String>,
    pub flow_id: String,
    pub flow_hash: String,
    /// In the flow's order.
    pub nodes: Vec<(NodeId, NodeKind)>,
    pub status: String,
    /// A person or a decision is waited for.
    pub waiting: bool,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub settled_nodes: usize,
    pub event_count: u64,
    pub artifacts: Vec<row::Artifact>,
    /// The Run it was forked from and the node.
    pub parent: Option<(String, String)>,
    /// The Run whose node it is.
    pub subrun_of: Option<RunId>,
    /// The schedule that had it admitted.
    pub schedule: Option<String>,
    /// What may still run although its attempt is over.
    pub unconfirmed: Vec<row::Unconfirmed>,
    /// Why it cannot be loaded; then the texts above may be empty.
    pub quarantined: Option<String>,
}

/// The row of a Run of this workspace. Blocks.
///
/// # Errors
/// There is none.
pub fn row_now(shared: &Shared, id: &str) -> Result<RunRow, RunError> {
    let unknown = || RunError::NotFound(id.chars().take(80).collect());
    let known = RunId::parse(id).ok_or_else(unknown)?;
    let row = shared.journal().run(known.as_str()).map_err(StorageError::from)?;
    row.filter(|row| row.workspace == shared.workspace.key()).ok_or_else(unknown)
}

/// # Errors
/// There is none.
pub async fn row_of(shared: &Arc<Shared>, id: &str) -> Result<RunRow, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(row_now(&reading, &id))).await?
}

/// Everything of a Run. Blocks.
///
/// # Errors
/// There is none, it is quarantined, or its record cannot be read.
pub fn load_now(shared: &Shared, id: &str) -> Result<Loaded, RunError> {
    let loaded = load_by(shared, id, |run_id| payload::load(&**shared.journal(), run_id))?;
    rules::same_input(&loaded.run.id, &loaded.events)?;
    Ok(loaded)
}

fn load_by(
    shared: &Shared,
    id: &str,
    read: impl FnOnce(&RunId) -> Result<Option<Vec<Recorded>>, StorageError>,
) -> Result<Loaded, RunError> {
    load_row(shared, row_now(shared, id)?, read)
}

/// As [`load_now`], by a row that may not be the one that is stored. Blocks.
///
/// # Errors
/// As [`load_now`].
pub fn load_row_now(shared: &Shared, row: RunRow) -> Result<Loaded, RunError> {
    load_row(shared, row, |run_id| payload::load(&**shared.journal(), run_id))
}

fn load_row(
    shared: &Shared,
    row: RunRow,
    read: impl FnOnce(&RunId) -> Result<Option<Vec<Recorded>>, StorageError>,
) -> Result<Loaded, RunError> {
    let id = row.id.clone();
    load_there(shared, row, read).map_err(|error| match row_now(shared, &id) {
        // It was forgotten since its row was read.
        Err(gone @ RunError::NotFound(_)) => gone,
        _ => error,
    })
}

fn load_there(
    shared: &Shared,
    row: RunRow,
    read: impl FnOnce(&RunId) -> Result<Option<Vec<Recorded>>, StorageError>,
) -> Result<Loaded, RunError> {
    let run_id = row::run_id(&row)?;
    row::read(&row)?;
    let hash = Hash::parse(&row.flow_hash);
    let hash = hash.ok_or_else(|| StorageError::corrupt(format!("run {run_id}"), "its flow has no hash"))?;
    let bound = frozen::bound(shared, &hash)?;
    if let Some(why) = rules::newer(&**shared.journal(), &run_id)? {
        return Err(RunError::Quarantined { run: run_id, why });
    }
    let events = read(&run_id)?.unwrap_or_default();
    let run = Run::replay(run_id, &bound.flow, events.iter().map(|recorded| (&recorded.event, recorded.at)));
    Ok(Loaded { row, run: run.map_err(StorageError::from)?, bound: Arc::new(bound), events })
}

/// As [`load_now`], but of the nodes other than `node` without what they accepted and returned. Blocks.
///
/// # Errors
/// As [`load_now`].
pub fn load_lean_now(shared: &Shared, id: &str, node: Option<&str>) -> Result<Loaded, RunError> {
    load_by(shared, id, |run_id| payload::load_lean(&**shared.journal(), run_id, node))
}

/// # Errors
/// As [`load_now`].
pub async fn load(shared: &Arc<Shared>, id: &RunId) -> Result<Loaded, RunError> {
    let (reading, id) = (Arc::clone(shared), id.clone());
    blocking(move || Ok(load_now(&reading, id.as_str()))).await?
}

/// The facts of a Run. Blocks.
///
/// # Errors
/// As [`load_now`].
fn facts_now(shared: &Shared, row: &RunRow) -> Result<RunFacts, RunError> {
    let body = row::read(row)?;
    let flow = flow_of(shared, row)?;
    match row::facts(row, &body, &flow)? {
        Some(facts) => Ok(facts),
        None => {
            let loaded = load_now(shared, &row.id)?;
            Ok(loaded.run.facts(&loaded.bound.flow))
        }
    }
}

/// The flow that a Run executes. Blocks.
///
/// # Errors
/// It is gone or not what was kept.
pub fn flow_of(shared: &Shared, row: &RunRow) -> Result<Arc<Flow>, RunError> {
    let hash = Hash::parse(&row.flow_hash);
    let hash = hash.ok_or_else(|| StorageError::corrupt(format!("run {}", row.id), "its flow has no hash"))?;
    Ok(frozen::flow(shared, &hash)?)
}

async fn facts(shared: &Arc<Shared>, id: &str) -> Result<RunFacts, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(row_now(&reading, &id).and_then(|row| facts_now(&reading, &row)))).await?
}

fn inconsistent(run: RunId) -> impl FnOnce(Inconsistent) -> RunError {
    |why| RunError::Inconsistent { run, why }
}

/// # Errors
/// There is no such Run, or its evidence has no reading.
pub async fn outcome(shared: &Arc<Shared>, id: &str) -> Result<Outcome, RunError> {
    let facts = facts(shared, id).await?;
    reading::outcome(&facts).map_err(inconsistent(facts.run_id))
}

/// # Errors
/// A Run that matches has no reading: then the whole history has none.
pub async fn history(shared: &Arc<Shared>, query: Query) -> Result<History, RunError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let filter = RunFilter {
            workspace: reading.workspace.key().to_owned(),
            flow_ids: query.flow_ids.iter().map(|id| id.as_str().to_owned()).collect(),
            ..RunFilter::default()
        };
        let rows = reading.journal().runs(&filter, query.limit)?;
        Ok(history_of(&reading, query, &rows))
    })
    .await?
}

fn history_of(shared: &Shared, query: Query, rows: &[RunRow]) -> Result<History, RunError> {
    let items = rows.iter().map(|row| {
        let facts = facts_now(shared, row)?;
        history::item(&facts).map_err(inconsistent(facts.run_id))
    });
    let items = items.collect::<Result<_, RunError>>()?;
    Ok(History { contract_version: history::CONTRACT, flow_ids: query.flow_ids, items })
}

/// # Errors
/// One of the two is not there, has no reading, or they cannot be compared.
pub async fn compare(shared: &Arc<Shared>, left: &str, right: &str) -> Result<comparison::Report, CompareError> {
    let (left, right) = (facts(shared, left).await?, facts(shared, right).await?);
    Ok(reading::compare(&left, &right)?)
}

/// # Errors
/// The task is unknown or never had a flow of this hash, or a Run that counts has no reading.
pub async fn stability(shared: &Arc<Shared>, task: &str, hash: &Hash) -> Result<stable::Report, StabilityError> {
    if store::task_of(shared, task).await?.is_none() {
        return Err(StabilityError::UnknownTask(task.chars().take(80).collect()));
    }
    let (reading, filter) = (
        Arc::clone(shared),
        RunFilter {
            workspace: shared.workspace.key().to_owned(),
            task: Some(task.to_owned()),
            flow_hash: Some(hash.as_str().to_owned()),
            ..RunFilter::default()
        },
    );
    let facts = blocking(move || {
        let rows = reading.journal().runs(&filter, usize::MAX)?;
        Ok(rows.iter().map(|row| facts_now(&reading, row)).collect::<Result<Vec<_>, RunError>>())
    });
    let facts = facts.await??;
    let flow = match facts.first() {
        Some(facts) => facts.flow.clone(),
        None => unused_flow(shared, task, hash).await?,
    };
    let of_run = |why| StabilityError::Run(RunError::Inconsistent { run: facts[0].run_id.clone(), why });
    reading::stability(task, &flow, &facts).map_err(of_run)
}

/// The flow of this hash that a task has, though it never ran: its built-in one, or what is saved now.
async fn unused_flow(shared: &Arc<Shared>, task: &str, hash: &Hash) -> Result<Flow, StabilityError> {
    for target in [Target::Task(task.to_owned()), Target::Local(task.to_owned())] {
        match admit::candidate(shared, target, Profile::Deterministic).await {
            Ok(candidate) if candidate.flow().hash() == hash => return Ok(candidate.flow().clone()),
            Err(AdmitError::Storage(error) | AdmitError::Flow(FlowError::Storage(error))) => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
    }
    Err(StabilityError::UnknownFlow { task: task.to_owned(), hash: hash.as_str().to_owned() })
}

/// What a list of Runs wants. Empty means all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    pub flow_ids: Vec<String>,
    pub task: Option<String>,
    /// Published words.
    pub status: Vec<String>,
    /// A part of the flow id, the task's id or the Run's id.
    pub text: Option<String>,
    /// Only Runs that have not ended, or only those that have.
    pub ended: Option<bool>,
    /// Only Runs that wait for somebody.
    pub waiting: bool,
    /// Only Runs that began then or later.
    pub since: Option<Timestamp>,
    /// Only Runs behind this place: `started_at` and id of the last one of the page before.
    pub before: Option<(i64, String)>,
    /// 1 to [`LIST_MAX`].
    pub limit: usize,
}

/// Newest first. One that is quarantined is among them, with its reason.
///
/// # Errors
/// The journal cannot be read.
pub async fn list(shared: &Arc<Shared>, list: List) -> Result<Vec<Summary>, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let filter = RunFilter {
            workspace: reading.workspace.key().to_owned(),
            flow_ids: list.flow_ids,
            task: list.task,
            status: list.status,
            text: list.text,
            // Who waits has not ended, and few have not.
            ended: if list.waiting { Some(false) } else { list.ended },
            before: list.before,
            ..RunFilter::default()
        };
        let limit = list.limit.clamp(1, LIST_MAX);
        let rows = reading.journal().runs(&filter, if list.waiting { usize::MAX } else { limit })?;
        // The newest come first, so what is too old is the end of the list.
        let rows = rows.iter().take_while(|row| list.since.is_none_or(|since| row.started_at >= since.0));
        let rows = rows.filter(|row| !list.waiting || row.waiting).take(limit);
        Ok(rows.filter_map(|row| summary_now(&reading, row).ok()).collect())
    })
    .await
}

/// How many Runs there are of each status.
///
/// # Errors
/// The journal cannot be read.
pub async fn counts(shared: &Arc<Shared>) -> Result<Vec<(String, u64)>, StorageError> {
    let workspace = shared.workspace.key().to_owned();
    shared.read(move |journal| Ok(journal.run_counts(&workspace)?)).await
}

/// # Errors
/// There is no such Run.
pub async fn summary(shared: &Arc<Shared>, id: &str) -> Result<Summary, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(row_now(&reading, &id).and_then(|row| summary_now(&reading, &row)))).await?
}

pub(crate) fn summary_now(shared: &Shared, row: &RunRow) -> Result<Summary, RunError> {
    let (body, flow) = (row::read(row), flow_of(shared, row));
    let quarantined = match (&body, &flow) {
        (Err(RunError::Quarantined { why, .. }), _) => Some(why.clone()),
        (Err(error), _) | (_, Err(error)) => Some(crate::drive::chain(error)),
        (Ok(_), Ok(_)) => None,
    };
    let (body, flow) = (body.ok(), flow.ok());
    let about = body.as_ref().map(|body| &body.about);
    let nodes = flow.as_ref().map(|flow| flow.nodes().iter().map(|node| (node.id.clone(), node.kind)).collect());
    Ok(Summary {
        run_id: row::run_id(row)?,
        task_id: row.task.clone().unwrap_or_default(),
        task_title: about.map(|about| about.task_title.clone()).unwrap_or_default(),
        topic: body.as_ref().map(|body| body.topic.clone()).unwrap_or_default(),
        inputs: body.as_ref().and_then(|body| body.inputs.clone()),
        granularity: about.map_or(Granularity::Balanced, |about| about.granularity),
        profile: about.map_or(Profile::Deterministic, |about| about.profile),
        capability_ids: about
            .map(|about| about.capability_ids.iter().map(|id| id.as_str().to_owned()).collect())
            .unwrap_or_default(),
        flow_id: flow
            .as_ref()
            .map_or_else(|| row.flow_id.clone().unwrap_or_default(), |flow| flow.flow_id().to_owned()),
        flow_hash: row.flow_hash.clone(),
        nodes: nodes.unwrap_or_default(),
        status: row.status.clone(),
        waiting: row.waiting,
        started_at: Timestamp(row.started_at),
        finished_at: row.finished_at.map(Timestamp),
        settled_nodes: body.as_ref().map_or(0, |body| body.settled_nodes),
        event_count: row.last_seq,
        artifacts: body.as_ref().map(|body| body.artifacts.clone()).unwrap_or_default(),
        parent: row.parent.clone().zip(row.forked_from.clone()),
        schedule: row.admission_key.as_deref().and_then(schedule_of).map(str::to_owned),
        unconfirmed: body.as_ref().map(|body| body.unconfirmed.clone()).unwrap_or_default(),
        subrun_of: about.and_then(|about| about.subrun_of.as_ref().map(|of| of.run_id.clone())),
        quarantined,
    })
}

/// The bytes of an artifact, with what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub name: String,
    pub media_type: String,
    pub sha256: String,
    pub bytes: Vec<u8>,
}

/// # Errors
/// There is no such artifact, or its bytes are not what was published.
pub async fn artifact(shared: &Arc<Shared>, id: &str) -> Result<Content, RunError> {
    let unknown: String = id.chars().take(80).collect();
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    let found = blocking(move || {
        let Some(id) = segue_model::flow::ArtifactId::parse(&id) else { return Ok(None) };
        let Some(row) = reading.journal().artifact(id.as_str())? else { return Ok(None) };
        if row.workspace != reading.workspace.key() {
            return Ok(None);
        }
        let bytes = reading.journal().blob(&row.sha256)?;
        let bytes = bytes.ok_or_else(|| StorageError::corrupt(format!("artifact {id}"), "its bytes are gone"))?;
        Ok(Some(Content { name: row.name, media_type: row.media_type, sha256: row.sha256, bytes }))
    });
    found.await?.ok_or(RunError::NoArtifact(unknown))
}

/// Waits until a Run has ended, however long that takes.
///
/// # Errors
/// There is no such Run (any more), or the runtime is stopped before.
pub async fn ended(shared: &Arc<Shared>, id: &RunId) -> Result<RunRow, RunError> {
    let mut changes = shared.journal().changes();
    loop {
        changes.mark_unchanged();
        let job = shared.job(id);
        let row = row_of(shared, id.as_str()).await?;
        if row.ended {
            return Ok(row);
        }
        if let Some(job) = job {
            job.over().await;
            continue;
        }
        if changes.changed().await.is_err() {
            return Err(StorageError::Stopping.into());
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Runs that were set aside, newest first.
///
/// # Errors
/// The journal cannot be read.
pub async fn quarantined(shared: &Arc<Shared>) -> Result<Vec<Quarantined>, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let kept = reading.journal().documents(reading.workspace.key(), row::QUARANTINE)?;
        let of = |document: &segue_journal::Document| {
            Some(Quarantined { run_id: RunId::parse(&document.id)?, why: serde_json::from_str(&document.body).ok()? })
        };
        Ok(kept.iter().rev().filter_map(of).collect())
    })
    .await
}
