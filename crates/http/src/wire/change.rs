//! Which Runs and tasks changed, for lists that want to be fresh.

use segue_flow::api::ChangedRun;
use segue_model::{
    flow::{Json, fields::Word, json::object},
    reading::RunStatus,
};

use super::{channel_task, number};
use crate::shape::{Named, Shape, has, may};

pub const CHANGE: Named = Named {
    name: "Change",
    about: "A Run of this workspace or a task of the channel that changed, as it is now. `sequence` is its last event. Of several changes \
        that came together only the last is told.",
    shape: Shape::OneOf(&[
        Shape::Exact(&[
            has("kind", Shape::Const("run")),
            has("run_id", Shape::Text),
            has("status", Shape::Words(RunStatus::WORDS)),
            has("waiting", Shape::Flag),
            has("ended", Shape::Flag),
            has("sequence", Shape::Integer),
        ]),
        Shape::Exact(&[
            has("kind", Shape::Const("task")),
            has("task_id", Shape::Text),
            has("status", channel_task::STATUS),
            has("sequence", Shape::Integer),
        ]),
        Shape::Exact(&[has("kind", Shape::Const("position")), may("position", Shape::Integer)]),
    ]),
};

#[must_use]
pub fn run(run: &ChangedRun) -> Json {
    Json::Object(object([
        ("kind", "run".into()),
        ("run_id", (&run.run_id).into()),
        ("status", run.status.as_str().into()),
        ("waiting", run.waiting.into()),
        ("ended", run.ended.into()),
        ("sequence", number(run.last)),
    ]))
}

#[must_use]
pub fn task(id: &str, status: &str, last: u64) -> Json {
    Json::Object(object([
        ("kind", "task".into()),
        ("task_id", id.into()),
        ("status", status.into()),
        ("sequence", number(last)),
    ]))
}

/// Where a stream begins, so that a client which is cut off before anything changed can go on from there.
#[must_use]
pub fn position(position: u64) -> Json {
    Json::Object(object([("kind", "position".into()), ("position", number(position))]))
}
