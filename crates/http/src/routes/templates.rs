//! What a flow can begin with, and what a document would do: templates, node types, drafts, plans (contract §20).

use axum::{http::StatusCode, response::Response};
use segue_model::flow::{Document, Granularity, Json, NodeKind};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Parameter, Query, Route},
    wire::{plan, template},
};

const CARDS: &[Parameter] = &[Parameter::optional(
    "all",
    Shape::Flag,
    "Every type that there is; without it the three that the origin's pages know.",
)];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/flow-templates",
        name: "listFlowTemplates",
        about: "What a flow can begin with.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::List(&Shape::Named(&template::TEMPLATE)))],
        call: |call| Box::pin(templates(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/flow-nodes",
        name: "listNodeTypes",
        about: "The types of nodes.",
        query: Query::Only(CARDS),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::List(&Shape::Named(&template::NODE_CARD)))],
        call: |call| Box::pin(cards(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/draft",
        name: "draftFlow",
        about: "Makes a document of a template. Nothing is stored.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&template::DRAFT_REQUEST)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&template::DRAFT))],
        call: |call| Box::pin(draft(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/flows/render-plan",
        name: "planFlow",
        about: "What a document would do here and now, also of one that cannot be run. Nothing is stored.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Map] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&plan::PLAN))],
        call: |call| Box::pin(render(call)),
    },
];

async fn templates(_call: Call) -> Result<Response, ApiError> {
    let templates: Vec<Json> = Granularity::ALL.iter().copied().map(template::template).collect();
    reply::json(StatusCode::OK, &templates)
}

async fn cards(call: Call) -> Result<Response, ApiError> {
    let kinds = if call.flag("all")? { NodeKind::ALL } else { &template::CARDS };
    let cards: Vec<Json> = kinds.iter().copied().map(template::card).collect();
    reply::json(StatusCode::OK, &cards)
}

async fn draft(call: Call) -> Result<Response, ApiError> {
    let made = template::read_draft(&call.object()?)?;
    let validation = call.app.flows().validate_flow(made.document.clone()).await?;
    let planned = call.app.flows().plan_flow(made.document.clone()).await?;
    reply::json(StatusCode::OK, &json(template::draft(made, validation, plan::written(&planned))))
}

async fn render(call: Call) -> Result<Response, ApiError> {
    let planned = call.app.flows().plan_flow(Document::from(call.object()?)).await?;
    reply::json(StatusCode::OK, &json(plan::written(&planned)))
}
