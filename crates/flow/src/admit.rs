//! Admission: the order of checks is the contract's (§7.1). Nothing is stored until all of them have passed.
//!
//! compile → inputs → active Runs → effects → create. So what is wrong with a request is said before that there is no
//! room for it, and that before what it would have to authorize.

use std::sync::Arc;

use segue_journal::{DocumentChange, Journal};
use segue_model::{
    flow::{
        Challenge, CompileError, Document, Flow, Hash, Json, Object, PortableId, Profile, RunId, Scope,
        document::TaskFields,
        inputs::{self, Declaration},
        template::built_in_document,
    },
    run::{About, Event, Status},
};

use crate::{
    bindings::Preset,
    catalogue,
    compile::{Saved, Whole},
    create::{Creation, create},
    drive::Refused,
    error::{AdmitError, FlowError, StorageError},
    frozen::{self, Bound},
    keyed::{self, Asked, Names},
    shared::{Shared, blocking},
    store, subrun,
};

/// What distinguishes the keys that people give from those of Runs that are nodes.
pub const KEY_PREFIX: &str = "key:";
/// How often an admission that was overtaken by another process is judged again.
const TRIES: usize = 16;
/// The document by which processes take turns.
pub const TURN: &str = "admission";

/// What is to be run.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// The one saved flow with this portable id.
    Portable(String),
    /// The saved flow under this local id.
    Local(String),
    /// The built-in flow of a local task's granularity.
    Task(String),
}

/// A request for a Run.
#[derive(Debug, Clone, PartialEq)]
pub struct Admit {
    pub target: Target,
    pub profile: Profile,
    pub inputs: Object,
    /// What came in as the authorization of effects; null is none.
    pub authorization: Option<Json>,
    /// The same key gives the same Run, also after a lost reply or a restart.
    pub key: Option<String>,
}

/// A request for a Run of a flow that is saved with it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    pub profile: Profile,
    pub inputs: Object,
    /// As in [`Admit`].
    pub authorization: Option<Json>,
    /// As in [`Admit`].
    pub key: Option<String>,
}

/// A Run that was admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    pub run_id: RunId,
    pub flow_id: String,
    pub status: Status,
}

/// A flow ready to be admitted, with the task it belongs to.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub local_id: String,
    pub task: TaskFields,
    pub profile: Profile,
    pub whole: Whole,
}

impl Candidate {
    #[must_use]
    pub fn flow(&self) -> &Flow {
        &self.whole.compiled.flow
    }

    #[must_use]
    pub fn declarations(&self) -> &[Declaration] {
        &self.whole.compiled.inputs
    }

    #[must_use]
    pub fn surroundings(&self, shared: &Shared) -> inputs::Surroundings {
        inputs::Surroundings {
            goal: self.task.goal.clone(),
            topic: self.task.topic.clone(),
            granularity: self.task.granularity,
            workspace: shared.workspace.name().to_owned(),
        }
    }

    /// The nodes in a scope are bound to programs that are there.
    ///
    /// # Errors
    /// One is gone.
    pub fn check_programs(&self, scope: &Scope) -> Result<(), AdmitError> {
        let nodes = self.flow().nodes().iter().filter(|node| scope.node_ids.contains(&node.id));
        for node in nodes {
            let capability = self.whole.executors.get(&node.executor.executor_id);
            if let Some(capability) = capability.filter(|capability| !catalogue::is_there(capability)) {
                let (node, capability) = (node.id.clone(), capability.id.clone());
                return Err(AdmitError::Unavailable { node, capability });
            }
        }
        Ok(())
    }
}

/// A Run that passed every check but room and effects.
#[derive(Debug)]
pub struct Judged {
    pub candidate: Candidate,
    pub flow_input: Object,
    pub scope: Scope,
    /// What it takes over of another Run.
    pub taken: Vec<Event>,
    pub authorization: Option<Json>,
    pub key: Option<String>,
    /// The flow that is saved with it.
    pub saves: Option<DocumentChange>,
}

