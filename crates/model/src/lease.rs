//! Leases: agents that stay alive between turns.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentHandle, IllegalEvent, TaskId, Timestamp};

/// How many leases of one server may be open at once. Fixed by the channel contract.
pub const OPEN_LEASES: usize = 8;
/// The idle bound when only turns were asked for, in seconds.
pub const IDLE_DEFAULT: u32 = 300;
/// The further turns when only an idle bound was asked for.
pub const TURNS_DEFAULT: u32 = 1;
/// Seconds that may be asked for.
pub const IDLE_RANGE: std::ops::RangeInclusive<u32> = 1..=600;
/// Further turns that may be asked for.
pub const TURNS_RANGE: std::ops::RangeInclusive<u32> = 1..=20;

/// Why an agent was not kept, or why it ended. The texts are the channel contract's constants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    TaskStopped,
    GuaranteeUnkept,
    NotEndTurn,
    ShuttingDown,
    NotIdle,
    NotStarted,
    StderrNotRecorded,
    StderrStillWritten,
    TaskCancelledFirst,
    LeaseNotOpen,
    AgentExited,
    SessionNotHeld,
    DecisionFailed,
    Released,
    Idle(u32),
    ExitedWhileIdle,
    LastTurnEnded,
    CompletionNotRecorded,
    /// The server that kept it died, and its agent could not be taken over. Not in the contract.
    ServerDied,
    /// The host process that had its pipes was lost. Not in the contract.
    HostLost,
    /// Not in the contract.
    MachineRestarted,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::TaskStopped => "the task was stopped",
            Self::GuaranteeUnkept => "the turn left a guarantee unkept",
            Self::NotEndTurn => "the turn did not end with end_turn",
            Self::ShuttingDown => "the server is shutting down",
            Self::NotIdle => "the agent was not idle when its turn ended",
            Self::NotStarted => "the agent could not be started",
            Self::StderrNotRecorded => "the agent's stderr could not be recorded in time",
            Self::StderrStillWritten => "the agent was still writing to stderr",
            Self::TaskCancelledFirst => "the task was cancelled before its agent was kept",
            Self::LeaseNotOpen => "the lease was no longer open",
            Self::AgentExited => "the agent had exited",
            Self::SessionNotHeld => "the agent's session could not be held",
            Self::DecisionFailed => "deciding whether to keep the agent failed",
            Self::Released => "released",
            Self::Idle(seconds) => return write!(f, "idle for {seconds} seconds"),
            Self::ExitedWhileIdle => "the agent exited while it was idle",
            Self::LastTurnEnded => "its last turn ended",
            Self::CompletionNotRecorded => "the completion of its turn could not be recorded",
            Self::ServerDied => "the server that kept it died",
            Self::HostLost => "the host process of the agent was lost while it was idle",
            Self::MachineRestarted => "the machine was restarted",
        })
    }
}

/// The bounds of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Seconds without a turn after which the agent is ended.
    pub keep_idle: u32,
    /// Further turns.
    pub keep_turns: u32,
}

/// Where a lease is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A turn is under way. `further` is false for the turn that asked for the lease.
    Pending {
        turns_left: u32,
        further: bool,
    },
    Kept {
        expires_at: Timestamp,
        turns_left: u32,
    },
    Ending {
        reason: Reason,
    },
    Ended {
        reason: Reason,
    },
    NotKept {
        reason: Reason,
    },
}

impl State {
    /// The label of the contract.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Pending { .. } => "pending",
            Self::Kept { .. } => "kept",
            Self::Ending { .. } => "ending",
            Self::Ended { .. } => "ended",
            Self::NotKept { .. } => "not_kept",
        }
    }

    /// It takes one of the server's places.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Pending { .. } | Self::Kept { .. } | Self::Ending { .. })
    }

    #[must_use]
    pub const fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::Kept { expires_at, .. } => Some(*expires_at),
            _ => None,
        }
    }

    #[must_use]
    pub const fn turns_left(&self) -> Option<u32> {
        match self {
            Self::Pending { turns_left, .. } | Self::Kept { turns_left, .. } => Some(*turns_left),
            _ => None,
        }
    }

    #[must_use]
    pub const fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Ending { reason } | Self::Ended { reason } | Self::NotKept { reason } => Some(reason),
            _ => None,
        }
    }
}

