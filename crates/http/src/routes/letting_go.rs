//! Letting Runs go, and taking back those that were set aside.

use axum::{http::StatusCode, response::Response};
use segue_model::flow::json::object;

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::{Named, Shape, has},
    table::{self, Body, Method, Query, Route},
    wire::run,
};

const FORGOTTEN: Named = Named {
    name: "ForgottenRun",
    about: "",
    shape: Shape::Exact(&[has("run_id", Shape::Text), has("forgotten", Shape::Flag)]),
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Delete,
        path: "/api/v1/runs/{run_id}",
        name: "forgetRun",
        about: "Removes a Run that has ended, with everything that was recorded of it. What other Runs took over of it stays.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&FORGOTTEN))],
        call: |call| Box::pin(forget(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/runs/{run_id}/restorations",
        name: "restoreRun",
        about: "Loads a Run again that was set aside because it could not be loaded. One that was active goes on.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run::SUMMARY))],
        call: |call| Box::pin(restore(call)),
    },
];

async fn forget(call: Call) -> Result<Response, ApiError> {
    let run = call.app.flows().forget(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(object([("run_id", (&run).into()), ("forgotten", true.into())])))
}

async fn restore(call: Call) -> Result<Response, ApiError> {
    call.object()?;
    let run = call.app.flows().restore(call.id("run_id")).await?;
    let found = call.app.flows().run(run.as_str()).await?;
    reply::json(StatusCode::OK, &json(run::summary(&found, &[], call.app.state_root())))
}
