//! A document as a plan that people read before they run it (contract §20): every step with who would execute it and
//! what it may write. Unlike compiling it also shows documents that cannot be run yet, and says of each step why.

use std::collections::{HashMap, VecDeque};

use super::{
    authorization::needs_word,
    compile::Catalogue,
    document::{DEFAULT_TITLE, Document},
    effect::Effect,
    executor::{self, Profile},
    fields::Fields,
    json::{Json, Object},
    kind::NodeKind,
    node::read_session_group,
    problem::Problem,
};

words! {
    /// What a step can change, in one word.
    RiskLevel {
        /// It writes nothing but its own artifact.
        Low = "low",
        /// It may write on this machine.
        Medium = "medium",
        /// It may write outside of it.
        High = "high",
    }
}

/// The members of a step that are rules of schema version 2.
const RULES: [&str; 7] = ["when", "for_each", "retry", "timeout_seconds", "deadline", "repair", "on_uncertain"];

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub title: String,
    pub summary: String,
    /// In document order.
    pub steps: Vec<Step>,
    /// Something needs an authorization before it runs.
    pub requires_confirmation: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub id: String,
    pub title: String,
    /// `type` as it stands in the document.
    pub node_type: String,
    /// `None` for a type that is not known.
    pub kind: Option<NodeKind>,
    /// The capability it is bound to, or else the executor's id; `None` if it has none here and now.
    pub executor: Option<String>,
    pub effects: Vec<Effect>,
    pub risk: RiskLevel,
    /// When it counts as done, in a word.
    pub completion: String,
    pub blocking: bool,
    /// 1 for the first steps, one more than the latest of those it receives from.
    pub stage: usize,
    pub from: Vec<String>,
    pub prompt: Option<String>,
    /// What happens inside: the steps of the flow that it runs.
    pub internal_steps: Vec<String>,
    pub session_group: Option<String>,
    /// As the document has them.
    pub rules: Object,
    /// Why it cannot be bound here and now.
    pub problem: Option<String>,
}

/// # Errors
/// `steps` is no array of objects.
pub fn plan(document: &Document, catalogue: &dyn Catalogue, profile: Profile) -> Result<Plan, Problem> {
    let fields = document.fields();
    let items = fields.array("steps", usize::MAX)?.unwrap_or_default();
    let items = items.iter().enumerate().map(|(index, item)| Fields::of(item, format!("/steps/{index}")));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    let mut steps: Vec<Step> =
        items.iter().enumerate().map(|(index, item)| step(index, item, catalogue, profile)).collect();
    set_stages(&mut steps);
    let title = document.members().get("name").and_then(Json::non_blank).map_or(DEFAULT_TITLE, str::trim).to_owned();
    let requires_confirmation = steps.iter().any(|step| step.risk != RiskLevel::Low);
    Ok(Plan { title, summary: summary(&steps), requires_confirmation, steps })
}

fn summary(steps: &[Step]) -> String {
    let count = |wanted: &dyn Fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count();
    let stages = steps.iter().map(|step| step.stage).max().unwrap_or(0);
    let (writing, unbound) = (count(&|step| step.risk != RiskLevel::Low), count(&|step| step.problem.is_some()));
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut text = format!("{} in {}", plural(steps.len(), "step", "steps"), plural(stages, "stage", "stages"));
    if writing > 0 {
        text.push_str(&format!("; {} write outside of the record", writing));
    }
    if unbound > 0 {
        text.push_str(&format!("; {unbound} cannot be run here yet"));
    }
    text
}

fn step(index: usize, step: &Fields<'_>, catalogue: &dyn Catalogue, profile: Profile) -> Step {
    let text = |name: &str| step.get(name).and_then(Json::non_blank).map(|text| text.trim().to_owned());
    let id = text("id").unwrap_or_else(|| format!("step-{}", index + 1));
    let node_type = text("type").unwrap_or_default();
    let kind = NodeKind::parse(&node_type);
    let no_params = Object::new();
    let params = Fields::new(step.get("params").and_then(Json::as_object).unwrap_or(&no_params), step.path("params"));
    let (bound, mut problem) = match bind(kind, &id, &params, catalogue, profile) {
        Ok(bound) => (bound, None),
        Err(problem) => (Bound::default(), Some(problem)),
    };
    if kind.is_none() {
        problem = Some(format!("\"{node_type}\" is no type of step"));
    }
    let (session_group, group_problem) = match read_session_group(step) {
        Ok(group) => (group, None),
        Err(problem) => (None, Some(problem.to_string())),
    };
    let prompt = text("prompt");
    let title = params.get("title").and_then(Json::non_blank).map(|title| title.trim().to_owned());
    Step {
        title: title.or_else(|| prompt.clone()).unwrap_or_else(|| id.clone()),
        risk: risk(kind, &bound),
        completion: text("completion_policy").unwrap_or_else(|| completion(kind).to_owned()),
        blocking: step.get("blocking") != Some(&Json::Bool(false)),
        stage: 1,
        from: sources(step),
        rules: RULES.iter().filter_map(|name| Some(((*name).to_owned(), step.get(name)?.clone()))).collect(),
        executor: bound.executor,
        effects: bound.effects,
        internal_steps: bound.inside,
        problem: problem.or(group_problem),
        id,
        node_type,
        kind,
        prompt,
        session_group,
    }
}