/// What can be recorded of a lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event_type", content = "payload", rename_all = "snake_case")]
pub enum Event {
    LeaseReserved(Box<Reserved>),
    /// The turn succeeded and the agent stays. `bounds` when they were renewed with the turn.
    LeaseKept {
        session_id: String,
        expires_at: Timestamp,
        turns_left: u32,
        bounds: Bounds,
    },
    LeaseClaimed {
        task: TaskId,
    },
    /// The claiming task could not start: the turn and the old expiry come back.
    LeaseClaimReturned {
        task: TaskId,
        expires_at: Timestamp,
    },
    LeaseExtended {
        expires_at: Timestamp,
        turns_left: u32,
        bounds: Bounds,
    },
    LeaseEnding {
        reason: Reason,
    },
    LeaseEnded {
        reason: Reason,
    },
    LeaseNotKept {
        reason: Reason,
    },
}

/// What a lease is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reserved {
    pub task: TaskId,
    pub agent: String,
    pub workspace: String,
    /// The options of the first turn, as given; those given at launch bind later turns.
    pub options: Value,
    pub bounds: Bounds,
}

impl Event {
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::LeaseReserved(_) => "lease_reserved",
            Self::LeaseKept { .. } => "lease_kept",
            Self::LeaseClaimed { .. } => "lease_claimed",
            Self::LeaseClaimReturned { .. } => "lease_claim_returned",
            Self::LeaseExtended { .. } => "lease_extended",
            Self::LeaseEnding { .. } => "lease_ending",
            Self::LeaseEnded { .. } => "lease_ended",
            Self::LeaseNotKept { .. } => "lease_not_kept",
        }
    }

    /// The payload as one JSON object, encoded.
    #[must_use]
    pub fn payload(&self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut whole)) => whole.remove("payload").unwrap_or_default().to_string(),
            _ => "{}".to_owned(),
        }
    }
}

/// A lease, derived from its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub handle: AgentHandle,
    pub agent: String,
    pub workspace: String,
    pub options: Value,
    pub bounds: Bounds,
    pub session_id: Option<String>,
    /// The newest task on it.
    pub task: TaskId,
    pub state: State,
}

impl Lease {
    #[must_use]
    pub fn create(handle: AgentHandle, reserved: &Reserved) -> Self {
        Self {
            handle,
            agent: reserved.agent.clone(),
            workspace: reserved.workspace.clone(),
            options: reserved.options.clone(),
            bounds: reserved.bounds,
            session_id: None,
            task: reserved.task.clone(),
            state: State::Pending { turns_left: reserved.bounds.keep_turns, further: false },
        }
    }

