//! A Run in a list (contract §11, "run summary"), with what a console needs besides.

use std::path::Path;

use segue_flow::api::{Given, Summary};
use segue_model::{
    flow::{
        Granularity, Json, NodeKind, Object, Problem, Profile,
        fields::{Fields, Word},
        json::object,
    },
    reading::RunStatus,
};

use super::{authorization::AUTHORIZATION, moment, number};
use crate::shape::{Named, Shape, has, may};

pub const SUMMARY: Named = Named {
    name: "RunSummary",
    about: "`parent_run_id`, `forked_from_node_id` and `reused_node_ids` for forks only; `quarantined` says why a Run cannot be loaded. \
            `inputs` are the first eight that it was given, in the order of its flow; not there where that was not kept.",
    shape: Shape::Exact(&[
        has("schema_version", Shape::Integer),
        has("run_id", Shape::Text),
        has("task_id", Shape::Text),
        has("task_title", Shape::Text),
        has("topic", Shape::Text),
        has("granularity", Shape::Words(Granularity::WORDS)),
        has("executor_id", Shape::Words(Profile::WORDS)),
        has("executor_profile", Shape::Text),
        has("flow_id", Shape::Text),
        has("flow_hash", Shape::Text),
        has("node_types", Shape::MapOf(&Shape::Words(NodeKind::WORDS))),
        has("node_order", Shape::List(&Shape::Text)),
        has("state_dir", Shape::Text),
        has("started_at", Shape::Time),
        has("finished_at", Shape::OrNull(&Shape::Time)),
        has("status", Shape::Words(RunStatus::WORDS)),
        has("node_count", Shape::Integer),
        has("event_count", Shape::Integer),
        has("artifact_count", Shape::Integer),
        has("artifact_id", Shape::OrNull(&Shape::Text)),
        has("artifact_name", Shape::OrNull(&Shape::Text)),
        has("settled_node_count", Shape::Integer),
        has("waiting", Shape::Flag),
        may("inputs", Shape::List(&Shape::Named(&GIVEN))),
        may("parent_run_id", Shape::Text),
        may("forked_from_node_id", Shape::Text),
        may("reused_node_ids", Shape::List(&Shape::Text)),
        may("subrun_of", Shape::Text),
        may("schedule_id", Shape::Text),
        may("quarantined", Shape::Text),
    ]),
};

const GIVEN: Named = Named {
    name: "GivenInput",
    about: "`text` is text as it is and any other value as compact JSON: the first 120 characters; `cut` when there are \
            more.",
    shape: Shape::Exact(&[has("name", Shape::Text), has("text", Shape::Text), has("cut", Shape::Flag)]),
};

pub const LIST: Named = Named {
    name: "RunList",
    about: "Newest first. `next` is the `before` of the next page; null on the last one. `counts` are of all Runs of the workspace, by \
        status.",
    shape: Shape::Exact(&[
        has("items", Shape::List(&Shape::Named(&SUMMARY))),
        has("next", Shape::OrNull(&Shape::Text)),
        may("counts", Shape::MapOf(&Shape::Integer)),
    ]),
};

/// A Run of a task's built-in flow.
pub const TASK_RUN_REQUEST: Named = Named {
    name: "TaskRunRequest",
    about: "Runs the built-in writing flow of a local task.",
    shape: Shape::Open(&[
        has("task_id", Shape::Text),
        has("executor", Shape::Words(Profile::WORDS)),
        may("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

/// Characters of a local id; longer ones are not looked up.
const TASK_ID_MAX: usize = 200;

/// The task, the profile and the authorization.
///
/// # Errors
/// A member is missing or of another kind.
pub fn read_task_run(body: &Object) -> Result<(String, Profile, Option<Json>), Problem> {
    let fields = Fields::new(body, "");
    let task = fields.text("task_id", TASK_ID_MAX)?.to_owned();
    let profile = fields.word("executor")?.ok_or_else(|| fields.problem("executor", "is missing"))?;
    Ok((task, profile, fields.get("effect_authorization").cloned()))
}

/// `reused` are the nodes whose results a fork took over.
#[must_use]
pub fn summary(run: &Summary, reused: &[String], state_root: &Path) -> Object {
    let artifact = run.artifacts.first();
    let types = run.nodes.iter().map(|(id, kind)| (id.as_str().to_owned(), (*kind).into()));
    let mut summary = object([
        ("schema_version", 1_i64.into()),
        ("run_id", (&run.run_id).into()),
        ("task_id", run.task_id.as_str().into()),
        ("task_title", run.task_title.as_str().into()),
        ("topic", run.topic.as_str().into()),
        ("granularity", run.granularity.into()),
        ("executor_id", run.profile.into()),
        ("executor_profile", profile(run).into()),
        ("flow_id", run.flow_id.as_str().into()),
        ("flow_hash", run.flow_hash.as_str().into()),
        ("node_types", Json::Object(types.collect())),
        ("node_order", Json::Array(run.nodes.iter().map(|(id, _)| id.into()).collect())),
        ("state_dir", state_root.to_string_lossy().into_owned().into()),
        ("started_at", moment(run.started_at)),
        ("finished_at", run.finished_at.map(moment).into()),
        ("status", run.status.as_str().into()),
        ("node_count", number(run.nodes.len())),
        ("event_count", number(run.event_count)),
        ("artifact_count", number(run.artifacts.len())),
        ("artifact_id", artifact.map(|artifact| Json::from(&artifact.id)).into()),
        ("artifact_name", artifact.map(|artifact| artifact.name.as_str()).into()),
        ("settled_node_count", number(run.settled_nodes)),
        ("waiting", run.waiting.into()),
    ]);
    if let Some(inputs) = &run.inputs {
        summary.insert("inputs".to_owned(), Json::Array(inputs.iter().map(given).collect()));
    }
    if let Some((parent, node)) = &run.parent {
        summary.insert("parent_run_id".to_owned(), parent.as_str().into());
        summary.insert("forked_from_node_id".to_owned(), node.as_str().into());
        let reused = reused.iter().map(|id| id.as_str().into()).collect();
        summary.insert("reused_node_ids".to_owned(), Json::Array(reused));
    }
    if let Some(parent) = &run.subrun_of {
        summary.insert("subrun_of".to_owned(), parent.into());
    }
    if let Some(schedule) = &run.schedule {
        summary.insert("schedule_id".to_owned(), schedule.as_str().into());
    }
    if let Some(why) = &run.quarantined {
        summary.insert("quarantined".to_owned(), why.as_str().into());
    }
    summary
}

fn given(input: &Given) -> Json {
    let members =
        [("name", input.name.as_str().into()), ("text", input.text.as_str().into()), ("cut", input.cut.into())];
    Json::Object(object(members))
}

/// The profile and, if any, the capabilities that nodes are bound to.
fn profile(run: &Summary) -> String {
    match run.capability_ids.as_slice() {
        [] => run.profile.as_str().to_owned(),
        ids => format!("{}+{}", run.profile, ids.join(",")),
    }
}

/// Where the page behind a Run begins.
#[must_use]
pub fn cursor(run: &Summary) -> String {
    format!("{}.{}", run.started_at.0, run.run_id)
}

/// What [`cursor`] wrote.
#[must_use]
pub fn read_cursor(text: &str) -> Option<(i64, String)> {
    let (at, id) = text.split_once('.')?;
    segue_model::flow::RunId::parse(id)?;
    Some((at.parse().ok()?, id.to_owned()))
}
