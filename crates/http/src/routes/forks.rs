//! `/api/v1/runs/{run_id}/forks` (contract §16).

use axum::{http::StatusCode, response::Response};
use segue_flow::api::Fork;

use super::{json, key};
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{authorization, fork_request},
};

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/api/v1/runs/{run_id}/forks",
    name: "forkRun",
    about: "Runs a node of an ended Run and all that follows it again, in a new Run.",
    query: Query::Ignored,
    body: Some(Body {
        max: BODY_MAX,
        shapes: &[
            Shape::Named(&fork_request::FORK_REQUEST),
            Shape::Named(&fork_request::AUTHORIZED_FORK_REQUEST),
            Shape::Named(&fork_request::CHANGED_FORK_REQUEST),
        ],
    }),
    replies: &[
        table::reply(StatusCode::ACCEPTED, Shape::Named(&fork_request::FORK_ADMISSION)),
        authorization::REQUIRED,
    ],
    call: |call| Box::pin(fork(call)),
}];

async fn fork(call: Call) -> Result<Response, ApiError> {
    let fork_request::ForkRequest { from_node, inputs, authorization } = fork_request::read(&call.object()?)?;
    let parent = call.id("run_id").to_owned();
    let request = Fork { parent, from_node: from_node.clone(), inputs, authorization, key: key(&call)? };
    let admitted = call.app.flows().fork(request).await?;
    reply::json(StatusCode::ACCEPTED, &json(fork_request::admission(call.id("run_id"), &from_node, &admitted)))
}
