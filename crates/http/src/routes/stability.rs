//! `/api/v1/tasks/{task_id}/stability` (contract §18).

use axum::{http::StatusCode, response::Response};
use segue_model::flow::Hash;

use crate::{
    call::Call,
    error::{ApiError, RequestError},
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::stability,
};

const PARAMETERS: &[Parameter] = &[Parameter::required("flow_hash", Shape::Text, "64 lower-case hex digits.")];

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/tasks/{task_id}/stability",
    name: "getStability",
    about: "How a flow of a task behaved over its Runs.",
    query: Query::Only(PARAMETERS),
    body: None,
    replies: &[table::reply(StatusCode::OK, Shape::Named(&stability::STABILITY))],
    call: |call| Box::pin(stability(call)),
}];

async fn stability(call: Call) -> Result<Response, ApiError> {
    let hash = Hash::parse(call.required("flow_hash")?);
    let hash = hash.ok_or_else(|| RequestError::Query("flow_hash must be 64 lower-case hex digits".to_owned()))?;
    reply::json(StatusCode::OK, &call.app.flows().stability(call.id("task_id"), &hash).await?)
}
