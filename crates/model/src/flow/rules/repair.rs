//! `repair`: a valid fail of an evaluation goes back to the producer with the findings.

use super::super::{
    fields::Fields,
    id::NodeId,
    json::{Json, object},
    problem::Problem,
};

/// Rounds after the first one.
pub const ROUNDS_MAX: u32 = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The producer: the region of a round is every node from it to the evaluator.
    pub from: NodeId,
    /// How often a fail goes back; the fail after that fails the Run.
    pub max_rounds: u32,
}

impl Repair {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        fields.only(&["from", "max_rounds"])?;
        let from = NodeId::parse(fields.text("from", NodeId::MAX)?);
        let from = from.ok_or_else(|| fields.problem("from", "must be the id of a step"))?;
        let max_rounds = fields.integer("max_rounds", 1..=ROUNDS_MAX)?;
        Ok(Self { from, max_rounds: max_rounds.ok_or_else(|| fields.problem("max_rounds", "is missing"))? })
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Object(object([("from", (&self.from).into()), ("max_rounds", self.max_rounds.into())]))
    }
}
