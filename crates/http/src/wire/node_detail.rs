//! One node of a Run in full.

use segue_flow::api::{Call, CallResult, NodeDetail, Question, Verdict};
use segue_model::{
    Timestamp,
    flow::{
        Effect, Json, NodeKind, Object,
        capability::Kind,
        effect::EvidenceLevel,
        fields::Word,
        json::{Number, object},
    },
    reading::outcome::ProjectedStatus,
};

use super::{channel_task, evidence, flow_definition, moment, number};
use crate::shape::{Named, Shape, has};

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);
const OR_TIME: Shape = Shape::OrNull(&Shape::Time);

pub const FAILURE: Shape = Shape::OrNull(&Shape::Exact(&[has("error_type", Shape::Text), has("message", Shape::Text)]));

pub const CAPABILITY: Shape = Shape::OrNull(&Shape::Exact(&[
    has("id", Shape::Text),
    has("kind", Shape::Words(Kind::WORDS)),
    has("timeout_seconds", Shape::Integer),
]));

const CALL: Named = Named {
    name: "NodeCall",
    about: "One call of the node's executor. `index` is the item of a `for_each` node; `subrun_id` the Run that a `flow.task` started; \
        `task` the task of the channel, of the newest calls only; `lost_task_ids` those whose server died before anything was \
        asked of the agent, and which were started again as `task`.",
    shape: Shape::Exact(&[
        has("round", Shape::Integer),
        has("index", Shape::OrNull(&Shape::Integer)),
        has("attempt", Shape::Integer),
        has("started_at", Shape::Time),
        has("ended_at", OR_TIME),
        has("duration_seconds", Shape::OrNull(&Shape::Number)),
        has("result", Shape::Words(CallResult::WORDS)),
        has("failure", FAILURE),
        has("retry_at", OR_TIME),
        has("subrun_id", OR_TEXT),
        has("task", Shape::OrNull(&Shape::Named(&channel_task::TASK))),
        has("lost_task_ids", Shape::List(&Shape::Text)),
    ]),
};

pub const NODE: Named = Named {
    name: "NodeDetail",
    about: "A node that was not reached has no input and no calls. `calls` are the newest ones; `attempts` counts all. `input` and \
        `output` are null as well when they were not asked for, and their sizes are there all the same.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("node_id", Shape::Text),
        has("title", Shape::Text),
        has("node_type", Shape::Words(NodeKind::WORDS)),
        has("status", Shape::Words(ProjectedStatus::WORDS)),
        has("from", Shape::List(&Shape::Text)),
        has("instruction", OR_TEXT),
        has("session_group", OR_TEXT),
        has("executor", flow_definition::EXECUTOR),
        has("capability", CAPABILITY),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("evidence_level", Shape::Words(EvidenceLevel::WORDS)),
        has("round", Shape::Integer),
        has("attempts", Shape::Integer),
        has("input", Shape::OrNull(&Shape::Map)),
        has("input_bytes", Shape::OrNull(&Shape::Integer)),
        has("items", Shape::OrNull(&Shape::Integer)),
        has("output", Shape::OrNull(&Shape::Map)),
        has("output_bytes", Shape::OrNull(&Shape::Integer)),
        has("ready_at", OR_TIME),
        has("settled_at", OR_TIME),
        has("duration_seconds", Shape::OrNull(&Shape::Number)),
        has("calls", Shape::List(&Shape::Named(&CALL))),
        has(
            "session",
            Shape::OrNull(&Shape::Exact(&[
                has("session_group", Shape::Text),
                has("conversation_ref", Shape::Text),
                has("turn_ref", Shape::Text),
                has("reused", Shape::Flag),
            ])),
        ),
        has("artifacts", Shape::List(&Shape::Named(&evidence::ARTIFACT_REF))),
        has(
            "verdict",
            Shape::OrNull(&Shape::Exact(&[
                has("verdict", Shape::Words(&["pass", "fail"])),
                has("summary", Shape::Text),
                has("finding_codes", Shape::List(&Shape::Text)),
                has("repair_from_node_id", OR_TEXT),
            ])),
        ),
        has("question", Shape::OrNull(&Shape::Named(&QUESTION))),
        has(
            "answer",
            Shape::OrNull(&Shape::Exact(&[
                has("option", Shape::Text),
                has("actor", OR_TEXT),
                has("form", Shape::OrNull(&Shape::Map)),
                has("answered_at", Shape::Time),
            ])),
        ),
        has("failure", FAILURE),
        has("reused_from_run_id", OR_TEXT),
        has("skipped_because", Shape::OrNull(&Shape::Words(&["condition", "upstream"]))),
    ]),
};

pub const QUESTION: Named = Named {
    name: "Question",
    about: "What a person is asked. `form` is the JSON Schema of what has to be filled in.",
    shape: Shape::Exact(&[
        has("asked_at", Shape::Time),
        has("expires_at", OR_TIME),
        has("options", Shape::List(&flow_definition::OPTION)),
        has("form", Shape::OrNull(&Shape::Map)),
    ]),
};

/// Never negative: a clock may have been set back.
pub fn span(from: Timestamp, to: Timestamp) -> Json {
    Json::Number(Number::from_f64(to.seconds_since(from).max(0.0)).unwrap_or_else(|| Number::from(0)))
}

pub fn failure(failure: Option<&(String, String)>) -> Json {
    let members = |(kind, message): &(String, String)| {
        Json::Object(object([("error_type", kind.as_str().into()), ("message", message.as_str().into())]))
    };
    failure.map(members).into()
}

