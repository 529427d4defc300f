//! Replays: a Run again with the flow as it is saved now, without what is unchanged.

use axum::{http::StatusCode, response::Response};

use super::{json, key};
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{authorization, replay, run_request},
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/api/v1/runs/{run_id}/replay-plan",
        name: "planReplay",
        about: "What a replay would take over, and why not the rest. Nothing is stored.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&replay::PLAN_REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&replay::PLAN))],
        call: |call| Box::pin(plan(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/runs/{run_id}/replays",
        name: "replayRun",
        about: "Runs the flow as it is saved now with every unchanged result of the parent.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&replay::REQUEST)] }),
        replies: &[
            table::reply(StatusCode::ACCEPTED, Shape::Named(&run_request::RUN_ADMISSION)),
            authorization::REQUIRED,
        ],
        call: |call| Box::pin(replay_run(call)),
    },
];

async fn plan(call: Call) -> Result<Response, ApiError> {
    let request = replay::read(call.id("run_id"), &call.object()?, None)?;
    let plan = call.app.flows().plan_replay(&request).await?;
    reply::json(StatusCode::OK, &json(replay::plan(&plan)))
}

async fn replay_run(call: Call) -> Result<Response, ApiError> {
    let request = replay::read(call.id("run_id"), &call.object()?, key(&call)?)?;
    let admitted = call.app.flows().replay(request).await?;
    reply::json(StatusCode::ACCEPTED, &json(run_request::admission(&admitted)))
}
