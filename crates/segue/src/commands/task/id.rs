//! Task ids as people type them: whole, or the beginning of one, with or without `task_`.

use segue_channel::{Channel, Refusal};
use segue_model::TaskId;

use crate::commands::CommandError;

const PREFIX: &str = "task_";
/// How many tasks an ambiguous beginning names.
const NAMED: usize = 5;

/// The id that is meant. A whole one is taken as it is, whether there is such a task or not.
///
/// # Errors
/// When no id begins so, or several do.
pub async fn resolve(channel: &Channel, text: &str) -> Result<String, CommandError> {
    let beginning = beginning(text)?;
    if TaskId::parse(&beginning).is_some() {
        return Ok(beginning);
    }
    let mut found = channel.tasks_starting_with(&beginning, NAMED + 1).await?;
    match (found.len(), found.pop()) {
        (_, None) => Err(Refusal::no_task(text).into()),
        (1, Some(only)) => Ok(only),
        (count, Some(last)) => {
            let more = if count > NAMED { "…" } else { last.as_str() };
            found.push(more.to_owned());
            Err(CommandError::Usage(format!("{text:?} could be any of {}", found.join(", "))))
        }
    }
}

/// The same for several.
///
/// # Errors
/// As [`resolve`].
pub async fn resolve_all(channel: &Channel, texts: &[String]) -> Result<Vec<String>, CommandError> {
    let mut ids = Vec::new();
    for text in texts {
        let id = resolve(channel, text).await?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn beginning(text: &str) -> Result<String, CommandError> {
    let digits = text.strip_prefix(PREFIX).unwrap_or(text).to_ascii_lowercase();
    if digits.is_empty() || digits.len() > TaskId::BYTES * 2 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(CommandError::Usage(format!(
            "{text:?} is not a task id: those are {PREFIX} and {} hexadecimal digits, of which the first few will do",
            TaskId::BYTES * 2
        )));
    }
    Ok(format!("{PREFIX}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_meant_is_told_from_what_cannot() {
        for (text, expected) in [
            ("task_0aB", Some("task_0ab")),
            ("0ab", Some("task_0ab")),
            ("0123456789ab", Some("task_0123456789ab")),
            ("0123456789abc", None),
            ("task_", None),
            ("", None),
            ("xyz", None),
            ("%", None),
        ] {
            assert_eq!(beginning(text).ok().as_deref(), expected, "{text}");
        }
    }
}
