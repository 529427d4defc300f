//! What the service asks of executors: calling them, looking for them, trying them. The one place where the executors
//! that Segue has can be replaced by others, as tests do.

use segue_model::{
    HostId,
    flow::{Binding, Json, Node, Problem, Profile, capability::Capability},
    run::Outcome,
};

use crate::executors::{self, Answer, Call, Surroundings, Terms, codex, discover, opencode_server, presets, probe};

pub use crate::executors::probe::Seen;

/// Draws ids of hosts.
pub type DrawHost<'a> = &'a (dyn Fn() -> HostId + Sync);

pub trait Executors: Send + Sync + std::fmt::Debug {
    /// Attempts of this node need a host that is recorded before they are called.
    fn needs_host(&self, node: &Node, capability: Option<&Capability>) -> bool;

    /// As [`Executor::leaves_traces`](executors::Executor::leaves_traces).
    fn leaves_traces(&self, node: &Node, capability: Option<&Capability>) -> bool {
        let _ = (node, capability);
        false
    }

    /// Does one attempt that is recorded as started.
    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome>;

    /// Tries a capability. It never fails: a failure is what was seen.
    fn probe<'a>(
        &'a self,
        capability: &'a Capability,
        terms: &'a Terms,
        around: &'a dyn Surroundings,
    ) -> Answer<'a, Seen>;

    /// Looks for agents on this machine, those of the user's file of descriptors included. Nothing is stored.
    fn discover<'a>(
        &'a self,
        descriptors: Option<&'a Json>,
        draw: DrawHost<'a>,
        terms: &'a Terms,
        around: &'a dyn Surroundings,
    ) -> Answer<'a, Result<Vec<Capability>, Problem>>;
}

/// A profile's agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub binding: Binding,
    pub capability: Capability,
}

impl Preset {
    /// The agent of a profile among those that were discovered; `None` if it is not installed, and for the
    /// deterministic profile, whose executors are built in.
    #[must_use]
    pub fn find(profile: Profile, discovered: &[Capability]) -> Option<Self> {
        let id = match profile {
            Profile::Deterministic => return None,
            Profile::Codex => codex::ID,
            Profile::Opencode => opencode_server::ID,
        };
        let capability = discovered.iter().find(|capability| capability.id.as_str() == id)?.clone();
        presets::of_profile(profile, &capability).map(|binding| Self { binding, capability })
    }
}

/// The program that a profile needs on PATH; `None` if it needs none.
#[must_use]
pub const fn program_of(profile: Profile) -> Option<&'static str> {
    match profile {
        Profile::Deterministic => None,
        Profile::Codex => Some(codex::PROGRAM),
        Profile::Opencode => Some(opencode_server::PROGRAM),
    }
}

/// The executors of this crate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;

impl Executors for Standard {
    fn needs_host(&self, node: &Node, capability: Option<&Capability>) -> bool {
        executors::executor_for(node, capability).needs_host()
    }

    fn leaves_traces(&self, node: &Node, capability: Option<&Capability>) -> bool {
        executors::executor_for(node, capability).leaves_traces()
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(executors::execute(call, around))
    }

    fn probe<'a>(
        &'a self,
        capability: &'a Capability,
        terms: &'a Terms,
        around: &'a dyn Surroundings,
    ) -> Answer<'a, Seen> {
        Box::pin(probe::probe(capability, terms, around))
    }

    fn discover<'a>(
        &'a self,
        descriptors: Option<&'a Json>,
        draw: DrawHost<'a>,
        terms: &'a Terms,
        around: &'a dyn Surroundings,
    ) -> Answer<'a, Result<Vec<Capability>, Problem>> {
        Box::pin(discover::discover(descriptors, draw, terms, around))
    }
}
