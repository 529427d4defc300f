//! One Run beside its nodes, what it executes, and what waits for somebody over all Runs.

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Query, Route},
    wire::run_detail,
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/detail",
        name: "getRunDetail",
        about: "Where a Run came from, what it was allowed to do, what became of a request to cancel it.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run_detail::DETAIL))],
        call: |call| Box::pin(detail(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/runs/{run_id}/flow",
        name: "getRunFlow",
        about: "What a Run executes, as it was when the Run was admitted.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run_detail::FLOW))],
        call: |call| Box::pin(flow(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/waiting",
        name: "listWaiting",
        about: "Everything that waits for somebody, over all Runs of the workspace.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run_detail::WAITING_LIST))],
        call: |call| Box::pin(waiting(call)),
    },
];

async fn detail(call: Call) -> Result<Response, ApiError> {
    let detail = call.app.flows().run_detail(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(run_detail::written(&detail, call.app.state_root())))
}

async fn flow(call: Call) -> Result<Response, ApiError> {
    let flow = call.app.flows().flow_of_run(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(run_detail::flow(flow)))
}

async fn waiting(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &json(run_detail::waiting_list(&call.app.flows().waiting().await?)))
}
