//! `/api/v1/channel/kept-agents`: agents that were kept after a turn.

use axum::{http::StatusCode, response::Response};

use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::{channel_agent, channel_task::Members},
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/channel/kept-agents",
        name: "listKeptAgents",
        about: "Agents that are kept after a turn, and turns that will keep theirs.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::KEPT_LIST))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/channel/kept-agents/{handle}/extensions",
        name: "extendAgent",
        about: "Keeps an agent for longer.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&channel_agent::EXTENSION)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::EXTENDED))],
        call: |call| Box::pin(extend(call)),
    },
    Route {
        method: Method::Delete,
        path: "/api/v1/channel/kept-agents/{handle}",
        name: "releaseAgent",
        about: "Ends a kept agent and returns once its end is known.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::RELEASED))],
        call: |call| Box::pin(release(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &channel_agent::kept_list(&call.app.channel().kept_agents().await?))
}

async fn extend(call: Call) -> Result<Response, ApiError> {
    let body = Members::of(call.map()?, &["keep_idle", "keep_turns"])?;
    let (idle, turns) = (body.integer("keep_idle")?, body.integer("keep_turns")?);
    let extended = call.app.channel().extend_agent(call.id("handle"), idle, turns).await?;
    reply::json(StatusCode::OK, &channel_agent::extended(&extended))
}

async fn release(call: Call) -> Result<Response, ApiError> {
    let released = call.app.channel().release_agent(call.id("handle")).await?;
    reply::json(StatusCode::OK, &channel_agent::released(&released))
}
