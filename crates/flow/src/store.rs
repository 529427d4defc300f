//! Saved flows and local tasks: versioned documents of the workspace under local ids.

use std::sync::Arc;

use segue_journal::{AppendError, Batch, Document as Stored, DocumentChange, Journal};
use segue_model::{
    TaskId, Timestamp,
    flow::{
        Binding, Document, Effect, ExecutorRef, Granularity, Profile, document::TaskFields,
        granularity::golden_document,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    compile::Saved,
    error::{FlowError, StorageError},
    shared::{Shared, blocking},
    versions,
};

/// The kind of the documents.
pub const TASK: &str = "task";
/// The local id of the golden flow.
pub const GOLDEN_ID: &str = "task_canonical_writing";
/// The document that says that a workspace was set up.
const WORKSPACE: &str = "workspace";
/// The document by which processes take turns that save a flow of an id that no other is to have.
const TURN: &str = "saving";
/// How often a change is tried again when somebody else changed the same document meanwhile.
const TRIES: usize = 8;
/// Characters of the texts of a local task (contract §11).
const TITLE_MAX: usize = 120;
const GOAL_MAX: usize = 500;
const TOPIC_MAX: usize = 280;

/// A flow as it is saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedFlow {
    /// `task_…`.
    pub local_id: String,
    pub name: String,
    pub description: String,
    pub granularity: Granularity,
    pub document: Document,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Raised by each change.
    pub version: u64,
}

/// A local task: what Runs are admitted under. Every saved flow has one.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalTask {
    pub id: String,
    pub fields: TaskFields,
    pub created_at: Timestamp,
    /// It is that of a saved flow; otherwise it runs the built-in flow of its granularity.
    pub has_flow: bool,
}

/// What stands in a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Body {
    pub title: String,
    pub goal: String,
    pub topic: String,
    pub granularity: Granularity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Document>,
}

/// A saved flow as others here need it.
#[derive(Debug, Clone)]
pub struct Found {
    pub local_id: String,
    pub task: TaskFields,
    pub document: Document,
}

impl Body {
    fn new(task: TaskFields, flow: Option<Document>) -> Self {
        let TaskFields { title, goal, topic, granularity } = task;
        Self { title, goal, topic, granularity, flow }
    }

    /// # Errors
    /// It was not written by this product.
    pub fn read(stored: &Stored) -> Result<Self, StorageError> {
        serde_json::from_str(&stored.body).map_err(|error| StorageError::corrupt(&stored.id, error))
    }

    fn encode(&self) -> String {
        serde_json::to_string(self).expect("a saved flow is plain data")
    }

    fn task(&self) -> TaskFields {
        TaskFields {
            title: self.title.clone(),
            goal: self.goal.clone(),
            topic: self.topic.clone(),
            granularity: self.granularity,
        }
    }
}

