//! How a command line names a saved flow: by its local id (`task_…`), or by its portable id if only one has it.

use segue_flow::{
    Flows,
    api::{SavedFlow, Target},
    error::FlowError,
};

use crate::commands::CommandError;

/// What local ids begin with.
const LOCAL: &str = "task_";

/// What to run. A flow that is not there is found by the admission.
#[must_use]
pub fn target(text: &str) -> Target {
    if text.starts_with(LOCAL) { Target::Local(text.to_owned()) } else { Target::Portable(text.to_owned()) }
}

/// The saved flow that is meant.
///
/// # Errors
/// There is none, or several have the portable id.
pub async fn find(flows: &Flows, text: &str) -> Result<SavedFlow, CommandError> {
    if text.starts_with(LOCAL) {
        return Ok(flows.flow(text).await?);
    }
    let mut found = with_id(flows, text).await?;
    if found.len() > 1 {
        let local_ids = found.into_iter().map(|flow| flow.local_id).collect();
        return Err(FlowError::Ambiguous { id: text.to_owned(), local_ids }.into());
    }
    found.pop().ok_or_else(|| FlowError::NotFound(text.to_owned()).into())
}

/// The saved flows with this portable id, newest first.
///
/// # Errors
/// The journal cannot be read.
pub async fn with_id(flows: &Flows, id: &str) -> Result<Vec<SavedFlow>, CommandError> {
    let has_id = |flow: &SavedFlow| flow.document.portable_id().is_some_and(|found| found.as_str() == id);
    Ok(flows.flows().await?.into_iter().filter(has_id).collect())
}
