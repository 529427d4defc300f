//! From a document to the exact flow that a Run executes, or the first reason why there is none (contract §3,
//! design §7).

use super::{
    canonical::Hash,
    capability::Capability,
    definition::Flow,
    document::{DEFAULT_TITLE, Document, ID_MAX, NAME_MAX, SchemaVersion},
    effect::Effect,
    executor::{self, Binding, ExecutorRef, Profile},
    fields::{Fields, trimmed, unquoted},
    graph::{self, Graph},
    id::{CapabilityId, NodeId},
    inputs::{Declaration, read_declarations},
    json::{Json, Object, object},
    kind::NodeKind,
    node::{Node, TITLE_MAX, Upstream, read_session_group},
    problem::Problem,
    rules::{Person, Rules, Subflow},
};

/// Steps of a document of version 2: what the canvas is built for.
pub const STEPS_MAX: usize = 1000;
/// Digits of a flow's hash that the executor reference of a `flow.task` carries.
const HASH_DIGITS: usize = 16;
/// The code of every problem in a validation result.
const PROBLEM_CODE: &str = "UNSUPPORTED_FLOW";

/// What a document can refer to. Answers are about now, so that compiling twice can differ.
pub trait Catalogue {
    fn capability(&self, id: &str) -> Option<Capability>;

    /// What nodes that are bound to it name as their executor.
    fn executor_of(&self, capability: &Capability) -> ExecutorRef {
        capability.executor()
    }

    /// The executor of agent nodes without a capability, under a profile other than the deterministic one;
    /// `None` if it is not installed.
    fn preset(&self, profile: Profile) -> Option<Binding>;

    /// The one saved flow with this portable id, compiled.
    fn flow(&self, id: &str) -> Option<Callee>;
}

/// Another flow, as a `flow.task` sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Callee {
    pub flow: Flow,
    pub inputs: Vec<Declaration>,
    /// The ids of all flows inside it at any depth, its own included.
    pub contains: Vec<String>,
}

/// What compiling depends on besides the document.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub catalogue: &'a dyn Catalogue,
    pub profile: Profile,
    /// Drawn by the caller; names a document that has no id.
    pub unnamed: [u8; 6],
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// A flow and what is known of it besides its definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    pub flow: Flow,
    pub inputs: Vec<Declaration>,
    /// Of all bound steps, sorted, each once.
    pub capability_ids: Vec<CapabilityId>,
    /// The ids of all flows in it at any depth, its own included.
    pub contains: Vec<String>,
}

impl From<Compiled> for Callee {
    fn from(compiled: Compiled) -> Self {
        Self { flow: compiled.flow, inputs: compiled.inputs, contains: compiled.contains }
    }
}

/// Why a document has no flow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The document breaks a rule.
    #[error("{0}")]
    Unsupported(Problem),
    /// On save and admission this is "not found", in a validation a problem like any other.
    #[error("there is no capability \"{0}\"")]
    UnknownCapability(String),
    #[error("there is no flow \"{0}\"")]
    UnknownFlow(String),
    #[error("{0} is not installed")]
    PresetMissing(Profile),
}

impl From<Problem> for CompileError {
    fn from(problem: Problem) -> Self {
        Self::Unsupported(problem)
    }
}

/// The validation result of contract §3: at most one error, the first. What the contract accepts and is of little use is a
/// warning.
#[must_use]
pub fn validation<T>(document: &Document, result: &Result<T, CompileError>) -> Json {
    let errors = result.as_ref().err().map(|error| {
        Json::Object(object([
            ("severity", "error".into()),
            ("code", PROBLEM_CODE.into()),
            ("message", error.to_string().into()),
        ]))
    });
    let errors: Vec<Json> = errors.into_iter().collect();
    let warnings = document.unaddressable().map(|message| {
        Json::Object(object([
            ("severity", "warning".into()),
            ("code", "UNADDRESSABLE_ID".into()),
            ("message", message.into()),
        ]))
    });
    Json::Object(object([
        ("valid", errors.is_empty().into()),
        ("errors", Json::Array(errors)),
        ("warnings", Json::Array(warnings.into_iter().collect())),
    ]))
}

