//! Runs that were created by the rules of a later release: this one leaves them to that.

use segue_journal::{EventFilter, Journal};
use segue_model::{flow::RunId, run::RULES_VERSION};

use crate::{error::StorageError, payload::run_stream};

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
