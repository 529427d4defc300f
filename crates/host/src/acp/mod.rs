//! The client side of the Agent Client Protocol, version 1, without I/O.
//!
//! [`Conversation`] is fed one line of an agent's standard output at a time and answers with
//! [`Act`]s: facts to record and lines to send. It holds no transcript and no prompt text and is
//! serialisable at every point, so that another process can go on in the middle of a prompt: it
//! loads the state, feeds the lines that came since, and sends again what [`Conversation::outbox`]
//! still holds.
//!
//! The rule between the two kinds of act: **a fact that stands before a send is durable before that
//! send goes out.** Keeping it is the driver's part.
//!
//! It knows nothing of processes, clocks, files, tasks or events. It is lenient in what it reads
//! and strict in what it sets: a line that is no message is noise, an unknown field is nothing, but
//! no prompt is sent before every setting is known to be accepted.

mod answers;
mod conversation;
mod fact;
mod failure;
mod lines;
mod offer;
mod plan;
mod question;
mod read;
mod settings;
mod step;
mod text;
mod update;
mod write;

pub use conversation::Conversation;
pub use fact::{
    Act, Agent, AuthMethod, Capabilities, Fact, Initialized, ListedSession, Noise, Permission, SettingConfirmed,
    TurnEnd, Update,
};
pub use failure::{Failure, FailureKind};
pub use lines::{LineBuffer, MAX_LINE, RawLine, STDERR_PIECE, StderrLines};
pub use offer::{Offer, OfferedSetting, OfferedValue};
pub use plan::{Client, Plan, Purpose, Setting, SettingRole, SettingValue, TurnPlan};
pub use step::{CLOSE_LIMIT, STEP_LIMIT, Step};
pub use text::{Piece, Text};
pub use write::{OutBody, Outgoing};

#[cfg(test)]
mod tests;
