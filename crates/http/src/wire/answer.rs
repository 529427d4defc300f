//! What people say to Runs: answers and decisions.

use segue_flow::api::Answer;
use segue_model::{
    flow::{Json, Object, Problem, fields::Fields, json::object},
    run::Decision,
};

use crate::shape::{Named, Shape, has, may};

/// Characters of an option's id and of a person's name.
const WORD_MAX: usize = 200;
const DECISIONS: [Decision; 2] = [Decision::Repeat, Decision::Fail];
const DECISION_WORDS: &[&str] = &[DECISIONS[0].as_str(), DECISIONS[1].as_str()];

pub const ANSWER: Named = Named {
    name: "Answer",
    about: "An answer to the question of a `human.task`.",
    shape: Shape::Exact(&[
        has("option", Shape::Text),
        may("form", Shape::OrNull(&Shape::Map)),
        may("actor", Shape::OrNull(&Shape::Text)),
    ]),
};

pub const DECISION: Named = Named {
    name: "Decision",
    about: "What becomes of a node that may have written before it was lost.",
    shape: Shape::Exact(&[has("decision", Shape::Words(DECISION_WORDS)), may("actor", Shape::OrNull(&Shape::Text))]),
};

/// Both are recorded when this is replied.
pub const RECORDED: Named = Named {
    name: "Recorded",
    about: "It is recorded.",
    shape: Shape::Exact(&[has("run_id", Shape::Text), has("node_id", Shape::Text), has("recorded", Shape::Flag)]),
};

/// # Errors
/// A member is missing, unknown or of another kind.
pub fn read(node: &str, body: &Object) -> Result<Answer, Problem> {
    let fields = Fields::new(body, "");
    fields.only(&["option", "form", "actor"])?;
    Ok(Answer {
        node: node.to_owned(),
        option: fields.text("option", WORD_MAX)?.to_owned(),
        form: fields.object("form")?.map(|form| form.members().clone()),
        actor: fields.optional_text("actor", WORD_MAX)?.map(str::to_owned),
    })
}

/// # Errors
/// A member is missing, unknown or of another kind.
pub fn read_decision(body: &Object) -> Result<(Decision, Option<String>), Problem> {
    let fields = Fields::new(body, "");
    fields.only(&["decision", "actor"])?;
    let said = fields.get("decision").and_then(Json::as_str);
    let decision = DECISIONS.into_iter().find(|decision| said == Some(decision.as_str()));
    let refuse = || fields.problem("decision", format!("must be one of {}", DECISION_WORDS.join(", ")));
    Ok((decision.ok_or_else(refuse)?, fields.optional_text("actor", WORD_MAX)?.map(str::to_owned)))
}

#[must_use]
pub fn recorded(run: &str, node: &str) -> Object {
    object([("run_id", run.into()), ("node_id", node.into()), ("recorded", true.into())])
}
