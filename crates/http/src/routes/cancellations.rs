//! `/api/v1/runs/{run_id}/cancellations` (contract §12.3).

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::cancellation,
};

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/api/v1/runs/{run_id}/cancellations",
    name: "cancelRun",
    about: "Requests the end of a Run: 202 if this request moved it from running, else 200.",
    query: Query::Only(&[]),
    body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&cancellation::CANCELLATION_REQUEST)] }),
    replies: &[
        table::reply(StatusCode::ACCEPTED, Shape::Named(&cancellation::CANCELLATION)),
        table::reply(StatusCode::OK, Shape::Named(&cancellation::CANCELLATION)),
    ],
    call: |call| Box::pin(cancel(call)),
}];

async fn cancel(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let flow_id = cancellation::read(&body)?;
    let (run, cancelled) = call.app.flows().cancel(call.id("run_id"), Some(flow_id), None).await?;
    let status = if cancelled.accepted { StatusCode::ACCEPTED } else { StatusCode::OK };
    reply::json(status, &json(cancellation::written(&run, flow_id, cancelled)))
}
