//! `/api/v1/capabilities`: what nodes can be bound to (contract §11, §13).

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{self, capability},
};

const DEFINITION: Option<Body> =
    Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&capability::WRAPPED), Shape::Named(&capability::DEFINITION)] });

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/capabilities",
        name: "listCapabilities",
        about: "The capabilities. One whose program is gone is unavailable.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, capability::LIST)],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/capabilities",
        name: "saveCapability",
        about: "Saves a new capability.",
        query: Query::Ignored,
        body: DEFINITION,
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&capability::CAPABILITY))],
        call: |call| Box::pin(save(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/capabilities/validate",
        name: "validateCapability",
        about: "Checks a definition and, with `probe`, tries it. Nothing is stored.",
        query: Query::Ignored,
        body: DEFINITION,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&capability::VALIDATION))],
        call: |call| Box::pin(validate(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/capabilities/discover",
        name: "discoverCapabilities",
        about: "Looks for agents on this machine. Nothing is stored.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[table::reply(StatusCode::OK, capability::LIST)],
        call: |call| Box::pin(discover(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/capabilities/{capability_id}/probe",
        name: "probeCapability",
        about: "Tries a saved capability and keeps what was seen.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&capability::CAPABILITY))],
        call: |call| Box::pin(probe(call)),
    },
    Route {
        method: Method::Delete,
        path: "/api/v1/capabilities/{capability_id}",
        name: "deleteCapability",
        about: "Deletes a capability that no saved flow uses.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&capability::DELETED))],
        call: |call| Box::pin(delete(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let saved = call.app.flows().capabilities().await?;
    reply::json(StatusCode::OK, &json(wire::items(saved.iter().map(|saved| saved.to_json()))))
}

async fn save(call: Call) -> Result<Response, ApiError> {
    let (definition, _) = capability::read(call.object()?);
    let saved = call.app.flows().save_capability(&definition).await?;
    reply::json(StatusCode::CREATED, &saved.to_json())
}

async fn validate(call: Call) -> Result<Response, ApiError> {
    let (definition, wants_probe) = capability::read(call.object()?);
    let flows = call.app.flows();
    let checked = flows.check_capability(&definition)?;
    let probe = if wants_probe { Some(flows.probe(&checked).await) } else { None };
    reply::json(StatusCode::OK, &json(capability::validation(checked, probe.as_ref())))
}

async fn discover(call: Call) -> Result<Response, ApiError> {
    call.object()?;
    let found = call.app.flows().discover().await?;
    reply::json(StatusCode::OK, &json(wire::items(found.into_iter().map(capability::unsaved))))
}

async fn probe(call: Call) -> Result<Response, ApiError> {
    call.object()?;
    let saved = call.app.flows().test_connection(call.id("capability_id")).await?;
    reply::json(StatusCode::OK, &saved.to_json())
}

async fn delete(call: Call) -> Result<Response, ApiError> {
    let id = call.id("capability_id");
    call.app.flows().delete_capability(id).await?;
    reply::json(StatusCode::OK, &json(capability::deleted(id)))
}
