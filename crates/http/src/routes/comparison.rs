//! `/api/v1/runs/{run_id}/comparison` (contract §17).

use axum::{http::StatusCode, response::Response};

use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::comparison,
};

const PARAMETERS: &[Parameter] = &[Parameter::required("other_run_id", Shape::Text, "The Run on the right.")];

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/runs/{run_id}/comparison",
    name: "compareRuns",
    about: "Two Runs of one task and flow side by side.",
    query: Query::Only(PARAMETERS),
    body: None,
    replies: &[table::reply(StatusCode::OK, Shape::Named(&comparison::COMPARISON))],
    call: |call| Box::pin(compare(call)),
}];

async fn compare(call: Call) -> Result<Response, ApiError> {
    let report = call.app.flows().compare(call.id("run_id"), call.required("other_run_id")?).await?;
    reply::json(StatusCode::OK, &report)
}
