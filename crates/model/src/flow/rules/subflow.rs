//! A `flow.task`: another flow as one node, bound by its hash.

use super::{
    super::{
        canonical::Hash,
        fields::Fields,
        json::{Json, Object, object},
        problem::Problem,
    },
    Expression,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Subflow {
    pub flow_id: String,
    pub hash: Hash,
    /// The inputs of the other flow by name, each an expression over what this node sees. Sorted by name.
    pub inputs: Vec<(String, Expression)>,
}

impl Subflow {
    /// Reads the inputs from the parameters of a step.
    pub(in super::super) fn read_inputs(params: &Fields<'_>) -> Result<Vec<(String, Expression)>, Problem> {
        let Some(inputs) = params.object("inputs")? else { return Ok(Vec::new()) };
        let mut read = Vec::with_capacity(inputs.members().len());
        for name in inputs.members().keys() {
            let expression = Expression::read(&inputs, name)?;
            let expression = expression.ok_or_else(|| inputs.problem(name, "must be a CEL expression"))?;
            read.push((name.clone(), expression));
        }
        read.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(read)
    }

    pub(super) fn from_definition(fields: &Fields<'_>) -> Result<Self, Problem> {
        let hash = fields.optional_string("semantic_hash")?.and_then(Hash::parse);
        Ok(Self {
            flow_id: fields.text("flow_id", super::super::document::ID_MAX)?.to_owned(),
            hash: hash.ok_or_else(|| fields.problem("semantic_hash", "must be a hash"))?,
            inputs: Self::read_inputs(fields)?,
        })
    }

    pub(super) fn to_json(&self) -> Json {
        let inputs: Object = self.inputs.iter().map(|(name, rule)| (name.clone(), rule.text().into())).collect();
        Json::Object(object([
            ("flow_id", self.flow_id.as_str().into()),
            ("semantic_hash", (&self.hash).into()),
            ("inputs", inputs.into()),
        ]))
    }
}