/// # Errors
/// The first thing that keeps the document from being a flow, in document order; what needs the whole
/// graph comes last.
pub fn compile(document: &Document, context: Context<'_>) -> Result<Compiled, CompileError> {
    let version = document.schema_version()?;
    let fields = document.fields();
    let flow_id = read_id(&fields, context.unnamed)?;
    let title = fields.optional_string("name")?.filter(|name| !name.is_empty());
    let title = title.map(|_| fields.text("name", NAME_MAX)).transpose()?.unwrap_or(DEFAULT_TITLE);
    let inputs = read_declarations(&fields)?;
    let max = if version == SchemaVersion::Two { STEPS_MAX } else { usize::MAX };
    let items = fields.array("steps", max)?.filter(|steps| !steps.is_empty());
    let items = items.ok_or_else(|| fields.problem("steps", "must be an array of at least one step"))?;

    let mut steps =
        Steps { version, context, flow_id: &flow_id, nodes: Vec::with_capacity(items.len()), found: Found::default() };
    for (index, item) in items.iter().enumerate() {
        let node = steps.read(index, &Fields::of(item, format!("/steps/{index}"))?)?;
        steps.nodes.push(node);
    }
    let Steps { nodes, found: Found { mut capability_ids, mut contains }, .. } = steps;
    let graph = Graph::of(&nodes, "/steps")?;
    graph::check_rules(&nodes, &graph, "/steps")?;
    capability_ids.sort_unstable();
    capability_ids.dedup();
    contains.push(flow_id.clone());
    contains.sort_unstable();
    contains.dedup();
    Ok(Compiled { flow: Flow::new(flow_id, title.to_owned(), nodes), inputs, capability_ids, contains })
}

fn read_id(fields: &Fields<'_>, unnamed: [u8; 6]) -> Result<String, Problem> {
    let given = fields.optional_string("id")?.filter(|id| !id.is_empty());
    let Some(id) = given else {
        return Ok(unnamed.iter().fold("console-".to_owned(), |id, byte| format!("{id}{byte:02x}")));
    };
    let id = trimmed(id, ID_MAX).map(str::to_owned);
    id.ok_or_else(|| fields.problem("id", format!("must be text of 1 to {ID_MAX} characters")))
}

/// What steps turned out to be bound to.
#[derive(Default)]
struct Found {
    capability_ids: Vec<CapabilityId>,
    contains: Vec<String>,
}

/// Reads steps one after the other.
struct Steps<'a> {
    version: SchemaVersion,
    context: Context<'a>,
    flow_id: &'a str,
    nodes: Vec<Node>,
    found: Found,
}

