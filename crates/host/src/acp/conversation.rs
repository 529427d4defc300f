//! The conversation with one agent process.

use serde::{Deserialize, Serialize};

use super::{Act, Outgoing, Plan, Step, TurnPlan};

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    outbox: Vec<Outgoing>,
}

impl Conversation {
    /// Opens the conversation with a new agent process.
    #[must_use]
    pub fn begin(_plan: Plan) -> (Self, Vec<Act>) {
        (Self { outbox: Vec::new() }, Vec::new())
    }

    /// One line of standard output, without its line feed.
    #[must_use]
    pub fn line(&mut self, _line: &[u8]) -> Vec<Act> {
        Vec::new()
    }

    /// A further prompt on a kept agent. Settings are sent again and checked against what was last
    /// reported.
    #[must_use]
    pub fn next_turn(&mut self, _turn: TurnPlan) -> Vec<Act> {
        Vec::new()
    }

    /// Asks the agent to end its turn, once. Before the prompt nothing more is sent and nothing has
    /// to be asked.
    #[must_use]
    pub fn cancel(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// The time in which late updates belong to the turn is over: from now on they are late.
    pub fn end_settle(&mut self) {}

    /// The turn is over for good; what comes now belongs to nothing and is dropped.
    pub fn idle(&mut self) {}

    /// Sends `session/close` when the agent offers it and no request is open; empty otherwise.
    #[must_use]
    pub fn close_session(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// The awaited answer did not come in time ([`Step::limit`]).
    #[must_use]
    pub fn timed_out(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// Standard output ended.
    #[must_use]
    pub fn closed(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// The process ended, and something else keeps its standard output open.
    #[must_use]
    pub fn exited(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// A permission's fact could not be recorded: the send `n` that carries its answer becomes
    /// "cancelled". `None` when `n` is no such send or was delivered.
    pub fn permission_unrecorded(&mut self, _n: u64) -> Option<Outgoing> {
        None
    }

    /// The request whose answer is awaited.
    #[must_use]
    pub fn awaiting(&self) -> Option<&Step> {
        None
    }

    /// The session, once it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        None
    }

    /// What the session was last reported to offer.
    #[must_use]
    pub fn offer(&self) -> &super::Offer {
        unreachable!()
    }

    /// Sends that are not yet known to have reached the host, in order.
    #[must_use]
    pub fn outbox(&self) -> &[Outgoing] {
        &self.outbox
    }

    /// Every send up to `n` has reached the host.
    pub fn delivered(&mut self, n: u64) {
        self.outbox.retain(|out| out.n > n);
    }
}
