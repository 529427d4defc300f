//! The evidence of a Run: all of it, one node, or the flow that it was admitted with.

use axum::{http::StatusCode, response::Response};
use segue_flow::error::RunError;

use super::json;
use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Query, Route},
    wire::{evidence, run_flow},
};

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
        path: "/api/v1/runs/{run_id}/flow",
        name: "getRunFlow",
        about: "The flow that a Run was admitted with, whatever became of the saved one.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run_flow::FLOW))],
        call: |call| Box::pin(flow(call)),
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
    let (run, node) = (call.id("run_id"), call.id("node_id"));
    let found = call.app.flows().evidence(run).await?;
    match found.nodes.iter().find(|found| found.node_id.as_str() == node) {
        Some(node) => reply::json(StatusCode::OK, &evidence::node(&found.run.run_id, node)),
        None => Err(RunError::NotFound(format!("{run}/{}", node.chars().take(80).collect::<String>())).into()),
    }
}

async fn flow(call: Call) -> Result<Response, ApiError> {
    let found = call.app.flows().flow_of(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(run_flow::written(call.id("run_id"), &found)))
}
