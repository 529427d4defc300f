//! `/api/v1/channel/tasks`: turns of agents.

use axum::{http::StatusCode, response::Response};
use segue_channel::api::List;

use crate::{
    body::BODY_MAX,
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Body, Method, Parameter, Query, Route},
    wire::channel_task,
};

/// Bytes of a dispatch: a prompt may carry a file or two.
const PROMPT_MAX: usize = 4 << 20;
/// Tasks of a page.
const LIMIT: u64 = 20;
const LIMIT_MAX: u64 = 100;

const FILTERS: &[Parameter] = &[
    Parameter::optional("status", channel_task::STATUS, "Only tasks with this status."),
    Parameter::optional("agent", Shape::Text, "Only tasks of this agent."),
    Parameter::optional("mine", Shape::Flag, "Only tasks of this runtime."),
    Parameter::optional("limit", Shape::Integer, "At most this many (1-100, 20 by default)."),
    Parameter::optional("after", Shape::Text, "The `next` of the page before."),
];

const ONE: &[table::Reply] = &[table::reply(StatusCode::OK, Shape::Named(&channel_task::TASK))];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/channel/tasks",
        name: "listTasks",
        about: "The tasks of every server of the state folder, newest first.",
        query: Query::Only(FILTERS),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_task::LIST))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/channel/tasks",
        name: "dispatchTask",
        about: "Starts one turn of an agent. A task that could not be started comes back as failed.",
        query: Query::Only(&[]),
        body: Some(Body { max: PROMPT_MAX, shapes: &[Shape::Named(&channel_task::DISPATCH)] }),
        replies: &[table::reply(StatusCode::CREATED, Shape::Named(&channel_task::TASK))],
        call: |call| Box::pin(dispatch(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/channel/task-counts",
        name: "countTasks",
        about: "How many tasks of each status there are, over all servers of the state folder.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_task::COUNTS))],
        call: |call| Box::pin(counts(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/channel/tasks/{task_id}",
        name: "getTask",
        about: "One task in full.",
        query: Query::Only(&[Parameter::optional("include_prompt", Shape::Flag, "Also its prompt.")]),
        body: None,
        replies: ONE,
        call: |call| Box::pin(get(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/channel/tasks/{task_id}/cancellations",
        name: "cancelTask",
        about: "Ends a task and returns once it has ended.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&channel_task::CANCELLATION)] }),
        replies: ONE,
        call: |call| Box::pin(cancel(call)),
    },
    Route {
        method: Method::Post,
        path: "/api/v1/channel/tasks/{task_id}/resolutions",
        name: "resolveTask",
        about: "Records a judgement of a finished task. The last one counts.",
        query: Query::Only(&[]),
        body: Some(Body { max: BODY_MAX, shapes: &[Shape::Named(&channel_task::RESOLUTION)] }),
        replies: ONE,
        call: |call| Box::pin(resolve(call)),
    },
    Route {
        method: Method::Delete,
        path: "/api/v1/channel/tasks/{task_id}",
        name: "forgetTask",
        about: "Removes a finished and resolved task from the record.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_task::FORGOTTEN))],
        call: |call| Box::pin(forget(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let limit = call.number("limit", 1..=LIMIT_MAX)?.unwrap_or(LIMIT);
    let list = List {
        limit: i64::try_from(limit).unwrap_or(1),
        after: call.one("after")?.map(str::to_owned),
        all: !call.flag("mine")?,
        status: call.one("status")?.map(str::to_owned),
        agent: call.one("agent")?.map(str::to_owned),
    };
    let listed = call.app.channel().list_tasks(list).await?;
    reply::json(StatusCode::OK, &channel_task::list(&listed))
}

async fn counts(call: Call) -> Result<Response, ApiError> {
    reply::json(StatusCode::OK, &channel_task::counts(call.app.channel().task_counts().await?))
}

async fn dispatch(call: Call) -> Result<Response, ApiError> {
    let view = call.app.channel().spawn_task(channel_task::read_dispatch(call.map()?)?).await?;
    reply::json(StatusCode::CREATED, &channel_task::written(&view, None))
}

async fn get(call: Call) -> Result<Response, ApiError> {
    let (channel, id) = (call.app.channel(), call.id("task_id"));
    let view = channel.get_task(id).await?;
    let prompt = if call.flag("include_prompt")? { Some(channel.prompt(id).await?) } else { None };
    reply::json(StatusCode::OK, &channel_task::written(&view, prompt))
}

async fn cancel(call: Call) -> Result<Response, ApiError> {
    let actor = channel_task::read_cancellation(call.map()?)?;
    let view = call.app.channel().cancel_task(call.id("task_id"), actor).await?;
    reply::json(StatusCode::OK, &channel_task::written(&view, None))
}

async fn resolve(call: Call) -> Result<Response, ApiError> {
    let resolve = channel_task::read_resolution(call.id("task_id"), call.map()?)?;
    let view = call.app.channel().resolve_task(resolve).await?;
    reply::json(StatusCode::OK, &channel_task::written(&view, None))
}

async fn forget(call: Call) -> Result<Response, ApiError> {
    let id = call.id("task_id");
    call.app.channel().forget_task(id).await?;
    reply::json(StatusCode::OK, &channel_task::forgotten(id))
}
