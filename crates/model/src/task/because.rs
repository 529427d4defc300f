//! Why a turn ended, beyond its status.
//!
//! Real agents report many failures as an ordinary answer with an ordinary stop reason. The rules
//! here name what was seen; they never change a status.

use serde::{Deserialize, Serialize};

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The agent said that it was done.
    Completed,
    /// The agent ended its turn after a permission was refused, though nobody cancelled it.
    PermissionRefused,
    /// The agent wants somebody to sign in.
    SignIn,
    /// The model service's usage limit.
    UsageLimit,
    /// The model refused.
    Refusal,
    /// The agent's own limit of requests in one turn.
    StepBudget,
    /// The token limit of the answer.
    TokenLimit,
    /// An error of the model service came as ordinary text in an ordinary answer.
    UpstreamError,
    /// The agent answered the prompt with an error.
    AgentError,
    /// The agent stopped as if cancelled, though nobody cancelled it.
    AgentCancelled,
    /// A caller, or the server's shutdown, asked for the end.
    Cancelled,
    /// The task's own deadline.
    Deadline,
    /// The agent could not be started.
    NotStarted,
    /// A step before the prompt failed.
    SetupFailed,
    /// The agent exited or closed its output before it answered.
    AgentExited,
    /// The host process was killed; what it had not passed on is gone.
    HostLost,
    /// The machine was restarted in the middle of the turn.
    MachineRestarted,
    /// No server attached for the orphan grace, and the host ended the turn.
    Orphaned,
    /// Something that must hold could not be confirmed, such as an empty process tree.
    Unconfirmed,
    /// An unknown stop reason.
    UnknownStopReason,
}

/// What an answered prompt looked like.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub stop_reason: &'a str,
    pub usage_reported: bool,
    pub tool_calls: u64,
    pub permissions_refused: u64,
    /// Nothing was done after a refusal.
    pub refused_last: bool,
    pub final_message: &'a str,
}

/// Beginnings of texts with which agents report an error of their model service as if the model had
/// said it, seen with Codex 0.166 and Copilot 1.0.102.
const UPSTREAM_TEXTS: [&str; 9] = [
    "Error: ",
    "Info: Request failed due to a transient API error",
    "Info: Response was interrupted due to a server error",
    "exceeded retry limit",
    "unexpected status ",
    "{\"error\":{",
    "{\"error\": {",
    "stream disconnected before completion",
    "We\u{2019}re currently experiencing high demand",
];

/// With these words, or with none, agents end a turn whose question was refused without telling the model,
/// seen with Copilot 1.0.102 and opencode 1.18.33.
const STOPPED_TEXTS: [&str; 2] = ["", "Info: Operation cancelled by user"];

/// Words that make an error one of a usage limit.
const LIMIT_WORDS: [&str; 6] = ["usage limit", "rate limit", "rate_limit", "quota", "429", "Too Many Requests"];

/// Words that make an error one of sign-in.
const SIGN_IN_WORDS: [&str; 5] =
    ["Authentication required", "authentication_error", "401", "Unauthorized", "not logged in"];

/// Why a turn whose prompt was answered ended.
#[must_use]
pub fn of_answer(answer: Answer<'_>) -> Because {
    match answer.stop_reason {
        "end_turn" if looks_upstream(answer) => of_error_text(answer.final_message, Because::UpstreamError),
        "end_turn" if answer.refused_last && STOPPED_TEXTS.contains(&answer.final_message) => {
            Because::PermissionRefused
        }
        "end_turn" => Because::Completed,
        "refusal" => Because::Refusal,
        "max_tokens" => Because::TokenLimit,
        "max_turn_requests" => Because::StepBudget,
        "cancelled" if answer.permissions_refused > 0 => Because::PermissionRefused,
        "cancelled" => Because::AgentCancelled,
        _ => Because::UnknownStopReason,
    }
}

/// Why a turn whose prompt was answered with an error ended.
#[must_use]
pub fn of_error(message: &str) -> Because {
    of_error_text(message, Because::AgentError)
}

fn looks_upstream(answer: Answer<'_>) -> bool {
    let text = answer.final_message;
    // Text streamed before the fault can stand in front of the error's own.
    !answer.usage_reported
        && (UPSTREAM_TEXTS.iter().any(|start| text.starts_with(start))
            || UPSTREAM_TEXTS[3..].iter().any(|part| text.contains(part))
            || text.contains(UPSTREAM_TEXTS[1])
            || text.contains(UPSTREAM_TEXTS[2]))
}

fn of_error_text(text: &str, otherwise: Because) -> Because {
    if LIMIT_WORDS.iter().any(|w| text.contains(w)) {
        Because::UsageLimit
    } else if SIGN_IN_WORDS.iter().any(|w| text.contains(w)) {
        Because::SignIn
    } else {
        otherwise
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer<'a>(stop_reason: &'a str, final_message: &'a str) -> Answer<'a> {
        Answer {
            stop_reason,
            usage_reported: false,
            tool_calls: 0,
            permissions_refused: 0,
            refused_last: false,
            final_message,
        }
    }

    #[test]
    fn errors_told_as_text_are_named() {
        let cases = [
            ("Error: 400 bad thing", Because::UpstreamError),
            ("exceeded retry limit, last status: 429 Too Many Requests", Because::UsageLimit),
            ("partial answerstream disconnected before completion: Transport", Because::UpstreamError),
            ("{\"error\": {\"message\": \"bad thing\"}}", Because::UpstreamError),
            ("All tests pass.", Because::Completed),
            ("I fixed the Error: handling.", Because::Completed),
            // Words of a tool that a model repeats; Cline never reports usage.
            ("{\"error\":\"User rejected the tool call\"}", Because::Completed),
        ];
        for (text, because) in cases {
            assert_eq!(of_answer(answer("end_turn", text)), because, "{text}");
        }
        let counted = Answer { usage_reported: true, ..answer("end_turn", "Error: 400 is what the server says") };
        assert_eq!(of_answer(counted), Because::Completed);
    }

    #[test]
    fn a_refused_permission_explains_a_cancelled_answer() {
        assert_eq!(of_answer(Answer { permissions_refused: 1, ..answer("cancelled", "") }), Because::PermissionRefused);
        assert_eq!(of_answer(answer("cancelled", "")), Because::AgentCancelled);
    }

    #[test]
    fn a_turn_that_stops_at_a_refusal_was_not_completed() {
        let refused = |text| Answer { permissions_refused: 1, refused_last: true, ..answer("end_turn", text) };
        for (answer, because) in [
            (refused(""), Because::PermissionRefused),
            (refused("Info: Operation cancelled by user"), Because::PermissionRefused),
            (refused("I may not write that file."), Because::Completed),
            (Answer { refused_last: false, ..refused("") }, Because::Completed),
        ] {
            assert_eq!(of_answer(answer), because, "{answer:?}");
        }
    }
}
