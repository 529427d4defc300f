//! New Runs that begin with results of another one: forks (contract §16) and replays with a changed flow.

use std::sync::Arc;

use segue_model::{
    flow::{
        Granularity, Json, NodeId, Object, Profile, Scope,
        inputs::{self, Declaration, REPORT_FOCUS},
    },
    run::{
        Run,
        fork::{self, Plan},
        replay::{Because, moved, replay as replay_rule},
    },
};

use crate::{
    admit::{self, Admitted, Candidate, Judged, Target},
    error::{AdmitError, FlowError, ForkError, RunError},
    reads::{self, Loaded},
    shared::Shared,
    store,
};

/// A request for a fork.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    pub parent: String,
    /// The node from which on everything is run again.
    pub from_node: String,
    /// Inputs that are to be others than the parent's; null takes one away. What is taken over is not made again for
    /// them.
    pub inputs: Option<Object>,
    pub authorization: Option<Json>,
    /// The same key gives the same Run.
    pub key: Option<String>,
}

/// A request for a replay with the flow as it is saved now.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    pub parent: String,
    /// Inputs that are to be others than the parent's; null takes one away.
    pub inputs: Option<Object>,
    pub authorization: Option<Json>,
    /// The same key gives the same Run.
    pub key: Option<String>,
}

/// What a replay would do.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    pub parent: String,
    pub parent_flow_hash: String,
    pub flow_hash: String,
    /// In the flow's order; `None`: the result is taken over.
    pub nodes: Vec<(NodeId, Option<Because>)>,
}

/// # Errors
/// The first check that fails, in the contract's order; nothing has been stored.
pub async fn fork(shared: &Arc<Shared>, request: Fork) -> Result<Admitted, AdmitError> {
    let Prepared { parent, candidate, plan, flow_input } = prepare_fork(shared, &request).await?;
    let judged = judge(candidate, &parent.run, &plan, flow_input);
    admit::admit_judged(shared, Judged { authorization: request.authorization, key: own_key(request.key), ..judged })
        .await
}

/// The nodes whose results a fork would take over although they rest on inputs that it changes: those results never saw
/// the new ones. Nothing is stored.
///
/// # Errors
/// As [`fork`], but for room and authorization.
pub async fn kept_of_old_input(shared: &Arc<Shared>, request: &Fork) -> Result<Vec<NodeId>, AdmitError> {
    let Prepared { parent, candidate, plan, flow_input } = prepare_fork(shared, request).await?;
    let is_other = flow_input != *parent.run.state.flow_input;
    Ok(if is_other { plan.resting_on_input(candidate.flow()) } else { Vec::new() })
}

/// A fork that may be admitted, if there is room and what it writes is authorized.
struct Prepared {
    parent: Loaded,
    candidate: Candidate,
    plan: Plan,
    flow_input: Object,
}

async fn prepare_fork(shared: &Arc<Shared>, request: &Fork) -> Result<Prepared, AdmitError> {
    let parent = parent(shared, &request.parent).await?;
    let task = saved_task(shared, &parent).await?;
    if !parent.row.ended {
        return Err(ForkError::ParentActive(parent.run.id.clone()).into());
    }
    let candidate = same_flow(shared, &parent, task.has_flow).await?;
    let flow = candidate.flow();
    let plan = fork::plan(flow, &parent.run, &request.from_node).map_err(ForkError::from)?;
    let before = &parent.run.state.flow_input;
    let flow_input = match &request.inputs {
        None => before.as_ref().clone(),
        Some(given) => again(before, candidate.declarations(), given, &as_before(before, shared))?,
    };
    Ok(Prepared { parent, candidate, plan, flow_input })
}

/// What a replay with the flow as it is saved now would do. Nothing is stored.
///
/// # Errors
/// The parent or its flow is not there, or the flow does not compile.
pub async fn plan_replay(shared: &Arc<Shared>, request: &Replay) -> Result<ReplayPlan, AdmitError> {
    let (parent, candidate, flow_input) = prepare(shared, request).await?;
    let replay = replay_rule(&parent.bound.flow, &parent.run, candidate.flow(), &flow_input);
    Ok(ReplayPlan {
        parent: parent.row.id,
        parent_flow_hash: parent.row.flow_hash,
        flow_hash: candidate.flow().hash().as_str().to_owned(),
        nodes: replay.nodes,
    })
}

/// # Errors
/// As [`plan_replay`]; nothing is left to run; and as any admission.
pub async fn replay(shared: &Arc<Shared>, request: Replay) -> Result<Admitted, AdmitError> {
    let (parent, candidate, flow_input) = prepare(shared, &request).await?;
    let old = &parent.bound.flow;
    let replay = replay_rule(old, &parent.run, candidate.flow(), &flow_input);
    let plan = replay.plan(candidate.flow(), old, &parent.run).ok_or(ForkError::NothingToRun)?;
    let parent = moved(candidate.flow(), old, &parent.run);
    let judged = judge(candidate, &parent, &plan, flow_input);
    admit::admit_judged(shared, Judged { authorization: request.authorization, key: own_key(request.key), ..judged })
        .await
}