/// Sets a fresh workspace up: it has one saved flow, which can be deleted for good.
///
/// # Errors
/// The journal cannot be written.
pub async fn seed(shared: &Arc<Shared>) -> Result<(), StorageError> {
    let workspace = shared.workspace.key().to_owned();
    let key = workspace.clone();
    if shared.read(move |journal| Ok(journal.document(&key, WORKSPACE, WORKSPACE)?)).await?.is_some() {
        return Ok(());
    }
    let document = golden_document();
    let task = document.task_fields(None).map_err(|problem| StorageError::corrupt("the golden flow", problem))?;
    let at = shared.now().0;
    let create = |kind: &str, id: &str, body: String| DocumentChange::Create {
        workspace: workspace.clone(),
        kind: kind.to_owned(),
        id: id.to_owned(),
        at,
        body,
    };
    let path = serde_json::to_string(&shared.workspace.path().to_string_lossy()).unwrap_or_default();
    let documents = vec![
        create(WORKSPACE, WORKSPACE, format!("{{\"path\":{path}}}")),
        create(TASK, GOLDEN_ID, Body::new(task, Some(document)).encode()),
    ];
    match shared.journal().append(Batch { documents, ..Batch::default() }).await {
        // Another process was faster.
        Ok(_) | Err(AppendError::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A document of a caller, checked and pinned, with what its local task shows.
///
/// # Errors
/// As [`save`].
pub async fn prepare(
    shared: &Arc<Shared>,
    mut document: Document,
    template: Option<Granularity>,
) -> Result<(TaskFields, Document), FlowError> {
    let task = document.task_fields(template).map_err(FlowError::Invalid)?;
    let saved = Arc::clone(shared);
    blocking(move || {
        let saved = Saved::new(&saved, Profile::Deterministic, None);
        Ok(saved.pin(&mut document).and_then(|()| saved.check(&document)).map(|()| (task, document)))
    })
    .await?
}

/// Saves a new flow.
///
/// # Errors
/// It does not compile under any profile, or names something that is not there.
pub async fn save(
    shared: &Arc<Shared>,
    document: Document,
    template: Option<Granularity>,
) -> Result<SavedFlow, FlowError> {
    let _saving = shared.saving.lock().await;
    let (task, document) = prepare(shared, document, template).await?;
    let id = create(shared, Body::new(task, Some(document))).await?;
    get(shared, &id).await
}

/// Saves a new flow, unless another has its portable id: of several who save one at the same time in this way, one does.
///
/// # Errors
/// As [`save`], and [`FlowError::Taken`].
pub async fn save_only(
    shared: &Arc<Shared>,
    document: Document,
    template: Option<Granularity>,
) -> Result<SavedFlow, FlowError> {
    let _saving = shared.saving.lock().await;
    let (task, document) = prepare(shared, document, template).await?;
    let Some(portable) = document.portable_id() else {
        return get(shared, &create(shared, Body::new(task, Some(document))).await?).await;
    };
    let body = Body::new(task, Some(document));
    for _ in 0..TRIES {
        let turn = look_for_id(shared, portable.as_str()).await?;
        let id = shared.draw_task().as_str().to_owned();
        let documents = vec![take_turn(shared, turn, &id), creation(shared, &id, &body)];
        match shared.journal().append(Batch { documents, ..Batch::default() }).await {
            Ok(_) => return get(shared, &id).await,
            // Another process saved a flow since the look.
            Err(AppendError::Stale { .. } | AppendError::Exists { .. } | AppendError::NoDocument { .. }) => {}
            Err(error) => return Err(StorageError::from(error).into()),
        }
    }
    Err(StorageError::corrupt("the saved flows", "they are being changed by others without pause").into())
}

/// The version of the document by which processes take turns, if no saved flow has this portable id.
async fn look_for_id(shared: &Arc<Shared>, id: &str) -> Result<Option<u64>, FlowError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || {
        let journal = &**reading.journal();
        // The turn first: who saves a flow after this look makes it old.
        let turn = journal.document(reading.workspace.key(), TURN, TURN)?.map(|turn| turn.version);
        let there = all_by_portable_id(&reading, journal, &id)?;
        Ok(match there.into_iter().next() {
            Some(found) => Err(FlowError::Taken { id, local_id: found.local_id }),
            None => Ok(turn),
        })
    })
    .await?
}

/// Refused when another process took its turn since.
fn take_turn(shared: &Shared, turn: Option<u64>, local_id: &str) -> DocumentChange {
    let (workspace, kind, id, at) =
        (shared.workspace.key().to_owned(), TURN.to_owned(), TURN.to_owned(), shared.now().0);
    let body = format!("{{\"last\":\"{local_id}\"}}");
    match turn {
        Some(expected) => DocumentChange::Update { workspace, kind, id, expected, at, body },
        None => DocumentChange::Create { workspace, kind, id, at, body },
    }
}

/// Adds a local task without a saved flow.
///
/// # Errors
/// A text is blank or too long.
pub async fn add_task(shared: &Arc<Shared>, task: TaskFields) -> Result<LocalTask, FlowError> {
    for (name, text, max) in
        [("title", &task.title, TITLE_MAX), ("goal", &task.goal, GOAL_MAX), ("topic", &task.topic, TOPIC_MAX)]
    {
        if text.trim().is_empty() || text.trim().chars().count() > max {
            let problem =
                segue_model::flow::Problem::new(format!("/{name}"), format!("must be text of 1 to {max} characters"));
            return Err(FlowError::Invalid(problem));
        }
    }
    let _saving = shared.saving.lock().await;
    let id = create(shared, Body::new(task, None)).await?;
    task_of(shared, &id).await?.ok_or(FlowError::NotFound(id))
}

async fn create(shared: &Arc<Shared>, body: Body) -> Result<String, StorageError> {
    let id = shared.draw_task().as_str().to_owned();
    let change = creation(shared, &id, &body);
    shared.journal().append(Batch { documents: vec![change], ..Batch::default() }).await?;
    Ok(id)
}

fn creation(shared: &Shared, id: &str, body: &Body) -> DocumentChange {
    DocumentChange::Create {
        workspace: shared.workspace.key().to_owned(),
        kind: TASK.to_owned(),
        id: id.to_owned(),
        at: shared.now().0,
        body: body.encode(),
    }
}

/// The local id under which a flow that is checked and pinned already is saved by a change, and the change.
///
/// # Errors
/// As saving it.
pub fn saving(shared: &Shared, document: Document) -> Result<(String, DocumentChange), FlowError> {
    let task = document.task_fields(None).map_err(FlowError::Invalid)?;
    let id: TaskId = shared.draw_task();
    let change = creation(shared, id.as_str(), &Body::new(task, Some(document)));
    Ok((id.as_str().to_owned(), change))
}

/// Replaces a saved flow; with a `base`, only that version of it.
///
/// # Errors
/// There is none under this id, it has another version than `base`, or as [`save`].
pub async fn update(
    shared: &Arc<Shared>,
    id: &str,
    document: Document,
    template: Option<Granularity>,
    base: Option<u64>,
) -> Result<SavedFlow, FlowError> {
    let _saving = shared.saving.lock().await;
    get(shared, id).await?;
    let (task, document) = prepare(shared, document, template).await?;
    let body = Body::new(task, Some(document)).encode();
    for _ in 0..TRIES {
        let replaced = stored(shared, id).await?;
        let expected = replaced.version;
        if base.is_some_and(|base| base != expected) {
            return Err(FlowError::Changed(id.to_owned()));
        }
        let change = DocumentChange::Update {
            workspace: shared.workspace.key().to_owned(),
            kind: TASK.to_owned(),
            id: id.to_owned(),
            expected,
            at: shared.now().0,
            body: body.clone(),
        };
        let documents = vec![change, versions::keep(&replaced)];
        match shared.journal().append(Batch { documents, ..Batch::default() }).await {
            Ok(_) => return get(shared, id).await,
            Err(AppendError::Stale { .. }) => {}
            Err(AppendError::NoDocument { .. }) => return Err(FlowError::NotFound(id.to_owned())),
            Err(error) => return Err(StorageError::from(error).into()),
        }
    }
    Err(StorageError::corrupt(id, "it is being changed by others without pause").into())
}

/// Deletes a saved flow. Runs of it stay.
///
/// # Errors
/// There is none, or it is not version `base` any more.
pub async fn delete(shared: &Arc<Shared>, id: &str, base: Option<u64>) -> Result<(), FlowError> {
    let _saving = shared.saving.lock().await;
    let found = get(shared, id).await?;
    if base.is_some_and(|base| base != found.version) {
        return Err(FlowError::Changed(id.to_owned()));
    }
    let change = DocumentChange::Delete {
        workspace: shared.workspace.key().to_owned(),
        kind: TASK.to_owned(),
        id: id.to_owned(),
        expected: base,
    };
    let (reading, local_id) = (Arc::clone(shared), id.to_owned());
    let mut documents = blocking(move || versions::remove(&reading, &local_id)).await?;
    documents.push(change);
    match shared.journal().append(Batch { documents, ..Batch::default() }).await {
        Ok(_) => Ok(()),
        Err(AppendError::Stale { .. }) if base.is_some() => Err(FlowError::Changed(id.to_owned())),
        Err(AppendError::NoDocument { .. }) => Err(FlowError::NotFound(id.to_owned())),
        Err(error) => Err(StorageError::from(error).into()),
    }
}

/// # Errors
/// There is no saved flow under this id.
pub async fn get(shared: &Arc<Shared>, id: &str) -> Result<SavedFlow, FlowError> {
    let (reading, local_id) = (Arc::clone(shared), id.to_owned());
    let found = blocking(move || {
        let stored = reading.journal().document(reading.workspace.key(), TASK, &local_id)?;
        stored.map(|stored| shown(&reading, &stored)).transpose()
    });
    found.await?.flatten().ok_or_else(|| FlowError::NotFound(id.to_owned()))
}

/// A saved flow as it stands in the journal.
async fn stored(shared: &Arc<Shared>, id: &str) -> Result<Stored, FlowError> {
    let (workspace, local_id) = (shared.workspace.key().to_owned(), id.to_owned());
    let found = shared.read(move |journal| Ok(journal.document(&workspace, TASK, &local_id)?)).await?;
    found.ok_or_else(|| FlowError::NotFound(id.to_owned()))
}

/// Newest first. One that cannot be read is left out, and said in the log: the others are served.
///
/// # Errors
/// The journal cannot be read.
pub async fn list(shared: &Arc<Shared>) -> Result<Vec<SavedFlow>, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let stored = reading.journal().documents(reading.workspace.key(), TASK)?;
        let shown = stored.iter().rev().filter_map(|stored| match shown(&reading, stored) {
            Ok(flow) => flow,
            Err(error) => {
                tracing::warn!(id = stored.id, "a saved flow cannot be read: {error}");
                None
            }
        });
        Ok(shown.collect())
    })
    .await
}

