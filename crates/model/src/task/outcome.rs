//! How a turn's end is judged: its status, and whether its agent may be kept.

use super::state::Status;
use crate::lease::Reason;

/// What decides a turn's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ending<'a> {
    /// Something that must hold could not be confirmed: an empty process tree, a complete record.
    pub unkept: bool,
    /// A stop was asked for before the turn ended.
    pub cancelled: bool,
    /// The task's own deadline, or the absence of every server, ended it.
    pub timed_out: bool,
    /// The prompt's answer; `None` when there was none.
    pub stop_reason: Option<&'a str>,
    /// A step failed, or the prompt was answered with an error.
    pub failed: bool,
}

/// The status of a turn that is over; the first rule that holds decides.
#[must_use]
pub fn status(ending: Ending<'_>) -> Status {
    match ending {
        Ending { unkept: true, .. } => Status::Failed,
        Ending { cancelled: true, .. } => Status::Cancelled,
        Ending { timed_out: true, .. } => Status::Failed,
        Ending { failed: false, stop_reason: Some("end_turn"), .. } => Status::Succeeded,
        _ => Status::Failed,
    }
}

/// What decides whether an agent is kept after its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep<'a> {
    pub ending: Ending<'a>,
    pub shutting_down: bool,
    pub agent_exited: bool,
    pub session_known: bool,
}

/// Why an agent is not kept; `None` when it is. That turns remain is the caller's question.
#[must_use]
pub fn not_kept(keep: Keep<'_>) -> Option<Reason> {
    let Keep { ending, shutting_down, agent_exited, session_known } = keep;
    if ending.cancelled {
        // The server's own stop has its own words.
        return Some(if shutting_down { Reason::ShuttingDown } else { Reason::TaskStopped });
    }
    if ending.unkept {
        return Some(Reason::GuaranteeUnkept);
    }
    if status(ending) != Status::Succeeded {
        return Some(Reason::NotEndTurn);
    }
    if shutting_down {
        return Some(Reason::ShuttingDown);
    }
    if agent_exited {
        return Some(Reason::AgentExited);
    }
    (!session_known).then_some(Reason::SessionNotHeld)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_holds_decides_the_status() {
        let done = Ending { stop_reason: Some("end_turn"), ..Ending::default() };
        let cases = [
            (done, Status::Succeeded),
            (Ending { cancelled: true, ..done }, Status::Cancelled),
            (Ending { cancelled: true, unkept: true, ..done }, Status::Failed),
            (Ending { timed_out: true, ..done }, Status::Failed),
            (Ending { failed: true, ..done }, Status::Failed),
            (Ending { stop_reason: Some("refusal"), ..done }, Status::Failed),
            (Ending::default(), Status::Failed),
        ];
        for (ending, expected) in cases {
            assert_eq!(status(ending), expected, "{ending:?}");
        }
    }

    #[test]
    fn an_agent_is_kept_only_when_nothing_speaks_against_it() {
        let done = Ending { stop_reason: Some("end_turn"), ..Ending::default() };
        let keep = Keep { ending: done, session_known: true, ..Keep::default() };
        let cases = [
            (keep, None),
            (Keep { ending: Ending { cancelled: true, ..done }, ..keep }, Some(Reason::TaskStopped)),
            (
                Keep { ending: Ending { cancelled: true, ..done }, shutting_down: true, ..keep },
                Some(Reason::ShuttingDown),
            ),
            (Keep { ending: Ending { unkept: true, ..done }, ..keep }, Some(Reason::GuaranteeUnkept)),
            (Keep { ending: Ending { stop_reason: Some("max_tokens"), ..done }, ..keep }, Some(Reason::NotEndTurn)),
            (Keep { shutting_down: true, ..keep }, Some(Reason::ShuttingDown)),
            (Keep { agent_exited: true, ..keep }, Some(Reason::AgentExited)),
            (Keep { session_known: false, ..keep }, Some(Reason::SessionNotHeld)),
        ];
        for (keep, expected) in cases {
            assert_eq!(not_kept(keep), expected, "{keep:?}");
        }
    }
}
