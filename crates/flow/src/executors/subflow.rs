//! `flow.task`: another flow as one node. Its inputs are expressions over what the node sees.

use segue_model::{
    flow::{
        Object,
        rules::{Subflow as Rule, expression::Variables},
    },
    run::Outcome,
};

use super::{Answer, Call, Executor, Surroundings, failure, table::unbound};

#[derive(Debug)]
pub struct Subflow;

/// The inputs of the other flow. `nodes` holds the accepted outputs by node id.
///
/// # Errors
/// The failure of an expression that has no value.
pub fn inputs(rule: &Rule, input: &Object, flow_input: &Object, nodes: &Object) -> Result<Object, Outcome> {
    let mut inputs = Object::new();
    for (name, expression) in &rule.inputs {
        let value = expression.evaluate(Variables { input, flow_input, nodes });
        let value = value.map_err(|error| failure(None, "Inputs", format!("input {name:?}: {error}")))?;
        inputs.insert(name.clone(), value);
    }
    Ok(inputs)
}

impl Executor for Subflow {
    fn needs_host(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some(rule) = &call.node.rules.subflow else { return unbound() };
            let reads_nodes = rule.inputs.iter().any(|(_, expression)| !expression.nodes().is_empty());
            let outputs = if reads_nodes { around.outputs(call) } else { Some(std::sync::Arc::default()) };
            let Some(outputs) = outputs else {
                return failure(None, "Inputs", "the outputs that the inputs are made of cannot be had");
            };
            match inputs(rule, &call.input, &call.flow_input, &outputs) {
                Ok(inputs) => around.subrun(call, &rule.flow_id, inputs).await,
                Err(outcome) => outcome,
            }
        })
    }
}
