//! One Run beside its nodes; what it executes; what waits for somebody.

use segue_flow::api::{
    Authorization, Cancellation, FrozenFlow, How, Origin, Question, RunDetail, Summary, Unconfirmed, Waiting, Wanted,
};
use segue_model::flow::{Effect, Json, NodeKind, Object, Profile, fields::Word, json::object};

use super::{flow_definition, moment, node_detail, number, run};
use crate::shape::{Named, Shape, has};

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);
const OR_TIME: Shape = Shape::OrNull(&Shape::Time);

const ORIGIN: Named = Named {
    name: "RunOrigin",
    about: "The Run whose results this one began with. A `fork` runs the same flow again from `from_node_id` on; a `replay` took over \
        whatever was unchanged.",
    shape: Shape::Exact(&[
        has("how", Shape::Words(&["fork", "replay"])),
        has("parent_run_id", Shape::Text),
        has("from_node_id", Shape::Text),
        has("parent_flow_hash", OR_TEXT),
        has("reused_node_ids", Shape::List(&Shape::Text)),
    ]),
};

const AUTHORIZATION: Named = Named {
    name: "RunAuthorization",
    about: "What the Run was allowed to do when it was admitted. `authorization_id` is null when nothing had to be authorized.",
    shape: Shape::Exact(&[
        has("required", Shape::Flag),
        has("authorization_id", OR_TEXT),
        has("policy_version", Shape::Text),
        has("input_hash", Shape::Text),
        has("node_ids", Shape::List(&Shape::Text)),
        has(
            "effects",
            Shape::List(&Shape::Exact(&[
                has("effect", Shape::Words(Effect::WORDS)),
                has("node_ids", Shape::List(&Shape::Text)),
                has("risk", Shape::Text),
            ])),
        ),
        has("recorded_at", Shape::Time),
    ]),
};

const CANCELLATION: Named = Named {
    name: "CancellationReceipt",
    about: "What is recorded of a cancellation. `ended_at` is when the Run was over: nothing of it \
        executed any more but what `unconfirmed_node_ids` may have left.",
    shape: Shape::Exact(&[
        has("requested_at", Shape::Time),
        has("reason", Shape::Text),
        has("actor", OR_TEXT),
        has("cancelled_node_ids", Shape::List(&Shape::Text)),
        has("unconfirmed_node_ids", Shape::List(&Shape::Text)),
        has("ended_at", OR_TIME),
    ]),
};

pub const DETAIL: Named = Named {
    name: "RunDetail",
    about: "`saved_version` is the version of the saved flow that is what this Run executes, null if there is none any more. \
        `flow_input` is what its first nodes receive. `unconfirmed` names what may still run although the Run is over with it. \
        `forks` are the newest Runs that began with results of this one. `quarantined` says why a Run cannot be loaded.",
    shape: Shape::Exact(&[
        has("run", Shape::Named(&run::SUMMARY)),
        has("flow_version", OR_TEXT),
        has("flow_title", OR_TEXT),
        has("task_exists", Shape::Flag),
        has("saved_version", Shape::OrNull(&Shape::Integer)),
        has("saved_version_is_current", Shape::Flag),
        has("executor", Shape::Words(Profile::WORDS)),
        has("capability_ids", Shape::List(&Shape::Text)),
        has("origin", Shape::OrNull(&Shape::Named(&ORIGIN))),
        has("flow_input", Shape::OrNull(&Shape::Map)),
        has("authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
        has("cancellation", Shape::OrNull(&Shape::Named(&CANCELLATION))),
        has("failure", node_detail::FAILURE),
        has("interrupted", Shape::Flag),
        has("forks", Shape::List(&Shape::Text)),
        has("unconfirmed", Shape::List(&Shape::Exact(&[has("node_id", Shape::Text), has("message", Shape::Text)]))),
        has("quarantined", OR_TEXT),
    ]),
};

pub const FLOW: Named = Named {
    name: "RunFlow",
    about: "What the Run executes, as it was when the Run was admitted: `semantic_hash` stands for the flow's id, version, title and \
        nodes. `document` is the saved version that is this very flow; if there \
        is none any more (`saved_version` is null) it is made of the definition, without inputs and layout.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("task_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("version", Shape::Text),
        has("title", Shape::Text),
        has("nodes", Shape::List(&Shape::Named(&flow_definition::NODE))),
        has("semantic_hash", Shape::Text),
        has("document", Shape::Map),
        has("saved_version", Shape::OrNull(&Shape::Integer)),
        has("capabilities", Shape::MapOf(&node_detail::CAPABILITY)),
    ]),
};

