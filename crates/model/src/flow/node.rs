//! One node of a compiled flow, and the form in which it is hashed, stored and read back.

use super::{
    effect::Effect,
    executor::{Binding, ExecutorRef},
    fields::Fields,
    id::{NodeId, is_word_byte, matches},
    json::{Json, Object, object},
    kind::NodeKind,
    problem::Problem,
    rules::Rules,
};

/// Characters of a node's title.
pub const TITLE_MAX: usize = 240;
/// Characters of the name of a session group.
pub const SESSION_GROUP_MAX: usize = 64;

/// What a node receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upstream {
    /// It is a first node.
    FlowInput,
    /// Exactly the accepted output of that node.
    Output(NodeId),
    /// `{id: output, …}` of those nodes; skipped ones are left out. Never empty.
    Gathered(Vec<NodeId>),
}

impl Upstream {
    /// The nodes it names.
    #[must_use]
    pub fn ids(&self) -> &[NodeId] {
        match self {
            Self::FlowInput => &[],
            Self::Output(id) => std::slice::from_ref(id),
            Self::Gathered(ids) => ids,
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::FlowInput => Json::Null,
            Self::Output(id) => id.into(),
            Self::Gathered(ids) => Json::Array(ids.iter().map(Json::from).collect()),
        }
    }

    /// Reads `from` of a step, or `input_from` of a stored node: absent, null or empty, an id, or an array
    /// of distinct ids.
    pub(super) fn read(fields: &Fields<'_>, name: &str) -> Result<Self, Problem> {
        let refuse = || fields.problem(name, "must be the id of a step, or an array of distinct ids");
        match fields.get(name) {
            None => Ok(Self::FlowInput),
            Some(Json::String(text)) if text.is_empty() => Ok(Self::FlowInput),
            Some(Json::String(text)) => NodeId::parse(text).map(Self::Output).ok_or_else(refuse),
            Some(Json::Array(items)) if items.is_empty() => Ok(Self::FlowInput),
            Some(Json::Array(items)) => {
                let ids = items.iter().map(|item| item.as_str().and_then(NodeId::parse));
                let ids = ids.collect::<Option<Vec<_>>>().ok_or_else(refuse)?;
                let repeated = ids.iter().enumerate().any(|(index, id)| ids[..index].contains(id));
                if repeated { Err(refuse()) } else { Ok(Self::Gathered(ids)) }
            }
            Some(_) => Err(refuse()),
        }
    }
}

/// What is executed, by whom, on what. Everything in it is part of the flow's hash.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub id: NodeId,
    pub title: String,
    pub kind: NodeKind,
    pub executor: ExecutorRef,
    /// Those of the executor, in its order.
    pub effects: Vec<Effect>,
    pub upstream: Upstream,
    pub instruction: Option<String>,
    pub session_group: Option<String>,
    pub rules: Rules,
}

impl Node {
    /// A node without instruction, session or rules.
    #[must_use]
    pub fn plain(id: NodeId, title: String, kind: NodeKind, binding: Binding, upstream: Upstream) -> Self {
        let Binding { executor, effects } = binding;
        let rules = Rules::default();
        Self { id, title, kind, executor, effects, upstream, instruction: None, session_group: None, rules }
    }

    #[must_use]
    pub fn writes(&self) -> bool {
        self.effects.iter().any(|effect| effect.is_write())
    }

    /// As it stands in the hashed definition (contract §2).
    #[must_use]
    pub fn definition(&self) -> Json {
        let mut members = object([
            ("node_id", (&self.id).into()),
            ("title", self.title.as_str().into()),
            ("kind", self.kind.into()),
            ("executor", self.executor.to_json()),
            ("effects", self.effects.clone().into()),
            ("input_from", self.upstream.to_json()),
            ("instruction", self.instruction.clone().into()),
        ]);
        if let Some(group) = &self.session_group {
            members.insert("session_group".into(), group.as_str().into());
        }
        self.rules.write(&mut members);
        Json::Object(members)
    }

    pub(super) fn from_definition(fields: &Fields<'_>) -> Result<Self, Problem> {
        let missing = |name: &str| fields.problem(name, "is missing");
        let executor = fields.object("executor")?.ok_or_else(|| missing("executor"))?;
        let text = |fields: &Fields<'_>, name: &str| {
            fields.optional_string(name)?.map(str::to_owned).ok_or_else(|| fields.problem(name, "is missing"))
        };
        let id = NodeId::parse(fields.text("node_id", NodeId::MAX)?);
        Ok(Self {
            id: id.ok_or_else(|| missing("node_id"))?,
            title: fields.text("title", TITLE_MAX)?.to_owned(),
            kind: fields.word("kind")?.ok_or_else(|| missing("kind"))?,
            executor: ExecutorRef::new(text(&executor, "executor_id")?, text(&executor, "version")?),
            effects: fields.word_list("effects")?.ok_or_else(|| missing("effects"))?,
            upstream: Upstream::read(fields, "input_from")?,
            instruction: fields.optional_string("instruction")?.map(str::to_owned),
            session_group: read_session_group(fields)?,
            rules: Rules::from_definition(fields)?,
        })
    }
}

/// Reads `session_group`: null or empty is none.
pub(super) fn read_session_group(fields: &Fields<'_>) -> Result<Option<String>, Problem> {
    let refuse = || fields.problem("session_group", "must be 1 to 64 characters of letters, digits, '_' and '-'");
    let Some(value) = fields.get("session_group") else { return Ok(None) };
    let text = value.as_str().ok_or_else(refuse)?;
    if text.is_empty() {
        return Ok(None);
    }
    let is_group = matches(text, 1, SESSION_GROUP_MAX, is_word_byte, is_word_byte);
    if is_group { Ok(Some(text.to_owned())) } else { Err(refuse()) }
}

/// The definition of a whole flow: what is hashed and stored.
pub(super) fn flow_definition(flow_id: &str, version: &str, title: &str, nodes: &[Node]) -> Object {
    object([
        ("flow_id", flow_id.into()),
        ("version", version.into()),
        ("title", title.into()),
        ("nodes", Json::Array(nodes.iter().map(Node::definition).collect())),
    ])
}
