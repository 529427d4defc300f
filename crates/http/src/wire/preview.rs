//! What a Run would do and have to be allowed, and which granularity suits a description.

use segue_flow::api::{EffectLine, Preview};
use segue_model::flow::{
    Effect, Granularity, Json, Object, Problem, Profile,
    fields::{Fields, Word},
    json::object,
    template,
};

use super::{authorization, number, template as templates};
use crate::shape::{Named, Shape, has, may};

pub const REQUEST: Named = Named {
    name: "PreviewRequest",
    about: "As a request for a Run, but all of it may be left out.",
    shape: Shape::Exact(&[
        may("executor", Shape::OrNull(&Shape::Words(Profile::WORDS))),
        may("inputs", Shape::OrNull(&Shape::Map)),
    ]),
};

const LINE: Named = Named {
    name: "EffectLine",
    about: "Who does what where. `risk` is there for an effect that must be authorized.",
    shape: Shape::Exact(&[
        has("node_id", Shape::Text),
        has("title", Shape::Text),
        has("what", Shape::Words(Effect::WORDS)),
        has("who", Shape::Text),
        has("where", Shape::Text),
        has("risk", Shape::OrNull(&Shape::Text)),
    ]),
};

pub const PREVIEW: Named = Named {
    name: "RunPreview",
    about: "Nothing is stored. `challenge` is what the request for the Run would be answered with, null when nothing has to be \
        authorized; its `authorization` may be sent with the first request. `missing` are nodes whose programs are not there.",
    shape: Shape::Exact(&[
        has("task_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("flow_hash", Shape::Text),
        has("input_hash", Shape::Text),
        has("flow_input", Shape::Map),
        has("requires_authorization", Shape::Flag),
        has("challenge", Shape::OrNull(&Shape::Named(&authorization::CHALLENGE))),
        has("effects", Shape::List(&Shape::Named(&LINE))),
        has("missing", Shape::List(&Shape::Exact(&[has("node_id", Shape::Text), has("capability_id", Shape::Text)]))),
        has("active_runs", Shape::Integer),
        has("max_active_runs", Shape::Integer),
    ]),
};

pub const SUGGESTION_REQUEST: Named =
    Named { name: "SuggestionRequest", about: "", shape: Shape::Exact(&[has("description", Shape::Text)]) };

pub const SUGGESTION: Named = Named {
    name: "FlowSuggestion",
    about: "A plain rule over the words, no model is asked. `executors` are those that could run it here, and `capabilities` those that \
        its steps could be bound to.",
    shape: Shape::Exact(&[
        has("granularity", Shape::Words(Granularity::WORDS)),
        has("because", Shape::List(&Shape::Text)),
        has("template", Shape::Named(&templates::TEMPLATE)),
        has("steps", Shape::List(&Shape::Text)),
        has(
            "executors",
            Shape::List(&Shape::Exact(&[has("id", Shape::Words(Profile::WORDS)), has("available", Shape::Flag)])),
        ),
        has(
            "capabilities",
            Shape::List(&Shape::Exact(&[
                has("id", Shape::Text),
                has("name", Shape::Text),
                has("kind", Shape::Text),
                has("status", Shape::Text),
            ])),
        ),
    ]),
};

/// # Errors
/// A member is unknown or of another kind.
pub fn read(body: &Object) -> Result<(Profile, Object), Problem> {
    let fields = Fields::new(body, "");
    fields.only(&["executor", "inputs"])?;
    let inputs = fields.object("inputs")?.map(|inputs| inputs.members().clone()).unwrap_or_default();
    Ok((fields.word("executor")?.unwrap_or(Profile::Deterministic), inputs))
}

/// # Errors
/// There is no description, or it is too long.
pub fn read_description(body: &Object) -> Result<&str, Problem> {
    let fields = Fields::new(body, "");
    fields.only(&["description"])?;
    fields.text("description", template::REQUEST_MAX)
}

fn line(line: &EffectLine) -> Json {
    Json::Object(object([
        ("node_id", (&line.node).into()),
        ("title", line.title.as_str().into()),
        ("what", line.what.into()),
        ("who", line.who.as_str().into()),
        ("where", line.place.as_str().into()),
        ("risk", line.risk.into()),
    ]))
}

#[must_use]
pub fn written(preview: &Preview) -> Object {
    let challenge = preview.challenge.is_required().then(|| preview.challenge.to_json());
    let missing = preview.missing.iter().map(|(node, capability)| {
        Json::Object(object([("node_id", node.into()), ("capability_id", capability.as_str().into())]))
    });
    object([
        ("task_id", preview.task_id.as_str().into()),
        ("flow_id", preview.flow_id.as_str().into()),
        ("flow_hash", (&preview.flow_hash).into()),
        ("input_hash", (&preview.challenge.input_hash).into()),
        ("flow_input", preview.flow_input.clone().into()),
        ("requires_authorization", challenge.is_some().into()),
        ("challenge", challenge.into()),
        ("effects", Json::Array(preview.effects.iter().map(line).collect())),
        ("missing", Json::Array(missing.collect())),
        ("active_runs", number(preview.active)),
        ("max_active_runs", number(preview.room)),
    ])
}

/// `available` says whether a profile's agent is installed.
#[must_use]
pub fn suggestion(
    description: &str,
    available: impl Fn(Profile) -> bool,
    capabilities: &[segue_model::flow::capability::Saved],
) -> Object {
    use segue_model::flow::NodeKind;
    let template::Suggestion { granularity, because } = template::suggest(description);
    let executors = Profile::ALL
        .iter()
        .map(|profile| Json::Object(object([("id", (*profile).into()), ("available", available(*profile).into())])));
    let agents = capabilities.iter().filter(|saved| NodeKind::Agent.accepts().contains(&saved.capability.kind()));
    let capability = |saved: &segue_model::flow::capability::Saved| {
        Json::Object(object([
            ("id", (&saved.capability.id).into()),
            ("name", saved.capability.name.as_str().into()),
            ("kind", saved.capability.kind().into()),
            ("status", saved.status.into()),
        ]))
    };
    let titles: Vec<&str> = granularity.agents().iter().map(|(_, title)| *title).collect();
    object([
        ("granularity", granularity.into()),
        ("because", because.into()),
        ("template", templates::template(granularity)),
        ("steps", titles.into()),
        ("executors", Json::Array(executors.collect())),
        ("capabilities", Json::Array(agents.map(capability).collect())),
    ])
}
