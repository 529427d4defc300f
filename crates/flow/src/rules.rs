//! Whether a Run can be gone on with by the rules of this release: not one that a later release created, which is left
//! to that, nor one whose input is not what it was admitted with.

use segue_journal::{EventFilter, Journal};
use segue_model::{
    flow::{Hash, RunId},
    run::{Event, RULES_VERSION},
};

use crate::{
    error::StorageError,
    payload::{Recorded, run_stream},
};

/// Why this program can neither drive nor read a Run, if the Run's rules are the reason. Looks at the first event as it
/// is stored: what a later release writes beside that need not be readable here. Blocks.
///
/// # Errors
/// The journal cannot be read.
pub fn newer(journal: &dyn Journal, run: &RunId) -> Result<Option<String>, StorageError> {
    let first = journal.events(&run_stream(run), 0, 1, &EventFilter::default())?;
    let first = first.and_then(|page| page.events.into_iter().next());
    let version = first.and_then(|event| {
        let payload: serde_json::Value = serde_json::from_str(&event.payload).ok()?;
        payload.get("_")?.get("rules_version")?.as_u64()
    });
    let newer = version.filter(|version| *version > u64::from(RULES_VERSION));
    Ok(newer.map(|version| {
        format!(
            "it was created by version {version} of the rules, and this segue knows those up to {RULES_VERSION}: a newer \
             segue goes on with it"
        )
    }))
}

/// The input is what the effects were judged by (contract §7.2); the flow was found by its hash.
///
/// # Errors
/// It is not.
pub fn same_input(run: &RunId, events: &[Recorded]) -> Result<(), StorageError> {
    let created = events.iter().find_map(|recorded| match &recorded.event {
        Event::RunCreated(created) => Some(&created.own.flow_input),
        _ => None,
    });
    let admitted = events.iter().find_map(|recorded| match &recorded.event {
        Event::RunEffectsEvaluated(effects) => Some(&effects.input_hash),
        Event::RunEffectsAuthorized(effects) => Some(&effects.input_hash),
        _ => None,
    });
    match (created, admitted) {
        (Some(input), Some(hash)) if Hash::of_object(input) != *hash => {
            Err(StorageError::corrupt(format!("run {run}"), "its input is not the one that it was admitted with"))
        }
        _ => Ok(()),
    }
}
