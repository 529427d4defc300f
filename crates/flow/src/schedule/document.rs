//! What stands of a schedule in the journal: a document beside a stream.

use std::{borrow::Cow, sync::Arc};

use segue_journal::{
    Append, AppendError, Authority, Batch, Document, DocumentChange, EventFilter, NewEvent, Seq, StreamName,
};
use segue_model::{
    ScheduleId, Timestamp,
    flow::{Flow, Hash, Json, Object, Profile, compile::Compiled, document::TaskFields},
    run::about::CalleeAbout,
    schedule::{Event, Missed, Overlap, State, Timing},
};
use serde::{Deserialize, Serialize};

use super::{Recorded, Schedule};
use crate::{
    admit::Candidate,
    compile::Whole,
    error::StorageError,
    frozen,
    shared::{Shared, blocking},
};

/// The kind of the documents and of the streams.
const SCHEDULE: &str = "schedule";

/// What stands in a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Body {
    pub definition: Definition,
    /// Derived from the events of the stream.
    pub state: State,
    /// The last of them.
    pub last_seq: Seq,
}

/// What somebody wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    pub cron: String,
    pub zone: String,
    pub missed: Missed,
    pub overlap: Overlap,
    pub profile: Profile,
    pub inputs: Object,
    pub follow: Followed,
    /// The challenge that was met when it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorized: Option<Json>,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Followed {
    /// The flow that is saved under this local id.
    Latest {
        local_id: String,
        flow_id: String,
    },
    Pinned(Box<Pinned>),
}

/// A flow as it was, with the flows that its nodes run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pinned {
    pub flow: CalleeAbout,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<CalleeAbout>,
}

/// A document of the journal with what stands in it.
#[derive(Debug, Clone)]
pub struct Stored {
    pub id: ScheduleId,
    pub body: Body,
    created_at: Timestamp,
    version: u64,
}

impl Followed {
    pub fn latest(candidate: &Candidate) -> Self {
        Self::Latest { local_id: candidate.local_id.clone(), flow_id: candidate.flow().flow_id().to_owned() }
    }
}

impl Pinned {
    pub fn of(candidate: &Candidate) -> Self {
        let (compiled, task) = (&candidate.whole.compiled, &candidate.task);
        let flow = CalleeAbout {
            flow_id: compiled.flow.flow_id().to_owned(),
            hash: compiled.flow.hash().clone(),
            task_id: candidate.local_id.clone(),
            task_title: task.title.clone(),
            goal: task.goal.clone(),
            topic: task.topic.clone(),
            granularity: task.granularity,
            capability_ids: compiled.capability_ids.clone(),
            inputs: compiled.inputs.clone(),
        };
        Self { flow, callees: candidate.whole.callees.iter().map(|(_, about)| about.clone()).collect() }
    }

    /// The flow, ready to be admitted as it was. Blocks.
    ///
    /// # Errors
    /// What was kept of it is gone.
    pub fn candidate(&self, shared: &Shared, profile: Profile) -> Result<Candidate, StorageError> {
        let mut executors = frozen::Executors::new();
        let mut thaw = |hash: &Hash| -> Result<Flow, StorageError> {
            let bound = frozen::bound(shared, hash)?;
            let found = bound.nodes.iter().zip(&bound.capabilities);
            executors.extend(found.filter_map(|(node, capability)| {
                Some((node.executor.executor_id.clone(), capability.as_ref()?.as_ref().clone()))
            }));
            Ok(bound.flow.as_ref().clone())
        };
        let flow = thaw(&self.flow.hash)?;
        let callees = self.callees.iter().map(|about| Ok((thaw(&about.hash)?, about.clone())));
        let callees = callees.collect::<Result<Vec<_>, StorageError>>()?;
        let CalleeAbout { task_id, task_title, goal, topic, granularity, capability_ids, inputs, .. } =
            self.flow.clone();
        let contains = std::iter::once(&self.flow).chain(&self.callees).map(|about| about.flow_id.clone()).collect();
        Ok(Candidate {
            local_id: task_id,
            task: TaskFields { title: task_title, goal, topic, granularity },
            profile,
            whole: Whole { compiled: Compiled { flow, inputs, capability_ids, contains }, executors, callees },
        })
    }
}

impl Stored {
    fn read(document: &Document) -> Result<Self, StorageError> {
        let corrupt = |why: &dyn ToString| StorageError::corrupt(&document.id, why.to_string());
        Ok(Self {
            id: ScheduleId::parse(&document.id).ok_or_else(|| corrupt(&"its id is none"))?,
            body: serde_json::from_str(&document.body).map_err(|error| corrupt(&error))?,
            created_at: Timestamp(document.created_at),
            version: document.version,
        })
    }

    /// # Errors
    /// The zone is not known to this build, or the pattern is none.
    pub fn timing(&self) -> Result<Timing, StorageError> {
        let Definition { cron, zone, .. } = &self.body.definition;
        Timing::parse(cron, zone).map_err(|error| StorageError::corrupt(self.id.as_str(), error))
    }

