//! The evidence of a Run: all of it, or one node.

use axum::{http::StatusCode, response::Response};
use segue_channel::api::TaskView;
use segue_flow::error::RunError;

use super::json;
use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::{channel_task, evidence, node_detail},
};

const NODE: &[Parameter] = &[Parameter::optional(
    "values",
    Shape::Flag,
    "With what the node accepted and returned (true by default); their sizes are there in any case.",
)];
/// Calls whose tasks are looked up in the channel: the newest.
const TASKS: usize = 20;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/evidence",
        name: "getRunEvidence",
        about: "Everything that was recorded of a Run.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&evidence::EVIDENCE))],
        call: |call| Box::pin(all(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/nodes/{node_id}",
        name: "getRunNode",
        about: "What one node that was reached accepted and returned.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&evidence::NODE))],
        call: |call| Box::pin(node(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/nodes/{node_id}/detail",
        name: "getRunNodeDetail",
        about: "One node of a Run in full, also one that was not reached: what it accepted, who executed it how often, what it returned.",
        query: Query::Only(NODE),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&node_detail::NODE))],
        call: |call| Box::pin(detail(call)),
    },
];

async fn all(call: Call) -> Result<Response, ApiError> {
    let found = call.app.flows().evidence(call.id("run_id")).await?;
    let app = call.app.clone();
    // Hundreds of megabytes are written where nobody waits for the thread.
    let written = tokio::task::spawn_blocking(move || {
        reply::json(StatusCode::OK, &json(evidence::written(found, app.state_root())))
    });
    written.await.map_err(|_| crate::error::RequestError::Panicked)?
}

async fn node(call: Call) -> Result<Response, ApiError> {
    let found = call.app.flows().node(call.id("run_id"), call.id("node_id")).await?;
    match found.evidence() {
        Some(node) => reply::json(StatusCode::OK, &evidence::node(&found.run_id, &node)),
        None => Err(RunError::NotFound(format!("{}/{}", found.run_id, found.node.id)).into()),
    }
}

async fn detail(call: Call) -> Result<Response, ApiError> {
    let values = call.one("values")?.is_none() || call.flag("values")?;
    let found = call.app.flows().node(call.id("run_id"), call.id("node_id")).await?;
    let mut tasks = vec![node_detail::Tasks::default(); found.calls.len()];
    for (tasks, made) in tasks.iter_mut().zip(&found.calls).rev().take(TASKS) {
        let mut last = None;
        for key in &made.task_keys {
            let Some(view) = call.app.channel().task_by_key(key).await? else { break };
            tasks.lost.extend(last.replace(view).map(|before: TaskView| before.task.id.as_str().to_owned()));
        }
        tasks.last = last.map(|view| channel_task::written(&view, None).into());
    }
    let written = tokio::task::spawn_blocking(move || {
        reply::json(StatusCode::OK, &json(node_detail::written(&found, tasks, values)))
    });
    written.await.map_err(|_| crate::error::RequestError::Panicked)?
}
