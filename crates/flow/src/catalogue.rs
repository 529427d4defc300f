//! Capabilities: what nodes can be bound to. Those that people save are documents of the workspace; the samples that
//! the runtime brings live as long as it does.
//!
//! One whose program has gone is shown as unavailable and concerns only the flows that use it.

use std::{path::Path, sync::Arc};

use segue_host::adapters::locate;
use segue_journal::{AppendError, Batch, Document as Stored, DocumentChange};
use segue_model::{
    flow::{
        Json, Problem, Profile,
        capability::{Capability, ProbeRecord, Saved, Source, Status, read::Author},
        fields::Fields,
    },
    reading::instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    around::Around,
    bindings::{self, Preset},
    error::{CapabilityError, StorageError},
    executors::{Start, Terms, discover::DESCRIPTOR_FILE, presets},
    shared::{Shared, blocking, lock},
    store,
};

/// The kind of the documents.
const CAPABILITY: &str = "capability";
/// How often a change is tried again when somebody else changed the same document meanwhile.
const TRIES: usize = 8;
/// How long a look at this machine may take in all, beside the limits of each look.
const LOOK: std::time::Duration = std::time::Duration::from_secs(30);

/// A capability by its id. Blocks.
///
/// # Errors
/// The journal cannot be read, or what it has under the id is no capability.
pub fn find(shared: &Shared, id: &str) -> Result<Option<Saved>, StorageError> {
    if let Some(sample) = lock(&shared.samples).iter().find(|sample| sample.capability.id.as_str() == id) {
        return Ok(Some(sample.clone()));
    }
    let stored = shared.journal().document(shared.workspace.key(), CAPABILITY, id)?;
    stored.map(|stored| read(&stored)).transpose()
}

fn read(stored: &Stored) -> Result<Saved, StorageError> {
    let corrupt = |why: &dyn std::fmt::Display| StorageError::corrupt(format!("capability {}", stored.id), why);
    let value = Json::parse(&stored.body).map_err(|error| corrupt(&error))?;
    let capability = Capability::from_saved(&value).map_err(|problem| corrupt(&problem))?;
    let status = value.get("status").and_then(Json::as_str).and_then(Status::parse).unwrap_or(Status::Validated);
    let last_probe = value.get("last_probe").and_then(read_probe);
    Ok(Saved { capability, status, last_probe })
}

fn read_probe(value: &Json) -> Option<ProbeRecord> {
    let fields = Fields::of(value, "").ok()?;
    let details = fields.object("details").ok()?.map(|details| details.members().clone()).unwrap_or_default();
    let (checked_at, summary) = (fields.get("checked_at")?.as_str()?, fields.get("summary")?.as_str()?);
    Some(ProbeRecord::new(fields.flag("ok").ok()??, checked_at.to_owned(), summary, details))
}

/// Its program is there, or it needs none.
#[must_use]
pub fn is_there(capability: &Capability) -> bool {
    capability.config.executable().is_none_or(|executable| Path::new(executable).is_file())
}

/// As it is shown: one whose program has gone is unavailable whatever was seen before.
fn shown(mut saved: Saved) -> Saved {
    if !is_there(&saved.capability) {
        saved.status = Status::Unavailable;
    }
    saved
}

/// In the order of their creation, the samples first.
///
/// # Errors
/// The journal cannot be read.
pub async fn list(shared: &Arc<Shared>) -> Result<Vec<Saved>, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let mut all: Vec<Saved> = lock(&reading.samples).clone();
        for stored in reading.journal().documents(reading.workspace.key(), CAPABILITY)? {
            match read(&stored) {
                Ok(saved) => all.push(saved),
                Err(error) => tracing::warn!("{error}"),
            }
        }
        Ok(all.into_iter().map(shown).collect())
    })
    .await
}

/// # Errors
/// There is none of this id.
pub async fn get(shared: &Arc<Shared>, id: &str) -> Result<Saved, CapabilityError> {
    let (reading, wanted) = (Arc::clone(shared), id.to_owned());
    let found = blocking(move || find(&reading, &wanted)).await?;
    found.map(shown).ok_or_else(|| CapabilityError::NotFound(id.to_owned()))
}

/// Reads a definition by the rules of callers; nothing is stored.
///
/// # Errors
/// The first rule that is broken.
pub fn check(shared: &Shared, definition: &Json) -> Result<Capability, CapabilityError> {
    let read = Capability::read(definition, &|program| resolve(shared, program), Author::Caller);
    read.map_err(CapabilityError::Invalid)
}

