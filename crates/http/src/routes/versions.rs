//! `/api/v1/flows/{flow_id}/versions`: what a saved flow was before it was changed.

use axum::{http::StatusCode, response::Response};
use segue_flow::api::VERSIONS_MAX;

use super::json;
use crate::{
    call::Call,
    error::{ApiError, RequestError},
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::flow_version,
};

/// Versions of a page.
const LIMIT: usize = 20;

const PAGE: &[Parameter] = &[
    Parameter::optional("limit", Shape::Integer, "At most this many (1-100, 20 by default)."),
    Parameter::optional("before", Shape::Integer, "Only versions before this one."),
];
const BOTH: &[Parameter] = &[
    Parameter::required("before", Shape::Integer, "The earlier version."),
    Parameter::required("after", Shape::Integer, "The later version."),
];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/flows/{flow_id}/versions",
        name: "listFlowVersions",
        about: "The versions of a saved flow, by its portable or its local id.",
        query: Query::Only(PAGE),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&flow_version::LIST))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/flows/{flow_id}/versions/{version}",
        name: "getFlowVersion",
        about: "One version of a saved flow, with its document.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&flow_version::VERSION))],
        call: |call| Box::pin(get(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/flows/{flow_id}/difference",
        name: "compareFlowVersions",
        about: "What is different between two versions of a saved flow.",
        query: Query::Only(BOTH),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&flow_version::DIFFERENCE))],
        call: |call| Box::pin(compare(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let limit = call.number("limit", 1..=VERSIONS_MAX as u64)?;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT);
    let before = call.number("before", 0..=u64::MAX)?;
    let (versions, more) = call.app.flows().versions(call.id("flow_id"), before, limit).await?;
    reply::json(StatusCode::OK, &json(flow_version::list(&versions, more)))
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let text = call.id("version");
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let version = text.parse().ok().filter(|_| is_decimal);
    let version = version.ok_or_else(|| RequestError::Query("a version is a number".to_owned()))?;
    let version = call.app.flows().version(call.id("flow_id"), version).await?;
    reply::json(StatusCode::OK, &json(flow_version::written(version)))
}

async fn compare(call: Call) -> Result<Response, ApiError> {
    let number = |name: &str| -> Result<u64, RequestError> {
        call.required(name)?;
        Ok(call.number(name, 1..=u64::MAX)?.unwrap_or_default())
    };
    let (before, after) = (number("before")?, number("after")?);
    let found = call.app.flows().compare_versions(call.id("flow_id"), before, after).await?;
    reply::json(StatusCode::OK, &json(flow_version::difference(&found)))
}