const WAITING: Named = Named {
    name: "WaitingItem",
    about: "A question to a person (`question` and what the node accepted), or a decision about a call that may have written before it \
        was lost (`decision`).",
    shape: Shape::Exact(&[
        has("kind", Shape::Words(&["question", "decision"])),
        has("run_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("task_id", Shape::Text),
        has("task_title", Shape::Text),
        has("node_id", Shape::Text),
        has("node_type", Shape::Words(NodeKind::WORDS)),
        has("title", Shape::Text),
        has("instruction", OR_TEXT),
        has("since", Shape::Time),
        has("question", Shape::OrNull(&Shape::Named(&node_detail::QUESTION))),
        has("input", Shape::OrNull(&Shape::Map)),
        has(
            "decision",
            Shape::OrNull(&Shape::Exact(&[
                has("round", Shape::Integer),
                has("index", Shape::OrNull(&Shape::Integer)),
                has("attempt", Shape::Integer),
                has("reason", Shape::Words(&["shutdown", "crash", "restart"])),
                has("options", Shape::List(&Shape::Words(&["repeat", "fail"]))),
            ])),
        ),
    ]),
};

pub const WAITING_LIST: Named = Named {
    name: "WaitingList",
    about: "The longest wait first.",
    shape: Shape::Exact(&[has("items", Shape::List(&Shape::Named(&WAITING)))]),
};

fn ids(ids: &[segue_model::flow::NodeId]) -> Json {
    Json::Array(ids.iter().map(Json::from).collect())
}

fn origin(origin: &Origin) -> Json {
    let how = match origin.how {
        How::Fork => "fork",
        How::Replay => "replay",
    };
    Json::Object(object([
        ("how", how.into()),
        ("parent_run_id", (&origin.parent).into()),
        ("from_node_id", (&origin.from_node).into()),
        ("parent_flow_hash", origin.parent_flow_hash.clone().into()),
        ("reused_node_ids", ids(&origin.reused)),
    ]))
}

fn authorization(found: &Authorization) -> Json {
    let member = |name: &str| found.payload.get(name).cloned().unwrap_or_default();
    let nodes = found.payload.get("scope").and_then(|scope| scope.get("node_ids")).cloned();
    Json::Object(object([
        ("required", found.required.into()),
        ("authorization_id", member("authorization_id")),
        ("policy_version", member("policy_version")),
        ("input_hash", member("input_hash")),
        ("node_ids", nodes.unwrap_or_else(|| Json::Array(Vec::new()))),
        ("effects", member("effects")),
        ("recorded_at", moment(found.at)),
    ]))
}

fn unconfirmed(of: &Unconfirmed) -> Json {
    Json::Object(object([("node_id", (&of.node).into()), ("message", of.why.as_str().into())]))
}

fn cancellation(found: &Cancellation, run: &Summary) -> Json {
    let mut unconfirmed: Vec<_> = run.unconfirmed.iter().map(|of| of.node.clone()).collect();
    unconfirmed.dedup();
    Json::Object(object([
        ("requested_at", moment(found.requested_at)),
        ("reason", found.reason.as_str().into()),
        ("actor", found.actor.clone().into()),
        ("cancelled_node_ids", ids(&found.cancelled)),
        ("unconfirmed_node_ids", ids(&unconfirmed)),
        ("ended_at", found.ended_at.map(moment).into()),
    ]))
}

#[must_use]
pub fn written(detail: &RunDetail, state_root: &std::path::Path) -> Object {
    let reused: Vec<String> =
        detail.origin.iter().flat_map(|origin| &origin.reused).map(|id| id.as_str().to_owned()).collect();
    let version = detail.saved_version;
    object([
        ("run", run::summary(&detail.run, &reused, state_root).into()),
        ("flow_version", detail.flow.as_ref().map(|flow| flow.version()).into()),
        ("flow_title", detail.flow.as_ref().map(|flow| flow.title()).into()),
        ("task_exists", detail.task_is_there.into()),
        ("saved_version", version.map(|(version, _)| number(version)).into()),
        ("saved_version_is_current", version.is_some_and(|(_, is_current)| is_current).into()),
        ("executor", detail.run.profile.into()),
        ("capability_ids", detail.run.capability_ids.clone().into()),
        ("origin", detail.origin.as_ref().map(origin).into()),
        ("flow_input", detail.flow_input.clone().into()),
        ("authorization", detail.authorization.as_ref().map(authorization).into()),
        ("cancellation", detail.cancellation.as_ref().map(|found| cancellation(found, &detail.run)).into()),
        ("failure", node_detail::failure(detail.failure.as_ref())),
        ("interrupted", detail.interrupted.into()),
        ("forks", detail.forks.clone().into()),
        ("unconfirmed", Json::Array(detail.run.unconfirmed.iter().map(unconfirmed).collect())),
        ("quarantined", detail.run.quarantined.clone().into()),
    ])
}

#[must_use]
pub fn flow(frozen: FrozenFlow) -> Object {
    let bound = frozen.bound.nodes.iter().zip(&frozen.bound.capabilities);
    let bound = bound.filter_map(|(node, capability)| {
        let capability = capability.as_deref()?;
        Some((node.executor.executor_id.clone(), node_detail::capability(Some(capability))))
    });
    let mut members = object([("run_id", (&frozen.run_id).into()), ("task_id", frozen.task_id.into())]);
    if let Json::Object(definition) = flow_definition::written(&frozen.bound.flow) {
        members.extend(definition);
    }
    members.extend(object([
        ("capabilities", Json::Object(bound.collect())),
        ("document", frozen.document.into()),
        ("saved_version", frozen.saved_version.map(number).into()),
    ]));
    members
}

fn waiting(found: &Waiting) -> Json {
    let node = &found.node;
    let (kind, question, input, decision) = match &found.what {
        Wanted::Answer { expires_at, input } => {
            let asked = Question { asked_at: found.since, expires_at: *expires_at };
            ("question", node_detail::question(node, asked), input.as_deref().cloned().into(), Json::Null)
        }
        Wanted::Decision { attempt, reason } => {
            let members = [
                ("round", attempt.round.into()),
                ("index", attempt.index.into()),
                ("attempt", attempt.attempt.into()),
                ("reason", reason.clone()),
                ("options", Json::Array(vec!["repeat".into(), "fail".into()])),
            ];
            ("decision", Json::Null, Json::Null, Json::Object(object(members)))
        }
    };
    Json::Object(object([
        ("kind", kind.into()),
        ("run_id", (&found.run_id).into()),
        ("flow_id", found.flow_id.as_str().into()),
        ("task_id", found.task_id.as_str().into()),
        ("task_title", found.task_title.as_str().into()),
        ("node_id", (&node.id).into()),
        ("node_type", node.kind.into()),
        ("title", node.title.as_str().into()),
        ("instruction", node.instruction.clone().into()),
        ("since", moment(found.since)),
        ("question", question),
        ("input", input),
        ("decision", decision),
    ]))
}

#[must_use]
pub fn waiting_list(found: &[Waiting]) -> Object {
    super::items(found.iter().map(waiting))
}
