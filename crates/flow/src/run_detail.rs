//! One Run beside its nodes: what it executes, where it came from, what it was allowed to do, what became of a request
//! to cancel it. Read from the few events that say so.

use std::sync::Arc;

use segue_journal::EventFilter;
use segue_model::{
    Timestamp,
    flow::{Document, Flow, Json, NodeId, Object, RunId, restore},
    run::Event,
};

use crate::{
    error::{RunError, StorageError},
    evidence::Published,
    frozen::{self, Bound},
    payload,
    reads::{self, Summary},
    shared::{Shared, blocking},
    store, versions,
};

/// Events of each kind that are read; of all but one there is at most one.
const EVENTS: usize = 2000;
/// Forks that are named: the newest. People fork a few times, programs may do it on and on.
pub const FORKS_MAX: usize = 100;
/// What is read.
const KINDS: [&str; 10] = [
    "run.created",
    "run.effects_evaluated",
    "run.effects_authorized",
    "run.forked",
    "node.reused",
    "run.cancel_requested",
    "node.cancelled",
    "run.cancelled",
    "run.failed",
    "run.interrupted",
];

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDetail {
    pub run: Summary,
    /// `None` for a Run that cannot be loaded.
    pub flow: Option<Arc<Flow>>,
    /// The local id is still that of a task.
    pub task_is_there: bool,
    /// The saved version that is this very flow, and whether it is what is saved now.
    pub saved_version: Option<(u64, bool)>,
    pub origin: Option<Origin>,
    /// What its first nodes received; `None` for a Run that cannot be loaded.
    pub flow_input: Option<Object>,
    /// What it was allowed to do.
    pub authorization: Option<Authorization>,
    pub cancellation: Option<Cancellation>,
    /// Type and message.
    pub failure: Option<(String, String)>,
    pub interrupted: bool,
    /// The Runs that began with results of this one, newest first, at most 100.
    pub forks: Vec<String>,
}

/// Where a Run came from that began with results of another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    pub how: How,
    pub parent: RunId,
    pub from_node: NodeId,
    pub parent_flow_hash: Option<String>,
    pub reused: Vec<NodeId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The same flow, from one node on.
    Fork,
    /// The flow as it was saved later, or other inputs: whatever was unchanged was taken over.
    Replay,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Authorization {
    pub required: bool,
    pub at: Timestamp,
    /// As published: policy, input hash, effects, scope, and the id if it was required.
    pub payload: Object,
}

/// What is recorded of a cancellation.
#[derive(Debug, Clone, PartialEq)]
pub struct Cancellation {
    pub requested_at: Timestamp,
    pub reason: String,
    pub actor: Option<String>,
    /// The nodes that it ended.
    pub cancelled: Vec<NodeId>,
    /// When the last process had ended and the Run with it.
    pub ended_at: Option<Timestamp>,
}

/// # Errors
/// There is no such Run, or its record cannot be read.
pub async fn detail(shared: &Arc<Shared>, id: &str) -> Result<RunDetail, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(detail_now(&reading, &id))).await?
}

fn detail_now(shared: &Arc<Shared>, id: &str) -> Result<RunDetail, RunError> {
    let row = reads::row_now(shared, id)?;
    let run = reads::summary_now(shared, &row)?;
    let flow = reads::flow_of(shared, &row).ok();
    let filter = EventFilter { kinds: KINDS.map(str::to_owned).to_vec(), ..EventFilter::default() };
    let page =
        shared.journal().events(&payload::run_stream(&run.run_id), 0, EVENTS, &filter).map_err(StorageError::from)?;
    let page = page.ok_or_else(|| RunError::NotFound(id.to_owned()))?;
    let saved = match &row.task {
        Some(task) => store::task_now(shared, &**shared.journal(), task)?,
        None => None,
    };
    let version = match &flow {
        Some(flow) => versions::of_hash(shared, &run.task_id, flow.hash())?,
        None => None,
    };
    let forks = shared.journal().forks(shared.workspace.key(), run.run_id.as_str(), FORKS_MAX);
    let forks = forks.map_err(StorageError::from)?;
    let mut detail = RunDetail {
        task_is_there: saved.is_some(),
        saved_version: version.map(|version| (version.version, version.is_current)),
        run,
        flow,
        origin: None,
        flow_input: None,
        authorization: None,
        cancellation: None,
        failure: None,
        interrupted: false,
        forks,
    };
    for stored in &page.events {
        if let Ok(Event::RunCreated(created)) = payload::decode(&**shared.journal(), stored) {
            detail.flow_input = Some(created.own.flow_input);
            continue;
        }
        let actor = payload::actor_of(stored);
        detail.tell(payload::published(&detail.run.run_id, stored)?, actor);
    }
    if let (Some(origin), Some(flow)) = (&mut detail.origin, &detail.flow) {
        judge(shared, origin, flow);
    }
    Ok(detail)
}

