//! The wire: one file for each contract, each with its shape, reading what comes in and writing what goes out.

pub mod answer;
pub mod authorization;
pub mod bundle;
pub mod cancellation;
pub mod capability;
pub mod change;
pub mod channel_agent;
pub mod channel_task;
pub mod comparison;
pub mod event;
pub mod evidence;
pub mod flow_definition;
pub mod flow_version;
pub mod fork_request;
pub mod history;
pub mod local_task;
pub mod node_detail;
pub mod outcome;
pub mod plan;
pub mod preview;
pub mod problem;
pub mod replay;
pub mod run;
pub mod run_detail;
pub mod run_projection;
pub mod run_request;
pub mod sample;
pub mod saved_flow;
pub mod schedule;
pub mod stability;
pub mod system;
pub mod template;
pub mod why;

use segue_model::{
    Timestamp,
    flow::{Json, Object},
    reading::instant,
};

/// A point in time as replies write it; null for one outside of the calendar.
pub fn moment(at: Timestamp) -> Json {
    instant::written(at).into()
}

/// A number as JSON. Those of records are far from what an `i64` cannot hold.
pub fn number(number: impl TryInto<i64>) -> Json {
    number.try_into().unwrap_or(i64::MAX).into()
}

/// How many there are of each, by name.
pub fn counts(counts: Vec<(String, u64)>) -> Object {
    counts.into_iter().map(|(name, count)| (name, number(count))).collect()
}

/// `{items: […]}`.
pub fn items(items: impl IntoIterator<Item = Json>) -> Object {
    segue_model::flow::json::object([("items", Json::Array(items.into_iter().collect()))])
}
