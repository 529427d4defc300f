//! `/api/v1/integration-bundles` (contract §19).

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::bundle,
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/api/v1/integration-bundles/preview",
        name: "previewBundle",
        about: "What an installation would do. Nothing is stored.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&bundle::PREVIEW_REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&bundle::PLAN))],
        call: |call| Box::pin(preview(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/integration-bundles",
        name: "installBundle",
        about: "Installs all of a bundle whose plan was seen, or nothing.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&bundle::INSTALL_REQUEST)] }),
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&bundle::INSTALLATION))],
        call: |call| Box::pin(install(call)),
    },
];

async fn preview(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let plan = call.app.flows().preview_bundle(bundle::read_preview(&body)?).await?;
    reply::json(StatusCode::OK, &plan)
}

async fn install(call: Call) -> Result<Response, ApiError> {
    let body = call.object()?;
    let (bundle, hash, phrase) = bundle::read_install(&body)?;
    let installed = call.app.flows().install_bundle(bundle, hash, phrase).await?;
    reply::json(StatusCode::CREATED, &json(bundle::installation(installed)))
}
