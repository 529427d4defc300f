//! A Run with all that its steps returned (contract §20).

use segue_flow::api::{Projection, Step, StepError};
use segue_model::{
    flow::{
        Json, NodeKind, Object, Problem, Profile,
        fields::{Fields, Word},
        json::object,
    },
    reading::{RunStatus, outcome::ProjectedStatus},
};

use super::{authorization::AUTHORIZATION, moment};
use crate::shape::{Named, Shape, has, may};

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);
const REJECTED: &str = "EVALUATION_REJECTED";
const FAILED: &str = "NODE_FAILED";
/// What a person confirms is what the mode says; there is one.
const MODE: &str = "semi_auto";

const ERROR: Shape = Shape::Exact(&[
    has("code", Shape::Words(&[REJECTED, FAILED])),
    may("summary", Shape::Text),
    may("finding_codes", Shape::List(&Shape::Text)),
]);

const STEP: Named = Named {
    name: "RunProjectionStep",
    about: "`attempts` is 0 for a step that was not reached or whose result was taken over.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("step_id", Shape::Text),
        has("node_type", Shape::Words(NodeKind::WORDS)),
        has("status", Shape::Words(ProjectedStatus::WORDS)),
        has("attempts", Shape::Integer),
        has("output", Shape::OrNull(&Shape::Map)),
        has(
            "artifacts",
            Shape::List(&Shape::Exact(&[
                has("type", Shape::Text),
                has("uri", Shape::Text),
                has("metadata", Shape::Exact(&[has("filename", Shape::Text), has("sha256", Shape::Text)])),
            ])),
        ),
        has("logs", Shape::List(&Shape::Text)),
        has("error", Shape::OrNull(&ERROR)),
        has("repair_from_step_id", OR_TEXT),
        has(
            "session",
            Shape::OrNull(&Shape::Exact(&[
                has("session_group", Shape::Text),
                has("conversation_ref", Shape::Text),
                has("turn_ref", Shape::Text),
                has("reused", Shape::Flag),
            ])),
        ),
        has("updated_at", Shape::Time),
    ]),
};

pub const RUN: Named = Named {
    name: "RunProjection",
    about: "`flow_id` is the portable id, `task_id` the local one. Nothing but what was recorded.",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("task_id", Shape::Text),
        has("flow_hash", Shape::Text),
        has("status", Shape::Words(RunStatus::WORDS)),
        has("parent_run_id", OR_TEXT),
        has("forked_from_node_id", OR_TEXT),
        has("reused_node_ids", Shape::List(&Shape::Text)),
        has("mode", Shape::Const(MODE)),
        has("inputs", Shape::Exact(&[has("report_focus", OR_TEXT)])),
        has("steps", Shape::List(&Shape::Named(&STEP))),
        has(
            "session_state",
            Shape::MapOf(&Shape::Exact(&[
                has("conversation_ref", Shape::Text),
                has("node_ids", Shape::List(&Shape::Text)),
                has("turn_refs", Shape::List(&Shape::Text)),
            ])),
        ),
        has("created_at", Shape::Time),
        has("updated_at", Shape::Time),
    ]),
};

