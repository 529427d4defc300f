//! Saved flows: save, list, read, replace, delete, validate, and run by portable id.

use axum::{
    http::{
        HeaderValue, StatusCode,
        header::{ETAG, IF_MATCH},
    },
    response::Response,
};
use segue_flow::api::{Admit, SavedFlow, Target};
use segue_model::flow::Document;

use super::{json, key};
use crate::{
    body::BODY_MAX,
    call::Call,
    error::{ApiError, RequestError},
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{authorization, problem, run_request, saved_flow},
};

const SAVE: Option<Body> = Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&saved_flow::SAVE_REQUEST)] });

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/flows",
        name: "listFlows",
        about: "The saved flows, newest first.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::List(&Shape::Named(&saved_flow::SAVED_FLOW)))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows",
        name: "saveFlow",
        about: "Saves a new flow, pinned to the capabilities as they are now.",
        query: Query::Ignored,
        body: SAVE,
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&saved_flow::SAVED_FLOW))],
        call: |call| Box::pin(save(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/validate",
        name: "validateFlow",
        about: "Whether a document can be run. Nothing is stored.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&saved_flow::VALIDATION))],
        call: |call| Box::pin(validate(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/flows/{local_id}",
        name: "getFlow",
        about: "One saved flow.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&saved_flow::SAVED_FLOW))],
        call: |call| Box::pin(get(call)),
    },
    Route {
        method: Method::Put,
        path: "/api/flows/{local_id}",
        name: "replaceFlow",
        about: "Replaces a saved flow. Runs under way keep what they were admitted with.",
        query: Query::Ignored,
        body: SAVE,
        replies: &[
            table::reply(StatusCode::OK, Shape::Named(&saved_flow::SAVED_FLOW)),
            table::reply(StatusCode::PRECONDITION_FAILED, Shape::Named(&problem::PROBLEM)),
        ],
        call: |call| Box::pin(replace(call)),
    },
    Route {
        method: Method::Delete,
        path: "/api/flows/{local_id}",
        name: "deleteFlow",
        about: "Deletes a saved flow. Its Runs stay.",
        query: Query::Ignored,
        body: None,
        replies: &[
            table::reply(StatusCode::OK, Shape::Named(&saved_flow::DELETED)),
            table::reply(StatusCode::PRECONDITION_FAILED, Shape::Named(&problem::PROBLEM)),
        ],
        call: |call| Box::pin(delete(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/flows/{flow_id}/runs",
        name: "admitRun",
        about: "Admits a Run of the one saved flow with this portable id.",
        query: Query::Ignored,
        body: Some(Body {
            max: BODY_MAX,
            shapes: &[Shape::Named(&run_request::RUN_REQUEST), Shape::Named(&run_request::AUTHORIZED_RUN_REQUEST)],
        }),
        replies: &[
            table::reply(StatusCode::ACCEPTED, Shape::Named(&run_request::RUN_ADMISSION)),
            authorization::REQUIRED,
        ],
        call: |call| Box::pin(admit(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let flows: Vec<_> = call.app.flows().flows().await?.into_iter().map(saved_flow::written).collect();
    reply::json(StatusCode::OK, &flows)
}

async fn save(call: Call) -> Result<Response, ApiError> {
    let (document, template) = saved_flow::read(&call.object()?)?;
    let saved = call.app.flows().save_flow(document, template).await?;
    tagged(StatusCode::CREATED, saved)
}

async fn validate(call: Call) -> Result<Response, ApiError> {
    let result = call.app.flows().validate_flow(Document::from(call.object()?)).await?;
    reply::json(StatusCode::OK, &result)
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let saved = call.app.flows().flow(call.id("local_id")).await?;
    tagged(StatusCode::OK, saved)
}

async fn replace(call: Call) -> Result<Response, ApiError> {
    let (document, template) = saved_flow::read(&call.object()?)?;
    let saved = call.app.flows().replace_flow(call.id("local_id"), document, template, base(&call)?).await?;
    tagged(StatusCode::OK, saved)
}

/// With its version, so that whoever replaces it can say what is replaced.
fn tagged(status: StatusCode, saved: SavedFlow) -> Result<Response, ApiError> {
    let version = HeaderValue::try_from(format!("\"{}\"", saved.version));
    let mut reply = reply::json(status, &saved_flow::written(saved))?;
    if let Ok(version) = version {
        reply.headers_mut().insert(ETAG, version);
    }
    Ok(reply)
}

/// The version that a caller means to replace or delete; `None` is whatever is there.
fn base(call: &Call) -> Result<Option<u64>, RequestError> {
    let Some(asked) = call.header(IF_MATCH.as_str()).map(str::trim).filter(|asked| *asked != "*") else {
        return Ok(None);
    };
    let version = asked.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(|text| text.parse().ok());
    let refuse = || RequestError::Query("if-match must be the ETag of a saved flow, or *".to_owned());
    version.map(Some).ok_or_else(refuse)
}

async fn delete(call: Call) -> Result<Response, ApiError> {
    let id = call.id("local_id");
    call.app.flows().delete_version(id, base(&call)?).await?;
    reply::json(StatusCode::OK, &json(saved_flow::deleted(id)))
}

async fn admit(call: Call) -> Result<Response, ApiError> {
    let run_request::RunRequest { profile, inputs, authorization } = run_request::read(&call.object()?)?;
    let target = Target::Portable(call.id("flow_id").to_owned());
    let admitted = call.app.flows().admit(Admit { target, profile, inputs, authorization, key: key(&call)? }).await?;
    reply::json(StatusCode::ACCEPTED, &json(run_request::admission(&admitted)))
}