pub fn question(node: &segue_model::flow::Node, asked: Question) -> Json {
    let person = node.rules.person.as_ref();
    let options = person.iter().flat_map(|person| &person.options);
    let option = |option: &segue_model::flow::rules::person::Choice| {
        Json::Object(object([("id", option.id.as_str().into()), ("label", option.label.as_str().into())]))
    };
    Json::Object(object([
        ("asked_at", moment(asked.asked_at)),
        ("expires_at", asked.expires_at.map(moment).into()),
        ("options", Json::Array(options.map(option).collect())),
        ("form", person.and_then(|person| person.form.clone()).into()),
    ]))
}

/// The tasks of one call, as far as they were looked up.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    pub lost: Vec<String>,
    pub last: Option<Json>,
}

fn call(call: &Call, tasks: Tasks) -> Json {
    Json::Object(object([
        ("round", call.attempt.round.into()),
        ("index", call.attempt.index.into()),
        ("attempt", call.attempt.attempt.into()),
        ("started_at", moment(call.started_at)),
        ("ended_at", call.ended_at.map(moment).into()),
        ("duration_seconds", call.ended_at.map(|end| span(call.started_at, end)).into()),
        ("result", call.result.as_str().into()),
        ("failure", failure(call.failure.as_ref())),
        ("retry_at", call.retry_at.map(moment).into()),
        ("subrun_id", call.subrun.as_ref().map(Json::from).into()),
        ("task", tasks.last.into()),
        ("lost_task_ids", tasks.lost.into()),
    ]))
}

fn verdict(verdict: &Verdict) -> Json {
    let (word, summary, codes, repair) = match verdict {
        Verdict::Passed { summary } => ("pass", summary, Vec::new(), None),
        Verdict::Rejected(rejected) => {
            ("fail", &rejected.summary, rejected.finding_codes.clone(), Some(&rejected.repair_from_node_id))
        }
    };
    Json::Object(object([
        ("verdict", word.into()),
        ("summary", summary.as_str().into()),
        ("finding_codes", codes.into()),
        ("repair_from_node_id", repair.map(Json::from).into()),
    ]))
}

fn bytes(value: Option<&Object>) -> Json {
    value.map(|value| number(segue_model::flow::canonical::canonical(&Json::Object(value.clone())).len())).into()
}

pub fn capability(capability: Option<&segue_model::flow::capability::Capability>) -> Json {
    let members = |capability: &segue_model::flow::capability::Capability| {
        Json::Object(object([
            ("id", (&capability.id).into()),
            ("kind", capability.kind().into()),
            ("timeout_seconds", capability.timeout_seconds.into()),
        ]))
    };
    capability.map(members).into()
}

/// `tasks` are those of the calls, as far as they were looked up; `values` says whether what the node accepted and
/// returned is wanted.
#[must_use]
pub fn written(detail: &NodeDetail, mut tasks: Vec<Tasks>, values: bool) -> Object {
    let node = &detail.node;
    tasks.resize(detail.calls.len(), Tasks::default());
    let calls = detail.calls.iter().zip(tasks).map(|(found, tasks)| call(found, tasks));
    let session = detail.session.as_ref().map(|turn| {
        Json::Object(object([
            ("session_group", turn.session_group.as_str().into()),
            ("conversation_ref", turn.conversation_ref.as_str().into()),
            ("turn_ref", turn.turn_ref.as_str().into()),
            ("reused", turn.reused.into()),
        ]))
    });
    let answer = detail.answer.as_ref().map(|(answer, at)| {
        Json::Object(object([
            ("option", answer.option.as_str().into()),
            ("actor", answer.actor.clone().into()),
            ("form", answer.form.clone().into()),
            ("answered_at", moment(*at)),
        ]))
    });
    let value = |value: Option<&Object>| value.filter(|_| values).cloned().into();
    let (input, output) = (detail.input.as_deref(), detail.output.as_deref());
    let ended = detail.ready_at.zip(detail.settled_at);
    object([
        ("run_id", (&detail.run_id).into()),
        ("node_id", (&node.id).into()),
        ("title", node.title.as_str().into()),
        ("node_type", node.kind.into()),
        ("status", detail.status.into()),
        ("from", Json::Array(node.upstream.ids().iter().map(Json::from).collect())),
        ("instruction", node.instruction.clone().into()),
        ("session_group", node.session_group.clone().into()),
        ("executor", node.executor.to_json()),
        ("capability", capability(detail.capability.as_deref())),
        ("effects", node.effects.clone().into()),
        ("evidence_level", detail.evidence_level.into()),
        ("round", detail.round.into()),
        ("attempts", detail.attempts.into()),
        ("input", value(input)),
        ("input_bytes", bytes(input)),
        ("items", detail.items.map(number).into()),
        ("output", value(output)),
        ("output_bytes", bytes(output)),
        ("ready_at", detail.ready_at.map(moment).into()),
        ("settled_at", detail.settled_at.map(moment).into()),
        ("duration_seconds", ended.map(|(from, to)| span(from, to)).into()),
        ("calls", Json::Array(calls.collect())),
        ("session", session.into()),
        ("artifacts", Json::Array(detail.artifact.iter().map(evidence::artifact_ref).collect())),
        ("verdict", detail.verdict.as_ref().map(verdict).into()),
        ("question", detail.question.map(|asked| question(node, asked)).into()),
        ("answer", answer.into()),
        ("failure", failure(detail.failure.as_ref())),
        ("reused_from_run_id", detail.reused_from.as_ref().map(Json::from).into()),
        ("skipped_because", detail.skipped_because.into()),
    ])
}