/// A Run of a saved flow by its local id.
pub const LOCAL_RUN_REQUEST: Named = Named {
    name: "LocalRunRequest",
    about: "Runs a saved flow by its local id, which is never ambiguous. An executor that is not known means `deterministic`.",
    shape: Shape::Open(&[
        may("executor", Shape::OrNull(&Shape::Text)),
        may("inputs", Shape::OrNull(&Shape::Map)),
        may("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

/// A Run of a flow that is saved with it.
pub const NEW_RUN_REQUEST: Named = Named {
    name: "NewRunRequest",
    about: "Saves the flow and runs it: both, or neither. One without an id is named after what stands in it.",
    shape: Shape::Open(&[
        has("flow", Shape::Map),
        may("executor", Shape::OrNull(&Shape::Text)),
        may("inputs", Shape::OrNull(&Shape::Map)),
        may("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

pub const LOCAL_RUN: Named = Named {
    name: "LocalRun",
    about: "",
    shape: Shape::Exact(&[has("run", Shape::Named(&RUN)), has("next_task", Shape::OrNull(&Shape::Any))]),
};

/// The profile, the inputs and the authorization.
///
/// # Errors
/// The inputs are no object.
pub fn read_local_run(body: &Object) -> Result<(Profile, Object, Option<Json>), Problem> {
    let fields = Fields::new(body, "");
    let inputs = fields.object("inputs")?.map(|inputs| inputs.members().clone()).unwrap_or_default();
    // The contract's word for one that is not known.
    let profile = fields.get("executor").and_then(Json::as_str).and_then(Profile::parse);
    Ok((profile.unwrap_or(Profile::Deterministic), inputs, fields.get("effect_authorization").cloned()))
}

#[must_use]
pub fn local_run(run: &Projection) -> Object {
    object([("run", written(run).into()), ("next_task", Json::Null)])
}

fn step(run: &Projection, step: &Step) -> Json {
    let artifact = step.artifact.iter().map(|artifact| {
        let metadata = [("filename", artifact.name.as_str().into()), ("sha256", (&artifact.sha256).into())];
        Json::Object(object([
            ("type", artifact.media_type.as_str().into()),
            ("uri", format!("artifact://{}", artifact.artifact_id).into()),
            ("metadata", Json::Object(object(metadata))),
        ]))
    });
    let (error, repair_from) = match &step.error {
        None => (Json::Null, Json::Null),
        Some(StepError::Failed) => (Json::Object(object([("code", FAILED.into())])), Json::Null),
        Some(StepError::Rejected(rejected)) => {
            let members = [
                ("code", REJECTED.into()),
                ("summary", rejected.summary.as_str().into()),
                ("finding_codes", rejected.finding_codes.clone().into()),
            ];
            (Json::Object(object(members)), (&rejected.repair_from_node_id).into())
        }
    };
    let session = step.session.as_ref().map(|turn| {
        Json::Object(object([
            ("session_group", turn.session_group.as_str().into()),
            ("conversation_ref", turn.conversation_ref.as_str().into()),
            ("turn_ref", turn.turn_ref.as_str().into()),
            ("reused", turn.reused.into()),
        ]))
    });
    Json::Object(object([
        ("run_id", (&run.run.run_id).into()),
        ("step_id", (&step.node.id).into()),
        ("node_type", step.node.kind.into()),
        ("status", step.status.into()),
        ("attempts", step.attempts.into()),
        ("output", step.output.as_deref().cloned().into()),
        ("artifacts", Json::Array(artifact.collect())),
        ("logs", Json::Array(Vec::new())),
        ("error", error),
        ("repair_from_step_id", repair_from),
        ("session", session.into()),
        ("updated_at", moment(step.updated_at)),
    ]))
}

#[must_use]
pub fn written(run: &Projection) -> Object {
    let summary = &run.run;
    let (parent, from) = summary.parent.as_ref().map(|(run, node)| (run.as_str(), node.as_str())).unzip();
    let sessions = run.sessions.iter().map(|session| {
        let (nodes, turns): (Vec<Json>, Vec<Json>) =
            session.turns.iter().map(|(node, turn)| (Json::from(node), Json::from(turn.as_str()))).unzip();
        let members = [
            ("conversation_ref", session.conversation_ref.as_str().into()),
            ("node_ids", Json::Array(nodes)),
            ("turn_refs", Json::Array(turns)),
        ];
        (session.group.clone(), Json::Object(object(members)))
    });
    let topic = run.flow_input.get("topic").filter(|topic| topic.as_str().is_some()).cloned();
    object([
        ("run_id", (&summary.run_id).into()),
        ("flow_id", summary.flow_id.as_str().into()),
        ("task_id", summary.task_id.as_str().into()),
        ("flow_hash", summary.flow_hash.as_str().into()),
        ("status", summary.status.as_str().into()),
        ("parent_run_id", parent.into()),
        ("forked_from_node_id", from.into()),
        ("reused_node_ids", Json::Array(run.reused().map(Json::from).collect())),
        ("mode", MODE.into()),
        ("inputs", Json::Object(object([("report_focus", topic.into())]))),
        ("steps", Json::Array(run.steps.iter().map(|found| step(run, found)).collect())),
        ("session_state", Json::Object(sessions.collect())),
        ("created_at", moment(summary.started_at)),
        ("updated_at", moment(run.updated_at)),
    ])
}
