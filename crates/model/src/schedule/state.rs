//! What was recorded of a schedule, as much of it as its next step needs.

use serde::{Deserialize, Serialize};

use super::Event;
use crate::{IllegalEvent, Timestamp, flow::RunId};

/// A tick whose Run is being started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub tick: Timestamp,
    /// Who starts it. When that server is dead, any other one does.
    pub server: String,
}

/// A schedule, derived from its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub enabled: bool,
    /// Ticks up to here are settled or claimed.
    pub cursor: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The Run of the latest tick that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

impl State {
    /// The schedule that was added at a moment: its ticks are those after it.
    #[must_use]
    pub const fn added(at: Timestamp) -> Self {
        Self { enabled: true, cursor: at, claim: None, last_run: None, removed: false }
    }

    /// The only way it changes.
    ///
    /// # Errors
    /// When the event cannot follow; nothing has changed.
    pub fn apply(&mut self, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        let state = match (self.removed, self.enabled, &self.claim) {
            (true, ..) => "a removed schedule",
            (_, _, Some(_)) => "a claimed tick",
            (_, true, None) => "an enabled schedule",
            (_, false, None) => "a disabled schedule",
        };
        let illegal = IllegalEvent { state, event: event.kind() };
        if self.removed {
            return Err(illegal);
        }
        let settles = |tick: &Timestamp| self.claim.as_ref().is_some_and(|claim| claim.tick == *tick);
        match event {
            Event::Enabled if !self.enabled => {
                self.enabled = true;
                // What passed meanwhile was not wanted.
                self.cursor = at;
            }
            Event::Disabled if self.enabled => self.enabled = false,
            Event::Removed => self.removed = true,
            Event::ClockSetBack { from, to } if self.enabled && *from == self.cursor && to < from => self.cursor = *to,
            Event::Missed { until, .. } if self.enabled && self.claim.is_none() && *until > self.cursor => {
                self.cursor = *until;
            }
            Event::Claimed { tick, server } if self.enabled && self.claim.is_none() && *tick >= self.cursor => {
                self.cursor = *tick;
                self.claim = Some(Claim { tick: *tick, server: server.clone() });
            }
            Event::Started { tick, run_id } if settles(tick) => {
                self.claim = None;
                self.last_run = Some(run_id.clone());
            }
            Event::Refused { tick, .. } if settles(tick) => self.claim = None,
            _ => return Err(illegal),
        }
        Ok(())
    }
}
