//! `/api/v1/run-history` (contract §12.4).

use axum::{http::StatusCode, response::Response};
use segue_model::reading::history::Query as History;

use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::history,
};

const PARAMETERS: &[Parameter] = &[
    Parameter::required("flow_id", Shape::Text, "A portable flow id; 1 to 32 distinct ones.").repeated(),
    Parameter::required("limit", Shape::Integer, "At most this many (1-100)."),
];

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/run-history",
    name: "getRunHistory",
    about: "Runs of some flows, newest first.",
    query: Query::Only(PARAMETERS),
    body: None,
    replies: &[table::reply(StatusCode::OK, Shape::Named(&history::HISTORY))],
    call: |call| Box::pin(history(call)),
}];

async fn history(call: Call) -> Result<Response, ApiError> {
    let query = History::read(call.query())?;
    reply::json(StatusCode::OK, &call.app.flows().history(query).await?)
}