    /// What follows from one event.
    ///
    /// # Errors
    /// When the event cannot follow; the lease is left as it was.
    pub fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        let state = match (&self.state, event) {
            (State::Pending { .. }, Event::LeaseKept { session_id, expires_at, turns_left, bounds }) => {
                self.session_id = Some(session_id.clone());
                self.bounds = *bounds;
                State::Kept { expires_at: *expires_at, turns_left: *turns_left }
            }
            (State::Kept { turns_left, .. }, Event::LeaseClaimed { task }) if *turns_left > 0 => {
                self.task = task.clone();
                State::Pending { turns_left: turns_left - 1, further: true }
            }
            (State::Pending { turns_left, further: true }, Event::LeaseClaimReturned { expires_at, .. }) => {
                State::Kept { expires_at: *expires_at, turns_left: turns_left + 1 }
            }
            (State::Kept { .. }, Event::LeaseExtended { expires_at, turns_left, bounds }) => {
                self.bounds = *bounds;
                State::Kept { expires_at: *expires_at, turns_left: *turns_left }
            }
            (State::Kept { .. }, Event::LeaseEnding { reason }) => State::Ending { reason: reason.clone() },
            (
                State::Kept { .. } | State::Ending { .. } | State::Pending { further: true, .. },
                Event::LeaseEnded { reason },
            ) => State::Ended { reason: reason.clone() },
            (State::Pending { further: false, .. }, Event::LeaseNotKept { reason }) => {
                State::NotKept { reason: reason.clone() }
            }
            (state, event) => return Err(IllegalEvent { state: state.label(), event: event.kind() }),
        };
        self.state = state;
        Ok(())
    }

    /// The event that says that the turn under way does not leave the agent behind.
    #[must_use]
    pub fn turn_not_kept(&self, reason: Reason) -> Event {
        match self.state {
            State::Pending { further: false, .. } => Event::LeaseNotKept { reason },
            _ => Event::LeaseEnded { reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients may compare them, so each is the contract's to the letter.
    #[test]
    fn reasons_are_told_in_the_published_words() {
        for (reason, words) in [
            (Reason::TaskStopped, "the task was stopped"),
            (Reason::GuaranteeUnkept, "the turn left a guarantee unkept"),
            (Reason::NotEndTurn, "the turn did not end with end_turn"),
            (Reason::ShuttingDown, "the server is shutting down"),
            (Reason::NotIdle, "the agent was not idle when its turn ended"),
            (Reason::NotStarted, "the agent could not be started"),
            (Reason::StderrNotRecorded, "the agent's stderr could not be recorded in time"),
            (Reason::StderrStillWritten, "the agent was still writing to stderr"),
            (Reason::TaskCancelledFirst, "the task was cancelled before its agent was kept"),
            (Reason::LeaseNotOpen, "the lease was no longer open"),
            (Reason::AgentExited, "the agent had exited"),
            (Reason::SessionNotHeld, "the agent's session could not be held"),
            (Reason::DecisionFailed, "deciding whether to keep the agent failed"),
            (Reason::Released, "released"),
            (Reason::Idle(7), "idle for 7 seconds"),
            (Reason::ExitedWhileIdle, "the agent exited while it was idle"),
            (Reason::LastTurnEnded, "its last turn ended"),
            (Reason::CompletionNotRecorded, "the completion of its turn could not be recorded"),
        ] {
            assert_eq!(reason.to_string(), words);
        }
    }

    #[test]
    fn a_lease_goes_the_published_way_and_no_other() {
        let (at, task) = (Timestamp(1), TaskId::from_bytes([1; 6]));
        let bounds = Bounds { keep_idle: 60, keep_turns: 2 };
        let why = Reason::Released;
        let states = [
            State::Pending { turns_left: 2, further: false },
            State::Pending { turns_left: 1, further: true },
            State::Kept { expires_at: at, turns_left: 2 },
            State::Ending { reason: why.clone() },
            State::Ended { reason: why.clone() },
            State::NotKept { reason: why.clone() },
        ];
        let kept = |turns_left| Some(State::Kept { expires_at: at, turns_left });
        let ended = || Some(State::Ended { reason: why.clone() });
        for (event, follows) in [
            (
                Event::LeaseKept { session_id: "S".to_owned(), expires_at: at, turns_left: 2, bounds },
                [kept(2), kept(2), None, None, None, None],
            ),
            (
                Event::LeaseClaimed { task: task.clone() },
                [None, None, Some(State::Pending { turns_left: 1, further: true }), None, None, None],
            ),
            (Event::LeaseClaimReturned { task: task.clone(), expires_at: at }, [None, kept(2), None, None, None, None]),
            (Event::LeaseExtended { expires_at: at, turns_left: 5, bounds }, [None, None, kept(5), None, None, None]),
            (
                Event::LeaseEnding { reason: why.clone() },
                [None, None, Some(State::Ending { reason: why.clone() }), None, None, None],
            ),
            (Event::LeaseEnded { reason: why.clone() }, [None, ended(), ended(), ended(), None, None]),
            (
                Event::LeaseNotKept { reason: why.clone() },
                [Some(State::NotKept { reason: why.clone() }), None, None, None, None, None],
            ),
        ] {
            for (state, follows) in states.iter().zip(follows) {
                let mut lease = lease(state.clone());
                let expected = follows.clone().unwrap_or_else(|| state.clone());
                assert_eq!(lease.apply(&event).is_ok(), follows.is_some(), "{state:?} {event:?}");
                assert_eq!(lease.state, expected, "{event:?}");
            }
        }
        let spent = Event::LeaseClaimed { task };
        assert!(lease(State::Kept { expires_at: at, turns_left: 0 }).apply(&spent).is_err());
    }

    fn lease(state: State) -> Lease {
        let reserved = Reserved {
            task: TaskId::from_bytes([1; 6]),
            agent: "codex".to_owned(),
            workspace: "/".to_owned(),
            options: Value::Null,
            bounds: Bounds { keep_idle: 60, keep_turns: 2 },
        };
        Lease { state, ..Lease::create(AgentHandle::from_bytes([2; 6]), &reserved) }
    }
}
