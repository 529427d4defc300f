//! A channel without agents or tasks: the suite lists our tools and calls none of them.

use segue_channel::{
    Caller, Refusal,
    api::{
        Deleted, Description, Events, EventsQuery, Extended, List, Listed, Released, Resolve, Sessions, Spawn,
        TaskView, Waited,
    },
};
use segue_mcp::{Dispatch, Reply};

pub struct Idle;

fn refuse<'a, T: Send + 'a>() -> Reply<'a, T> {
    Box::pin(async { Err(Refusal::invalid("nothing is dispatched here")) })
}

impl Dispatch for Idle {
    fn agents(&self) -> Vec<String> {
        vec!["none".to_owned()]
    }

    fn nested(&self) -> bool {
        false
    }

    fn describe_agent<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> Reply<'a, Description> {
        refuse()
    }

    fn list_sessions<'a>(&'a self, _: &'a str, _: Option<&'a str>, _: Option<String>) -> Reply<'a, Sessions> {
        refuse()
    }

    fn delete_session<'a>(&'a self, _: &'a str, _: &'a str, _: Option<&'a str>) -> Reply<'a, Deleted> {
        refuse()
    }

    fn spawn_task(&self, _: Spawn, _: Caller) -> Reply<'_, TaskView> {
        refuse()
    }

    fn get_task<'a>(&'a self, _: &'a str) -> Reply<'a, TaskView> {
        refuse()
    }

    fn prompt<'a>(&'a self, _: &'a str) -> Reply<'a, String> {
        refuse()
    }

    fn get_events(&self, _: EventsQuery) -> Reply<'_, Events> {
        refuse()
    }

    fn wait_tasks<'a>(&'a self, _: &'a [String], _: f64) -> Reply<'a, Waited> {
        refuse()
    }

    fn list_tasks(&self, _: List) -> Reply<'_, Listed> {
        refuse()
    }

    fn resolve_task(&self, _: Resolve) -> Reply<'_, TaskView> {
        refuse()
    }

    fn cancel_task<'a>(&'a self, _: &'a str, _: Option<String>) -> Reply<'a, TaskView> {
        refuse()
    }

    fn forget_task<'a>(&'a self, _: &'a str) -> Reply<'a, ()> {
        refuse()
    }

    fn extend_agent<'a>(&'a self, _: &'a str, _: Option<i64>, _: Option<i64>) -> Reply<'a, Extended> {
        refuse()
    }

    fn release_agent<'a>(&'a self, _: &'a str) -> Reply<'a, Released> {
        refuse()
    }
}
