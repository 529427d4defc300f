//! What can be recorded of a schedule.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    flow::{RunId, words::words},
};

words! {
    /// Why a tick has no Run.
    RefusalCode {
        /// The flow is gone, or does not compile any more.
        Flow = "flow",
        /// Its inputs do not fit any more.
        Inputs = "inputs",
        /// What was authorized is not what would be written now.
        Authorization = "authorization",
        /// A program that it needs is gone.
        Program = "program",
        /// There was no room among the active Runs, or the record could not be written, for too long.
        Room = "room",
        /// The Run of an earlier tick is still active.
        Overlap = "overlap",
        /// Whoever claimed the tick died, and by the time somebody saw that it was too late.
        Late = "late",
    }
}

/// One recorded fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Event {
    #[serde(rename = "schedule.added")]
    Added,
    #[serde(rename = "schedule.enabled")]
    Enabled,
    #[serde(rename = "schedule.disabled")]
    Disabled,
    #[serde(rename = "schedule.removed")]
    Removed,
    /// The clock was set back by more than ticks are held back for.
    #[serde(rename = "schedule.clock_set_back")]
    ClockSetBack { from: Timestamp, to: Timestamp },
    /// Nobody was there at these ticks.
    #[serde(rename = "ticks.missed")]
    Missed {
        count: u32,
        /// There were more than were counted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        at_least: bool,
        since: Timestamp,
        until: Timestamp,
    },
    /// The intent to run.
    #[serde(rename = "tick.claimed")]
    Claimed { tick: Timestamp, server: String },
    #[serde(rename = "tick.started")]
    Started { tick: Timestamp, run_id: RunId },
    #[serde(rename = "tick.refused")]
    Refused { tick: Timestamp, code: RefusalCode, reason: String },
}

impl Event {
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Added => "schedule.added",
            Self::Enabled => "schedule.enabled",
            Self::Disabled => "schedule.disabled",
            Self::Removed => "schedule.removed",
            Self::ClockSetBack { .. } => "schedule.clock_set_back",
            Self::Missed { .. } => "ticks.missed",
            Self::Claimed { .. } => "tick.claimed",
            Self::Started { .. } => "tick.started",
            Self::Refused { .. } => "tick.refused",
        }
    }

    /// The stored payload: one JSON object, encoded.
    #[must_use]
    pub fn payload(&self) -> String {
        serde_json::to_string(self).expect("the payload of an event is plain data")
    }

    /// Reads what [`Event::payload`] wrote.
    ///
    /// # Errors
    /// When it is of another kind or shape.
    pub fn parse(payload: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(payload)
    }
}
