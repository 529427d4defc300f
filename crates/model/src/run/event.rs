//! What can be recorded of a Run. Types and payload keys are the published contract's (§7.4); types
//! beyond it exist only in Runs that use what it does not have. Keys under `_` are the record's own
//! and are not shown in versioned replies.

use serde::{Deserialize, Serialize};

use super::{
    about::About,
    attempt::{Artifact, Attempt, EvidenceLevel, Loss, UNCONFIRMED_END},
};
use crate::{
    Timestamp,
    flow::{Effect, ExecutorRef, Hash, Json, NodeId, Object, RunId, rules::FailureClass},
};

/// Defines [`Event`] with its types' names, and reading and writing by name.
macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $kind:literal),+ $(,)?) => {
        /// One recorded fact.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $variant($variant),)+
        }

        impl Event {
            /// Every type.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)+
                }
            }

            /// The stored payload: one JSON object, encoded.
            #[must_use]
            pub fn payload(&self) -> String {
                match self {
                    $(Self::$variant(payload) => serde_json::to_string(payload),)+
                }
                .expect("the payload of an event is plain data")
            }

            /// Reads what [`Event::payload`] wrote.
            ///
            /// # Errors
            /// When the type is unknown or the payload does not fit it.
            pub fn parse(kind: &str, payload: &str) -> Result<Self, serde_json::Error> {
                match kind {
                    $($kind => serde_json::from_str(payload).map(Self::$variant),)+
                    _ => Err(serde::de::Error::custom(format_args!("there is no event {kind:?}"))),
                }
            }
        }

        $(impl From<$variant> for Event {
            fn from(payload: $variant) -> Self {
                Self::$variant(payload)
            }
        })+
    };
}

events! {
    RunCreated = "run.created",
    RunEffectsEvaluated = "run.effects_evaluated",
    RunEffectsAuthorized = "run.effects_authorized",
    RunForked = "run.forked",
    NodeReused = "node.reused",
    NodeReady = "node.ready",
    ExecutorStarted = "executor.started",
    SessionBound = "executor.session.bound",
    SessionReused = "executor.session.reused",
    EvaluationPassed = "evaluation.passed",
    ResultAccepted = "result.accepted",
    ArtifactCreated = "artifact.created",
    NodeSucceeded = "node.succeeded",
    EvaluationRejected = "evaluation.rejected",
    NodeFailed = "node.failed",
    NodeCancelled = "node.cancelled",
    RunCancelRequested = "run.cancel_requested",
    RunCancelled = "run.cancelled",
    RunInterrupted = "run.interrupted",
    /// The runtime was stopped in order and left the Run as it was, for the next one to go on.
    RunLeft = "run.left",
    RunFailed = "run.failed",
    RunSucceeded = "run.succeeded",
    // Beyond the contract: graphs, people, repetition, uncertainty.
    NodeSkipped = "node.skipped",
    NodeOffered = "node.offered",
    NodeRepeated = "node.repeated",
    ItemAccepted = "item.accepted",
    AttemptFailed = "attempt.failed",
    AttemptLost = "attempt.lost",
    AttemptEnded = "attempt.ended",
    PersonAsked = "person.asked",
    PersonAnswered = "person.answered",
    NodeUncertain = "node.uncertain",
    NodeDecided = "node.decided",
    NodeOverdue = "node.overdue",
}

/// The Run exists. What it starts from is in the record's own part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCreated {
    pub flow_id: String,
    pub version: String,
    pub semantic_hash: Hash,
    #[serde(rename = "_")]
    pub own: Origin,
}

/// What a Run starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    pub rules_version: u32,
    pub flow_input: Object,
    pub about: About,
}

