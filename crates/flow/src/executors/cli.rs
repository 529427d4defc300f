//! `cli`: a program that reads a request and writes whatever it likes (contract §14.5).

use segue_model::{
    flow::{
        Json, Object,
        capability::{Capability, Config},
        json::object,
    },
    run::Outcome,
};

use super::{
    Answer, Call, Executor, Surroundings, Terms,
    process::{self, Finished, Program},
    real,
    request::{self, Request},
    table::unbound,
};

#[derive(Debug)]
pub struct Cli;

/// The request: `run_id, node_id, instruction, context`.
#[must_use]
pub fn request_of(request: Request<'_>) -> Vec<u8> {
    let fixed = object([
        ("run_id", request.run_id.into()),
        ("node_id", request.node_id.into()),
        ("instruction", request.instruction.map(Json::from).into()),
    ]);
    request::bytes_with(&fixed, "context", request.input)
}

#[must_use]
pub fn interpret(capability: &Capability, finished: &Finished) -> Outcome {
    match finished.text() {
        Ok(text) => real(output(capability, &text)),
        Err(outcome) => outcome,
    }
}

fn output(capability: &Capability, text: &str) -> Object {
    let mut output = request::said(text);
    output.extend(request::called(capability));
    output
}

impl Executor for Cli {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, _)) = call.bound() else { return unbound() };
            run(capability, Request::of(call), &call.terms(), around).await
        })
    }
}

/// Calls the tool; also when it is only tried.
pub(super) async fn run(
    capability: &Capability,
    request: Request<'_>,
    terms: &Terms,
    around: &dyn Surroundings,
) -> Outcome {
    let Config::Cli { command } = &capability.config else { return unbound() };
    match process::run(terms, around, Program::of(command, request_of(request))).await {
        Ok(finished) => interpret(capability, &finished),
        Err(outcome) => outcome,
    }
}
