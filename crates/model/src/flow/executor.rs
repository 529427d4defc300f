//! What executes a node: the reference that is hashed, and the executors that Segue has built in.

use serde::{Deserialize, Serialize};

use super::{
    effect::Effect,
    json::{Json, object},
};

/// Names one exact executor; part of the semantic hash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExecutorRef {
    pub executor_id: String,
    pub version: String,
}

impl ExecutorRef {
    #[must_use]
    pub fn new(executor_id: impl Into<String>, version: impl Into<String>) -> Self {
        Self { executor_id: executor_id.into(), version: version.into() }
    }

    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Object(object([
            ("executor_id", self.executor_id.as_str().into()),
            ("version", self.version.as_str().into()),
        ]))
    }
}

/// An executor and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
}

words! {
    /// Who executes the agent nodes that name no capability. Chosen for each Run.
    Profile {
        Deterministic = "deterministic",
        Codex = "codex",
        Opencode = "opencode",
    }
}

/// The executor of every `artifact.task`.
pub const PUBLISHER_ID: &str = "builtin.markdown-publication";
/// The executor of every `human.task`.
pub const PERSON_ID: &str = "builtin.person";
/// Every `flow.task` has an executor whose id starts with this.
pub const SUBFLOW_PREFIX: &str = "flow.";

const BUILTIN_PREFIX: &str = "builtin.";

/// Version of the publisher and of the deterministic roles (contract §3, §14.9).
const BUILTIN_VERSION: &str = "0.2.0";
const PERSON_VERSION: &str = "1.0.0";
pub const SUBFLOW_VERSION: &str = "1.0.0";

/// The deterministic roles by the node ids that they serve (contract §14.9).
const ROLES: [(&str, &str); 8] = [
    ("research-angle", "builtin.deterministic-researcher"),
    ("plan-article", "builtin.deterministic-planner"),
    ("outline-article", "builtin.deterministic-planner"),
    ("write-article", "builtin.deterministic-solo-writer"),
    ("draft-article", "builtin.deterministic-writer"),
    ("review-draft", "builtin.deterministic-reviewer"),
    ("edit-article", "builtin.deterministic-editor"),
    ("revise-article", "builtin.deterministic-reviser"),
];

#[must_use]
pub fn publisher() -> Binding {
    Binding {
        executor: ExecutorRef::new(PUBLISHER_ID, BUILTIN_VERSION),
        effects: vec![Effect::PureCompute, Effect::WriteLocal],
    }
}

/// A person's answer comes from outside and changes nothing by itself.
#[must_use]
pub fn person() -> Binding {
    Binding { executor: ExecutorRef::new(PERSON_ID, PERSON_VERSION), effects: vec![Effect::ReadExternal] }
}

/// It is part of Segue.
#[must_use]
pub fn is_builtin(executor: &ExecutorRef) -> bool {
    executor.executor_id.starts_with(BUILTIN_PREFIX)
}

/// `None` unless the node id is one of the eight known ones.
#[must_use]
pub fn deterministic_role(node_id: &str) -> Option<Binding> {
    let (_, executor_id) = ROLES.iter().find(|(id, _)| *id == node_id)?;
    Some(Binding { executor: ExecutorRef::new(*executor_id, BUILTIN_VERSION), effects: vec![Effect::PureCompute] })
}
