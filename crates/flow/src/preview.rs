//! What a Run would do and what it would have to be allowed, without admitting it: every effect as who does what where.

use std::{path::Path, sync::Arc};

use segue_model::flow::{
    Challenge, Effect, Hash, Json, Node, NodeId, Object, Scope,
    authorization::risk_of,
    capability::{Capability, Config},
    executor::{PERSON_ID, PUBLISHER_ID, is_builtin},
    inputs,
};

use crate::{
    admit::{self, Admit},
    catalogue,
    error::{AdmitError, StorageError},
    frozen::Executors,
    shared::{Shared, blocking},
    subrun,
};

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    pub task_id: String,
    pub flow_id: String,
    pub flow_hash: Hash,
    pub flow_input: Object,
    pub challenge: Challenge,
    /// In the flow's order.
    pub effects: Vec<Line>,
    /// Nodes whose programs are not there.
    pub missing: Vec<(NodeId, String)>,
    /// Runs that are active, and how many may be.
    pub active: usize,
    pub room: usize,
}

/// One effect of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub node: NodeId,
    pub title: String,
    pub what: Effect,
    /// The capability or the built-in executor.
    pub who: String,
    /// The program and its folder, the address, the agent.
    pub place: String,
    /// What it risks, of an effect that must be authorized.
    pub risk: Option<&'static str>,
}

/// # Errors
/// As admitting it, but for room and authorization.
pub async fn preview(shared: &Arc<Shared>, request: Admit) -> Result<Preview, AdmitError> {
    let candidate = admit::candidate(shared, request.target, request.profile).await?;
    let resolved = inputs::resolve(candidate.declarations(), &request.inputs).map_err(AdmitError::Inputs)?;
    let flow_input = inputs::flow_input(&candidate.surroundings(shared), &resolved);
    let flow = candidate.flow();
    let challenge = Challenge::new(flow, Hash::of(&Json::Object(flow_input.clone())), Scope::whole(flow));
    let executors = &candidate.whole.executors;
    let missing = flow.nodes().iter().filter_map(|node| {
        let capability = executors.get(&node.executor.executor_id)?;
        (!catalogue::is_there(capability)).then(|| (node.id.clone(), capability.id.to_string()))
    });
    Ok(Preview {
        task_id: candidate.local_id.clone(),
        flow_id: flow.flow_id().to_owned(),
        flow_hash: flow.hash().clone(),
        effects: lines(flow.nodes(), executors, shared.workspace.path()),
        missing: missing.collect(),
        flow_input,
        challenge,
        active: active(shared).await?,
        room: shared.config.max_active_runs,
    })
}

async fn active(shared: &Arc<Shared>) -> Result<usize, StorageError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let is_node = |key: &Option<String>| key.as_deref().is_some_and(|key| key.starts_with(subrun::KEY_PREFIX));
        let active = reading.journal().active_runs(reading.workspace.key())?;
        Ok(active.iter().filter(|row| !is_node(&row.admission_key)).count())
    })
    .await
}

fn lines(nodes: &[Node], executors: &Executors, workspace: &Path) -> Vec<Line> {
    let of_node = |node: &Node| {
        let capability = executors.get(&node.executor.executor_id);
        let who = capability.map_or_else(|| node.executor.executor_id.clone(), |capability| capability.id.to_string());
        let place = place(node, capability, workspace);
        let line = |what: &Effect| Line {
            node: node.id.clone(),
            title: node.title.clone(),
            what: *what,
            who: who.clone(),
            place: place.clone(),
            risk: risk_of(node, *what),
        };
        node.effects.iter().map(line).collect::<Vec<_>>()
    };
    nodes.iter().flat_map(of_node).collect()
}

/// Where a node does what it does, in words. Arguments are not among them.
fn place(node: &Node, capability: Option<&Capability>, workspace: &Path) -> String {
    let folder = workspace.display();
    match capability.map(|capability| &capability.config) {
        Some(
            Config::AgentCli { command, .. }
            | Config::ModelCli { command, .. }
            | Config::EvaluatorCli { command, .. }
            | Config::Cli { command },
        ) => format!("{} in {folder}", command.executable),
        Some(Config::McpStdio { command, call }) => format!("tool {} of {} in {folder}", call.tool, command.executable),
        Some(Config::AgentServer { executable, .. }) => format!("{executable} in a folder of its own"),
        Some(Config::Http { url, .. }) => url.clone(),
        Some(Config::McpHttp { url, call, .. }) => format!("tool {} at {url}", call.tool),
        Some(Config::AcpAgent(agent)) => format!("agent {} in {folder}", agent.agent),
        None => match node.executor.executor_id.as_str() {
            PUBLISHER_ID => "the record of this run".to_owned(),
            PERSON_ID => "a person who is asked".to_owned(),
            _ if is_builtin(&node.executor) => "inside this program".to_owned(),
            _ if node.rules.subflow.is_some() => "the nodes of that flow".to_owned(),
            id => id.to_owned(),
        },
    }
}
