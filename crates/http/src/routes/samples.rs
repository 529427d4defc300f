//! `/api/v1/samples`: what the sample capabilities call.

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::sample,
};

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/api/v1/samples/http-json",
    name: "callSample",
    about: "Gives the context back with a mark.",
    query: Query::Ignored,
    body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&sample::REQUEST)] }),
    replies: &[table::reply(StatusCode::OK, Shape::Named(&sample::REPLY))],
    call: |call| Box::pin(http_json(call)),
}];

async fn http_json(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &json(sample::answered(&call.object()?)?))
}
