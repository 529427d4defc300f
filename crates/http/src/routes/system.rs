//! `/api/v1/system`: the status of the runtime.

use axum::{http::StatusCode, response::Response};

use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{Content, Method, Query, Reply, Route},
    wire::system,
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/system/status",
        name: "getSystemStatus",
        about: "What runs here, and which executors are installed.",
        query: Query::Ignored,
        body: None,
        replies: &[crate::table::reply(StatusCode::OK, Shape::Named(&system::STATUS))],
        call: |call| Box::pin(status(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/system/settings",
        name: "getSettings",
        about: "Where this server keeps things, and what it works in.",
        query: Query::Only(&[]),
        body: None,
        replies: &[crate::table::reply(StatusCode::OK, Shape::Named(&system::SETTINGS))],
        call: |call| Box::pin(settings(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/openapi.json",
        name: "getDocument",
        about: "This document.",
        query: Query::Ignored,
        body: None,
        replies: &[Reply { status: StatusCode::OK, content: Content::Json(Shape::Map) }],
        call: |call| Box::pin(document(call)),
    },
];

async fn status(call: Call) -> Result<Response, ApiError> {
    let app = call.app.clone();
    // Looks for programs along the PATH.
    let status = tokio::task::spawn_blocking(move || system::written(app.flows(), app.state_root())).await;
    reply::json(StatusCode::OK, &status.map_err(|_| crate::error::RequestError::Panicked)?)
}

async fn settings(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &system::settings(&call.app))
}

async fn document(_call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &crate::openapi::document())
}
