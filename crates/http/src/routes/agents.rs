//! `/api/v1/channel/agents`: agents that tasks can be given to, and their sessions.

use axum::{http::StatusCode, response::Response};

use crate::{
    call::Call,
    error::ApiError,
    reply,
    shape::Shape,
    table::{self, Method, Parameter, Query, Route},
    wire::channel_agent,
};

const WORKSPACE: Parameter =
    Parameter::optional("workspace", Shape::Text, "The folder to look from; the runtime's own by default.");

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/api/v1/channel/agents",
        name: "listAgents",
        about: "The agents that tasks can be given to, and which of them are installed here.",
        query: Query::Only(&[]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::LIST))],
        call: |call| Box::pin(list(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/channel/agents/{agent}",
        name: "describeAgent",
        about: "What an agent offers. Starts it for that, and ends it again.",
        query: Query::Only(&[WORKSPACE]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::DESCRIPTION))],
        call: |call| Box::pin(describe(call)),
    },
    Route {
        method: Method::Get,
        path: "/api/v1/channel/agents/{agent}/sessions",
        name: "listSessions",
        about: "The sessions that an agent has of a workspace. Starts it for that, and ends it again.",
        query: Query::Only(&[WORKSPACE, Parameter::optional("after", Shape::Text, "The `next` of the page before.")]),
        body: None,
        replies: &[table::reply(StatusCode::OK, Shape::Named(&channel_agent::SESSIONS))],
        call: |call| Box::pin(sessions(call)),
    },
];

async fn list(call: Call) -> Result<Response, ApiError> {
    let channel = call.app.channel().clone();
    // Looks for programs along the PATH.
    let looking = tokio::task::spawn_blocking({
        let channel = channel.clone();
        move || channel.find_agents()
    });
    let agents = looking.await.map_err(|_| crate::error::RequestError::Panicked)?;
    reply::json(StatusCode::OK, &channel_agent::list(&agents, channel.nested(), channel.cwd()))
}

async fn describe(call: Call) -> Result<Response, ApiError> {
    let described = call.app.channel().describe_agent(call.id("agent"), call.one("workspace")?).await?;
    reply::json(StatusCode::OK, &channel_agent::description(described))
}

async fn sessions(call: Call) -> Result<Response, ApiError> {
    let (agent, workspace) = (call.id("agent"), call.one("workspace")?);
    let found = call.app.channel().list_sessions(agent, workspace, call.one("after")?.map(str::to_owned)).await?;
    reply::json(StatusCode::OK, &channel_agent::sessions(found))
}
