//! Versions of saved flows. The journal keeps the present one; each that is replaced is kept beside it, so that what was
//! changed can be seen and taken back.

use std::sync::Arc;

use segue_journal::{Document as Stored, DocumentChange, Journal};
use segue_model::{
    Timestamp,
    flow::{
        Document, Hash, Profile,
        difference::{Difference, difference},
    },
};

use crate::{
    compile::Saved,
    error::{FlowError, StorageError},
    shared::{Shared, blocking},
    store::{self, Body, TASK},
};

/// Digits of a version in a document's id: in the order of creation anyway, and read by people.
const DIGITS: usize = 8;
/// Versions of one page at most.
pub const VERSIONS_MAX: usize = 100;

/// One version of a saved flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    pub local_id: String,
    /// 1 for the first, raised by each change.
    pub version: u64,
    /// It is what is saved now.
    pub is_current: bool,
    pub name: String,
    pub description: String,
    pub saved_at: Timestamp,
    /// The flow that it would be as things are now; `None` if it cannot be compiled.
    pub flow_hash: Option<Hash>,
    pub document: Document,
}

/// What is different between two versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub before: Version,
    pub after: Version,
    pub difference: Difference,
}

/// The kind of the documents with versions of one flow.
fn kind(local_id: &str) -> String {
    format!("task_version:{local_id}")
}

/// Keeps the version that is about to be replaced.
#[must_use]
pub fn keep(stored: &Stored) -> DocumentChange {
    DocumentChange::Ensure {
        workspace: stored.workspace.clone(),
        kind: kind(&stored.id),
        id: format!("{:0DIGITS$}", stored.version),
        at: stored.updated_at,
        body: stored.body.clone(),
    }
}

/// Removes what was kept of a flow that is deleted. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn remove(shared: &Shared, local_id: &str) -> Result<Vec<DocumentChange>, StorageError> {
    let kept = shared.journal().documents(shared.workspace.key(), &kind(local_id))?;
    let removal = |stored: Stored| DocumentChange::Delete {
        workspace: stored.workspace,
        kind: stored.kind,
        id: stored.id,
        expected: None,
    };
    Ok(kept.into_iter().map(removal).collect())
}

/// The flow under a local id, or the one with this portable id. Blocks.
fn resolve(shared: &Shared, id: &str) -> Result<Stored, FlowError> {
    let journal: &dyn Journal = &**shared.journal();
    let of = |local: &str| journal.document(shared.workspace.key(), TASK, local).map_err(StorageError::from);
    let has_flow = |stored: &Stored| Body::read(stored).is_ok_and(|body| body.flow.is_some());
    if let Some(stored) = of(id)?.filter(has_flow) {
        return Ok(stored);
    }
    let found = store::by_portable_id(shared, journal, id)?;
    of(&found.local_id)?.ok_or_else(|| FlowError::NotFound(id.to_owned()))
}

fn version(shared: &Arc<Shared>, current: &Stored, stored: &Stored) -> Result<Version, FlowError> {
    let is_current = stored.kind == TASK;
    let number = if is_current { Some(stored.version) } else { stored.id.parse().ok() };
    let number = number.ok_or_else(|| StorageError::corrupt(&current.id, "a version without a number"))?;
    let body = Body::read(stored)?;
    let mut document = body.flow.ok_or_else(|| FlowError::NotFound(current.id.clone()))?;
    let saved = Saved::new(shared, Profile::Deterministic, None).unnamed_as(&current.id);
    document.pin_samples(&saved);
    let flow_hash = match saved.compile(&document) {
        Ok(whole) => Some(whole.compiled.flow.hash().clone()),
        Err(FlowError::Storage(error)) => return Err(error.into()),
        Err(_) => None,
    };
    Ok(Version {
        local_id: current.id.clone(),
        version: number,
        is_current,
        name: body.title,
        description: body.goal,
        saved_at: Timestamp(if is_current { stored.updated_at } else { stored.created_at }),
        flow_hash,
        document,
    })
}

/// Newest first, at most `limit`, those before the version `before`; and whether there are older ones.
///
/// # Errors
/// There is no such flow, or several have its portable id.
pub async fn list(
    shared: &Arc<Shared>,
    id: &str,
    before: Option<u64>,
    limit: usize,
) -> Result<(Vec<Version>, bool), FlowError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || {
        let found = resolve(&reading, &id).and_then(|current| {
            let kept = reading.journal().documents(reading.workspace.key(), &kind(&current.id));
            let kept = kept.map_err(StorageError::from)?;
            let number =
                |stored: &Stored| if stored.kind == TASK { stored.version } else { stored.id.parse().unwrap_or(0) };
            let all = std::iter::once(&current).chain(kept.iter().rev());
            let mut wanted = all.filter(|stored| before.is_none_or(|before| number(stored) < before));
            let page = wanted.by_ref().take(limit.clamp(1, VERSIONS_MAX));
            let page = page.map(|stored| version(&reading, &current, stored)).collect::<Result<Vec<_>, _>>()?;
            let more = wanted.next().is_some();
            Ok((page, more))
        });
        Ok(found)
    })
    .await?
}

fn get_now(shared: &Arc<Shared>, id: &str, wanted: u64) -> Result<Version, FlowError> {
    let current = resolve(shared, id)?;
    if current.version == wanted {
        return version(shared, &current, &current);
    }
    let kept = shared.journal().document(shared.workspace.key(), &kind(&current.id), &format!("{wanted:0DIGITS$}"));
    let kept = kept.map_err(StorageError::from)?;
    let kept =
        kept.ok_or_else(|| FlowError::NoVersion { id: current.id.clone(), version: wanted, newest: current.version })?;
    version(shared, &current, &kept)
}

/// # Errors
/// There is no such flow or version.
pub async fn get(shared: &Arc<Shared>, id: &str, version: u64) -> Result<Version, FlowError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(get_now(&reading, &id, version))).await?
}

/// # Errors
/// There is no such flow, or one of the versions is not there.
pub async fn compare(shared: &Arc<Shared>, id: &str, before: u64, after: u64) -> Result<Comparison, FlowError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || {
        let both = get_now(&reading, &id, before).and_then(|before| Ok((before, get_now(&reading, &id, after)?)));
        Ok(both.map(|(before, after)| {
            let difference = difference(&before.document, &after.document);
            Comparison { before, after, difference }
        }))
    })
    .await?
}

/// The newest version of a saved flow that compiles to this hash. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn of_hash(shared: &Arc<Shared>, local_id: &str, hash: &Hash) -> Result<Option<Version>, StorageError> {
    let Some(current) = shared.journal().document(shared.workspace.key(), TASK, local_id)? else { return Ok(None) };
    let kept = shared.journal().documents(shared.workspace.key(), &kind(local_id))?;
    for stored in std::iter::once(&current).chain(kept.iter().rev().take(VERSIONS_MAX)) {
        match version(shared, &current, stored) {
            Ok(version) if version.flow_hash.as_ref() == Some(hash) => return Ok(Some(version)),
            Err(FlowError::Storage(error)) if !error.is_permanent() => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}
