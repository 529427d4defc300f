//! `evaluator_cli`: a program that judges what it is given and speaks `symphlo.evaluation.v1` (contract §14.4).
//!
//! A malformed result is a failure; a valid `fail` is a result like any other, and the rules of the Run say what
//! follows from it.

use segue_model::{
    flow::{
        Json, Object,
        capability::{Capability, Config},
        fields::Fields,
        id::matches,
        json::object,
        problem::Problem,
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

const REQUEST: &str = "symphlo.evaluation-request.v1";
pub(super) const RESULT: &str = "symphlo.evaluation-result.v1";

// Bounds of the contract.
const TEXT_MAX: usize = 500;
const FINDINGS_MAX: usize = 16;
const CODE_MAX: usize = 64;

#[derive(Debug)]
pub struct EvaluatorCli;

/// The request, exact. The candidate is what the node accepted.
#[must_use]
pub fn request_of(request: Request<'_>) -> Vec<u8> {
    let fixed = object([
        ("contract_version", REQUEST.into()),
        ("run_id", request.run_id.into()),
        ("node_id", request.node_id.into()),
        ("instruction", request.instruction.map(Json::from).into()),
        ("flow_input", request.flow_input.clone().into()),
    ]);
    request::bytes_with(&fixed, "candidate", request.input)
}

#[must_use]
pub fn interpret(capability: &Capability, candidate: &Object, finished: &Finished) -> Outcome {
    let text = match finished.text() {
        Ok(text) => text,
        Err(outcome) => return outcome,
    };
    let result = Json::parse(&text).map_err(|_| Problem::new("", "is not JSON"));
    match result.and_then(|result| check(&result).map(|()| result)) {
        Ok(evaluation) => {
            let mut output = request::bound_to(capability);
            output.extend(object([("candidate", candidate.clone().into()), ("evaluation", evaluation)]));
            real(output)
        }
        Err(problem) => malformed(format!("the result of {}: {problem}", finished.name)),
    }
}

fn check(result: &Json) -> Result<(), Problem> {
    let fields = Fields::of(result, "")?;
    fields.exactly(&["contract_version", "verdict", "summary", "findings"])?;
    fields.literal("contract_version", RESULT)?;
    fields.text("summary", TEXT_MAX)?;
    let passed = match fields.get("verdict").and_then(Json::as_str) {
        Some("pass") => true,
        Some("fail") => false,
        _ => return Err(fields.problem("verdict", "must be \"pass\" or \"fail\"")),
    };
    let findings =
        fields.array("findings", FINDINGS_MAX)?.ok_or_else(|| fields.problem("findings", "must be an array"))?;
    let mut codes = Vec::with_capacity(findings.len());
    for (index, finding) in findings.iter().enumerate() {
        let finding = Fields::of(finding, format!("/findings/{index}"))?;
        finding.exactly(&["code", "message"])?;
        finding.text("message", TEXT_MAX)?;
        let code = finding.get("code").and_then(Json::as_str).filter(|code| is_code(code));
        let code =
            code.ok_or_else(|| finding.problem("code", "must be 1 to 64 characters of a-z, 0-9, '_', '.', '-'"))?;
        if codes.contains(&code) {
            return Err(finding.problem("code", "occurs twice"));
        }
        codes.push(code);
    }
    match (passed, codes.is_empty()) {
        (true, false) => Err(fields.problem("findings", "must be empty when the verdict is pass")),
        (false, true) => Err(fields.problem("findings", "must hold a finding when the verdict is fail")),
        _ => Ok(()),
    }
}

fn is_code(code: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let rest = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-');
    matches(code, 1, CODE_MAX, first, rest)
}

impl Executor for EvaluatorCli {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::EvaluatorCli { command, .. })) = call.bound() else { return unbound() };
            let program = Program::of(command, request_of(Request::of(call)));
            match process::run(&call.terms(), around, program).await {
                Ok(finished) => interpret(capability, &call.input, &finished),
                Err(outcome) => outcome,
            }
        })
    }
}
