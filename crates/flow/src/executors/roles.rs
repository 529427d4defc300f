//! The seven built-in deterministic roles (contract §14.9): they show a flow without any agent. The same input gives
//! the same bytes, and the article says what it is.

use segue_model::{
    flow::{Hash, Json, Object, json::object},
    run::{Outcome, attempt::EvidenceLevel},
};

use super::{Answer, Call, Executor, Surroundings, agent_text::with_stage_hash, returned, table::unbound};

const PREFIX: &str = "builtin.deterministic-";
const ROLES: [(&str, Role); 7] = [
    ("researcher", Role::Researcher),
    ("planner", Role::Planner),
    ("solo-writer", Role::SoloWriter),
    ("writer", Role::Writer),
    ("reviewer", Role::Reviewer),
    ("editor", Role::Editor),
    ("reviser", Role::Reviser),
];

const NOTICE: &str = "_This text was made by built-in deterministic code. No model and no agent took part in it._";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Researcher,
    Planner,
    SoloWriter,
    Writer,
    Reviewer,
    Editor,
    Reviser,
}

impl Role {
    fn of(executor_id: &str) -> Option<Self> {
        let name = executor_id.strip_prefix(PREFIX)?;
        ROLES.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
    }

    /// What outputs say.
    const fn word(self) -> &'static str {
        match self {
            Self::Researcher => "researcher",
            Self::Planner => "planner",
            Self::SoloWriter | Self::Writer => "writer",
            Self::Reviewer => "reviewer",
            Self::Editor => "editor",
            Self::Reviser => "reviser",
        }
    }
}

/// There is such a role.
pub(super) fn knows(executor_id: &str) -> bool {
    Role::of(executor_id).is_some()
}

#[derive(Debug)]
pub struct Roles;

/// The output of a role; `None` if there is no such one.
#[must_use]
pub fn output(executor_id: &str, input: &Object) -> Option<Object> {
    let role = Role::of(executor_id)?;
    let member = |key: &str| Json::from(input.get(key).cloned());
    let mut output = object([
        ("role", role.word().into()),
        ("topic", member("topic")),
        ("audience", member("audience")),
        ("granularity", member("granularity")),
    ]);
    output.extend(match role {
        Role::Researcher => object([
            ("research_notes", notes(input).into()),
            ("source_input_hash", (&Hash::of(&Json::Object(input.clone()))).into()),
        ]),
        Role::Planner => object([("thesis", thesis(input).into()), ("sections", sections(input).into())]),
        Role::SoloWriter | Role::Writer => object([("article_markdown", article(input).into())]),
        Role::Reviewer => object([
            ("article_markdown", member("article_markdown")),
            ("verdict", "revision_requested".into()),
            ("feedback", feedback(input).into()),
        ]),
        Role::Editor => revised(input, "## Editor's note", "Headings and order were checked.", "accepted_after_edit"),
        Role::Reviser => revised(
            input,
            "## What the review changed",
            "Each point of the review was gone through.",
            "accepted_after_revision",
        ),
    });
    Some(with_stage_hash(output))
}

fn text<'a>(input: &'a Object, key: &str, otherwise: &'a str) -> &'a str {
    input.get(key).and_then(Json::non_blank).map_or(otherwise, str::trim)
}

fn topic(input: &Object) -> &str {
    text(input, "topic", "a topic that was not given")
}

fn notes(input: &Object) -> Vec<String> {
    let topic = topic(input);
    vec![
        format!("The question: what should somebody know who decides about {topic}?"),
        "What speaks for it must be named with its source.".to_owned(),
        "What is not known must be named as well.".to_owned(),
    ]
}

fn thesis(input: &Object) -> String {
    format!("{}: what is known, what follows from it, and what is still open.", topic(input))
}

fn sections(_: &Object) -> Vec<String> {
    ["What this is about", "What is known", "What follows", "What is still open"].map(str::to_owned).to_vec()
}

fn article(input: &Object) -> String {
    let topic = topic(input);
    let audience = text(input, "audience", "everyone");
    let own_thesis = thesis(input);
    let thesis = text(input, "thesis", &own_thesis);
    let planned = input.get("sections").and_then(Json::as_array).unwrap_or_default();
    let planned: Vec<String> = planned.iter().filter_map(Json::non_blank).map(|name| name.trim().to_owned()).collect();
    let sections = if planned.is_empty() { sections(input) } else { planned };
    let mut article = format!("# {topic}\n\n{NOTICE}\n\nFor: {audience}\n\n{thesis}\n");
    for section in &sections {
        article.push_str(&format!("\n## {section}\n\nHere stands what \"{section}\" says of {topic}.\n"));
    }
    if let Some(Json::Array(principles)) = input.get("required_principles") {
        let mut principles = principles.iter().filter_map(Json::non_blank).peekable();
        if principles.peek().is_some() {
            article.push_str("\n## Principles\n\n");
            principles.for_each(|principle| article.push_str(&format!("- {}\n", principle.trim())));
        }
    }
    article
}

fn feedback(input: &Object) -> Vec<String> {
    let headings = text(input, "article_markdown", "").lines().filter(|line| line.starts_with("## ")).count();
    vec![
        format!("The draft has {headings} sections; say in the first one what the reader is to decide."),
        "Name what is assumed and not known.".to_owned(),
    ]
}

fn revised(input: &Object, heading: &str, note: &str, verdict: &str) -> Object {
    let article = input.get("article_markdown").and_then(Json::as_str).unwrap_or_default().trim_end();
    object([
        ("article_markdown", format!("{article}\n\n{heading}\n\n{note} Nothing else was changed.\n").into()),
        ("verdict", verdict.into()),
    ])
}

impl Executor for Roles {
    fn needs_host(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, _: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            match output(&call.node.executor.executor_id, &call.input) {
                Some(output) => returned(output, EvidenceLevel::Deterministic),
                None => unbound(),
            }
        })
    }
}
