//! What would happen, without anything happening: previews of Runs and of schedules, and which granularity suits a
//! description.

use axum::{http::StatusCode, response::Response};
use segue_flow::{
    api::{Admit, Target},
    error::{AdmitError, FlowError},
};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{preview, schedule},
};

/// Ticks that a preview of a schedule shows: enough to see a pattern repeat.
const TICKS: usize = 3;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/api/v1/flows/{flow_id}/preview",
        name: "previewRun",
        about: "What a Run of a saved flow would do and have to be allowed, by its portable or its local id. Nothing is stored.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&preview::REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&preview::PREVIEW))],
        call: |call| Box::pin(run(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/schedule-previews",
        name: "previewSchedule",
        about: "The next three ticks of a cron pattern in a time zone, or why it is none. Nothing is stored.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&schedule::PREVIEW_REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&schedule::PREVIEW))],
        call: |call| Box::pin(ticks(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/flow-suggestions",
        name: "suggestFlow",
        about: "Which granularity suits a description, and what there is to run it with. Nothing is stored or run.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&preview::SUGGESTION_REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&preview::SUGGESTION))],
        call: |call| Box::pin(suggest(call)),
    },
];

async fn run(call: Call) -> Result<Response, ApiError> {
    let (profile, inputs) = preview::read(&call.object()?)?;
    let id = call.id("flow_id").to_owned();
    let of = |target: Target| Admit { target, profile, inputs: inputs.clone(), authorization: None, key: None };
    let found = match call.app.flows().preview(of(Target::Local(id.clone()))).await {
        Err(AdmitError::Flow(FlowError::NotFound(_))) => call.app.flows().preview(of(Target::Portable(id))).await,
        found => found,
    };
    reply::json(StatusCode::OK, &json(preview::written(&found?)))
}

async fn ticks(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let (cron, zone) = schedule::read_preview(&body)?;
    let ticks = call.app.flows().next_ticks(cron, zone, TICKS)?;
    reply::json(StatusCode::OK, &json(schedule::preview(&ticks)))
}

async fn suggest(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let description = preview::read_description(&body)?.to_owned();
    let capabilities = call.app.flows().capabilities().await?;
    let flows = call.app.flows().clone();
    // Looks for programs along the PATH.
    let made = tokio::task::spawn_blocking(move || {
        preview::suggestion(&description, |profile| flows.is_available(profile), &capabilities)
    });
    let made = made.await.map_err(|_| crate::error::RequestError::Panicked)?;
    reply::json(StatusCode::OK, &json(made))
}
