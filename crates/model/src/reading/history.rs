//! The history of some flows (contract §12.4): their Runs, newest first.

use serde::Serialize;

use super::{
    facts::{RunFacts, RunStatus},
    instant,
    outcome::{Inconsistent, outcome},
};
use crate::{
    Timestamp,
    flow::{NodeId, PortableId, RunId},
};

pub const CONTRACT: &str = "symphlo.run-history.v1";

/// Flow ids of one query.
pub const FLOW_IDS_MAX: usize = 32;
/// Runs of one reply.
pub const LIMIT_MAX: usize = 100;

/// Why a query is not one. The text names the parameter and never repeats what came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("only flow_id and limit are known here")]
    UnknownParameter,
    #[error("give 1 to {FLOW_IDS_MAX} distinct portable flow ids")]
    FlowIds,
    #[error("give exactly one limit, from 1 to {LIMIT_MAX}")]
    Limit,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Distinct, in the order asked.
    pub flow_ids: Vec<PortableId>,
    /// 1 to [`LIMIT_MAX`].
    pub limit: usize,
}

impl Query {
    /// From decoded parameters, in their order.
    ///
    /// # Errors
    /// Anything but 1 to 32 distinct `flow_id` and exactly one `limit`.
    pub fn read<'a>(parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, QueryError> {
        let (mut flow_ids, mut limit) = (Vec::new(), None);
        for (name, value) in parameters {
            match name {
                "flow_id" => {
                    let id = PortableId::parse(value).filter(|id| !flow_ids.contains(id));
                    flow_ids.push(id.ok_or(QueryError::FlowIds)?);
                }
                "limit" if limit.is_none() => limit = Some(read_limit(value).ok_or(QueryError::Limit)?),
                "limit" => return Err(QueryError::Limit),
                _ => return Err(QueryError::UnknownParameter),
            }
        }
        if flow_ids.is_empty() || flow_ids.len() > FLOW_IDS_MAX {
            return Err(QueryError::FlowIds);
        }
        Ok(Self { flow_ids, limit: limit.ok_or(QueryError::Limit)? })
    }
}

/// ASCII digits only: no sign, no blanks, no digits of other scripts.
fn read_limit(text: &str) -> Option<usize> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|limit| is_decimal && (1..=LIMIT_MAX).contains(limit))
}

/// Serialises to the reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    pub contract_version: &'static str,
    pub flow_ids: Vec<PortableId>,
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    pub run_id: RunId,
    pub flow_id: String,
    pub status: RunStatus,
    #[serde(serialize_with = "instant::serialize")]
    pub started_at: Timestamp,
    #[serde(serialize_with = "instant::option::serialize")]
    pub finished_at: Option<Timestamp>,
    pub settled_nodes: usize,
    pub total_nodes: usize,
    pub parent_run_id: Option<RunId>,
    pub forked_from_node_id: Option<NodeId>,
}

/// Picks from `runs` those that were asked for. The caller may leave out Runs that cannot be among the newest.
///
/// # Errors
/// A matching Run contradicts itself: then the whole history fails, whether or not it would be shown.
pub fn history<'a>(query: &Query, runs: impl IntoIterator<Item = &'a RunFacts>) -> Result<History, Inconsistent> {
    let asked = |run: &&RunFacts| query.flow_ids.iter().any(|id| id.as_str() == run.flow.flow_id());
    let items = runs.into_iter().filter(asked).map(item);
    let mut items = items.collect::<Result<Vec<_>, _>>()?;
    items.sort_unstable_by(|a, b| (b.started_at, &b.run_id).cmp(&(a.started_at, &a.run_id)));
    items.truncate(query.limit);
    Ok(History { contract_version: CONTRACT, flow_ids: query.flow_ids.clone(), items })
}

/// One Run of a history.
///
/// # Errors
/// It contradicts itself.
pub fn item(run: &RunFacts) -> Result<Item, Inconsistent> {
    let outcome = outcome(run)?;
    Ok(Item {
        run_id: outcome.run_id,
        flow_id: outcome.flow_id,
        status: outcome.status,
        started_at: outcome.started_at,
        finished_at: outcome.finished_at,
        settled_nodes: outcome.progress.settled_nodes,
        total_nodes: outcome.progress.total_nodes,
        parent_run_id: run.parent_run_id.clone(),
        forked_from_node_id: run.forked_from_node_id.clone(),
    })
}
