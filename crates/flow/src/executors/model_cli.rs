//! `model_cli`: one inference by a program that speaks `symphlo.model-inference.v1` (contract §14.3).

use segue_model::{
    flow::{
        Json,
        capability::{Capability, Config},
        fields::Fields,
        json::object,
    },
    run::Outcome,
};

use super::{
    Answer, Call, Executor, Surroundings, malformed,
    process::{self, Finished, Program},
    real,
    request::{self, Request},
    table::unbound,
};

const REQUEST: &str = "symphlo.model-inference-request.v1";
const RESULT: &str = "symphlo.model-inference-result.v1";

#[derive(Debug)]
pub struct ModelCli;

/// The request, exact.
#[must_use]
pub fn request_of(request: Request<'_>) -> Vec<u8> {
    let fixed = object([
        ("contract_version", REQUEST.into()),
        ("run_id", request.run_id.into()),
        ("node_id", request.node_id.into()),
        ("instruction", request.instruction.map(Json::from).into()),
    ]);
    request::bytes_with(&fixed, "context", request.input)
}

#[must_use]
pub fn interpret(capability: &Capability, finished: &Finished) -> Outcome {
    let text = match finished.text() {
        Ok(text) => text,
        Err(outcome) => return outcome,
    };
    match read(&text) {
        Ok(said) => {
            let mut output = request::bound_to(capability);
            output.extend(object([("contract_version", RESULT.into()), ("model_output", said.into())]));
            real(output)
        }
        Err(problem) => malformed(format!("the result of {}: {problem}", finished.name)),
    }
}

/// The output, trimmed.
fn read(text: &str) -> Result<String, String> {
    let result = Json::parse(text).map_err(|_| "is not JSON".to_owned())?;
    let words = |problem: segue_model::flow::Problem| problem.to_string();
    let fields = Fields::of(&result, "").map_err(words)?;
    fields.exactly(&["contract_version", "output"]).map_err(words)?;
    fields.literal("contract_version", RESULT).map_err(words)?;
    let output = fields.get("output").and_then(Json::non_blank);
    output.map(|output| output.trim().to_owned()).ok_or_else(|| "/output: must be text that is not blank".to_owned())
}

impl Executor for ModelCli {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::ModelCli { command, .. })) = call.bound() else { return unbound() };
            let program = Program::of(command, request_of(Request::of(call)));
            match process::run(&call.terms(), around, program).await {
                Ok(finished) => interpret(capability, &finished),
                Err(outcome) => outcome,
            }
        })
    }
}
