//! Local tasks and the built-in writing flows that they run (contract §11).

use axum::{http::StatusCode, response::Response};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::{Shape, has},
    table::{self, Body, Method, Query, Route},
    wire::{self, flow_definition, local_task},
};

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/tasks",
        name: "listLocalTasks",
        about: "The local tasks, those of saved flows among them, newest first.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(
            StatusCode::OK,
            Shape::Exact(&[has("items", Shape::List(&Shape::Named(&local_task::TASK)))]),
        )],
        call: |call| Box::pin(tasks(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/tasks",
        name: "addLocalTask",
        about: "Adds a task that runs the built-in flow of its granularity.",
        query: Query::Ignored,
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&local_task::REQUEST)] }),
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&local_task::TASK))],
        call: |call| Box::pin(add(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/flows",
        name: "listBuiltInFlows",
        about: "The built-in flow of each task.",
        query: Query::Ignored,
        body: None,
        replies: &[table::reply(
            StatusCode::OK,
            Shape::Exact(&[has("items", Shape::List(&Shape::Named(&flow_definition::FLOW)))]),
        )],
        call: |call| Box::pin(flows(call)),
    },
];

async fn tasks(call: Call) -> Result<Response, ApiError> {
    let tasks = call.app.flows().tasks().await?;
    reply::json(StatusCode::OK, &json(wire::items(tasks.iter().map(local_task::written))))
}

async fn add(call: Call) -> Result<Response, ApiError> {
    let fields = local_task::read(&call.object()?)?;
    let task = call.app.flows().add_task(fields).await?;
    reply::json(StatusCode::CREATED, &local_task::written(&task))
}

async fn flows(call: Call) -> Result<Response, ApiError> {
    let tasks = call.app.flows().tasks().await?;
    let flows = tasks.iter().map(|task| flow_definition::written(&task.fields.granularity.flow()));
    reply::json(StatusCode::OK, &json(wire::items(flows)))
}
