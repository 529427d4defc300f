//! `for_each`: one node over every item of a list, some at a time, results in the order of the list.

use super::{
    super::{
        fields::Fields,
        json::{Json, object},
        problem::Problem,
    },
    Expression,
};

/// Items that one node may be run over. Each costs at least one commit and usually one process.
pub const ITEMS_MAX: usize = 1000;
/// Items under way at once.
pub const PARALLEL_MAX: u32 = 64;
const PARALLEL: u32 = 4;

/// The executor receives `{item, index, input}` for each item, and the node's output is `{items: [...]}`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForEach {
    /// Its value is the list; longer than [`ITEMS_MAX`] fails the node.
    pub items: Expression,
    pub max_parallel: u32,
}

impl ForEach {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        fields.only(&["items", "max_parallel"])?;
        let items = Expression::read(fields, "items")?;
        let items = items.ok_or_else(|| fields.problem("items", "must be a CEL expression that gives a list"))?;
        Ok(Self { items, max_parallel: fields.integer("max_parallel", 1..=PARALLEL_MAX)?.unwrap_or(PARALLEL) })
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Object(object([("items", self.items.text().into()), ("max_parallel", self.max_parallel.into())]))
    }
}