/// No effect needs an authorization.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEffectsEvaluated {
    pub policy_version: String,
    pub approval_required: bool,
    pub input_hash: Hash,
    pub effects: Vec<Json>,
    pub scope: Json,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEffectsAuthorized {
    pub policy_version: String,
    pub authorization_id: Hash,
    pub input_hash: Hash,
    pub effects: Vec<Json>,
    pub scope: Json,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunForked {
    pub parent_run_id: RunId,
    pub from_node_id: NodeId,
    pub reused_node_ids: Vec<NodeId>,
}

/// A result of another Run is taken over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReused {
    pub node_id: NodeId,
    pub parent_run_id: RunId,
    pub context_sequence: u64,
    /// Why, where it was found while the Run was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    #[serde(rename = "_")]
    pub own: Reused,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reused {
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
    pub evidence_level: EvidenceLevel,
    pub input: Object,
    pub output: Object,
}

/// A result of another Run will do if the node accepts the input that it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeOffered {
    pub node_id: NodeId,
    pub parent_run_id: RunId,
    #[serde(rename = "_")]
    pub own: Offer,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    pub executor: ExecutorRef,
    pub effects: Vec<Effect>,
    pub evidence_level: EvidenceLevel,
    pub input_hash: Hash,
    pub output: Object,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReady {
    pub node_id: NodeId,
    pub input_from: Json,
    #[serde(rename = "_")]
    pub own: Accepted,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    pub round: u32,
    pub input: Object,
    /// The items of a `for_each` node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<Json>>,
}

/// The intent to call an executor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutorStarted {
    pub executor: ExecutorRef,
    #[serde(rename = "_")]
    pub attempt: Attempt,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionTurn {
    pub node_id: NodeId,
    pub session_group: String,
    pub conversation_ref: String,
    pub turn_ref: String,
    pub reused: bool,
}

/// The first turn of a session group.
pub type SessionBound = SessionTurn;

/// A later turn of a session group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionReused(pub SessionTurn);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationPassed {
    pub node_id: NodeId,
    pub contract_version: String,
    pub verdict: String,
    pub summary: String,
}

