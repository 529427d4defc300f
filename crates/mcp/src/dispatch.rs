//! What the tools call: one method per tool, so that a test can stand in for the channel.

use std::pin::Pin;

use segue_channel::{
    Caller, Channel, Refusal,
    api::{
        Deleted, Description, Events, EventsQuery, Extended, List, Listed, Released, Resolve, Sessions, Spawn,
        TaskView, Waited,
    },
};

/// The answer to a call. Dropping it stops the call, never the task behind it; [`Dispatch::spawn_task`]
/// says what else that means there.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send + 'a>>;

/// The channel as the tools see it. Each method is documented by [`Channel`]'s method of that name.
pub trait Dispatch: Send + Sync + 'static {
    /// Names of the agents, in the published order.
    fn agents(&self) -> Vec<String>;
    /// Nothing may be dispatched: this process runs inside an agent that Segue started.
    fn nested(&self) -> bool;
    fn describe_agent<'a>(&'a self, agent: &'a str, workspace: Option<&'a str>) -> Reply<'a, Description>;
    fn list_sessions<'a>(
        &'a self,
        agent: &'a str,
        workspace: Option<&'a str>,
        cursor: Option<String>,
    ) -> Reply<'a, Sessions>;
    fn delete_session<'a>(
        &'a self,
        agent: &'a str,
        session_id: &'a str,
        workspace: Option<&'a str>,
    ) -> Reply<'a, Deleted>;
    /// Dropped before it answered, or its caller gone before it got the answer, the task it made still ends and says so.
    fn spawn_task(&self, spawn: Spawn, caller: Caller) -> Reply<'_, TaskView>;
    fn get_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, TaskView>;
    /// The task's prompt, for `get_task`.
    fn prompt<'a>(&'a self, task_id: &'a str) -> Reply<'a, String>;
    fn get_events(&self, query: EventsQuery) -> Reply<'_, Events>;
    fn wait_tasks<'a>(&'a self, task_ids: &'a [String], seconds: f64) -> Reply<'a, Waited>;
    fn list_tasks(&self, list: List) -> Reply<'_, Listed>;
    fn resolve_task(&self, resolve: Resolve) -> Reply<'_, TaskView>;
    fn cancel_task<'a>(&'a self, task_id: &'a str, actor: Option<String>) -> Reply<'a, TaskView>;
    fn forget_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, ()>;
    fn extend_agent<'a>(
        &'a self,
        handle: &'a str,
        keep_idle: Option<i64>,
        keep_turns: Option<i64>,
    ) -> Reply<'a, Extended>;
    fn release_agent<'a>(&'a self, handle: &'a str) -> Reply<'a, Released>;
}

impl Dispatch for Channel {
    fn agents(&self) -> Vec<String> {
        self.agents()
    }

    fn nested(&self) -> bool {
        self.nested()
    }

    fn describe_agent<'a>(&'a self, agent: &'a str, workspace: Option<&'a str>) -> Reply<'a, Description> {
        Box::pin(self.describe_agent(agent, workspace))
    }

    fn list_sessions<'a>(
        &'a self,
        agent: &'a str,
        workspace: Option<&'a str>,
        cursor: Option<String>,
    ) -> Reply<'a, Sessions> {
        Box::pin(self.list_sessions(agent, workspace, cursor))
    }

    fn delete_session<'a>(
        &'a self,
        agent: &'a str,
        session_id: &'a str,
        workspace: Option<&'a str>,
    ) -> Reply<'a, Deleted> {
        Box::pin(self.delete_session(agent, session_id, workspace))
    }

    fn spawn_task(&self, spawn: Spawn, caller: Caller) -> Reply<'_, TaskView> {
        Box::pin(async move { self.spawn_task_for(spawn, &caller).await })
    }

    fn get_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, TaskView> {
        Box::pin(self.get_task(task_id))
    }

    fn prompt<'a>(&'a self, task_id: &'a str) -> Reply<'a, String> {
        Box::pin(self.prompt(task_id))
    }

    fn get_events(&self, query: EventsQuery) -> Reply<'_, Events> {
        Box::pin(self.get_events(query))
    }

    fn wait_tasks<'a>(&'a self, task_ids: &'a [String], seconds: f64) -> Reply<'a, Waited> {
        Box::pin(self.wait_tasks(task_ids, seconds))
    }

    fn list_tasks(&self, list: List) -> Reply<'_, Listed> {
        Box::pin(self.list_tasks(list))
    }

    fn resolve_task(&self, resolve: Resolve) -> Reply<'_, TaskView> {
        Box::pin(self.resolve_task(resolve))
    }

    fn cancel_task<'a>(&'a self, task_id: &'a str, actor: Option<String>) -> Reply<'a, TaskView> {
        Box::pin(self.cancel_task(task_id, actor))
    }

    fn forget_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, ()> {
        Box::pin(self.forget_task(task_id))
    }

    fn extend_agent<'a>(
        &'a self,
        handle: &'a str,
        keep_idle: Option<i64>,
        keep_turns: Option<i64>,
    ) -> Reply<'a, Extended> {
        Box::pin(self.extend_agent(handle, keep_idle, keep_turns))
    }

    fn release_agent<'a>(&'a self, handle: &'a str) -> Reply<'a, Released> {
        Box::pin(self.release_agent(handle))
    }
}
