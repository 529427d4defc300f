//! Local tasks and the built-in flows that they run (contract §11).

use segue_flow::api::LocalTask;
use segue_model::flow::{
    Granularity, Json, Object, Problem,
    document::TaskFields,
    fields::{Fields, Word},
    json::object,
};

use super::{flow_definition, moment};
use crate::shape::{Named, Shape, has};

/// Characters of the texts of a task.
const TITLE_MAX: usize = 120;
const GOAL_MAX: usize = 500;
const TOPIC_MAX: usize = 280;

pub const TASK: Named = Named {
    name: "LocalTask",
    about: "`flow` is the built-in writing flow of the task's granularity.",
    shape: Shape::Exact(&[
        has("task_id", Shape::Text),
        has("title", Shape::Text),
        has("goal", Shape::Text),
        has("topic", Shape::Text),
        has("granularity", Shape::Words(Granularity::WORDS)),
        has("created_at", Shape::Time),
        has("flow", Shape::Named(&flow_definition::FLOW)),
    ]),
};

pub const REQUEST: Named = Named {
    name: "LocalTaskRequest",
    about: "",
    shape: Shape::Open(&[
        has("title", Shape::Text),
        has("goal", Shape::Text),
        has("topic", Shape::Text),
        has("granularity", Shape::Words(Granularity::WORDS)),
    ]),
};

/// # Errors
/// A text is absent, blank or too long, or the granularity is none.
pub fn read(body: &Object) -> Result<TaskFields, Problem> {
    let fields = Fields::new(body, "");
    Ok(TaskFields {
        title: fields.text("title", TITLE_MAX)?.to_owned(),
        goal: fields.text("goal", GOAL_MAX)?.to_owned(),
        topic: fields.text("topic", TOPIC_MAX)?.to_owned(),
        granularity: fields.word("granularity")?.ok_or_else(|| fields.problem("granularity", "is missing"))?,
    })
}

#[must_use]
pub fn written(task: &LocalTask) -> Json {
    Json::Object(object([
        ("task_id", task.id.as_str().into()),
        ("title", task.fields.title.as_str().into()),
        ("goal", task.fields.goal.as_str().into()),
        ("topic", task.fields.topic.as_str().into()),
        ("granularity", task.fields.granularity.into()),
        ("created_at", moment(task.created_at)),
        ("flow", flow_definition::written(&task.fields.granularity.flow())),
    ]))
}
