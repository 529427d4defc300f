//! What the service asks of executors: calling them, looking for them, trying them. The one place where the executors
//! that Segue has can be replaced by others, as tests do.

use segue_model::{
    flow::{Binding, Node, Problem, Profile, capability::Capability},
    run::Outcome,
};

use crate::executors::{self, Answer, Call, Surroundings, presets};

pub trait Executors: Send + Sync + std::fmt::Debug {
    /// Attempts of this node need a host that is recorded before they are called.
    fn needs_host(&self, node: &Node, capability: Option<&Capability>) -> bool;

    /// Does one attempt that is recorded as started.
    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome>;

    /// The agent that a profile other than the deterministic one stands for; `None` if it is not installed.
    fn preset<'a>(&'a self, profile: Profile, around: &'a dyn Surroundings) -> Answer<'a, Option<Preset>>;

    /// Tries a capability. It never throws: a failure is a record.
    fn probe<'a>(&'a self, capability: &'a Capability, around: &'a dyn Surroundings) -> Answer<'a, Probed>;

    /// Looks for agents on this machine. Nothing is stored.
    fn discover<'a>(&'a self, around: &'a dyn Surroundings) -> Answer<'a, Result<Vec<Capability>, Problem>>;
}

/// A profile's agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub binding: Binding,
    pub capability: Capability,
}

impl Preset {
    /// `None` for the deterministic profile, whose executors are built in.
    #[must_use]
    pub fn new(profile: Profile, capability: Capability) -> Option<Self> {
        presets::of_profile(profile, &capability).map(|binding| Self { binding, capability })
    }
}

/// What a probe saw, before it is known when.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    pub ok: bool,
    pub summary: String,
    pub details: segue_model::flow::Object,
}

/// The executors of this crate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;
