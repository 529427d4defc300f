//! `/api/v1/runs/{run_id}/why`: what blocks a Run, or why it ended as it did.

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Query, Route},
    wire::why,
};

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/runs/{run_id}/why",
    name: "getRunWhy",
    about: "What blocks a Run, or why it ended as it did.",
    query: Query::Only(&[]),
    body: None,
    replies: &[table::reply(StatusCode::OK, Shape::Named(&why::WHY))],
    call: |call| Box::pin(get(call)),
}];

async fn get(call: Call) -> Result<Response, ApiError> {
    let why = call.app.flows().why(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(why::written(call.id("run_id"), why)))
}
