//! The client side of the Model Context Protocol, as far as a flow's tool needs it, without I/O.
//!
//! [`Conversation`] makes exactly one call of one tool, or lists the tools. It is fed one message at a time and
//! answers with [`Act`]s: messages to send, and how it came out. What it sends depends on nothing but what it heard,
//! and every message has a number, so that another process can go on in the middle: it begins anew, feeds all output
//! from the start, and sends again what the host ignores by its number. The tool is called once.
//!
//! It knows nothing of processes, sockets, HTTP or clocks. It is lenient in what does not matter (unknown fields,
//! notifications, answers to nobody) and gives up on what does: text that is not JSON, a request of the server's own,
//! an unknown protocol revision.

mod conversation;
mod failure;
#[cfg(test)]
mod tests;

pub use conversation::{
    Act, Ask, Conversation, Lifecycle, NEWEST, Outgoing, PAGES_MAX, Reply, STATELESS, Step, VERSIONS,
};
pub use failure::{Failure, FailureKind};