/// Newest first, those of saved flows included.
///
/// # Errors
/// The journal cannot be read.
pub async fn tasks(shared: &Arc<Shared>) -> Result<Vec<LocalTask>, StorageError> {
    let workspace = shared.workspace.key().to_owned();
    shared
        .read(move |journal| {
            let stored = journal.documents(&workspace, TASK)?;
            Ok(stored.iter().rev().filter_map(|stored| local_task(stored).ok()).collect())
        })
        .await
}

/// `None`: there is no such task.
///
/// # Errors
/// The journal cannot be read.
pub async fn task_of(shared: &Arc<Shared>, id: &str) -> Result<Option<LocalTask>, StorageError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || task_now(&reading, &**reading.journal(), &id)).await
}

/// As [`task_of`]. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn task_now(shared: &Shared, journal: &dyn Journal, id: &str) -> Result<Option<LocalTask>, StorageError> {
    journal.document(shared.workspace.key(), TASK, id)?.map(|stored| local_task(&stored)).transpose()
}

fn local_task(stored: &Stored) -> Result<LocalTask, StorageError> {
    let body = Body::read(stored)?;
    Ok(LocalTask {
        id: stored.id.clone(),
        fields: body.task(),
        created_at: Timestamp(stored.created_at),
        has_flow: body.flow.is_some(),
    })
}