/// The absolute path of a program, links kept.
#[must_use]
pub fn resolve(shared: &Shared, program: &str) -> Option<String> {
    let path = shared.config.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    locate(program, path).ok().map(|found| found.to_string_lossy().into_owned())
}

/// Saves a new one.
///
/// # Errors
/// A rule is broken, or its id is taken.
pub async fn save(shared: &Arc<Shared>, definition: &Json) -> Result<Saved, CapabilityError> {
    let _saving = shared.saving.lock().await;
    let capability = check(shared, definition)?;
    let id = capability.id.clone();
    if lock(&shared.samples).iter().any(|sample| sample.capability.id == id) {
        return Err(CapabilityError::Exists(id));
    }
    let saved = Saved::validated(capability);
    let change = saving(shared, &saved);
    match shared.journal().append(Batch { documents: vec![change], ..Batch::default() }).await {
        Ok(_) => Ok(saved),
        Err(AppendError::Exists { .. }) => Err(CapabilityError::Exists(id)),
        Err(error) => Err(StorageError::from(error).into()),
    }
}

/// The change that saves a new one.
#[must_use]
pub fn saving(shared: &Shared, saved: &Saved) -> DocumentChange {
    DocumentChange::Create {
        workspace: shared.workspace.key().to_owned(),
        kind: CAPABILITY.to_owned(),
        id: saved.capability.id.as_str().to_owned(),
        at: shared.now().0,
        body: encode(saved),
    }
}

fn encode(saved: &Saved) -> String {
    serde_json::to_string(&saved.to_json()).unwrap_or_default()
}

/// Tries a capability, saved or not. Nothing is stored.
pub async fn probe(shared: &Arc<Shared>, capability: &Capability) -> ProbeRecord {
    let around = Around::new(shared);
    let terms = terms(shared);
    let seen = shared.config.executors.probe(capability, &terms, &around).await;
    seen.at(instant::written(shared.now()).unwrap_or_default())
}

fn terms(shared: &Shared) -> Terms {
    Terms {
        host: Some(shared.draw_host()),
        workspace: shared.workspace.path().to_owned(),
        timeout: LOOK,
        stop: CancellationToken::new(),
        start: Start::First,
    }
}

/// Tries a saved capability and keeps what was seen.
///
/// # Errors
/// There is none of this id.
pub async fn test_connection(shared: &Arc<Shared>, id: &str) -> Result<Saved, CapabilityError> {
    let found = get(shared, id).await?;
    let seen = probe(shared, &found.capability).await;
    if found.capability.source == Source::Sample {
        let mut samples = lock(&shared.samples);
        let sample = samples.iter_mut().find(|sample| sample.capability.id == found.capability.id);
        let sample = sample.ok_or_else(|| CapabilityError::NotFound(id.to_owned()))?;
        *sample = sample.clone().probed(seen);
        return Ok(sample.clone());
    }
    for _ in 0..TRIES {
        let (reading, wanted) = (shared.workspace.key().to_owned(), id.to_owned());
        let stored = shared.read(move |journal| Ok(journal.document(&reading, CAPABILITY, &wanted)?)).await?;
        let stored = stored.ok_or_else(|| CapabilityError::NotFound(id.to_owned()))?;
        let probed = read(&stored)?.probed(seen.clone());
        let change = DocumentChange::Update {
            workspace: stored.workspace,
            kind: stored.kind,
            id: stored.id,
            expected: stored.version,
            at: shared.now().0,
            body: encode(&probed),
        };
        match shared.journal().append(Batch { documents: vec![change], ..Batch::default() }).await {
            Ok(_) => return Ok(probed),
            Err(AppendError::Stale { .. }) => {}
            Err(AppendError::NoDocument { .. }) => return Err(CapabilityError::NotFound(id.to_owned())),
            Err(error) => return Err(StorageError::from(error).into()),
        }
    }
    Err(StorageError::corrupt(id, "it is being changed by others without pause").into())
}

