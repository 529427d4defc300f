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
    let has_id = |flow: &SavedFlow| flow.document.portable_id().is_some_and(|id| id.as_str() == text);
    let mut found: Vec<SavedFlow> = flows.flows().await?.into_iter().filter(has_id).collect();
    match (found.pop(), found.len()) {
        (None, _) => Err(FlowError::NotFound(text.to_owned()).into()),
        (Some(found), 0) => Ok(found),
        (Some(_), others) => Err(FlowError::Ambiguous { id: text.to_owned(), count: others + 1 }.into()),
    }
}