/// An output was accepted; that of a rejected evaluation is kept outside of the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultAccepted {
    pub evidence_level: EvidenceLevel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_sequence: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_outcome: Option<String>,
    #[serde(rename = "_")]
    pub own: Output,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    pub node_id: NodeId,
    pub output: Object,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactCreated {
    pub artifact_id: crate::flow::ArtifactId,
    pub name: String,
    pub sha256: Hash,
    #[serde(rename = "_")]
    pub own: ArtifactOf,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactOf {
    pub node_id: NodeId,
    pub media_type: String,
    pub bytes: u64,
}

impl ArtifactCreated {
    #[must_use]
    pub fn of(node_id: NodeId, artifact: Artifact) -> Self {
        let Artifact { artifact_id, name, media_type, sha256, bytes } = artifact;
        Self { artifact_id, name, sha256, own: ArtifactOf { node_id, media_type, bytes } }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeSucceeded {
    pub node_id: NodeId,
    /// Top-level keys of the output, sorted.
    pub output_keys: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRejected {
    pub node_id: NodeId,
    pub contract_version: String,
    pub verdict: String,
    pub summary: String,
    pub finding_codes: Vec<String>,
    pub repair_from_node_id: NodeId,
}

/// Why a node failed: `evaluation_rejected`, `runtime_interrupted`, or for an ordinary failure
/// `executor_failed` with the two keys that the Run's own failure has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeFailed {
    pub node_id: NodeId,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(rename = "_", default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Cause>,
}

/// What a failure is in the Run's own words, where its published payload is a reason and nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub error_type: String,
    pub message: String,
}

impl NodeFailed {
    /// A failure whose reason says all that is published of it.
    pub(super) fn for_reason(node_id: &NodeId, reason: &str, error_type: &str, message: &str) -> Self {
        Self {
            node_id: node_id.clone(),
            reason: reason.to_owned(),
            error_type: None,
            message: None,
            own: Some(Cause { error_type: error_type.to_owned(), message: message.to_owned() }),
        }
    }

    /// Type and message of what went wrong.
    pub(super) fn cause(&self) -> (String, String) {
        let own = self.own.as_ref();
        let text = |published: &Option<String>, own: Option<&String>| {
            published.as_ref().or(own).unwrap_or(&self.reason).clone()
        };
        (text(&self.error_type, own.map(|own| &own.error_type)), text(&self.message, own.map(|own| &own.message)))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeCancelled {
    pub node_id: NodeId,
    pub reason: String,
    /// What it started may still run: why. Absent for an end that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCancelRequested {
    pub reason: String,
    #[serde(rename = "_", default, skip_serializing_if = "Asked::is_plain")]
    pub own: Asked,
}

/// How something that somebody asked for came in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Asked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The number of the request, when it came through another server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<i64>,
}

impl Asked {
    /// Nothing is known of it.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.actor.is_none() && self.request.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCancelled {
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInterrupted {
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLeft {
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailed {
    pub error_type: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSucceeded {}

/// Why a node does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Its condition is not met.
    Condition,
    /// Everything it receives from was skipped.
    Upstream,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeSkipped {
    pub node_id: NodeId,
    pub reason: SkipReason,
}

/// A round of repair begins: these nodes run again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeRepeated {
    /// The evaluation that asked for it.
    pub node_id: NodeId,
    pub round: u32,
    pub node_ids: Vec<NodeId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemAccepted {
    pub evidence_level: EvidenceLevel,
    #[serde(rename = "_")]
    pub own: Item,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub attempt: Attempt,
    pub output: Object,
}

/// An attempt failed by itself. With `retry_at` (jitter included) another one follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptFailed {
    #[serde(flatten)]
    pub attempt: Attempt,
    pub class: Option<FailureClass>,
    pub error_type: String,
    pub message: String,
    pub retry_at: Option<Timestamp>,
}

/// Nobody knows how an attempt came out; since it writes nothing outside, another one follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptLost {
    #[serde(flatten)]
    pub attempt: Attempt,
    pub reason: Loss,
}

/// An attempt that was no longer wanted has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptEnded {
    #[serde(flatten)]
    pub attempt: Attempt,
    /// As [`NodeCancelled::unconfirmed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonAsked {
    pub node_id: NodeId,
    pub expires_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonAnswered {
    pub node_id: NodeId,
    pub option: String,
    /// `None` when the question expired.
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Object>,
    #[serde(rename = "_", default, skip_serializing_if = "Asked::is_plain")]
    pub own: Asked,
}

/// An attempt that may have written outside was lost, and a person decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeUncertain {
    #[serde(flatten)]
    pub attempt: Attempt,
    pub reason: Loss,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeDecided {
    #[serde(flatten)]
    pub attempt: Attempt,
    /// `repeat` or `fail`.
    pub decision: String,
    pub actor: Option<String>,
    #[serde(rename = "_", default, skip_serializing_if = "Asked::is_plain")]
    pub own: Asked,
}

/// The node's own deadline passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeOverdue {
    pub node_id: NodeId,
}

impl Event {
    /// The node it belongs to.
    #[must_use]
    pub fn node_id(&self) -> Option<&NodeId> {
        Some(match self {
            Self::RunCreated(_)
            | Self::RunEffectsEvaluated(_)
            | Self::RunEffectsAuthorized(_)
            | Self::RunForked(_)
            | Self::RunCancelRequested(_)
            | Self::RunCancelled(_)
            | Self::RunInterrupted(_)
            | Self::RunLeft(_)
            | Self::RunFailed(_)
            | Self::RunSucceeded(_) => return None,
            Self::NodeReused(e) => &e.node_id,
            Self::NodeOffered(e) => &e.node_id,
            Self::NodeReady(e) => &e.node_id,
            Self::ExecutorStarted(e) => &e.attempt.node_id,
            Self::SessionBound(e) => &e.node_id,
            Self::SessionReused(e) => &e.0.node_id,
            Self::EvaluationPassed(e) => &e.node_id,
            Self::ResultAccepted(e) => &e.own.node_id,
            Self::ArtifactCreated(e) => &e.own.node_id,
            Self::NodeSucceeded(e) => &e.node_id,
            Self::EvaluationRejected(e) => &e.node_id,
            Self::NodeFailed(e) => &e.node_id,
            Self::NodeCancelled(e) => &e.node_id,
            Self::NodeSkipped(e) => &e.node_id,
            Self::NodeRepeated(e) => &e.node_id,
            Self::ItemAccepted(e) => &e.own.attempt.node_id,
            Self::AttemptFailed(e) => &e.attempt.node_id,
            Self::AttemptLost(e) => &e.attempt.node_id,
            Self::AttemptEnded(e) => &e.attempt.node_id,
            Self::PersonAsked(e) => &e.node_id,
            Self::PersonAnswered(e) => &e.node_id,
            Self::NodeUncertain(e) => &e.attempt.node_id,
            Self::NodeDecided(e) => &e.attempt.node_id,
            Self::NodeOverdue(e) => &e.node_id,
        })
    }

    /// An end that was not seen: the node whose it is, and why something of it may still run.
    #[must_use]
    pub fn unconfirmed(&self) -> Option<(&NodeId, &str)> {
        match self {
            Self::AttemptEnded(e) => Some((&e.attempt.node_id, e.unconfirmed.as_deref()?)),
            Self::NodeCancelled(e) => Some((&e.node_id, e.unconfirmed.as_deref()?)),
            Self::AttemptFailed(e) if e.error_type == UNCONFIRMED_END => Some((&e.attempt.node_id, &e.message)),
            _ => None,
        }
    }

    /// The payload as published: without the record's own part and without the node's id, which
    /// stands beside it.
    #[must_use]
    pub fn published(&self) -> Object {
        let mut payload = match Json::parse(&self.payload()) {
            Ok(Json::Object(payload)) => payload,
            _ => Object::new(),
        };
        payload.shift_remove("_");
        payload.shift_remove("node_id");
        payload
    }
}
