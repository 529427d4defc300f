//! `/api/v1/runs/{run_id}/outcome` (contract §12.2).

use axum::{http::StatusCode, response::Response};

use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Query, Route},
    wire::outcome,
};

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/runs/{run_id}/outcome",
    name: "getRunOutcome",
    about: "How far a Run is, what it made, why it failed.",
    query: Query::Only(&[]),
    body: None,
    replies: &[table::reply(StatusCode::OK, Shape::Named(&outcome::OUTCOME))],
    call: |call| Box::pin(outcome(call)),
}];

async fn outcome(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &call.app.flows().outcome(call.id("run_id")).await?)
}
