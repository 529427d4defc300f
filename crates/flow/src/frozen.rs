//! What a Run executes, as it was when the Run was admitted: the flow by its hash, what nodes are bound to by the id
//! of the executor. Edits and deletions of what was saved do not reach it.

use std::{collections::BTreeMap, sync::Arc};

use segue_journal::{DocumentChange, Journal};
use segue_model::{
    Timestamp,
    flow::{
        ExecutorRef, Flow, Hash, Json, Node,
        canonical::canonical,
        capability::{Capability, Source},
        json::object,
    },
};

use crate::{error::StorageError, shared::Shared};

/// Kinds of documents.
const DEFINITION: &str = "definition";
const EXECUTOR: &str = "executor";

/// Capabilities by the id of the executor under which nodes name them.
pub type Executors = BTreeMap<String, Capability>;

/// A flow with what its nodes are bound to.
#[derive(Debug, Clone)]
pub struct Bound {
    pub flow: Arc<Flow>,
    /// In the order of the flow's nodes.
    pub nodes: Vec<Arc<Node>>,
    pub capabilities: Vec<Option<Arc<Capability>>>,
}

impl Bound {
    #[must_use]
    pub fn new(flow: Arc<Flow>, executors: &Executors) -> Self {
        let nodes: Vec<_> = flow.nodes().iter().cloned().map(Arc::new).collect();
        let of = |node: &Arc<Node>| executors.get(&node.executor.executor_id).cloned().map(Arc::new);
        let capabilities = nodes.iter().map(of).collect();
        Self { flow, nodes, capabilities }
    }

    #[must_use]
    pub fn capability(&self, position: usize) -> Option<&Capability> {
        self.capabilities.get(position)?.as_deref()
    }
}

/// Keeps a flow.
#[must_use]
pub fn keep_flow(workspace: &str, flow: &Flow, at: Timestamp) -> DocumentChange {
    ensure(workspace, DEFINITION, flow.hash().as_str(), canonical(&flow.definition()), at)
}

/// Keeps what an executor id stands for. Two capabilities that differ in their names only are one executor.
#[must_use]
pub fn keep_executor(workspace: &str, executor_id: &str, capability: &Capability, at: Timestamp) -> DocumentChange {
    let definition = Json::Object(object([
        ("id", (&capability.id).into()),
        ("kind", capability.kind().into()),
        ("name", (&capability.id).into()),
        ("source", Source::Manual.into()),
        ("effects", capability.effects.clone().into()),
        ("timeout_seconds", capability.timeout_seconds.into()),
        ("config", capability.config.to_json()),
    ]));
    ensure(workspace, EXECUTOR, executor_id, canonical(&definition), at)
}

fn ensure(workspace: &str, kind: &str, id: &str, body: String, at: Timestamp) -> DocumentChange {
    DocumentChange::Ensure { workspace: workspace.to_owned(), kind: kind.to_owned(), id: id.to_owned(), at: at.0, body }
}

/// The flow of a hash, as it was admitted. Blocks.
///
/// # Errors
/// It is gone or not what was kept.
pub fn flow(shared: &Shared, hash: &Hash) -> Result<Arc<Flow>, StorageError> {
    if let Some(flow) = shared.known_flow(hash) {
        return Ok(flow);
    }
    let what = || format!("flow {hash}");
    let document = shared.journal().document(shared.workspace.key(), DEFINITION, hash.as_str())?;
    let body = document.ok_or_else(|| StorageError::corrupt(what(), "it is gone"))?.body;
    let definition = Json::parse(&body).map_err(|error| StorageError::corrupt(what(), error))?;
    let flow = Flow::from_definition(&definition).map_err(|error| StorageError::corrupt(what(), error))?;
    if flow.hash() != hash {
        return Err(StorageError::corrupt(what(), "it has another hash"));
    }
    let flow = Arc::new(flow);
    shared.know_flow(&flow);
    Ok(flow)
}

/// A flow with everything that its nodes are bound to. Blocks.
///
/// # Errors
/// As [`flow`], or an executor has other effects than its node.
pub fn bound(shared: &Shared, hash: &Hash) -> Result<Bound, StorageError> {
    let flow = flow(shared, hash)?;
    let mut executors = Executors::new();
    for node in flow.nodes() {
        if let Some(capability) = executor(&**shared.journal(), shared.workspace.key(), &node.executor)? {
            // What was authorized is what the node declares.
            if capability.effects != node.effects {
                let why = format!("its effects are not those of node \"{}\"", node.id);
                return Err(StorageError::corrupt(format!("executor {}", node.executor.executor_id), why));
            }
            executors.insert(node.executor.executor_id.clone(), capability);
        }
    }
    Ok(Bound::new(flow, &executors))
}

/// `None` for an executor that is bound to no capability.
fn executor(
    journal: &dyn Journal,
    workspace: &str,
    executor: &ExecutorRef,
) -> Result<Option<Capability>, StorageError> {
    let id = &executor.executor_id;
    let Some(document) = journal.document(workspace, EXECUTOR, id)? else { return Ok(None) };
    let definition = Json::parse(&document.body).map_err(|error| StorageError::corrupt(id, error))?;
    Capability::from_saved(&definition).map(Some).map_err(|problem| StorageError::corrupt(id, problem))
}