/// A saved flow as it is returned; `None` for a task without one.
fn shown(shared: &Arc<Shared>, stored: &Stored) -> Result<Option<SavedFlow>, StorageError> {
    let body = Body::read(stored)?;
    let Some(mut document) = body.flow else { return Ok(None) };
    let saved = Saved::new(shared, Profile::Deterministic, None);
    document.pin_samples(&saved);
    if let Some(fault) = saved.take_fault() {
        return Err(fault);
    }
    Ok(Some(SavedFlow {
        local_id: stored.id.clone(),
        name: body.title,
        description: body.goal,
        granularity: body.granularity,
        document,
        created_at: Timestamp(stored.created_at),
        updated_at: Timestamp(stored.updated_at),
        version: stored.version,
    }))
}

/// The saved flow under a local id. Blocks.
///
/// # Errors
/// There is none.
pub fn by_local_id(shared: &Shared, journal: &dyn Journal, id: &str) -> Result<Found, FlowError> {
    let stored = journal.document(shared.workspace.key(), TASK, id).map_err(StorageError::from)?;
    let body = stored.map(|stored| Body::read(&stored)).transpose()?;
    match body.and_then(|body| Some((body.task(), body.flow?))) {
        Some((task, document)) => Ok(Found { local_id: id.to_owned(), task, document }),
        None => Err(FlowError::NotFound(id.to_owned())),
    }
}

/// The one saved flow with this portable id. Blocks.
///
/// # Errors
/// There is none, or more than one.
pub fn by_portable_id(shared: &Shared, journal: &dyn Journal, id: &str) -> Result<Found, FlowError> {
    let mut found = all_by_portable_id(shared, journal, id)?;
    if found.len() > 1 {
        let local_ids = found.into_iter().map(|found| found.local_id).collect();
        return Err(FlowError::Ambiguous { id: id.to_owned(), local_ids });
    }
    found.pop().ok_or_else(|| FlowError::NotFound(id.to_owned()))
}

/// Every saved flow with this portable id. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn all_by_portable_id(shared: &Shared, journal: &dyn Journal, id: &str) -> Result<Vec<Found>, StorageError> {
    let has_id = |document: &Document| document.portable_id().is_some_and(|found| found.as_str() == id);
    let stored = journal.documents(shared.workspace.key(), TASK)?;
    // Only those are parsed whose text has it: an id needs no escapes.
    let candidates = stored.iter().filter(|stored| stored.body.contains(id));
    let found = candidates.filter_map(|stored| {
        let body = Body::read(stored).ok()?;
        let task = body.task();
        let document = body.flow.filter(has_id)?;
        Some(Found { local_id: stored.id.clone(), task, document })
    });
    Ok(found.collect())
}

/// The first saved flow that names a capability. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn user_of_capability(
    shared: &Shared,
    journal: &dyn Journal,
    id: &str,
) -> Result<Option<(String, String)>, StorageError> {
    let stored = journal.documents(shared.workspace.key(), TASK)?;
    let uses = |document: &Document| document.capability_ids().contains(&id);
    Ok(stored.iter().filter(|stored| stored.body.contains(id)).find_map(|stored| {
        let body = Body::read(stored).ok()?;
        body.flow.as_ref().is_some_and(uses).then(|| (stored.id.clone(), body.title))
    }))
}

/// Stands for whichever agent a Run will have, when only a document's structure is judged.
#[must_use]
pub fn any_agent() -> Binding {
    Binding { executor: ExecutorRef::new("any-agent", "1.0.0"), effects: vec![Effect::ExecuteProcess] }
}
