//! Plans of documents (contract §20): what people read before they run something.

use segue_model::flow::{
    Effect, Json, Object,
    fields::Word,
    json::object,
    plan::{Plan, RiskLevel, Step},
    template::Mode,
};

use super::number;
use crate::shape::{Named, Shape, has};

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);

const STEP: Named = Named {
    name: "PlanStep",
    about: "`executor` is the capability it is bound to or an executor that is built in; `stage` counts from 1, steps of one stage may \
        run at the same time; `rules` stand as in the document; `problem` says why the step cannot be run here and now.",
    shape: Shape::Exact(&[
        has("step_id", Shape::Text),
        has("title", Shape::Text),
        has("node_type", Shape::Text),
        has("node_kind", Shape::Text),
        has("executor", OR_TEXT),
        has("completion", Shape::Text),
        has("blocking", Shape::Flag),
        has("risk_level", Shape::Words(RiskLevel::WORDS)),
        has("stage", Shape::Integer),
        has("prompt", OR_TEXT),
        has("internal_steps", Shape::List(&Shape::Text)),
        has("session_group", OR_TEXT),
        has("from", Shape::List(&Shape::Text)),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("rules", Shape::Map),
        has("problem", OR_TEXT),
    ]),
};

pub const PLAN: Named = Named {
    name: "FlowPlan",
    about: "`artifacts` are the steps that publish one. A document that cannot be run has a plan as well.",
    shape: Shape::Exact(&[
        has("title", Shape::Text),
        has("summary", Shape::Text),
        has("mode", Shape::Words(Mode::WORDS)),
        has("steps", Shape::List(&Shape::Named(&STEP))),
        has("requires_confirmation", Shape::Flag),
        has(
            "artifacts",
            Shape::List(&Shape::Exact(&[
                has("step_id", Shape::Text),
                has("title", Shape::Text),
                has("media_type", Shape::Text),
            ])),
        ),
    ]),
};

/// What the built-in publisher writes.
const MEDIA_TYPE: &str = "text/markdown";

fn step(step: &Step) -> Json {
    // The word before the dot: `agent`, `tool`.
    let (node_kind, _) = step.node_type.split_once('.').unwrap_or((&step.node_type, ""));
    Json::Object(object([
        ("step_id", step.id.as_str().into()),
        ("title", step.title.as_str().into()),
        ("node_type", step.node_type.as_str().into()),
        ("node_kind", node_kind.into()),
        ("executor", step.executor.clone().into()),
        ("completion", step.completion.as_str().into()),
        ("blocking", step.blocking.into()),
        ("risk_level", step.risk.into()),
        ("stage", number(step.stage)),
        ("prompt", step.prompt.clone().into()),
        ("internal_steps", step.internal_steps.clone().into()),
        ("session_group", step.session_group.clone().into()),
        ("from", step.from.clone().into()),
        ("effects", step.effects.clone().into()),
        ("rules", step.rules.clone().into()),
        ("problem", step.problem.clone().into()),
    ]))
}

#[must_use]
pub fn written(plan: &Plan) -> Object {
    let artifacts = plan.steps.iter().filter(|step| step.kind == Some(segue_model::flow::NodeKind::Artifact));
    let artifact = |step: &Step| {
        Json::Object(object([
            ("step_id", step.id.as_str().into()),
            ("title", step.title.as_str().into()),
            ("media_type", MEDIA_TYPE.into()),
        ]))
    };
    object([
        ("title", plan.title.as_str().into()),
        ("summary", plan.summary.as_str().into()),
        ("mode", Mode::SemiAuto.into()),
        ("steps", Json::Array(plan.steps.iter().map(step).collect())),
        ("requires_confirmation", plan.requires_confirmation.into()),
        ("artifacts", Json::Array(artifacts.map(artifact).collect())),
    ])
}
