//! Run ids as people type them: whole, or the beginning of one.

use segue_flow::{Flows, error::RunError};
use segue_model::flow::RunId;

use super::CommandError;

/// How many Runs an ambiguous beginning names.
const NAMED: usize = 5;

/// The id that is meant. A whole one is taken as it is, whether there is such a Run or not.
///
/// # Errors
/// When no id begins so, or several do.
pub async fn resolve(flows: &Flows, text: &str) -> Result<String, CommandError> {
    let beginning = text.trim().to_ascii_lowercase();
    if RunId::parse(&beginning).is_some() {
        return Ok(beginning);
    }
    if beginning.is_empty() || !beginning.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return Err(RunError::NotFound(text.to_owned()).into());
    }
    let mut found = flows.runs_starting_with(&beginning, NAMED + 1).await?;
    match (found.len(), found.pop()) {
        (_, None) => Err(RunError::NotFound(text.to_owned()).into()),
        (1, Some(only)) => Ok(only),
        (count, Some(last)) => {
            found.push(if count > NAMED { "…".to_owned() } else { last });
            Err(CommandError::Usage(format!("{text:?} could be any of {}", found.join(", "))))
        }
    }
}
