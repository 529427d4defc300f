//! Runs as the origin's own pages start, show and cancel them (contract §20).

use axum::{http::StatusCode, response::Response};
use segue_flow::api::{Admit, Admitted, NewRun, Target};
use segue_model::flow::{Document, Json, fields::Fields};

use super::{artifacts, json, key};
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Content, Method, Parameter, Query, Reply, Route},
    wire::{authorization, run_projection},
};

/// Runs of a page: each is shown with all that its steps returned.
const LIMIT: usize = 20;
const LIMIT_MAX: u64 = 100;

const PAGE: &[Parameter] = &[
    Parameter::optional("limit", Shape::Integer, "At most this many (1-100, 20 by default)."),
    Parameter::optional("before", Shape::Text, "Only Runs behind this one: the last `run_id` of the page before."),
];

const STARTED: &[Reply] =
    &[table::reply(StatusCode::ACCEPTED, Shape::Named(&run_projection::LOCAL_RUN)), authorization::REQUIRED];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/flows/runs",
        name: "listRunProjections",
        about: "Runs with all that their steps returned, newest first, a page at a time.",
        query: Query::Only(PAGE),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::List(&Shape::Named(&run_projection::RUN)))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/runs",
        name: "saveAndRunFlow",
        about: "Saves a new flow and admits a Run of it: both, or neither.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&run_projection::NEW_RUN_REQUEST)] }),
        replies: STARTED,
        call: |call| Box::pin(run_new(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/flows/runs/{run_id}",
        name: "getRunProjection",
        about: "A Run with all that its steps returned.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&run_projection::RUN))],
        call: |call| Box::pin(get(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/runs/{run_id}/cancel",
        name: "cancelRunProjection",
        about: "Requests the end of a Run: 202 if this request moved it from running, else 200.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[
            table::reply(StatusCode::ACCEPTED, Shape::Named(&run_projection::RUN)),
            table::reply(StatusCode::OK, Shape::Named(&run_projection::RUN)),
        ],
        call: |call| Box::pin(cancel(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/{local_id}/runs",
        name: "runSavedFlow",
        about: "Admits a Run of a saved flow.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&run_projection::LOCAL_RUN_REQUEST)] }),
        replies: STARTED,
        call: |call| Box::pin(run_saved(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/flow-artifacts/{artifact_id}",
        name: "getFlowArtifact",
        about: "The bytes of an artifact, as under its versioned address.",
        query: Query::Ignored,
        body: None,
        replies: &[Reply { status: StatusCode::OK, content: Content::Bytes }],
        call: |call| Box::pin(artifacts::content(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let limit = call.number("limit", 1..=LIMIT_MAX)?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT);
    let runs = call.app.flows().projections(call.one("before")?, limit).await?;
    let runs: Vec<Json> = runs.iter().map(|run| json(run_projection::written(run))).collect();
    reply::json(StatusCode::OK, &runs)
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let run = call.app.flows().projection(call.id("run_id")).await?;
    reply::json(StatusCode::OK, &json(run_projection::written(&run)))
}

async fn cancel(call: Call) -> Result<Response, ApiError> {
    call.object()?;
    let (_, cancelled) = call.app.flows().cancel(call.id("run_id"), None, None).await?;
    let status = if cancelled.accepted { StatusCode::ACCEPTED } else { StatusCode::OK };
    let run = call.app.flows().projection(call.id("run_id")).await?;
    reply::json(status, &json(run_projection::written(&run)))
}

async fn run_saved(call: Call) -> Result<Response, ApiError> {
    let (profile, inputs, authorization) = run_projection::read_local_run(&call.object()?)?;
    let target = Target::Local(call.id("local_id").to_owned());
    let admitted = call.app.flows().admit(Admit { target, profile, inputs, authorization, key: key(&call)? }).await?;
    started(&call, &admitted).await
}

async fn run_new(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let (profile, inputs, authorization) = run_projection::read_local_run(&body)?;
    let fields = Fields::new(&body, "");
    let flow = fields.object("flow")?.ok_or_else(|| fields.problem("flow", "must be an object"))?;
    let document = Document::from(flow.members().clone());
    let request = NewRun { profile, inputs, authorization, key: key(&call)? };
    let admitted = call.app.flows().admit_new(document, request).await?;
    started(&call, &admitted).await
}

async fn started(call: &Call, admitted: &Admitted) -> Result<Response, ApiError> {
    let run = call.app.flows().projection(admitted.run_id.as_str()).await?;
    reply::json(StatusCode::ACCEPTED, &json(run_projection::local_run(&run)))
}
