//! `/api/v1/runs`: Runs in lists, one Run in short, and Runs of local tasks.

use axum::{http::StatusCode, response::Response};
use segue_flow::api::{Admit, LIST_MAX, List, Summary, Target};
use segue_model::{
    Timestamp,
    flow::{Json, fields::Word, json::object},
    reading::{RunStatus, instant, outcome::ProjectedStatus},
};

use super::{json, key};
use crate::{
    app::App,
    body::BODY_MAX,
    call::Call,
    error::{ApiError, RequestError},
    reply,
    shape::Shape,
    table::{self, Body, Method, Parameter, Query, Route},
    wire::{self, authorization, run},
};

const FILTERS: &[Parameter] = &[
    Parameter::optional("flow_id", Shape::Text, "Only Runs of this flow, by portable id.").repeated(),
    Parameter::optional("task_id", Shape::Text, "Only Runs of this task or saved flow, by local id."),
    Parameter::optional("status", Shape::Words(RunStatus::WORDS), "Only Runs with this status.").repeated(),
    Parameter::optional("text", Shape::Text, "Only Runs whose flow id, task id or own id has this text."),
    Parameter::optional("active", Shape::Flag, "Only Runs that have not ended."),
    Parameter::optional("waiting", Shape::Flag, "Only Runs that wait for somebody."),
    Parameter::optional("since", Shape::Time, "Only Runs that began then or later."),
    Parameter::optional("until", Shape::Time, "Only Runs that began before that."),
    Parameter::optional("counts", Shape::Flag, "Also how many Runs of each status there are in all."),
    Parameter::optional("limit", Shape::Integer, "At most this many (1-1000, all of a page by default)."),
    Parameter::optional("before", Shape::Text, "The `next` of the page before."),
];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/runs",
        name: "listRuns",
        about: "The Runs, newest first.",
        query: Query::Only(FILTERS),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run::LIST))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/runs",
        name: "runTask",
        about: "Admits a Run of a local task's built-in flow.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&run::TASK_RUN_REQUEST)] }),
        replies: &[table::reply(StatusCode::ACCEPTED, Shape::Named(&run::SUMMARY)), authorization::REQUIRED],
        call: |call| Box::pin(run_task(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}",
        name: "getRun",
        about: "One Run in short.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run::SUMMARY))],
        call: |call| Box::pin(get(call)),
    },
];

fn filters(call: &Call) -> Result<List, RequestError> {
    let refuse = |text: &str| RequestError::Query(text.to_owned());
    let status: Vec<String> = call.all("status").map(str::to_owned).collect();
    if status.iter().any(|status| RunStatus::parse(status).is_none()) {
        let known: Vec<&str> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
        return Err(RequestError::Query(format!("status must be one of {}", known.join(", "))));
    }
    let before = call.one("before")?.map(|text| run::read_cursor(text).ok_or_else(|| refuse("before is no cursor")));
    let limit = call.number("limit", 1..=LIST_MAX as u64)?;
    let until = moment(call, "until")?;
    // A page further on is before the time as well.
    let before = before.transpose()?.or_else(|| until.map(|until| (until.0, String::new())));
    Ok(List {
        ended: call.flag("active")?.then_some(false),
        waiting: call.flag("waiting")?,
        since: moment(call, "since")?,
        flow_ids: call.all("flow_id").map(str::to_owned).collect(),
        task: call.one("task_id")?.map(str::to_owned),
        status,
        text: call.one("text")?.filter(|text| !text.is_empty()).map(str::to_owned),
        before,
        limit: limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIST_MAX),
    })
}

/// A point in time.
fn moment(call: &Call, name: &str) -> Result<Option<Timestamp>, RequestError> {
    let Some(text) = call.one(name)? else { return Ok(None) };
    let refuse = || RequestError::Query(format!("{name} must be a time such as 2026-01-02T03:04:05Z"));
    instant::read(text).map(Some).ok_or_else(refuse)
}

async fn list(call: Call) -> Result<Response, ApiError> {
    let list = filters(&call)?;
    let limit = list.limit;
    let found = call.app.flows().runs(list).await?;
    let next = (found.len() == limit).then(|| found.last().map(run::cursor)).flatten();
    let mut items = Vec::with_capacity(found.len());
    for found in &found {
        items.push(json(written(&call.app, found).await));
    }
    let mut list = object([("items", Json::Array(items)), ("next", next.into())]);
    if call.flag("counts")? {
        list.insert("counts".to_owned(), json(wire::counts(call.app.flows().run_counts().await?)));
    }
    reply::json(StatusCode::OK, &json(list))
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let found = call.app.flows().run(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(written(&call.app, &found).await))
}

/// With the nodes whose results a fork took over, which stand in its outcome.
async fn written(app: &App, found: &Summary) -> segue_model::flow::Object {
    let outcome = match &found.parent {
        // Evidence without a reading has no such nodes either; its outcome says so.
        Some(_) => app.flows().outcome(found.run_id.as_str()).await.ok(),
        None => None,
    };
    let nodes = outcome.map(|outcome| outcome.nodes).unwrap_or_default();
    let reused = nodes.iter().filter(|node| node.status == ProjectedStatus::Reused);
    let reused: Vec<String> = reused.map(|node| node.node_id.as_str().to_owned()).collect();
    run::summary(found, &reused, app.state_root())
}

async fn run_task(call: Call) -> Result<Response, ApiError> {
    let (task, profile, authorization) = run::read_task_run(&call.object()?)?;
    let (target, inputs) = (Target::Task(task), segue_model::flow::Object::new());
    let admitted = call.app.flows().admit(Admit { target, profile, inputs, authorization, key: key(&call)? }).await?;
    let found = call.app.flows().run(admitted.run_id.as_str()).await?;
    reply::json(StatusCode::ACCEPTED, &json(run::summary(&found, &[], call.app.state_root())))
}
