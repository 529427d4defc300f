//! Effect authorization (contract §15): what a Run may write, bound to exactly that flow, input and scope. It is
//! a token of intent, not of identity: it has no expiry and may be used again for the same.

use super::{
    canonical::Hash,
    definition::Flow,
    effect::Effect,
    executor::PUBLISHER_ID,
    id::{NodeId, RunId},
    json::{Json, object},
    kind::NodeKind,
    node::Node,
};

pub const POLICY_VERSION: &str = "symphlo.effect-policy.v1";
pub const REQUIRED_CONTRACT: &str = "symphlo.effect-authorization-required.v1";
pub const AUTHORIZATION_CONTRACT: &str = "symphlo.effect-authorization.v1";
const PHRASE_PREFIX: &str = "authorize:";

/// The effects that need an authorization, in the order of a challenge, with what each risks. The sentences
/// are hashed, so they never change.
const RISKS: [(Effect, &str); 2] = [
    (Effect::WriteLocal, "May create, change or delete files on this machine."),
    (Effect::WriteExternal, "May change data in systems outside of this machine."),
];

/// The nodes that will execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// In flow order.
    pub node_ids: Vec<NodeId>,
    /// For a fork: the parent, and the node it starts from.
    pub fork: Option<(String, NodeId)>,
}

impl Scope {
    /// All of a flow.
    #[must_use]
    pub fn whole(flow: &Flow) -> Self {
        Self { node_ids: flow.nodes().iter().map(|node| node.id.clone()).collect(), fork: None }
    }

    /// What a fork runs: the node it starts from and everything that depends on it. In a chain that is the
    /// node and all after it. `None` if the flow has no such node.
    #[must_use]
    pub fn fork(flow: &Flow, parent: &RunId, from: &NodeId) -> Option<Self> {
        let start = flow.position(from.as_str())?;
        let after = flow.graph().descendants(start);
        let runs = |index: &usize| *index == start || after.contains(index);
        let node_ids = (0..flow.nodes().len()).filter(runs).map(|index| flow.nodes()[index].id.clone()).collect();
        Some(Self { node_ids, fork: Some((parent.as_str().to_owned(), from.clone())) })
    }

    #[must_use]
    pub fn to_json(&self) -> Json {
        let (parent, from) = self.fork.as_ref().map(|(parent, from)| (parent.as_str(), from.as_str())).unzip();
        Json::Object(object([
            ("node_ids", Json::Array(self.node_ids.iter().map(Json::from).collect())),
            ("parent_run_id", parent.into()),
            ("from_node_id", from.into()),
        ]))
    }
}

/// One effect that needs an authorization, and the nodes that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    pub effect: Effect,
    pub node_ids: Vec<NodeId>,
    pub risk: &'static str,
}

impl Risk {
    fn to_json(&self) -> Json {
        Json::Object(object([
            ("effect", self.effect.into()),
            ("node_ids", Json::Array(self.node_ids.iter().map(Json::from).collect())),
            ("risk", self.risk.into()),
        ]))
    }
}

/// What a scope asks for. It exists for every scope; only with effects must it be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub flow_id: String,
    pub flow_version: String,
    pub flow_hash: Hash,
    pub input_hash: Hash,
    pub scope: Scope,
    pub effects: Vec<Risk>,
    pub authorization_id: Hash,
}

impl Challenge {
    #[must_use]
    pub fn new(flow: &Flow, input_hash: Hash, scope: Scope) -> Self {
        let effects = RISKS.iter().filter_map(|(effect, risk)| {
            let asks = |node: &&Node| scope.node_ids.contains(&node.id) && needs_authorization(node, *effect);
            let node_ids: Vec<NodeId> = flow.nodes().iter().filter(asks).map(|node| node.id.clone()).collect();
            (!node_ids.is_empty()).then_some(Risk { effect: *effect, node_ids, risk })
        });
        let effects: Vec<Risk> = effects.collect();
        let authorization_id = Hash::of(&Json::Object(object([
            ("policy_version", POLICY_VERSION.into()),
            ("flow_id", flow.flow_id().into()),
            ("flow_version", flow.version().into()),
            ("flow_hash", flow.hash().into()),
            ("input_hash", (&input_hash).into()),
            ("scope", scope.to_json()),
            ("effects", Json::Array(effects.iter().map(Risk::to_json).collect())),
        ])));
        Self {
            flow_id: flow.flow_id().to_owned(),
            flow_version: flow.version().to_owned(),
            flow_hash: flow.hash().clone(),
            input_hash,
            scope,
            effects,
            authorization_id,
        }
    }

    #[must_use]
    pub const fn is_required(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Whether what came in is the authorization that this challenge issues: the very same value.
    #[must_use]
    pub fn is_met_by(&self, authorization: &Json) -> bool {
        *authorization == self.authorization()
    }

    /// What a caller sends back to say yes.
    #[must_use]
    pub fn authorization(&self) -> Json {
        Json::Object(object([
            ("contract_version", AUTHORIZATION_CONTRACT.into()),
            ("authorization_id", (&self.authorization_id).into()),
            ("confirmation_phrase", format!("{PHRASE_PREFIX}{}", self.authorization_id).into()),
        ]))
    }

    /// The body of the 428.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Object(object([
            ("contract_version", REQUIRED_CONTRACT.into()),
            ("policy_version", POLICY_VERSION.into()),
            ("flow_id", self.flow_id.as_str().into()),
            ("flow_version", self.flow_version.as_str().into()),
            ("flow_hash", (&self.flow_hash).into()),
            ("input_hash", (&self.input_hash).into()),
            ("scope", self.scope.to_json()),
            ("effects", Json::Array(self.effects.iter().map(Risk::to_json).collect())),
            ("authorization_id", (&self.authorization_id).into()),
            ("authorization", self.authorization()),
        ]))
    }
}

/// What an effect of a node risks; `None` if it needs no authorization.
#[must_use]
pub fn risk_of(node: &Node, effect: Effect) -> Option<&'static str> {
    let (_, risk) = RISKS.iter().find(|(known, _)| *known == effect)?;
    needs_authorization(node, effect).then_some(*risk)
}

fn needs_authorization(node: &Node, effect: Effect) -> bool {
    needs_word(node.kind, &node.executor.executor_id, &node.effects, effect)
}

/// Publishing through the built-in publisher is the one local write that needs no word.
pub(super) fn needs_word(kind: NodeKind, executor_id: &str, effects: &[Effect], effect: Effect) -> bool {
    let publishes = kind == NodeKind::Artifact && executor_id == PUBLISHER_ID;
    effects.contains(&effect) && effect.is_write() && !(publishes && effect == Effect::WriteLocal)
}