impl Steps<'_> {
    fn read(&mut self, index: usize, step: &Fields<'_>) -> Result<Node, CompileError> {
        let id = step.get("id").and_then(Json::as_str).and_then(NodeId::parse);
        let hint = unquoted(step.get("id"));
        let id = id.ok_or_else(|| step.problem("id", format!("must be text of 1 to 120 characters{hint}")))?;
        if self.nodes.iter().any(|node| node.id == id) {
            return Err(step.problem("id", format!("\"{id}\" occurs twice")).into());
        }
        let kind: NodeKind = step.word("type")?.ok_or_else(|| step.problem("type", "is missing"))?;
        if kind.needs_version_2() && self.version == SchemaVersion::One {
            return Err(step.problem("type", format!("{kind} needs schema_version 2")).into());
        }
        let upstream = self.read_upstream(index, step)?;
        let no_params = Object::new();
        let params = step.get("params").and_then(Json::as_object).unwrap_or(&no_params);
        let params = Fields::new(params, step.path("params"));
        let prompt = step.get("prompt").and_then(Json::as_str);
        let title = read_title(step, &params, prompt, &id)?;
        let session_group = read_session_group(step)?;
        let mut rules = match self.version {
            SchemaVersion::One => Rules::default(),
            SchemaVersion::Two => Rules::read(step)?,
        };
        let bound = self.bind(kind, &id, &params, &mut rules)?;
        if session_group.is_some() && !bound.keeps_sessions {
            let message = "needs an agent.task that is bound to a capability with sessions";
            return Err(step.problem("session_group", message).into());
        }
        let instruction = prompt.map(|text| text.trim().to_owned());
        let Binding { executor, effects } = bound.binding;
        let node = Node { id, title, kind, executor, effects, upstream, instruction, session_group, rules };
        check_node(&node, step)?;
        Ok(node)
    }

    fn read_upstream(&self, index: usize, step: &Fields<'_>) -> Result<Upstream, Problem> {
        if self.version == SchemaVersion::Two {
            return Upstream::read(step, "from");
        }
        let before = index.checked_sub(1).and_then(|before| self.nodes.get(before));
        match (before, step.get("from")) {
            (_, Some(Json::Array(_))) => Err(step.problem("from", "a list of steps needs schema_version 2")),
            (None, None) => Ok(Upstream::FlowInput),
            (None, Some(Json::String(text))) if text.is_empty() => Ok(Upstream::FlowInput),
            (None, Some(_)) => Err(step.problem("from", "the first step receives from no other")),
            (Some(before), Some(Json::String(text))) if *text == before.id.as_str() => {
                Ok(Upstream::Output(before.id.clone()))
            }
            (Some(before), _) => {
                Err(step.problem("from", format!("must be \"{}\", the step right before it", before.id)))
            }
        }
    }

    fn bind(
        &mut self,
        kind: NodeKind,
        id: &NodeId,
        params: &Fields<'_>,
        rules: &mut Rules,
    ) -> Result<Bound, CompileError> {
        match kind {
            NodeKind::Artifact => return Ok(Bound::without_sessions(executor::publisher())),
            NodeKind::Human => {
                rules.person = Some(Person::read(params)?);
                return Ok(Bound::without_sessions(executor::person()));
            }
            NodeKind::Flow => return self.bind_flow(params, rules),
            NodeKind::Agent | NodeKind::Model | NodeKind::Evaluation | NodeKind::Tool | NodeKind::Capability => {}
        }
        match params.optional_string("capability_id")? {
            Some(capability_id) => self.bind_capability(kind, capability_id, params),
            None if kind.needs_capability() => {
                Err(params.problem("capability_id", format!("{kind} must be bound to a capability")).into())
            }
            None => self.bind_profile(id, params),
        }
    }

    fn bind_capability(&mut self, kind: NodeKind, id: &str, params: &Fields<'_>) -> Result<Bound, CompileError> {
        let unknown = || CompileError::UnknownCapability(id.to_owned());
        let capability = self.context.catalogue.capability(id).ok_or_else(unknown)?;
        let (bound_kind, problem) = (capability.kind(), |message| Err(params.problem("capability_id", message).into()));
        if !kind.accepts().contains(&bound_kind) {
            return problem(format!("\"{id}\" is of kind {bound_kind}, which {kind} cannot be bound to"));
        }
        if bound_kind.needs_version_2() && self.version == SchemaVersion::One {
            return problem(format!("\"{id}\" is of kind {bound_kind}, which needs schema_version 2"));
        }
        check_pin(params, "capability_fingerprint", &capability.fingerprint())?;
        let binding =
            Binding { executor: self.context.catalogue.executor_of(&capability), effects: capability.effects.clone() };
        let keeps_sessions = kind == NodeKind::Agent && capability.keeps_sessions();
        self.found.capability_ids.push(capability.id);
        Ok(Bound { binding, keeps_sessions })
    }

    fn bind_profile(&self, id: &NodeId, params: &Fields<'_>) -> Result<Bound, CompileError> {
        let profile = self.context.profile;
        let binding = match profile {
            Profile::Deterministic => executor::deterministic_role(id.as_str()).ok_or_else(|| {
                let message = "must be bound to a capability, or have the id of a built-in role";
                CompileError::from(params.problem("capability_id", message))
            })?,
            Profile::Codex | Profile::Opencode => {
                self.context.catalogue.preset(profile).ok_or(CompileError::PresetMissing(profile))?
            }
        };
        Ok(Bound::without_sessions(binding))
    }

    fn bind_flow(&mut self, params: &Fields<'_>, rules: &mut Rules) -> Result<Bound, CompileError> {
        let id = params.text("flow_id", ID_MAX)?;
        let callee = self.context.catalogue.flow(id).ok_or_else(|| CompileError::UnknownFlow(id.to_owned()))?;
        if callee.contains.iter().any(|inside| inside == self.flow_id) {
            return Err(params.problem("flow_id", "this flow would contain itself").into());
        }
        let hash = callee.flow.hash().clone();
        check_pin(params, "flow_hash", &hash)?;
        let inputs = Subflow::read_inputs(params)?;
        check_arguments(params, &inputs, &callee.inputs)?;
        let does = |effect: &&Effect| callee.flow.nodes().iter().any(|node| node.effects.contains(effect));
        let executor_id = format!("{}{id}.{}", executor::SUBFLOW_PREFIX, hash.prefix(HASH_DIGITS));
        let binding = Binding {
            executor: ExecutorRef::new(executor_id, executor::SUBFLOW_VERSION),
            effects: Effect::ALL.iter().filter(does).copied().collect(),
        };
        rules.subflow = Some(Subflow { flow_id: id.to_owned(), hash, inputs });
        self.found.contains.extend(callee.contains);
        Ok(Bound::without_sessions(binding))
    }
}