impl RunDetail {
    fn tell(&mut self, event: Published, actor: Option<String>) {
        let text = |name: &str| event.payload.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let at = event.recorded_at;
        match event.event_type {
            "run.effects_evaluated" | "run.effects_authorized" => {
                let required = event.event_type == "run.effects_authorized";
                self.authorization = Some(Authorization { required, at, payload: event.payload });
            }
            "run.forked" => {
                let parent = RunId::parse(&text("parent_run_id")).zip(NodeId::parse(&text("from_node_id")));
                self.origin = parent.map(|(parent, from_node)| Origin {
                    how: How::Fork,
                    parent,
                    from_node,
                    parent_flow_hash: None,
                    reused: Vec::new(),
                });
            }
            "node.reused" => {
                if let Some(origin) = &mut self.origin {
                    origin.reused.extend(event.node_id);
                }
            }
            "run.cancel_requested" => {
                self.cancellation = Some(Cancellation {
                    requested_at: at,
                    reason: text("reason"),
                    actor,
                    cancelled: Vec::new(),
                    ended_at: None,
                });
            }
            "node.cancelled" => {
                if let Some(cancellation) = &mut self.cancellation {
                    cancellation.cancelled.extend(event.node_id);
                }
            }
            "run.cancelled" => {
                if let Some(cancellation) = &mut self.cancellation {
                    cancellation.ended_at = Some(at);
                }
            }
            "run.failed" => self.failure = Some((text("error_type"), text("message"))),
            "run.interrupted" => self.interrupted = true,
            _ => {}
        }
    }
}

/// A fork takes over exactly what does not depend on its node, of the same flow. Anything else is a replay.
fn judge(shared: &Shared, origin: &mut Origin, flow: &Flow) {
    origin.parent_flow_hash = reads::row_now(shared, origin.parent.as_str()).ok().map(|parent| parent.flow_hash);
    let is_same = origin.parent_flow_hash.as_deref().is_none_or(|hash| hash == flow.hash().as_str());
    let after = flow.position(origin.from_node.as_str()).map(|from| (from, flow.graph().descendants(from)));
    let is_taken = |(at, node): (usize, &segue_model::flow::Node)| {
        let runs = after.as_ref().is_none_or(|(from, after)| at == *from || after.contains(&at));
        runs != origin.reused.contains(&node.id)
    };
    if !is_same || !flow.nodes().iter().enumerate().all(is_taken) {
        origin.how = How::Replay;
    }
}

/// What a Run executes, as it was when it was admitted.
#[derive(Debug, Clone)]
pub struct FrozenFlow {
    pub run_id: RunId,
    pub task_id: String,
    pub bound: Bound,
    /// The saved document that is this very flow, if there is one: it has inputs and layout. Otherwise one that says the
    /// same.
    pub document: Document,
    /// The version that the document is of.
    pub saved_version: Option<u64>,
}

/// # Errors
/// There is no such Run, or its flow is gone.
pub async fn flow(shared: &Arc<Shared>, id: &str) -> Result<FrozenFlow, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || {
        let found = reads::row_now(&reading, &id).and_then(|row| {
            let run = reads::summary_now(&reading, &row)?;
            let flow = reads::flow_of(&reading, &row)?;
            let bound = frozen::bound(&reading, flow.hash())?;
            let task_id = row.task.unwrap_or_default();
            let version = versions::of_hash(&reading, &task_id, flow.hash())?;
            let saved_version = version.as_ref().map(|version| version.version);
            let document = version.map_or_else(|| restore::document(&flow), |version| version.document);
            Ok(FrozenFlow { run_id: run.run_id, task_id, bound, document, saved_version })
        });
        Ok(found)
    })
    .await?
}
