//! A Run: one execution of one immutable flow.
//!
//! Three pure functions are the whole of its rules, and live execution and recovery call the same
//! ones: [`RunState::apply`] says what has happened, [`next()`] what follows from it without anybody
//! outside, and [`settle()`] (with its companions for people, cancellation and crashes) what an outside
//! answer means. Each returns events; nothing is done that was not recorded as an event first.
//!
//! ```text
//!            ┌──────────── events ───────────┐
//!            ▼                               │
//!   apply: RunState ──▶ next ──▶ events ─────┤   (ready, started, skipped, finished …)
//!            │                               │
//!            └─▶ started attempts ─▶ executor ─▶ settle ─▶ events
//! ```

pub mod about;
pub mod answer;
pub mod attempt;
pub mod event;
pub mod fork;
mod input;
pub mod next;
pub mod record;
pub mod replay;
pub mod settle;
pub mod state;
#[cfg(test)]
mod tests;

pub use about::About;
pub use answer::{AnswerError, Decision, answer, cancel, decide};
pub use attempt::{Attempt, Outcome};
pub use event::Event;
pub use next::{next, wake_at};
pub use record::Run;
pub use settle::settle;
pub use state::{NodePhase, NodeState, RunState, Status};

/// The version of the rules here; recorded when a Run is created, so that a later release can tell
/// by which rules a Run was driven.
///
/// 2: a result of another Run may be offered to a node. A Run of version 1 has no offers, and goes on by these rules
/// as by its own.
pub const RULES_VERSION: u32 = 2;