/// # Errors
/// The first check that fails; nothing has been stored.
pub async fn admit(shared: &Arc<Shared>, request: Admit) -> Result<Admitted, AdmitError> {
    let key = request.key.map(|key| format!("{KEY_PREFIX}{key}"));
    if let Some(row) = keyed::row(shared, key.as_deref()).await? {
        let names = match &request.target {
            Target::Portable(id) => Names::Portable(id.clone()),
            Target::Local(id) | Target::Task(id) => Names::Local(id.clone()),
        };
        let now = candidate(shared, request.target, request.profile).await;
        return keyed::again(shared, row, asked(shared, names, request.profile, now, &request.inputs)?).await;
    }
    let candidate = candidate(shared, request.target, request.profile).await?;
    let judged = judged(shared, candidate, &request.inputs, request.authorization, key)?;
    admit_judged(shared, judged).await
}

/// Saves a new flow and admits a Run of it: both, or neither.
///
/// # Errors
/// As saving it, and as [`admit`].
pub async fn admit_new(shared: &Arc<Shared>, mut document: Document, request: NewRun) -> Result<Admitted, AdmitError> {
    let key = request.key.map(|key| format!("{KEY_PREFIX}{key}"));
    document.set_missing_id();
    if let Some(row) = keyed::row(shared, key.as_deref()).await? {
        let names = Names::Itself(document.portable_id());
        let now = unsaved(shared, document, request.profile).await.map(|(candidate, _)| candidate);
        return keyed::again(shared, row, asked(shared, names, request.profile, now, &request.inputs)?).await;
    }
    let saving = shared.saving.lock().await;
    let (candidate, save) = unsaved(shared, document, request.profile).await?;
    let judged = judged(shared, candidate, &request.inputs, request.authorization, key)?;
    let admitted = admit_judged(shared, Judged { saves: Some(save), ..judged }).await;
    drop(saving);
    admitted
}

/// A document that is not saved yet, and what saves it.
async fn unsaved(
    shared: &Arc<Shared>,
    document: Document,
    profile: Profile,
) -> Result<(Candidate, DocumentChange), AdmitError> {
    let preset = catalogue::preset(shared, profile).await;
    let (task, document) = store::prepare(shared, document, None).await?;
    let (local_id, save) = store::saving(shared, document.clone())?;
    let reading = Arc::clone(shared);
    let whole = blocking(move || Ok(Saved::new(&reading, profile, preset).compile(&document))).await??;
    Ok((Candidate { local_id, task, profile, whole }, save))
}

/// A request for a Run of the whole flow, as it is compared with the Run that has its key.
fn asked(
    shared: &Shared,
    names: Names,
    profile: Profile,
    now: Result<Candidate, AdmitError>,
    given: &Object,
) -> Result<Asked, AdmitError> {
    let flow = match now {
        Ok(now) => {
            let resolved = inputs::resolve(now.declarations(), given).ok();
            let input = resolved.map(|resolved| inputs::flow_input(&now.surroundings(shared), &resolved));
            Some((now.flow().hash().clone(), input.as_ref().map(keyed::input_hash)))
        }
        Err(AdmitError::Storage(error) | AdmitError::Flow(FlowError::Storage(error))) => return Err(error.into()),
        Err(_) => None,
    };
    Ok(Asked { names, profile, fork: None, flow, given: Some(given.clone()) })
}

/// A Run of the whole flow, with these inputs.
///
/// # Errors
/// The inputs do not fit.
pub fn judged(
    shared: &Shared,
    candidate: Candidate,
    given: &Object,
    authorization: Option<Json>,
    key: Option<String>,
) -> Result<Judged, AdmitError> {
    let resolved = inputs::resolve(candidate.declarations(), given).map_err(AdmitError::Inputs)?;
    let flow_input = inputs::flow_input(&candidate.surroundings(shared), &resolved);
    let scope = Scope::whole(candidate.flow());
    Ok(Judged { candidate, flow_input, scope, taken: Vec::new(), authorization, key, saves: None })
}

/// The Run that was admitted under a key before.
///
/// # Errors
/// The journal cannot be read.
pub async fn by_key(shared: &Arc<Shared>, key: Option<&str>) -> Result<Option<Admitted>, StorageError> {
    let Some(key) = key.map(str::to_owned) else { return Ok(None) };
    let reading = Arc::clone(shared);
    blocking(move || {
        let Some(row) = reading.journal().run_by_key(reading.workspace.key(), &key)? else { return Ok(None) };
        known(&reading, &row).map(Some)
    })
    .await
}