    /// # Errors
    /// As [`Stored::timing`].
    pub fn shown(self, now: Timestamp) -> Result<Schedule, StorageError> {
        let timing = self.timing()?;
        let Body { definition, state, .. } = self.body;
        let next_tick = state.enabled.then(|| timing.next_after(now.max(state.cursor))).flatten();
        let (local_id, flow_id, pinned) = match definition.follow {
            Followed::Latest { local_id, flow_id } => (local_id, flow_id, None),
            Followed::Pinned(pinned) => (pinned.flow.task_id, pinned.flow.flow_id, Some(pinned.flow.hash)),
        };
        Ok(Schedule {
            id: self.id,
            flow_id,
            local_id,
            pinned,
            cron: definition.cron,
            zone: definition.zone,
            missed: definition.missed,
            overlap: definition.overlap,
            profile: definition.profile,
            inputs: definition.inputs,
            authorized: definition.authorized,
            enabled: state.enabled,
            created_at: self.created_at,
            next_local: next_tick.map(|tick| timing.local(tick)),
            next_tick,
            last_run: state.last_run,
        })
    }
}

fn stream(id: &ScheduleId) -> StreamName {
    StreamName::new(SCHEDULE, id.as_str())
}

fn new_event(event: &Event, at: Timestamp) -> NewEvent {
    NewEvent { kind: Cow::Borrowed(event.kind()), at: at.0, payload: event.payload() }
}

fn encode(body: &Body) -> String {
    serde_json::to_string(body).expect("a schedule is plain data")
}

/// Adds a schedule, with documents that it needs.
pub async fn create(
    shared: &Arc<Shared>,
    id: &ScheduleId,
    definition: Definition,
    kept: Vec<DocumentChange>,
) -> Result<(), StorageError> {
    let now = shared.now();
    let body = Body { definition, state: State::added(now), last_seq: 1 };
    let append = Append {
        stream: stream(id),
        authority: Authority::Create,
        expected: 0,
        events: vec![new_event(&Event::Added, now)],
        release: true,
    };
    let created = DocumentChange::Create {
        workspace: shared.workspace.key().to_owned(),
        kind: SCHEDULE.to_owned(),
        id: id.as_str().to_owned(),
        at: now.0,
        body: encode(&body),
    };
    let documents = kept.into_iter().chain([created]).collect();
    shared.journal().append(Batch { appends: vec![append], documents, ..Batch::default() }).await?;
    Ok(())
}

/// Records events of a schedule and what follows from them; `None` when somebody else was faster.
pub async fn record(shared: &Arc<Shared>, stored: Stored, events: Vec<Event>) -> Result<Option<Stored>, StorageError> {
    let now = shared.now();
    let Stored { id, mut body, created_at, version } = stored;
    for event in &events {
        body.state.apply(event, now).map_err(|illegal| StorageError::corrupt(id.as_str(), illegal))?;
    }
    let append = Append {
        stream: stream(&id),
        authority: Authority::Unowned,
        expected: body.last_seq,
        events: events.iter().map(|event| new_event(event, now)).collect(),
        release: true,
    };
    body.last_seq += events.len() as Seq;
    let (workspace, kind) = (shared.workspace.key().to_owned(), SCHEDULE.to_owned());
    let named = id.as_str().to_owned();
    let change = if body.state.removed {
        DocumentChange::Delete { workspace, kind, id: named, expected: Some(version) }
    } else {
        DocumentChange::Update { workspace, kind, id: named, expected: version, at: now.0, body: encode(&body) }
    };
    let batch = Batch { appends: vec![append], documents: vec![change], ..Batch::default() };
    match shared.journal().append(batch).await {
        Ok(_) => Ok(Some(Stored { id, body, created_at, version: version + 1 })),
        Err(AppendError::Conflict { .. } | AppendError::Stale { .. } | AppendError::NoDocument { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Every schedule of the workspace, in the order in which they were added. Blocks.
pub fn all(shared: &Shared) -> Result<Vec<Result<Stored, StorageError>>, StorageError> {
    let documents = shared.journal().documents(shared.workspace.key(), SCHEDULE)?;
    Ok(documents.iter().map(Stored::read).collect())
}

/// Blocks.
pub fn one(shared: &Shared, id: &ScheduleId) -> Result<Option<Stored>, StorageError> {
    let document = shared.journal().document(shared.workspace.key(), SCHEDULE, id.as_str())?;
    document.as_ref().map(Stored::read).transpose()
}

/// As the one before, without blocking.
pub async fn again(shared: &Arc<Shared>, id: &ScheduleId) -> Result<Option<Stored>, StorageError> {
    let (reading, id) = (Arc::clone(shared), id.clone());
    blocking(move || one(&reading, &id)).await
}

/// The last events, newest first, each with how its Run stands. Blocks.
pub fn events(shared: &Shared, stored: &Stored, limit: usize) -> Result<Vec<Recorded>, StorageError> {
    let after = stored.body.last_seq.saturating_sub(limit as Seq);
    let page = shared.journal().events(&stream(&stored.id), after, limit, &EventFilter::default())?;
    let events = page.map(|page| page.events).unwrap_or_default();
    let read = events.iter().rev().map(|event| {
        let what = || format!("{}, event {}", stored.id, event.seq);
        let parsed = Event::parse(&event.payload).map_err(|error| StorageError::corrupt(what(), error))?;
        let row = match &parsed {
            Event::Started { run_id, .. } => shared.journal().run(run_id.as_str())?,
            _ => None,
        };
        let run_status = row.map(|row| row.status);
        Ok(Recorded { sequence: event.seq, at: Timestamp(event.at), event: parsed, run_status })
    });
    read.collect()
}
