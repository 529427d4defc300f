//! The channel: the one object the faces call.

use crate::{
    api::{Deleted, Description, Events, EventsQuery, Extended, List, Listed, Released, Resolve, Sessions, Spawn, TaskView, Waited},
    error::{Code, Refusal},
};

/// The channel of one process.
#[derive(Debug, Clone)]
pub struct Channel {}

impl Channel {
    /// Names of the agents that can be dispatched to, in the published order.
    #[must_use]
    pub fn agents(&self) -> Vec<String> { Vec::new() }
    /// This process runs inside an agent that Segue started: nothing may be dispatched.
    #[must_use]
    pub fn nested(&self) -> bool { false }
    /// Starts a task and returns once it runs or has failed. When the future is dropped (the client
    /// cancelled its call), the task still ends, and says so.
    pub async fn spawn_task(&self, _: Spawn) -> Result<TaskView, Refusal> { Err(stub()) }
    pub async fn get_task(&self, _: &str) -> Result<TaskView, Refusal> { Err(stub()) }
    pub async fn prompt(&self, _: &str) -> Result<String, Refusal> { Err(stub()) }
    pub async fn get_events(&self, _: EventsQuery) -> Result<Events, Refusal> { Err(stub()) }
    /// Waits at most 30 s, whatever is asked.
    pub async fn wait_tasks(&self, _: &[String], _: f64) -> Result<Waited, Refusal> { Err(stub()) }
    pub async fn list_tasks(&self, _: List) -> Result<Listed, Refusal> { Err(stub()) }
    pub async fn resolve_task(&self, _: Resolve) -> Result<TaskView, Refusal> { Err(stub()) }
    pub async fn cancel_task(&self, _: &str, _: Option<String>) -> Result<TaskView, Refusal> { Err(stub()) }
    pub async fn forget_task(&self, _: &str) -> Result<(), Refusal> { Err(stub()) }
    pub async fn describe_agent(&self, _: &str, _: Option<&str>) -> Result<Description, Refusal> { Err(stub()) }
    pub async fn list_sessions(&self, _: &str, _: Option<&str>, _: Option<String>) -> Result<Sessions, Refusal> { Err(stub()) }
    pub async fn delete_session(&self, _: &str, _: &str, _: Option<&str>) -> Result<Deleted, Refusal> { Err(stub()) }
    pub async fn extend_agent(&self, _: &str, _: Option<i64>, _: Option<i64>) -> Result<Extended, Refusal> { Err(stub()) }
    pub async fn release_agent(&self, _: &str) -> Result<Released, Refusal> { Err(stub()) }
}

fn stub() -> Refusal { Refusal::new(Code::Internal, "being built") }