/// # Errors
/// Its row, or its flow, cannot be read.
pub fn known(shared: &Shared, row: &segue_journal::RunRow) -> Result<Admitted, StorageError> {
    let corrupt = || StorageError::corrupt(format!("run {}", row.id), "its row");
    let run_id = RunId::parse(&row.id).ok_or_else(corrupt)?;
    let hash = Hash::parse(&row.flow_hash).ok_or_else(corrupt)?;
    let flow_id = match &row.flow_id {
        Some(id) => id.clone(),
        None => frozen::flow(shared, &hash)?.flow_id().to_owned(),
    };
    let status = Status::ALL.into_iter().find(|status| status.as_str() == row.status).ok_or_else(corrupt)?;
    Ok(Admitted { run_id, flow_id, status })
}

/// # Errors
/// The target is not there, ambiguous, or no flow under this profile.
pub async fn candidate(shared: &Arc<Shared>, target: Target, profile: Profile) -> Result<Candidate, AdmitError> {
    let preset = catalogue::preset(shared, profile).await;
    let reading = Arc::clone(shared);
    blocking(move || Ok(candidate_now(&reading, &target, profile, preset))).await?
}

fn candidate_now(
    shared: &Arc<Shared>,
    target: &Target,
    profile: Profile,
    preset: Option<Preset>,
) -> Result<Candidate, AdmitError> {
    let journal: &dyn Journal = &**shared.journal();
    let saved = Saved::new(shared, profile, preset);
    let found = match target {
        Target::Portable(id) => store::by_portable_id(shared, journal, id)?,
        Target::Local(id) => store::by_local_id(shared, journal, id)?,
        Target::Task(id) => return built_in(shared, journal, &saved, id, profile),
    };
    let mut document = found.document;
    document.pin_samples(&saved);
    let saved = saved.unnamed_as(&found.local_id);
    let whole = saved.compile(&document)?;
    Ok(Candidate { local_id: found.local_id, task: found.task, profile, whole })
}

/// The built-in writing flow of a task's granularity. Under another profile its agents are that profile's.
fn built_in(
    shared: &Shared,
    journal: &dyn Journal,
    saved: &Saved,
    id: &str,
    profile: Profile,
) -> Result<Candidate, AdmitError> {
    let task = store::task_now(shared, journal, id)?.ok_or_else(|| AdmitError::UnknownTask(id.to_owned()))?;
    let whole = saved.compile(&built_in_document(task.fields.granularity))?;
    Ok(Candidate { local_id: task.id, task: task.fields, profile, whole })
}

/// Room and effects, then the Run.
///
/// # Errors
/// There is no room, or the effects are not authorized.
pub async fn admit_judged(shared: &Arc<Shared>, judged: Judged) -> Result<Admitted, AdmitError> {
    let Judged { candidate, flow_input, scope, taken, authorization, key, saves } = judged;
    let input_hash = keyed::input_hash(&flow_input);
    let challenge = Challenge::new(candidate.flow(), input_hash.clone(), scope);
    let given = authorization.filter(|authorization| !authorization.is_null());
    if given.is_some() && !challenge.is_required() {
        return Err(AdmitError::AuthorizationUnneeded);
    }
    candidate.check_programs(&challenge.scope)?;
    let _turn = shared.admission.lock().await;
    for _ in 0..TRIES {
        let turn = look_for_room(shared).await?;
        if challenge.is_required() && !given.as_ref().is_some_and(|given| challenge.is_met_by(given)) {
            return Err(AdmitError::AuthorizationRequired(Box::new(challenge)));
        }
        let id = shared.draw_run();
        let mut documents = documents(shared, &candidate.whole);
        documents.extend(saves.clone());
        documents.push(take_turn(shared, turn, &id));
        let creation = Creation {
            id: id.clone(),
            bound: Arc::new(Bound::new(Arc::new(candidate.flow().clone()), &candidate.whole.executors)),
            about: about(&candidate),
            flow_input: flow_input.clone(),
            challenge: challenge.clone(),
            taken: taken.clone(),
            key: key.clone(),
            documents,
        };
        match create(shared, creation).await {
            Ok(status) => return Ok(Admitted { run_id: id, flow_id: candidate.flow().flow_id().to_owned(), status }),
            Err(Refused::Duplicate) => {
                if let Some(row) = keyed::row(shared, key.as_deref()).await? {
                    let names = match &saves {
                        Some(_) => Names::Itself(PortableId::parse(candidate.flow().flow_id())),
                        None => Names::Local(candidate.local_id.clone()),
                    };
                    let flow = Some((candidate.flow().hash().clone(), Some(input_hash)));
                    let fork = challenge.scope.fork.clone();
                    // It was compiled a moment ago.
                    let asked = Asked { names, profile: candidate.profile, fork, flow, given: None };
                    return keyed::again(shared, row, asked).await;
                }
            }
            // Another process admitted a Run since the look.
            Err(Refused::Stale | Refused::Exists) => {}
            Err(Refused::Storage(error)) => return Err(error.into()),
        }
    }
    Err(StorageError::corrupt("the admission", "it is overtaken by others without pause").into())
}