fn sources(step: &Fields<'_>) -> Vec<String> {
    match step.get("from") {
        Some(Json::String(id)) if !id.is_empty() => vec![id.clone()],
        Some(Json::Array(ids)) => ids.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Who would execute a step.
#[derive(Debug, Default)]
struct Bound {
    executor: Option<String>,
    /// Its full id, by which the built-in publisher is told.
    executor_id: String,
    effects: Vec<Effect>,
    inside: Vec<String>,
}

fn bind(
    kind: Option<NodeKind>,
    id: &str,
    params: &Fields<'_>,
    catalogue: &dyn Catalogue,
    profile: Profile,
) -> Result<Bound, String> {
    let of = |binding: executor::Binding| {
        let executor_id = binding.executor.executor_id;
        Bound { executor: Some(executor_id.clone()), executor_id, effects: binding.effects, inside: Vec::new() }
    };
    let Some(kind) = kind else { return Ok(Bound::default()) };
    match kind {
        NodeKind::Artifact => return Ok(of(executor::publisher())),
        NodeKind::Human => return Ok(of(executor::person())),
        NodeKind::Flow => {
            let name = params.get("flow_id").and_then(Json::as_str).unwrap_or_default();
            let callee = catalogue.flow(name).ok_or_else(|| format!("there is no flow \"{name}\""))?;
            let does = |effect: &&Effect| callee.flow.nodes().iter().any(|node| node.effects.contains(effect));
            return Ok(Bound {
                executor: Some(format!("{}{name}", executor::SUBFLOW_PREFIX)),
                executor_id: String::new(),
                effects: Effect::ALL.iter().filter(does).copied().collect(),
                inside: callee.flow.nodes().iter().map(|node| node.title.clone()).collect(),
            });
        }
        NodeKind::Agent | NodeKind::Model | NodeKind::Evaluation | NodeKind::Tool | NodeKind::Capability => {}
    }
    match params.get("capability_id") {
        Some(Json::String(name)) => {
            let capability = catalogue.capability(name).ok_or_else(|| format!("there is no capability \"{name}\""))?;
            if !kind.accepts().contains(&capability.kind()) {
                return Err(format!("\"{name}\" is of kind {}, which {kind} cannot be bound to", capability.kind()));
            }
            Ok(Bound {
                executor: Some(name.clone()),
                executor_id: capability.executor().executor_id,
                effects: capability.effects,
                inside: Vec::new(),
            })
        }
        Some(_) => Err("capability_id must be a string".to_owned()),
        None if kind.needs_capability() => Err(format!("{kind} must be bound to a capability")),
        None if profile == Profile::Deterministic => executor::deterministic_role(id)
            .map(of)
            .ok_or_else(|| "must be bound to a capability, or run by an agent that is chosen with the run".to_owned()),
        None => catalogue.preset(profile).map(of).ok_or_else(|| format!("{profile} is not installed")),
    }
}

fn risk(kind: Option<NodeKind>, bound: &Bound) -> RiskLevel {
    let asks = |effect| kind.is_some_and(|kind| needs_word(kind, &bound.executor_id, &bound.effects, effect));
    match (asks(Effect::WriteExternal), asks(Effect::WriteLocal)) {
        (true, _) => RiskLevel::High,
        (false, true) => RiskLevel::Medium,
        (false, false) => RiskLevel::Low,
    }
}

const fn completion(kind: Option<NodeKind>) -> &'static str {
    match kind {
        Some(NodeKind::Evaluation) => "verdict",
        Some(NodeKind::Artifact) => "artifact_created",
        Some(NodeKind::Human) => "answer",
        Some(NodeKind::Flow) => "run_ended",
        _ => "output_accepted",
    }
}

/// Steps on a cycle, or behind one, stay in the first stage: such a document cannot be run.
fn set_stages(steps: &mut [Step]) {
    let positions: HashMap<&str, usize> = steps.iter().enumerate().map(|(at, step)| (step.id.as_str(), at)).collect();
    let upstream: Vec<Vec<usize>> = steps
        .iter()
        .map(|step| step.from.iter().filter_map(|id| positions.get(id.as_str()).copied()).collect())
        .collect();
    let mut downstream = vec![Vec::new(); steps.len()];
    let mut waiting: Vec<usize> = upstream.iter().map(Vec::len).collect();
    for (at, sources) in upstream.iter().enumerate() {
        for source in sources {
            downstream[*source].push(at);
        }
    }
    let mut ready: VecDeque<usize> = (0..steps.len()).filter(|at| waiting[*at] == 0).collect();
    while let Some(at) = ready.pop_front() {
        let latest = upstream[at].iter().map(|source| steps[*source].stage).max();
        steps[at].stage = latest.map_or(1, |stage| stage + 1);
        for next in &downstream[at] {
            waiting[*next] -= 1;
            if waiting[*next] == 0 {
                ready.push_back(*next);
            }
        }
    }
}
