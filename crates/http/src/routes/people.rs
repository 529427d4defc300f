//! What people say to Runs: answers to questions, decisions about nodes that may have written.

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Query, Route},
    wire::answer,
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/api/v1/runs/{run_id}/nodes/{node_id}/answers",
        name: "answerNode",
        about: "Answers the question of a `human.task`.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&answer::ANSWER)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&answer::RECORDED))],
        call: |call| Box::pin(answer_node(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/runs/{run_id}/nodes/{node_id}/decisions",
        name: "decideNode",
        about: "Decides about a node that may have written before it was lost.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&answer::DECISION)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&answer::RECORDED))],
        call: |call| Box::pin(decide(call)),
    },
];

async fn answer_node(call: Call) -> Result<Response, ApiError> {
    let (run, node) = (call.id("run_id"), call.id("node_id"));
    call.app.flows().answer(run, answer::read(node, &call.object()?)?).await?;
    reply::json(StatusCode::OK, &json(answer::recorded(run, node)))
}

async fn decide(call: Call) -> Result<Response, ApiError> {
    let (run, node) = (call.id("run_id"), call.id("node_id"));
    let (decision, actor) = answer::read_decision(&call.object()?)?;
    call.app.flows().decide(run, node, decision, actor).await?;
    reply::json(StatusCode::OK, &json(answer::recorded(run, node)))
}