fn about(candidate: &Candidate) -> About {
    About {
        task_id: candidate.local_id.clone(),
        task_title: candidate.task.title.clone(),
        granularity: candidate.task.granularity,
        profile: candidate.profile,
        capability_ids: candidate.whole.compiled.capability_ids.clone(),
        callees: candidate.whole.callees.iter().map(|(_, about)| about.clone()).collect(),
        subrun_of: None,
    }
}

/// Everything that the Run will look up.
pub fn documents(shared: &Shared, whole: &Whole) -> Vec<DocumentChange> {
    let (workspace, at) = (shared.workspace.key(), shared.now());
    let flows = std::iter::once(&whole.compiled.flow).chain(whole.callees.iter().map(|(flow, _)| flow));
    let flows: Vec<&Flow> = flows.collect();
    let used = |id: &str| flows.iter().any(|flow| flow.nodes().iter().any(|node| node.executor.executor_id == id));
    let executors = whole.executors.iter().filter(|(id, _)| used(id));
    let executors = executors.map(|(id, capability)| frozen::keep_executor(workspace, id, capability, at));
    flows.iter().map(|flow| frozen::keep_flow(workspace, flow, at)).chain(executors).collect()
}

/// Whether one more Run may be active, and the version of the document by which processes take turns.
async fn look_for_room(shared: &Arc<Shared>) -> Result<Option<u64>, AdmitError> {
    let reading = Arc::clone(shared);
    let (turn, active) = blocking(move || {
        let workspace = reading.workspace.key();
        // The turn first: who admits a Run after this look makes it old.
        let turn = reading.journal().document(workspace, TURN, TURN)?.map(|turn| turn.version);
        let is_node = |key: &Option<String>| key.as_deref().is_some_and(|key| key.starts_with(subrun::KEY_PREFIX));
        let active = reading.journal().active_runs(workspace)?;
        Ok((turn, active.iter().filter(|row| !is_node(&row.admission_key)).count()))
    })
    .await?;
    let limit = shared.config.max_active_runs;
    if active >= limit {
        return Err(AdmitError::TooManyActive { active, limit });
    }
    Ok(turn)
}

/// Refused when another process took its turn since.
fn take_turn(shared: &Shared, turn: Option<u64>, id: &RunId) -> DocumentChange {
    let (workspace, kind, at) = (shared.workspace.key().to_owned(), TURN.to_owned(), shared.now().0);
    let body = format!("{{\"last\":\"{id}\"}}");
    match turn {
        Some(expected) => DocumentChange::Update { workspace, kind, id: TURN.to_owned(), expected, at, body },
        None => DocumentChange::Create { workspace, kind, id: TURN.to_owned(), at, body },
    }
}

/// What keeps a document from being run as it is; `None` when nothing does.
pub async fn validation(shared: &Arc<Shared>, document: Document) -> Result<Json, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let saved = Saved::new(&reading, Profile::Deterministic, None);
        let result = match saved.check(&document) {
            Ok(()) => Ok(()),
            Err(FlowError::Storage(error)) => return Err(error),
            Err(FlowError::Compile(error)) => Err(error),
            Err(other) => Err(CompileError::Unsupported(segue_model::flow::Problem::new("", other.to_string()))),
        };
        Ok(segue_model::flow::compile::validation(&document, &result))
    })
    .await
}