/// Deletes one. Runs under way keep what they were admitted with. A sample comes back when the runtime is started
/// again.
///
/// # Errors
/// A saved flow uses it, or there is none of this id.
pub async fn delete(shared: &Arc<Shared>, id: &str) -> Result<(), CapabilityError> {
    let _saving = shared.saving.lock().await;
    let found = get(shared, id).await?;
    let (reading, wanted) = (Arc::clone(shared), id.to_owned());
    let user = blocking(move || store::user_of_capability(&reading, &**reading.journal(), &wanted)).await?;
    if let Some((local_id, flow)) = user {
        return Err(CapabilityError::Referenced { id: id.to_owned(), flow, local_id });
    }
    if found.capability.source == Source::Sample {
        lock(&shared.samples).retain(|sample| sample.capability.id != found.capability.id);
        return Ok(());
    }
    let change = DocumentChange::Delete {
        workspace: shared.workspace.key().to_owned(),
        kind: CAPABILITY.to_owned(),
        id: id.to_owned(),
        expected: None,
    };
    match shared.journal().append(Batch { documents: vec![change], ..Batch::default() }).await {
        Ok(_) => Ok(()),
        Err(AppendError::NoDocument { .. }) => Err(CapabilityError::NotFound(id.to_owned())),
        Err(error) => Err(StorageError::from(error).into()),
    }
}

/// Installs a capability that the runtime brings, ready for use. One of the same id is replaced.
///
/// # Errors
/// A rule is broken, or a saved capability has its id.
pub async fn install_sample(shared: &Arc<Shared>, definition: &Json) -> Result<Saved, CapabilityError> {
    let read = Capability::read(definition, &|program| resolve(shared, program), Author::Runtime);
    let mut capability = read.map_err(CapabilityError::Invalid)?;
    capability.source = Source::Sample;
    let id = capability.id.clone();
    let (workspace, wanted) = (shared.workspace.key().to_owned(), id.as_str().to_owned());
    if shared.read(move |journal| Ok(journal.document(&workspace, CAPABILITY, &wanted)?)).await?.is_some() {
        return Err(CapabilityError::Exists(id));
    }
    let saved = Saved { capability, status: Status::Ready, last_probe: None };
    let mut samples = lock(&shared.samples);
    samples.retain(|sample| sample.capability.id != id);
    samples.push(saved.clone());
    Ok(saved)
}

/// As [`install_sample`]; nodes name it as the agent of the profile, or as a command.
///
/// # Errors
/// As [`install_sample`].
pub async fn install_agent(
    shared: &Arc<Shared>,
    definition: &Json,
    profile: Profile,
) -> Result<Saved, CapabilityError> {
    let saved = install_sample(shared, definition).await?;
    let binding = presets::of_profile(profile, &saved.capability);
    let binding = binding.unwrap_or_else(|| presets::of_command(&saved.capability));
    shared.name_executor(saved.capability.id.clone(), binding.executor);
    Ok(saved)
}

/// Looks for agents on this machine. Nothing is stored.
///
/// # Errors
/// The user's file of descriptors is malformed, or two agents have one id.
pub async fn discover(shared: &Arc<Shared>) -> Result<Vec<Capability>, CapabilityError> {
    let file = shared.config.descriptors.clone();
    let descriptors = blocking(move || Ok(file.map(|file| std::fs::read_to_string(&file)))).await?;
    let descriptors = match descriptors {
        Some(Ok(text)) => {
            let parsed = Json::parse(&text);
            Some(parsed.map_err(|error| invalid(format!("{DESCRIPTOR_FILE} is no JSON: {error}")))?)
        }
        // No file, no descriptors.
        None => None,
        Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => None,
        Some(Err(error)) => return Err(invalid(format!("{DESCRIPTOR_FILE} cannot be read: {error}"))),
    };
    look(shared, descriptors.as_ref()).await.map_err(CapabilityError::Invalid)
}

fn invalid(message: String) -> CapabilityError {
    CapabilityError::Invalid(Problem::new("", message))
}

async fn look(shared: &Arc<Shared>, descriptors: Option<&Json>) -> Result<Vec<Capability>, Problem> {
    let (around, terms) = (Around::new(shared), terms(shared));
    let draw = || shared.draw_host();
    shared.config.executors.discover(descriptors, &draw, &terms, &around).await
}

/// The agent that a profile stands for; `None` if it is not installed, and for the deterministic profile.
pub async fn preset(shared: &Arc<Shared>, profile: Profile) -> Option<Preset> {
    let program = bindings::program_of(profile)?;
    resolve(shared, program)?;
    match look(shared, None).await {
        Ok(found) => Preset::find(profile, &found),
        Err(problem) => {
            tracing::warn!("look for {profile}: {problem}");
            None
        }
    }
}

/// Whether a profile can be used here.
#[must_use]
pub fn is_available(shared: &Shared, profile: Profile) -> bool {
    bindings::program_of(profile).is_none_or(|program| resolve(shared, program).is_some())
}
