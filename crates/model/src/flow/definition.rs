//! A compiled flow: immutable, hashed, the same form for both schema versions.

use super::{
    canonical::Hash,
    document::ID_MAX,
    fields::Fields,
    graph::Graph,
    id::NodeId,
    json::Json,
    node::{Node, TITLE_MAX, Upstream, flow_definition},
    problem::Problem,
    rules::Rules,
};

/// The version of every compiled flow; what changes shows in the hash.
pub const VERSION: &str = "1.0.0";

/// The exact thing that a Run executes.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    flow_id: String,
    version: String,
    title: String,
    nodes: Vec<Node>,
    hash: Hash,
}

impl Flow {
    pub(super) fn new(flow_id: String, title: String, nodes: Vec<Node>) -> Self {
        Self::with_version(flow_id, VERSION.to_owned(), title, nodes)
    }

    /// A flow of these nodes, for tests of what runs flows.
    #[cfg(test)]
    pub(crate) fn of_nodes(flow_id: &str, nodes: Vec<Node>) -> Self {
        Self::new(flow_id.to_owned(), flow_id.to_owned(), nodes)
    }

    fn with_version(flow_id: String, version: String, title: String, nodes: Vec<Node>) -> Self {
        let hash = Hash::of(&Json::Object(flow_definition(&flow_id, &version, &title, &nodes)));
        Self { flow_id, version, title, nodes, hash }
    }

    /// Reads a stored definition back.
    ///
    /// # Errors
    /// It is not one that this product stores, or its graph is not sound.
    pub fn from_definition(definition: &Json) -> Result<Self, Problem> {
        let fields = Fields::of(definition, "")?;
        let text = |name, max| fields.text(name, max).map(str::to_owned);
        let items = fields.array("nodes", usize::MAX)?.unwrap_or_default();
        let mut nodes = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            nodes.push(Node::from_definition(&Fields::of(item, format!("/nodes/{index}"))?)?);
        }
        if nodes.is_empty() {
            return Err(fields.problem("nodes", "must not be empty"));
        }
        Graph::of(&nodes, "/nodes")?;
        Ok(Self::with_version(text("flow_id", ID_MAX)?, text("version", ID_MAX)?, text("title", TITLE_MAX)?, nodes))
    }

    /// The portable flow id, as far as the document had one.
    #[must_use]
    pub fn flow_id(&self) -> &str {
        &self.flow_id
    }

    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// In document order. Never empty.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The semantic hash (contract §2).
    #[must_use]
    pub const fn hash(&self) -> &Hash {
        &self.hash
    }

    #[must_use]
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.position(id).map(|index| &self.nodes[index])
    }

    /// Where a node stands in document order.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id.as_str() == id)
    }

    /// Every node follows the one before it and none has a rule: a flow of schema version 1.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        let mut before: Option<&NodeId> = None;
        self.nodes.iter().all(|node| {
            let expected = before.map_or(Upstream::FlowInput, |id| Upstream::Output(id.clone()));
            before = Some(&node.id);
            node.upstream == expected && node.rules == Rules::default()
        })
    }

    /// What is hashed and stored.
    #[must_use]
    pub fn definition(&self) -> Json {
        Json::Object(flow_definition(&self.flow_id, &self.version, &self.title, &self.nodes))
    }

    /// The edges of this flow as indices.
    #[must_use]
    pub fn graph(&self) -> Graph {
        Graph::of_sound(&self.nodes)
    }
}
