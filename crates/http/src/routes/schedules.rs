//! `/api/v1/schedules`: flows that are run at the ticks of a cron pattern.

use axum::{http::StatusCode, response::Response};
use segue_flow::api::{RECORDED_MAX, Schedule};

use super::json;
use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Parameter, Query, Route},
    wire::{authorization, items, schedule},
};

/// Events of one schedule unless the caller says otherwise.
const EVENTS: usize = 50;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/schedules",
        name: "listSchedules",
        about: "Schedules, in the order in which they were added.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(
            StatusCode::OK,
            Shape::Exact(&[crate::shape::has("items", Shape::List(&Shape::Named(&schedule::SCHEDULE)))]),
        )],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/schedules",
        name: "addSchedule",
        about: "Runs a saved flow at each tick of a cron pattern in a time zone, while a server has this workspace open.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&schedule::ADD)] }),
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&schedule::SCHEDULE)), authorization::REQUIRED],
        call: |call| Box::pin(add(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/schedules/{schedule_id}",
        name: "getSchedule",
        about: "One schedule with what was recorded of it: ticks, their Runs, and those that have none with the reason.",
        query: Query::Only(&[Parameter::optional(
            "limit",
            Shape::Integer,
            "At most this many events (1-200, 50 by default).",
        )]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&schedule::PAGE))],
        call: |call| Box::pin(get(call)),
    },
    Route {
        method: Method::Put,
        path: "/api/v1/schedules/{schedule_id}",
        name: "changeSchedule",
        about: "Enables or disables a schedule.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&schedule::CHANGE)] }),
        replies: &[table::reply(StatusCode::OK, Shape::Named(&schedule::SCHEDULE))],
        call: |call| Box::pin(change(call)),
    },
    Route {
        method: Method::Delete,
        path: "/api/v1/schedules/{schedule_id}",
        name: "removeSchedule",
        about: "Removes a schedule. A Run that it has started goes on.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&schedule::REMOVED))],
        call: |call| Box::pin(remove(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let all = call.app.flows().schedules().await?;
    reply::json(StatusCode::OK, &json(items(all.iter().map(Schedule::to_json))))
}

async fn add(call: Call) -> Result<Response, ApiError> {
    let request = schedule::read(&call.object()?)?;
    let added = call.app.flows().add_schedule(request).await?;
    reply::json(StatusCode::CREATED, &added.to_json())
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let limit = call.number("limit", 1..=RECORDED_MAX as u64)?;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(EVENTS);
    let (flows, id) = (call.app.flows(), call.id("schedule_id"));
    let (found, events) = (flows.schedule(id).await?, flows.schedule_events(id, limit).await?);
    reply::json(StatusCode::OK, &json(schedule::page(&found, &events)))
}

async fn change(call: Call) -> Result<Response, ApiError> {
    let enabled = schedule::read_change(&call.object()?)?;
    let changed = call.app.flows().enable_schedule(call.id("schedule_id"), enabled).await?;
    reply::json(StatusCode::OK, &changed.to_json())
}

async fn remove(call: Call) -> Result<Response, ApiError> {
    let id = call.id("schedule_id");
    call.app.flows().remove_schedule(id).await?;
    reply::json(StatusCode::OK, &json(schedule::removed(id)))
}