fn own_key(key: Option<String>) -> Option<String> {
    key.map(|key| format!("{}{key}", admit::KEY_PREFIX))
}

fn judge(candidate: Candidate, parent: &Run, plan: &Plan, flow_input: Object) -> Judged {
    let scope: Scope = plan.scope(candidate.flow(), &parent.id);
    let taken = plan.events(candidate.flow(), parent);
    Judged { candidate, flow_input, scope, taken, authorization: None, key: None, saves: None }
}

async fn prepare(shared: &Arc<Shared>, request: &Replay) -> Result<(Loaded, Candidate, Object), AdmitError> {
    let parent = parent(shared, &request.parent).await?;
    let task = saved_task(shared, &parent).await?;
    if !parent.row.ended {
        return Err(ForkError::ParentActive(parent.run.id.clone()).into());
    }
    let target = if task.has_flow { Target::Local } else { Target::Task };
    let candidate = admit::candidate(shared, target(task.id), profile(&parent)).await?;
    let given = request.inputs.clone().unwrap_or_default();
    let surroundings = candidate.surroundings(shared);
    let flow_input = again(&parent.run.state.flow_input, candidate.declarations(), &given, &surroundings)?;
    Ok((parent, candidate, flow_input))
}

fn profile(parent: &Loaded) -> Profile {
    parent.run.about.profile
}

async fn parent(shared: &Arc<Shared>, id: &str) -> Result<Loaded, AdmitError> {
    let row = reads::row_of(shared, id).await;
    let loaded = match row {
        Ok(row) => reads::load(shared, &crate::row::run_id(&row).map_err(of_parent)?).await,
        Err(error) => Err(error),
    };
    loaded.map_err(of_parent)
}

fn of_parent(error: RunError) -> AdmitError {
    match error {
        RunError::NotFound(id) | RunError::NoArtifact(id) => ForkError::UnknownParent(id).into(),
        RunError::Quarantined { run, why } | RunError::Newer { run, why } => ForkError::Quarantined { run, why }.into(),
        RunError::Inconsistent { run, why } => ForkError::Quarantined { run, why: why.to_string() }.into(),
        RunError::Storage(error) => error.into(),
    }
}

async fn saved_task(shared: &Arc<Shared>, parent: &Loaded) -> Result<store::LocalTask, AdmitError> {
    let task = store::task_of(shared, &parent.run.about.task_id).await?;
    task.ok_or_else(|| ForkError::FlowGone(parent.run.id.clone()).into())
}

/// The flow as it is saved now, if it is the very one that the parent executed.
async fn same_flow(shared: &Arc<Shared>, parent: &Loaded, has_flow: bool) -> Result<Candidate, AdmitError> {
    let id = || parent.run.about.task_id.clone();
    let mut why = None;
    let local = has_flow.then(|| Target::Local(id()));
    for target in local.into_iter().chain([Target::Task(id())]) {
        match admit::candidate(shared, target, profile(parent)).await {
            Ok(candidate) if candidate.flow().hash() == parent.bound.flow.hash() => return Ok(candidate),
            Ok(_) => {}
            Err(AdmitError::Storage(error) | AdmitError::Flow(FlowError::Storage(error))) => return Err(error.into()),
            Err(error) => {
                why.get_or_insert(crate::drive::chain(&error));
            }
        }
    }
    let run = parent.run.id.clone();
    Err(match why {
        Some(why) => ForkError::NotCompiling { run, why },
        None => ForkError::FlowChanged(run),
    }
    .into())
}

/// The Flow input of a Run, with some inputs changed.
fn again(
    before: &Object,
    declarations: &[Declaration],
    given: &Object,
    surroundings: &inputs::Surroundings,
) -> Result<Object, AdmitError> {
    let mut supplied = Object::new();
    for declared in declarations {
        let name = declared.name.as_str();
        let held = if name == REPORT_FOCUS { before.get("topic") } else { before.get(name) };
        supplied.extend(held.map(|value| (name.to_owned(), value.clone())));
    }
    supplied.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    let resolved = inputs::resolve(declarations, &supplied).map_err(AdmitError::Inputs)?;
    Ok(inputs::flow_input(surroundings, &resolved))
}

/// What the runtime knew of the work when the parent was admitted.
fn as_before(before: &Object, shared: &Shared) -> inputs::Surroundings {
    let text = |name: &str| before.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    inputs::Surroundings {
        goal: text("goal"),
        topic: text("topic"),
        granularity: Granularity::parse(&text("granularity")).unwrap_or(Granularity::Balanced),
        workspace: shared.workspace.name().to_owned(),
    }
}