/// Who executes a step, and whether it can be in a session group.
struct Bound {
    binding: Binding,
    keeps_sessions: bool,
}

impl Bound {
    const fn without_sessions(binding: Binding) -> Self {
        Self { binding, keeps_sessions: false }
    }
}

/// A pin must equal what the step is bound to now.
fn check_pin(params: &Fields<'_>, name: &str, current: &Hash) -> Result<(), Problem> {
    match params.get(name) {
        None => Ok(()),
        Some(pin) if pin.as_str() == Some(current.as_str()) => Ok(()),
        Some(_) => Err(params
            .problem(name, "is not that of what the step is bound to now; save the flow again to accept the change")),
    }
}

fn check_arguments<T>(params: &Fields<'_>, given: &[(String, T)], declared: &[Declaration]) -> Result<(), Problem> {
    if let Some((name, _)) = given.iter().find(|(name, _)| declared.iter().all(|input| input.name != *name)) {
        return Err(Problem::new(format!("{}/{name}", params.path("inputs")), "is not an input of that flow"));
    }
    let is_missing = |input: &&Declaration| {
        input.required && input.default.is_none() && given.iter().all(|(name, _)| *name != input.name)
    };
    match declared.iter().find(is_missing) {
        Some(input) => Err(params.problem("inputs", format!("\"{}\" is required by that flow", input.name))),
        None => Ok(()),
    }
}

/// The title, else the prompt, else the id; null and empty count as absent.
fn read_title(step: &Fields<'_>, params: &Fields<'_>, prompt: Option<&str>, id: &NodeId) -> Result<String, Problem> {
    let bounded = |text: &str, path: String| {
        let title = trimmed(text, TITLE_MAX).map(str::to_owned);
        title.ok_or_else(|| Problem::new(path, format!("the title must be text of 1 to {TITLE_MAX} characters")))
    };
    if let Some(title) = params.optional_string("title")?.filter(|text| !text.is_empty()) {
        return bounded(title, params.path("title"));
    }
    match prompt.filter(|text| !text.is_empty()) {
        Some(prompt) => bounded(prompt, step.path("prompt")),
        None => Ok(id.as_str().to_owned()),
    }
}

/// What depends on one node alone.
fn check_node(node: &Node, step: &Fields<'_>) -> Result<(), Problem> {
    if node.kind == NodeKind::Evaluation && node.upstream == Upstream::FlowInput {
        return Err(step.problem("from", "an evaluation needs a step to judge"));
    }
    let rules = &node.rules;
    let kind = node.kind;
    let is_quiet = matches!(kind, NodeKind::Human | NodeKind::Artifact);
    let misplaced = [
        ("for_each", rules.for_each.is_some() && !kind.is_repeatable()),
        ("retry", rules.retry.is_some() && !kind.is_repeatable() && kind != NodeKind::Evaluation),
        ("timeout_seconds", rules.timeout_seconds.is_some() && is_quiet),
        ("repair", rules.repair.is_some() && kind != NodeKind::Evaluation),
    ];
    if let Some((name, _)) = misplaced.into_iter().find(|(_, is_misplaced)| *is_misplaced) {
        return Err(step.problem(name, format!("cannot be used on {kind}")));
    }
    if rules.for_each.is_some() && node.session_group.is_some() {
        return Err(step.problem("for_each", "cannot be used in a session group, whose turns have one order"));
    }
    if kind == NodeKind::Human && node.instruction.as_deref().is_none_or(str::is_empty) {
        return Err(step.problem("prompt", "must be the question that the person is asked"));
    }
    let repeats_writes = rules.retry.as_ref().is_some_and(|retry| retry.repeat_writes);
    if rules.retry.is_some() && node.writes() && !repeats_writes {
        let message = "this step may write, so repeating it needs repeat_writes: true";
        return Err(step.problem("retry", message));
    }
    Ok(())
}
