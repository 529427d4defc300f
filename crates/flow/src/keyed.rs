//! The same key gives the same Run; it is refused for a request that is not that Run's.

use std::sync::Arc;

use segue_journal::RunRow;
use segue_model::flow::{
    Hash, Json, NodeId, Object, PortableId, Profile,
    inputs::{self, REPORT_FOCUS, RESERVED, read_declarations},
};

use crate::{
    admit::{Admitted, KEY_PREFIX, known},
    error::{AdmitError, RunError, StorageError},
    reads, row,
    shared::{Shared, blocking},
    versions,
};

/// What a request under a key is compared by.
#[derive(Debug)]
pub struct Asked {
    pub names: Names,
    pub profile: Profile,
    /// The parent and the node, of a fork or a replay.
    pub fork: Option<(String, NodeId)>,
    /// The flow as it is now, and the Flow input that the inputs make of it, if they fit. `None`: it is gone or cannot
    /// be run any more, and the Run that it started stands.
    pub flow: Option<(Hash, Option<Hash>)>,
    /// The inputs as they were given, of a Run of the whole flow.
    pub given: Option<Object>,
}

/// How a request names its flow.
#[derive(Debug)]
pub enum Names {
    Portable(String),
    /// A local id, of a saved flow or a task.
    Local(String),
    /// The flow that came with the request: nobody can have changed it since.
    Itself(Option<PortableId>),
}

#[must_use]
pub fn input_hash(flow_input: &Object) -> Hash {
    Hash::of_object(flow_input)
}

/// The Run that was admitted under a key before.
///
/// # Errors
/// The journal cannot be read.
pub async fn row(shared: &Arc<Shared>, key: Option<&str>) -> Result<Option<RunRow>, StorageError> {
    let Some(key) = key.map(str::to_owned) else { return Ok(None) };
    let reading = Arc::clone(shared);
    blocking(move || Ok(reading.journal().run_by_key(reading.workspace.key(), &key)?)).await
}

/// The Run of this row, if it is the one that is asked for. Keys that are no person's follow from what they are for.
///
/// # Errors
/// The key belongs to another request, or the journal cannot be read.
pub async fn again(shared: &Arc<Shared>, row: RunRow, asked: Asked) -> Result<Admitted, AdmitError> {
    let reading = Arc::clone(shared);
    let (is_same, known) = blocking(move || {
        let is_persons = row.admission_key.as_deref().is_some_and(|key| key.starts_with(KEY_PREFIX));
        Ok((!is_persons || is_same(&reading, &row, &asked)?, known(&reading, &row)?))
    })
    .await?;
    if is_same { Ok(known) } else { Err(AdmitError::KeyTaken(known.run_id)) }
}

fn is_same(shared: &Arc<Shared>, row: &RunRow, asked: &Asked) -> Result<bool, StorageError> {
    let is_named = match &asked.names {
        Names::Portable(id) => row.flow_id.as_ref() == Some(id),
        Names::Itself(id) => row.flow_id.as_deref() == id.as_ref().map(PortableId::as_str),
        Names::Local(id) => row.task.as_ref() == Some(id),
    };
    let parent = asked.fork.as_ref().map(|(parent, _)| parent);
    if !is_named || row.parent.as_ref() != parent {
        return Ok(false);
    }
    // What was set aside cannot be compared.
    let Ok(body) = row::read(row) else { return Ok(true) };
    if body.about.profile != asked.profile {
        return Ok(false);
    }
    let changed = asked.flow.as_ref().is_none_or(|(flow, _)| flow.as_str() != row.flow_hash);
    let Some((_, input)) = asked.flow.as_ref().filter(|_| !changed) else {
        if asked.flow.is_some() && matches!(asked.names, Names::Itself(_)) {
            return Ok(false);
        }
        // The saved flow was changed since, which makes the request no other; other inputs do.
        return asked.given.as_ref().map_or(Ok(true), |given| has_inputs(shared, row, given));
    };
    let node = asked.fork.as_ref().map(|(_, node)| node.as_str());
    if row.forked_from.as_deref() != node {
        return Ok(false);
    }
    match reads::load_lean_now(shared, &row.id, None) {
        Ok(loaded) => Ok(input.as_ref() == Some(&input_hash(&loaded.run.state.flow_input))),
        Err(RunError::Storage(error)) if !error.is_permanent() => Err(error),
        Err(_) => Ok(true),
    }
}

/// Whether these inputs make the Flow input of a Run whose flow was changed since. Which those are that were not given
/// says the version that the Run executes; without it, those that were given are compared.
fn has_inputs(shared: &Arc<Shared>, row: &RunRow, given: &Object) -> Result<bool, StorageError> {
    let loaded = match reads::load_lean_now(shared, &row.id, None) {
        Ok(loaded) => loaded,
        Err(RunError::Storage(error)) if !error.is_permanent() => return Err(error),
        // What cannot be read cannot be compared.
        Err(_) => return Ok(true),
    };
    let input = &loaded.run.state.flow_input;
    let version = match row.task.as_ref().zip(Hash::parse(&row.flow_hash)) {
        Some((task, hash)) => versions::of_hash(shared, task, &hash)?,
        None => None,
    };
    let declared = version.and_then(|version| read_declarations(&version.document.fields()).ok());
    let wanted = match declared.as_ref().map(|declared| inputs::resolve(declared, given)) {
        Some(Ok(resolved)) => resolved,
        Some(Err(_)) => return Ok(false),
        None => given.clone(),
    };
    let is_there = |(name, value): (&String, &Json)| match name.as_str() {
        REPORT_FOCUS => value.non_blank().is_none_or(|focus| input.get("topic") == Some(&focus.into())),
        name => value.is_null() || input.get(name) == Some(value),
    };
    let is_wanted = |name: &String| RESERVED.contains(&name.as_str()) || wanted.contains_key(name);
    Ok(wanted.iter().all(is_there) && (declared.is_none() || input.keys().all(is_wanted)))
}
